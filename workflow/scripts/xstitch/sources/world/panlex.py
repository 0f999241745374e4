"""PanLex: many small dictionaries of mixed quality in one SQLite file, zipped."""

from __future__ import annotations

import io
import sqlite3
import zipfile
from dataclasses import dataclass, field

import numpy as np

from xstitch.sources.world.concepts import ADJECTIVE, NOUN, Concepts
from xstitch.sources.world.lexicon import SINGULAR, Lexicon
from xstitch.sources.world.settings import PIVOT, WorldSettings
from xstitch.sources.world.streams import stream

MEMBER = "panlex_lite/db.sqlite"
MEMBER_DATE = (2020, 1, 1, 0, 0, 0)  # fixed, so that the archive always has the same bytes
SCHEMA = """
CREATE TABLE lv (lv INTEGER PRIMARY KEY, lc TEXT NOT NULL, vc INTEGER NOT NULL, uid TEXT NOT NULL, tt TEXT);
CREATE TABLE ex (ex INTEGER PRIMARY KEY, lv INTEGER NOT NULL, tt TEXT NOT NULL);
CREATE TABLE dnx (mn INTEGER NOT NULL, ex INTEGER NOT NULL, ui INTEGER NOT NULL, ap INTEGER NOT NULL,
                  uq INTEGER NOT NULL);
"""
INDICES = """
CREATE UNIQUE INDEX ex_lv_tt ON ex (lv, tt);
CREATE INDEX dnx_ex ON dnx (ex, mn);
CREATE INDEX dnx_mn ON dnx (mn);
"""


@dataclass(frozen=True)
class _Source:
    """One dictionary in PanLex."""

    ap: int  # its number
    ui: int  # the group it belongs to: sources of a group copy each other and count once
    uq: int  # its quality, 0-9
    languages: list[str]
    wrong: float  # share of its expressions that are wrong


@dataclass
class PanlexTables:
    """Rows to be written to the database."""

    varieties: dict[str, int]
    expressions: dict[tuple[int, str], int] = field(default_factory=dict)
    meanings: list[tuple[int, int, int, int, int]] = field(default_factory=list)  # mn, ex, ui, ap, uq
    count: int = 0

    def add(self, source: _Source, words: list[tuple[str, str]]) -> None:
        """Add one meaning: expressions of several languages that one source lists together."""
        if len({language for language, _ in words}) < 2:
            return
        self.count += 1
        for language, text in dict.fromkeys(words):
            key = (self.varieties[language], text)
            expression = self.expressions.setdefault(key, len(self.expressions) + 1)
            self.meanings.append((self.count, expression, source.ui, source.ap, source.uq))


def panlex_bytes(settings: WorldSettings, concepts: Concepts, lexicons: dict[str, Lexicon]) -> bytes:
    """Build the archive."""
    return _zipped(_database(panlex_tables(settings, concepts, lexicons)))


def panlex_tables(settings: WorldSettings, concepts: Concepts, lexicons: dict[str, Lexicon]) -> PanlexTables:
    """Collect the entries of all sources."""
    tables = PanlexTables({code: number for number, code in enumerate(lexicons, start=1)})
    for source in _sources(settings, list(lexicons)):
        rng = stream(settings.seed, "panlex", str(source.ap))
        _add_words(tables, source, rng, settings, lexicons, len(concepts))
        _add_phrases(tables, source, rng, settings, lexicons, concepts)
    return tables


def _sources(settings: WorldSettings, codes: list[str]) -> list[_Source]:
    """Draw the dictionaries: the better ones have fewer errors; every fourth copies the previous one."""
    rng = stream(settings.seed, "panlex")
    others = [code for code in codes if code != PIVOT]
    sources, group = [], 0
    for number in range(settings.panlex.sources):
        quality = round(9 * (1 - number / (settings.panlex.sources - 1)))
        group += number % 4 != 3
        size = int(rng.integers(1, len(others) + 1)) if others else 0
        languages = [PIVOT, *(others[k] for k in sorted(rng.choice(len(others), size, replace=False)))]
        wrong = settings.panlex.noise * (1.0 - 0.1 * quality)
        sources.append(_Source(number + 1, group, quality, languages, wrong))
    return sources


def _add_words(
    tables: PanlexTables,
    source: _Source,
    rng: np.random.Generator,
    settings: WorldSettings,
    lexicons: dict[str, Lexicon],
    concepts: int,
) -> None:
    """Add the words that a source knows, concept by concept."""
    for concept in range(concepts):
        words = []
        for language in source.languages:
            known, slip, pick, second = rng.random(4).tolist()
            if known >= settings.languages[language].panlex_coverage:
                continue
            meant = int(pick * concepts) if slip < source.wrong else concept
            senses = lexicons[language].words[meant]
            words += [(language, forms[SINGULAR]) for forms in (senses if second < 0.5 else senses[:1])]
        tables.add(source, words)


def _add_phrases(
    tables: PanlexTables,
    source: _Source,
    rng: np.random.Generator,
    settings: WorldSettings,
    lexicons: dict[str, Lexicon],
    concepts: Concepts,
) -> None:
    """Add a source's expressions of two words."""
    nouns, adjectives = (np.flatnonzero(concepts.pos == kind) for kind in (NOUN, ADJECTIVE))
    for _ in range(round(settings.panlex.phrases * len(concepts) / settings.panlex.sources)):
        noun, adjective = int(rng.choice(nouns)), int(rng.choice(adjectives))
        tables.add(source, [(code, _phrase(lexicons[code], noun, adjective)) for code in source.languages])


def _phrase(lexicon: Lexicon, noun: int, adjective: int) -> str:
    words = [lexicon.words[adjective][0][SINGULAR], lexicon.words[noun][0][SINGULAR]]
    return " ".join(words if lexicon.settings.adjective == "before" else words[::-1])


def _database(tables: PanlexTables) -> bytes:
    """Write the tables to a database in memory and return its file image."""
    connection = sqlite3.connect(":memory:")
    try:
        connection.executescript(SCHEMA)
        varieties = [(number, code, 0, f"{code}-000", code) for code, number in tables.varieties.items()]
        connection.executemany("INSERT INTO lv VALUES (?, ?, ?, ?, ?)", varieties)
        expressions = [(number, variety, text) for (variety, text), number in tables.expressions.items()]
        connection.executemany("INSERT INTO ex VALUES (?, ?, ?)", expressions)
        connection.executemany("INSERT INTO dnx VALUES (?, ?, ?, ?, ?)", tables.meanings)
        connection.executescript(INDICES)
        connection.commit()
        return connection.serialize()
    finally:
        connection.close()


def _zipped(database: bytes) -> bytes:
    archive = io.BytesIO()
    member = zipfile.ZipInfo(MEMBER, MEMBER_DATE)
    member.external_attr = 0o644 << 16
    member.create_system = 3  # Unix, whatever system writes it
    with zipfile.ZipFile(archive, "w") as target:
        target.writestr(member, database, zipfile.ZIP_DEFLATED, compresslevel=6)
    return archive.getvalue()
