"""WordPiece tokenizers like BERT's, the same in every process and with frequent words kept whole.

The vocabulary is counted here because tokenizers' own WordPieceTrainer numbers its pieces in the order of a
randomly seeded hash map: on the same text, three processes gave three numberings.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from itertools import islice
from typing import TypeVar

from tokenizers import Tokenizer, decoders, models, normalizers, pre_tokenizers, processors

from xstitch.core.errors import InputError
from xstitch.core.progress import progress

Item = TypeVar("Item")
SPECIAL = {"pad": "[PAD]", "unk": "[UNK]", "cls": "[CLS]", "sep": "[SEP]", "mask": "[MASK]"}
BLOCK = 1000  # sentences handled at once
LETTERS_SHARE = 0.25  # at most this share of the vocabulary for letters, and as much for ##letters
PIECES_SHARE = 0.2  # of the rest: inflection needs few endings, words must be whole


def blocks(items: Iterable[Item], size: int) -> Iterator[list[Item]]:
    """Cut a stream into lists of `size`."""
    stream = iter(items)
    while block := list(islice(stream, size)):
        yield block


def train_wordpiece(sentences: Iterable[str], vocabulary_size: int, lowercase: bool) -> Tokenizer:
    """Make a BERT-style tokenizer with a vocabulary counted on sentences, most frequent words first."""
    # Accents stay: a token must be the same string as its word in lexica and static vectors.
    normalizer = normalizers.BertNormalizer(lowercase=lowercase, strip_accents=False)
    splitter = pre_tokenizers.BertPreTokenizer()
    counts: Counter[str] = Counter()
    for block in progress(blocks(sentences, BLOCK), "counting words", unit="block"):
        words = splitter.pre_tokenize_str(normalizer.normalize_str("\n".join(block)))
        counts.update(word for word, _ in words)
    vocabulary = wordpiece_vocabulary(counts, vocabulary_size)
    tokenizer = Tokenizer(models.WordPiece(vocabulary, unk_token=SPECIAL["unk"]))
    tokenizer.normalizer, tokenizer.pre_tokenizer = normalizer, splitter
    tokenizer.decoder = decoders.WordPiece()
    tokenizer.add_special_tokens(list(SPECIAL.values()))
    tokenizer.post_processor = processors.BertProcessing(
        *((SPECIAL[name], vocabulary[SPECIAL[name]]) for name in ("sep", "cls"))
    )
    return tokenizer


def wordpiece_vocabulary(counts: Counter[str], size: int) -> dict[str, int]:
    """Choose special tokens, frequent words, letters, ##letters and endings of the words left out."""
    letters = _top(_letter_counts(counts), int(size * LETTERS_SHARE))
    room = size - len(SPECIAL) - 2 * len(letters)
    if room <= 0:
        raise InputError(
            f"vocabulary size {size}: too small for {len(letters)} letters, whole and as ##letters"
        )
    longer = {word: count for word, count in counts.items() if len(word) > 1}
    share = 0.0 if len(longer) <= room else PIECES_SHARE
    words = _top(longer, round(room * (1 - share)))
    endings = _top(_ending_scores(longer, set(words) | set(letters)), room - len(words))
    entries = [*SPECIAL.values(), *words, *letters, *(f"##{piece}" for piece in (*letters, *endings))]
    return {entry: number for number, entry in enumerate(entries)}


def _letter_counts(counts: Counter[str]) -> Counter[str]:
    """Count how often each letter occurs."""
    letters: Counter[str] = Counter()
    for word, count in counts.items():
        for letter in word:
            letters[letter] += count
    return letters


def _ending_scores(counts: dict[str, int], known: set[str]) -> Counter[str]:
    """Score continuations of words missing from the vocabulary by the number of tokens they would save."""
    scores: Counter[str] = Counter()
    for word, count in counts.items():
        if word not in known:
            start = next((end for end in range(len(word) - 1, 0, -1) if word[:end] in known), len(word))
            for end in range(start + 2, len(word) + 1):
                scores[word[start:end]] += count * (end - start - 1)
    return scores


def _top(scores: dict[str, int], number: int) -> list[str]:
    """Return the entries with the highest scores, ties in alphabetical order."""
    return sorted(scores, key=lambda entry: (-scores[entry], entry))[: max(0, number)]
