"""The registry of readers, and sampling of rows."""

import tracemalloc
from collections import Counter
from pathlib import Path

import pytest

from xstitch.plan.overlays import load
from xstitch.sources.tasks.readers import READERS, load_reader
from xstitch.sources.tasks.rows import Example, sampled

ROOT = Path(__file__).parents[3]
CONFIG = load(ROOT / "config/config.yaml", [], {}, ROOT / "config")


NUMBERS_OF_LABELS = {
    **{"taxi1500": 6, "marc3": 3, "marc5": 5, "marc": 5, "xnli": 3, "xnli-mt": 3},
    **{"panx": 7, "wikiann": 7, "conll": 9, "udpos": 17},
    **dict.fromkeys(("xquad", "tydiqa", "tatoeba", "wikimatrix"), 0),
}


def examples(number):
    return (Example(str(i), "ab"[i % 2], "text") for i in range(number))


@pytest.mark.parametrize("name", [name for name, task in CONFIG["tasks"].items() if task["kind"] in READERS])
def test_every_shipped_task_has_unique_labels(name):
    task = CONFIG["tasks"][name]
    labels = load_reader(task["kind"]).labels(task)
    assert len(labels) == len(set(labels)) == NUMBERS_OF_LABELS[name]


def test_only_registered_modules_are_readers():
    with pytest.raises(ValueError, match="no task reader 'examples'"):
        load_reader("examples")


def test_without_a_limit_all_examples_are_streamed():
    assert list(sampled(examples(10), None, 1)) == list(examples(10))
    read = []
    next(sampled((read.append(example) or example for example in examples(10)), None, 1))
    assert len(read) == 1


@pytest.mark.parametrize("size", [10, 11])
def test_a_limit_that_is_not_reached_changes_nothing(size):
    assert list(sampled(examples(10), size, 1)) == list(examples(10))


def test_a_sample_is_seeded_ordered_and_without_repeats():
    one, same, other = (list(sampled(examples(1000), 50, seed)) for seed in (1, 1, 2))
    assert one == same != other
    numbers = [int(example.id) for example in one]
    assert numbers == sorted(set(numbers))
    assert len(numbers) == 50


def test_every_example_is_equally_likely():
    # 3 of 6, drawn 2,000 times: each is expected 1,000 times, with a standard deviation of 22.
    drawn = Counter(example.id for seed in range(2000) for example in sampled(examples(6), 3, seed))
    assert len(drawn) == 6
    assert all(abs(count - 1000) < 110 for count in drawn.values())


def test_a_small_sample_of_many_examples_takes_little_memory():
    tracemalloc.start()
    list(sampled(examples(10_000), 10, 1))
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 100_000  # ten thousand examples take more than a megabyte
