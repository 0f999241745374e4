"""gensim's KeyedVectors: reading .kv files without running code from the pickle, and writing them."""

from __future__ import annotations

import pickle
import sys
from collections.abc import Sequence
from math import prod
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from xstitch.core.errors import InputError
from xstitch.core.files import whole_file
from xstitch.vectors.formats.rows import Rows
from xstitch.vectors.formats.stream import Source
from xstitch.vectors.formats.subwords import Ngrams, subword_means
from xstitch.vectors.table import Vectors

if TYPE_CHECKING:
    from gensim.models import KeyedVectors

ROWS_AT_ONCE = 1_000
PLAIN = {"f2", "f4", "f8"}


class _Sealed(type):
    """Keeps pickles from setting attributes of the classes they are given."""

    def __setattr__(cls, name: str, value: object) -> None:
        raise pickle.UnpicklingError(f"it sets {name!r} of a class")


class _Holder(metaclass=_Sealed):
    """Stands in for gensim's classes: attributes without behaviour."""


class _Array(metaclass=_Sealed):
    """What a pickle says about an array; checked before any array is made from it."""

    def __init__(self, *arguments: Any) -> None:
        self.arguments = arguments
        self.state: tuple | None = None

    def __setstate__(self, state: tuple) -> None:
        self.state = state

    def matrix(self) -> np.ndarray:
        """Return the float matrix, a view of the pickled bytes."""
        if self.state is not None:  # numpy's _reconstruct, then version, shape, dtype, order, bytes
            _, shape, kind, fortran, data = self.state
        else:  # numpy's _frombuffer, since pickle protocol 5
            data, kind, shape, order = self.arguments
            fortran = order == "F"
        rows, columns = shape
        numbers = np.frombuffer(data, dtype=kind.dtype())
        if min(rows, columns) < 0 or prod(shape) != numbers.size:
            raise ValueError("an array whose size is not what it says")
        return numbers.reshape(rows, columns, order="F" if fortran else "C")


class _Kind(metaclass=_Sealed):
    """What a pickle says about an array's element type."""

    def __init__(self, name: str, *_: Any) -> None:
        self.name = name
        self.order = "<"

    def __setstate__(self, state: tuple) -> None:
        self.order = state[1]

    def dtype(self) -> np.dtype:
        """Return the type; refuse any but plain floats."""
        if self.name not in PLAIN or self.order not in "<>=|":
            raise ValueError(f"vectors of type {self.name!r}")
        return np.dtype(self.order + self.name)


class _Bytes(metaclass=_Sealed):
    """Bytes, as protocol 2 writes them."""

    def __new__(cls, text: str, *_: Any) -> bytes:
        return text.encode("latin-1")


_KEYED = ("KeyedVectors", "Word2VecKeyedVectors", "EuclideanKeyedVectors", "FastTextKeyedVectors", "Vocab")
ALLOWED: dict[tuple[str, str], type] = {
    **{("gensim.models.keyedvectors", name): _Holder for name in _KEYED},
    ("gensim.models.fasttext", "FastTextKeyedVectors"): _Holder,
    ("numpy", "ndarray"): _Array,
    ("numpy", "dtype"): _Kind,
    ("_codecs", "encode"): _Bytes,
    # Protocols below 4 have no opcodes for these.
    **{(module, kind.__name__): kind for module in ("builtins", "__builtin__") for kind in (set, frozenset)},
    **{
        (f"numpy.{core}.{module}", name): _Array
        for core in ("core", "_core")
        for module, name in (
            ("multiarray", "_reconstruct"),
            ("multiarray", "scalar"),
            ("numeric", "_frombuffer"),
        )
    },
}


class _Unpickler(pickle.Unpickler):
    """Accepts the classes above and no others."""

    def find_class(self, module: str, name: str) -> type:
        if (module, name) not in ALLOWED:
            raise pickle.UnpicklingError(f"it asks for {module}.{name}")
        return ALLOWED[module, name]


def read_keyed_vectors(source: Source, limit: int | None = None) -> Vectors:
    """Read a .kv file of gensim 1 to 4, and the .npy files that gensim puts next to large ones."""
    attributes = _attributes(source)
    words = attributes.get("index_to_key", attributes.get("index2word"))
    if not isinstance(words, list) or not all(isinstance(word, str) for word in words):
        raise InputError(f"{source.name}: a pickle without a list of words; save it with KeyedVectors.save")
    rows = Rows(source.name, limit)
    if "vectors_ngrams" in attributes or "vectors_ngrams" in attributes["__numpys"]:
        _add_fasttext(rows, words, attributes, source)
    else:
        _add_plain(rows, words, _matrix(attributes, ("vectors", "syn0"), source))
    return rows.vectors(len(words))


def to_keyed_vectors(vectors: Vectors) -> KeyedVectors:
    """Return the same vectors for gensim."""
    from gensim.models import KeyedVectors  # takes a second to import, which readers need not wait

    keyed = KeyedVectors(vectors.matrix.shape[1], count=0, dtype=np.float32)
    keyed.add_vectors(vectors.words, vectors.matrix.astype(np.float32, copy=False))
    return keyed


def write_keyed_vectors(vectors: Vectors, path: str | Path) -> None:
    """Write a single .kv file; gensim would put a large matrix into a second one, unknown to the rule."""
    keyed = to_keyed_vectors(vectors)
    keyed.lifecycle_events = None  # gensim would add the time, but equal vectors must make equal files
    with whole_file(path) as partial:
        keyed.save(str(partial), sep_limit=sys.maxsize)


def _attributes(source: Source) -> dict[str, Any]:
    """Return the attributes of the pickled object."""
    try:
        pickled = _Unpickler(source.stream, encoding="latin1").load()
    except (InputError, OSError):
        raise
    except Exception as problem:  # a damaged pickle can raise anything
        reason = " ".join(str(problem).split()) or type(problem).__name__
        raise InputError(
            f"{source.name}: not a pickle of vectors ({reason[:80]}); in gensim, save plain vectors with "
            "model.wv.save_word2vec_format('x.vec')"
        ) from problem
    attributes = vars(pickled) if isinstance(pickled, _Holder) else {}
    if not isinstance(attributes.get("__numpys"), list):
        attributes["__numpys"] = []
    return attributes


def _matrix(attributes: dict[str, Any], names: Sequence[str], source: Source) -> np.ndarray:
    """Return a matrix from the pickle, or from a file next to it."""
    for name in names:
        npy_file = Path(f"{source.path}.{name}.npy")
        try:
            if name in attributes["__numpys"]:
                matrix = np.load(npy_file, mmap_mode="r", allow_pickle=False)
            elif isinstance(attributes.get(name), _Array):
                matrix = attributes[name].matrix()
            else:
                continue
            if matrix.ndim != 2 or matrix.dtype.kind != "f":
                raise ValueError("not a matrix of floats")
        except FileNotFoundError as problem:
            raise InputError(
                f"{source.name}: its vectors are in {npy_file}; put that file there"
            ) from problem
        except (ValueError, TypeError, AttributeError, EOFError) as problem:
            raise InputError(f"{source.name}: {name} cannot be read ({problem}); get it again") from problem
        return matrix
    raise InputError(f"{source.name}: holds no {names[0]!r}; save it again with KeyedVectors.save")


def _add_plain(rows: Rows, words: Sequence[str], matrix: np.ndarray) -> None:
    start = 0
    count = min(len(words), len(matrix))
    while start < count and rows.remaining != 0:
        end = min(count, start + min(ROWS_AT_ONCE, rows.remaining or ROWS_AT_ONCE))
        rows.add(_encoded(words[start:end]), np.asarray(matrix[start:end]))
        start = end


def _add_fasttext(rows: Rows, words: Sequence[str], attributes: dict[str, Any], source: Source) -> None:
    """Average words and n-grams: gensim does not store the averages, because they follow from these."""
    word_vectors = _matrix(attributes, ("vectors_vocab",), source)
    buckets = _matrix(attributes, ("vectors_ngrams",), source)
    shortest, longest = attributes.get("min_n"), attributes.get("max_n")
    if not isinstance(shortest, int) or not isinstance(longest, int) or len(word_vectors) < len(words):
        raise InputError(f"{source.name}: fastText vectors without n-gram lengths; save them as .vec")
    start = 0
    while start < len(words) and rows.remaining != 0:
        part = _encoded(words[start : start + min(ROWS_AT_ONCE, rows.remaining or ROWS_AT_ONCE)])
        ngrams = Ngrams(shortest, longest, len(buckets))
        vectors = word_vectors[start : start + len(part)]
        rows.add(part, subword_means(part, vectors, buckets.__getitem__, ngrams))
        start += len(part)


def _encoded(words: Sequence[str]) -> list[bytes]:
    """Return words as bytes, as in other files; lone surrogates become undecodable, as they should."""
    return [word.encode(errors="surrogatepass") for word in words]
