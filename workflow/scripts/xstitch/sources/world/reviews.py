"""Reviews: MARC's JSON lines with one to five stars, written separately for each language."""

from __future__ import annotations

import json

import numpy as np

from xstitch.core.draws import WeightedRows
from xstitch.sources.world.concepts import Pools
from xstitch.sources.world.grammar import Writer
from xstitch.sources.world.lexicon import Lexicon
from xstitch.sources.world.meanings import Scenes, draw_clauses
from xstitch.sources.world.settings import WorldSettings
from xstitch.sources.world.streams import stream

SPLITS = ("train", "dev", "test")
CATEGORIES = (
    "apparel", "baby_product", "book", "electronics", "furniture", "grocery", "home", "home_improvement",
    "kitchen", "office_product", "pc", "shoes", "sports", "toy", "wireless",
)  # fmt: skip
# Probabilities in percent of a negative, neutral and positive clause given one to five stars.
TONES = np.array([[95, 5, 0], [80, 15, 5], [15, 70, 15], [5, 15, 80], [0, 5, 95]])
TONE_PULL = 16  # reviewers are emphatic: a clause's tone selects words far more strongly than in running text
NEGATED = 0.05
FOCUS = 0.9


def reviews_bytes(settings: WorldSettings, pools: Pools, lexicon: Lexicon, split: str) -> bytes:
    """Write a split, ordered by stars as in the original files; `pools` must be tilted by `TONE_PULL`."""
    rng = stream(settings.seed, "reviews", lexicon.code, split)
    count = getattr(settings.reviews, split)
    stars = np.sort(np.arange(count) % 5)
    category = rng.integers(len(CATEGORIES), size=count)
    lengths = rng.integers(1, 5, size=count)  # sentences in the body; one more is the title
    texts = _sentences(settings, pools, lexicon, rng, stars, category, lengths + 1)
    numbers = rng.integers(10**7, size=(count, 3)).tolist()
    rows, start = [], 0
    for row, length in enumerate(lengths.tolist()):
        title, *body = texts[start : start + length + 1]
        start += length + 1
        rows.append(
            _row(lexicon.code, split, row, numbers[row], int(stars[row]) + 1, title, body, category[row])
        )
    return "".join(json.dumps(row) + "\n" for row in rows).encode()


def _row(
    code: str,
    split: str,
    row: int,
    numbers: list[int],
    stars: int,
    title: str,
    body: list[str],
    category: int,
) -> dict[str, str]:
    """Return one review with the original keys; all values are strings, even the stars."""
    review = f"{code}_{SPLITS.index(split)}{row:06d}"
    return {
        "review_id": review,
        "product_id": f"product_{code}_{numbers[0]:07d}",
        "reviewer_id": f"reviewer_{code}_{numbers[1]:07d}",
        "stars": str(stars),
        "review_body": " ".join(body),
        "review_title": title.removesuffix(" ."),
        "language": code,
        "product_category": CATEGORIES[category],
    }


def _sentences(
    settings: WorldSettings,
    pools: Pools,
    lexicon: Lexicon,
    rng: np.random.Generator,
    stars: np.ndarray,
    category: np.ndarray,
    lengths: np.ndarray,
) -> list[str]:
    """Write the sentences of all titles and bodies in turn, each of one clause."""
    stars, category = np.repeat(stars, lengths), np.repeat(category, lengths)
    count = len(stars)
    tone = WeightedRows(TONES).draw(rng, stars) - 1
    tone = np.where(rng.random(count) < settings.reviews.noise, rng.integers(-1, 2, size=count), tone)
    negated = rng.random(count) < NEGATED
    cluster = (category * 4 + rng.integers(4, size=count)) % len(pools.concepts.cluster_weight)
    scenes = Scenes(
        agent_cluster=cluster,
        cluster=cluster,
        tone=np.where(negated, -tone, tone),  # "not bad" is praise
        advice=np.full(count, 0.1),
        negation=negated.astype(float),
        state=np.full(count, 0.1),
        past=np.full(count, 0.5),
        focus=np.full(count, FOCUS),
    )
    clauses = draw_clauses(pools, rng, scenes)
    return Writer(lexicon).sentences(clauses, np.ones(count, dtype=int), rng)
