"""PanLex's other forms: the hub's files of meanings, as TSV and as Parquet, and Swadesh lists."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Iterator

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from xstitch.sources.world.concepts import Concepts
from xstitch.sources.world.lexicon import SINGULAR, Lexicon
from xstitch.sources.world.panlex import MEMBER_DATE, PanlexTables, panlex_tables
from xstitch.sources.world.settings import WorldSettings
from xstitch.sources.world.streams import stream

MEANINGS = "huggingface.co/datasets/cointegrated/panlex-meanings/resolve/main/data"
MEANINGS_PARQUET = "huggingface.co/api/datasets/cointegrated/panlex-meanings/parquet"
SWADESH = "raw.githubusercontent.com/nltk/nltk_data/gh-pages/packages/corpora/panlex_swadesh.zip"
NUMBER, TEXT = pa.int64(), pa.string()
COLUMNS = {
    "id": NUMBER,
    "langvar": NUMBER,
    "txt": TEXT,
    "txt_degr": TEXT,
    "meaning": NUMBER,
    "langvar_uid": TEXT,
}
SWADESH_SIZES = (110, 207)
KNOWN = 0.9  # probability that a list has words for a concept; PanLex omits lists below three quarters


def panlex_addresses(codes: list[str]) -> Iterator[str]:
    """List the addresses of the files."""
    yield from (f"{MEANINGS}/{code}.tsv" for code in codes)
    yield from (f"{MEANINGS_PARQUET}/{code}/train/0.parquet" for code in codes)
    yield SWADESH


def panlex_files(
    settings: WorldSettings, concepts: Concepts, lexicons: dict[str, Lexicon]
) -> Iterator[tuple[str, bytes]]:
    """Write the files, each with its address."""
    tables = panlex_tables(settings, concepts, lexicons)
    for code in lexicons:
        rows = _rows(tables, code)
        lines = ["\t".join(map(str, row)) for row in [COLUMNS, *rows]]
        yield f"{MEANINGS}/{code}.tsv", "".join(line + "\n" for line in lines).encode()
        yield f"{MEANINGS_PARQUET}/{code}/train/0.parquet", _parquet(rows)
    yield SWADESH, _swadesh(settings, len(concepts), lexicons)


def _rows(tables: PanlexTables, code: str) -> list[tuple[int, int, str, str, int, str]]:
    """List a language's expressions, once per meaning."""
    variety = tables.varieties[code]
    texts = {number: text for (owner, text), number in tables.expressions.items() if owner == variety}
    return [
        (expression, variety, texts[expression], texts[expression].lower(), meaning, f"{code}-000")
        for meaning, expression, *_ in tables.meanings
        if expression in texts
    ]


def _parquet(rows: list[tuple[int, int, str, str, int, str]]) -> bytes:
    columns = [pa.array([row[i] for row in rows], kind) for i, kind in enumerate(COLUMNS.values())]
    buffer = io.BytesIO()
    pq.write_table(pa.Table.from_arrays(columns, list(COLUMNS)), buffer)
    return buffer.getvalue()


def _swadesh(settings: WorldSettings, concepts: int, lexicons: dict[str, Lexicon]) -> bytes:
    """Write the lists of 110 and 207 concepts; a small world has fewer, and empty lines for the rest."""
    order = stream(settings.seed, "swadesh").permutation(concepts)
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        for size in SWADESH_SIZES:
            known = [f"{code}-000\t{code}\ti\tmini\t{code}\t{code}-000" for code in lexicons]
            _add(archive, f"langs{size}.txt", known)
            for code, lexicon in lexicons.items():
                rng = stream(settings.seed, "swadesh", str(size), code)
                lines = [_synonyms(lexicon, int(concept), rng) for concept in order[:size]]
                _add(archive, f"swadesh{size}/{code}-000.txt", [*lines, *[""] * (size - len(lines))])
    return buffer.getvalue()


def _synonyms(lexicon: Lexicon, concept: int, rng: np.random.Generator) -> str:
    words = sorted(forms[SINGULAR] for forms in lexicon.words[concept])
    return "\t".join(words) if rng.random() < KNOWN else ""


def _add(archive: zipfile.ZipFile, name: str, lines: list[str]) -> None:
    member = zipfile.ZipInfo(f"panlex_swadesh/{name}", MEMBER_DATE)
    member.external_attr = 0o644 << 16
    member.create_system = 3  # Unix, whatever system writes it
    archive.writestr(member, "".join(line + "\n" for line in lines), zipfile.ZIP_DEFLATED)
