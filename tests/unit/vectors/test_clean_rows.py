"""The fast way through text gives bit for bit what the careful one gives, or it declines."""

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from xstitch.vectors.formats import text
from xstitch.vectors.formats.clean import parse_clean
from xstitch.vectors.formats.read import read_vectors

DECIMALS = st.one_of(
    st.floats(width=64).map(repr),
    st.floats(width=32).map(lambda number: f"{number:.5f}"),
    st.from_regex(r"[-+]?[0-9]{0,25}\.?[0-9]{1,40}(e[-+]?[0-9]{1,3})?", fullmatch=True),
    st.sampled_from(
        ["1e-45", "7.006492321624085e-46", "1.17549435e-38", "3.4028235677973366e38", "-0", "nan", ""]
    ),
)
WORDS = st.text(
    st.sampled_from(
        ["a", "ê", "e", "\u0302", "語", '"', "'", "#", " ", "\t", "\r", "\u2028", "\x1c", "\0", "7"]
    )
)
LINE_ENDS = st.sampled_from(["\n", "\n", " \n", "\r\n", "\n\n"])


@st.composite
def files(draw):
    """Draw a text of vectors: mostly clean, with some oddities."""
    dimensions = draw(st.integers(1, 3))
    end = draw(LINE_ENDS)
    row = st.builds(
        lambda word, values: " ".join([word, *values]),
        WORDS,
        st.lists(DECIMALS, min_size=dimensions, max_size=dimensions),
    )
    return end.join([f"3 {dimensions}", *draw(st.lists(row, min_size=1, max_size=5)), ""]).encode()


def outcome(path, limit):
    """Return what reading leads to: words and the bits of the numbers, or the refusal."""
    try:
        vectors = read_vectors(path, limit)
    except text.InputError as problem:
        return str(problem)
    return vectors.words, vectors.matrix.tobytes()


@settings(deadline=None, max_examples=200)
@example(b"2 1\na 1.00000005960464478\nb 1e-45\n", None)
@example(b"2 1\na 1 \nb 2 \n", 1)
@given(content=files(), limit=st.sampled_from([None, 1, 2]))
def test_both_ways_lead_to_the_same(tmp_path_factory, content, limit):
    path = tmp_path_factory.mktemp("clean") / "v.vec"
    path.write_bytes(content)
    fast = outcome(path, limit)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(text, "parse_clean", lambda *_: None)
        assert fast == outcome(path, limit)


def test_random_bits_and_many_digits_are_parsed_as_numpy_does():
    numbers = np.random.default_rng(0).integers(0, 2**32, size=30_000, dtype=np.uint32).view(np.float32)
    numbers = numbers[np.isfinite(numbers)][:29_000].reshape(-1, 10)
    for form in ("%.9g", "%.60e"):
        lines = (b"w " + b" ".join((form % value).encode() for value in row) for row in numbers.tolist())
        words, parsed = parse_clean(b"".join(line + b"\n" for line in lines), 10)
        assert words == [b"w"] * len(numbers)
        np.testing.assert_array_equal(parsed.view(np.uint32), numbers.view(np.uint32))


@pytest.mark.parametrize(
    ("block", "words", "numbers"),
    [
        (b"a 1 2\nb -3.5 4e1\n", [b"a", b"b"], [[1, 2], [-3.5, 40]]),
        (b' 1 2\n"b" 3 4\n', [b"", b'"b"'], [[1, 2], [3, 4]]),
        ("é 0 1\n\u2028\u00a0 2 3\n".encode(), ["é".encode(), "\u2028\u00a0".encode()], [[0, 1], [2, 3]]),
    ],
)
def test_clean_lines_are_taken(block, words, numbers):
    found = parse_clean(block, 2)
    assert found[0] == words
    np.testing.assert_array_equal(found[1], np.float32(numbers))


@pytest.mark.parametrize(
    "block",
    [
        b"a b 1 2\n",
        b"a 1\nb 2 3 4\n",  # as many fields as two rows, but not in each
        b"a  1 2\n",
        b"a  2\n",
        b"a 1 2 \n",
        b"a 1 2\r\n",
        b"a\t1\t2\n",
        b"a 1 2\n\n",
        b"a 1 x\n",
        b"a 1 0,5\n",
        b"a 1 2\nb 1\n",
        b"a\x1cb 1 2\n",
    ],
)
def test_other_lines_are_left_to_the_careful_reader(block):
    assert parse_clean(block, 2) is None
