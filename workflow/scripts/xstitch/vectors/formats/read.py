"""Read word vectors in any common format, recognised by content."""

from __future__ import annotations

import re
from pathlib import Path

from xstitch.core.errors import InputError
from xstitch.vectors.formats.binary import is_fasttext, read_fasttext, read_word2vec
from xstitch.vectors.formats.gensim import read_keyed_vectors
from xstitch.vectors.formats.stream import Source, open_source
from xstitch.vectors.formats.text import parse_header, read_text
from xstitch.vectors.table import Vectors

# Bytes that no text has in any encoding; raw floats have them within a few rows.
CONTROL = re.compile(rb"[\x00-\x08\x0e-\x1a]")
NUMBER = re.compile(rb"[-+.\deEnaifNAIF]+")
UTF16 = (b"\xff\xfe", b"\xfe\xff")


def read_vectors(path: str | Path, limit: int | None = None) -> Vectors:
    """Read the first `limit` usable rows of fastText, word2vec, GloVe or gensim files, compressed or not."""
    with open_source(Path(path)) as source:
        head = source.head()
        _refuse_other_content(head, source)
        if re.match(rb"\x80[\x02-\x05]", head):
            return read_keyed_vectors(source, limit)
        if is_fasttext(head):
            return read_fasttext(source, limit)
        if _is_word2vec_binary(head):
            return read_word2vec(source, limit)
        if b"\0" in head:
            raise InputError(f"{source.name}: a binary file {_hint(source)}; export its vectors as .vec")
        return read_text(source, limit)


def _refuse_other_content(head: bytes, source: Source) -> None:
    """Refuse what often comes instead of word vectors."""
    if not head:
        raise InputError(f"{source.name}: the file is empty; download it again")
    if head.startswith(UTF16):
        raise InputError(f"{source.name}: text in UTF-16; convert it: iconv -f UTF-16 -t UTF-8")
    if head.lstrip(b"\xef\xbb\xbf \t\r\n")[:14].lower().startswith((b"<!doctype html", b"<html")):
        raise InputError(f"{source.name}: a web page instead of vectors; download the file again")


def _is_word2vec_binary(head: bytes) -> bool:
    """Whether raw floats follow a header."""
    first, _, rest = head.partition(b"\n")
    header = parse_header(first)
    if header is None or not rest:
        return False
    # A row of text is text, even if its word has control characters.
    fields = rest.partition(b"\n")[0].split()[1:]
    if len(fields) >= header[1] > 0 and all(map(NUMBER.fullmatch, fields[-header[1] :])):
        return False
    return bool(CONTROL.search(rest)) or _is_undecodable(rest.partition(b" ")[2][: 4 * header[1]])


def _is_undecodable(values: bytes) -> bool:
    """Whether the numbers of a row are not text: a few raw floats may happen to have no control byte."""
    try:
        values.decode()
    except UnicodeDecodeError:
        return True
    return False


def _hint(source: Source) -> str:
    """Say what the name promises, because the content does not tell."""
    promised = {".bin": "but not a fastText or word2vec model", ".kv": "but not KeyedVectors of gensim"}
    return promised.get(Path(source.name).suffix, "of no known format")
