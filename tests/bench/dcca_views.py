"""What the DCCA loss of x2s sees and teaches: drawn views of words, at the paper's sizes or a quarter.

`python tests/bench/dcca_views.py` prints the table of docs/methods/continued.md. A word's meaning has 768
dimensions whose variances fall as 1/i, as those of word vectors do. The static view is the meaning, of length
one. The contextual view is a rotation of the meaning (identical), of a mixture of it with another one
(related: correlations of .5), or of another one only (unrelated), plus an offset.

- Losses of an update of 1,024 words, averaged over its parts, and the share of the way from unrelated to
  identical that related views have come.
- Learned: two languages see the same meanings through rotations of their own. A linear map for each,
  starting as the identity, is trained with the loss. P@1 is how often the nearest neighbour of a word in the
  other language is its translation, for words that were not trained on, before and after. This at a quarter
  of the sizes (192 dimensions, 256 words), but with parts of 64.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path
from statistics import fmean

os.environ["OMP_WAIT_POLICY"] = "PASSIVE"  # before torch is loaded

import torch

sys.path.insert(0, str(Path(__file__).parents[2] / "workflow/scripts"))

from xstitch.encoders.dcca import dcca_loss
from xstitch.encoders.settings.continued import Correlations

WIDTH, UPDATE, PART = 768, 1024, 64
KINDS = {"unrelated": 0.0, "related": 0.5, "identical": 1.0}
# By name: whether parts of an update are compared, and how.
SETTINGS = {
    "all correlations, ridge 1e-4": (False, Correlations()),
    "all correlations, ridge 1e-2": (False, Correlations(ridge=1e-2)),
    "the ten highest, ridge 1e-4": (False, Correlations(correlations=10)),
    "100 components": (False, Correlations(components=100)),
    "10 components": (False, Correlations(components=10)),
    "10 components of 64 words, generalised": (True, Correlations(components=10, objective="generalised")),
}


class Words:
    """Draws words with meanings and views of them."""

    def __init__(self, width: int, languages: int = 1, turned: float = 10.0) -> None:
        self.random = torch.Generator().manual_seed(1)
        self.scales = (1 / torch.arange(1, width + 1)).sqrt()
        mixtures = [
            torch.eye(width) + turned * self._normal(width, width) / width**0.5 for _ in range(languages)
        ]
        self.rotations = [torch.linalg.qr(mixture).Q for mixture in mixtures]
        self.offsets = [0.3 * self._normal(width) for _ in range(languages)]

    def _normal(self, *shape: int) -> torch.Tensor:
        return torch.randn(*shape, generator=self.random)

    def meanings(self, number: int) -> torch.Tensor:
        """Draw words."""
        return self._normal(number, len(self.scales)) * self.scales

    def contextual(self, meanings: torch.Tensor, correlation: float, language: int = 0) -> torch.Tensor:
        """Draw the view of an encoder."""
        mixed = correlation * meanings + (1 - correlation**2) ** 0.5 * self.meanings(len(meanings))
        return mixed @ self.rotations[language] + self.offsets[language]


def unit(rows: torch.Tensor) -> torch.Tensor:
    """Scale rows to length one."""
    return rows / rows.norm(dim=1, keepdim=True)


def losses(whole: int, part: int, width: int, settings: Correlations, updates: int = 2) -> dict[str, float]:
    """Average the losses of some updates for every kind of relation."""
    words = Words(width)
    means = {}
    for kind, correlation in KINDS.items():
        meanings = [words.meanings(part) for _ in range(updates * whole // part)]
        views = [(words.contextual(batch, correlation), unit(batch)) for batch in meanings]
        means[kind] = fmean(dcca_loss(*pair, settings).item() for pair in views)
    seen = (means["unrelated"] - means["related"]) / (means["unrelated"] - means["identical"])
    return {**means, "share": seen}


def learned(whole: int, part: int, width: int, settings: Correlations, updates: int = 60) -> dict[str, float]:
    """Train maps of two languages by the loss; return how many translations are found before and after."""
    words = Words(width, languages=2, turned=0.6)
    maps = [torch.eye(width, requires_grad=True) for _ in range(2)]
    optimiser = torch.optim.Adam(maps, lr=2e-3)
    unseen = words.meanings(1000)
    tested = [words.contextual(unseen, 0.9, language) for language in range(2)]

    def found() -> float:
        with torch.no_grad():
            one, two = (unit(view @ own) for view, own in zip(tested, maps, strict=True))
            return 100 * ((one @ two.T).argmax(dim=1) == torch.arange(len(unseen))).float().mean().item()

    before = found()
    for _ in range(updates):
        optimiser.zero_grad()
        for _ in range(whole // part):
            halves = [words.meanings(part // 2) for _ in range(2)]
            views = [words.contextual(half, 0.9, i) @ maps[i] for i, half in enumerate(halves)]
            (dcca_loss(torch.cat(views), unit(torch.cat(halves)), settings) * part / whole).backward()
        optimiser.step()
    return {"before": before, "after": found()}


def main() -> None:
    """Print the table."""
    print("| | unrelated | related | identical | share | P@1 before | after |\n|---|---|---|---|---|---|---|")
    for name, (parted, settings) in SETTINGS.items():
        seen = losses(UPDATE, PART if parted else UPDATE, WIDTH, settings)
        taught = learned(UPDATE // 4, PART if parted else UPDATE // 4, WIDTH // 4, settings)
        numbers = [f"{value:.2f}" for value in seen.values()] + [f"{value:.0f}" for value in taught.values()]
        print(f"| {name} | {' | '.join(numbers)} |", flush=True)


if __name__ == "__main__":
    main()
