"""Mutants of a source, the sample, kept verdicts and the report; no mutant is tried here."""

import os
import signal

import pytest
from mutant_report import Module, Tally, load_equivalent, load_modules, report
from mutations import Mutant, mutants_of, sample
from verdict_file import VerdictFile
from verdicts import LIBRARY, ROOT, _verdict

SOURCE = '''\
def halve(value: int, other: int = 3) -> float:
    """Halve a value."""
    LOG.info("halving %d", value + 4)
    if value < 0:
        raise ValueError("not below 0")
    rows = torch.zeros(len(value), device=value.device)
    for each in progress(value, "halve"):
        rows += each
    return value / 2
'''


def changes(source):
    return [(mutant.place, mutant.before, mutant.after) for mutant in mutants_of("halve.py", source)]


def test_mutants_by_hand():
    zeros = "rows = torch.zeros(len(value), device=value.device)"
    assert sorted(changes(SOURCE)) == sorted(
        [("halve", *(f"def halve(value: int, other: int = {number}) -> float:" for number in (3, 4)))]
        + [("halve", "if value < 0:", changed) for changed in ("if value <= 0:", "if value < 1:")]
        + [
            ("halve", zeros, "rows = None"),
            ("halve", zeros, "rows = torch.zeros(None, device=value.device)"),
            ("halve", zeros, "rows = torch.zeros(device=value.device)"),
            ("halve", "rows += each", "rows = each"),
            ("halve", "rows += each", "rows -= each"),
        ]
        + [("halve", "return value / 2", changed) for changed in ("return value * 2", "return value / 3")]
    )


def test_every_mutant_differs_from_the_source_in_its_lines_alone():
    for mutant in mutants_of("halve.py", SOURCE):
        assert mutant.source == SOURCE.replace(mutant.before, mutant.after)
        compile(mutant.source, "halve.py", "exec")


def test_a_line_that_occurs_twice_has_two_mutants():
    repeated = changes("def f(a):\n    a = g(a)\n    a = g(a)\n")
    assert ("f", "a = g(a)", "a = None") in repeated
    assert ("f", "a = g(a)", "a = None #2") in repeated
    assert len(set(repeated)) == len(repeated) == 4


def test_a_sample_depends_on_the_seed_and_on_no_other_function():
    mutants = mutants_of("m.py", SOURCE)
    drawn = sample(mutants, 5, seed=1)
    assert len(drawn) == 5
    assert drawn == [mutant for mutant in mutants if mutant in drawn]
    assert drawn == sample(mutants, 5, seed=1)
    assert any(sample(mutants, 5, seed) != drawn for seed in range(2, 9))
    assert sample(mutants, 99, seed=1) == mutants
    longer = mutants_of("m.py", SOURCE + "\ndef double(value):\n    return 2 * value\n")
    halves = [mutant for mutant in sample(longer, 8, seed=1) if mutant.place == "halve"]
    assert halves == sample(mutants, len(halves), seed=1)


def test_verdicts_are_kept_until_the_mutant_or_a_test_changes(tmp_path):
    file, test = tmp_path / "results/mutants.tsv", tmp_path / "test_m.py"
    test.write_text("one", encoding="utf-8")
    first, second = mutants_of("m.py", SOURCE)[:2]
    kept = VerdictFile(file, [test])
    kept.add(first, "killed")
    kept.add(second, "timed out")
    again = VerdictFile(file, [test])
    assert [again.verdict(mutant) for mutant in (first, second)] == ["killed", "timed out"]
    file.write_text(file.read_text(encoding="utf-8")[:-4], encoding="utf-8")  # the run was killed in between
    cut = VerdictFile(file, [test])
    assert [cut.verdict(mutant) for mutant in (first, second)] == ["killed", None]
    test.write_text("two", encoding="utf-8")
    assert VerdictFile(file, [test]).verdict(first) is None


def status(code=0, received=0):
    return code << 8 | received


@pytest.mark.parametrize(
    ("ended", "verdict"),
    [
        (status(0), "survived"),
        (status(1), "killed"),
        (status(2), "killed"),  # the mutant cannot be imported
        (status(received=signal.SIGSEGV), "killed"),
        (status(received=signal.SIGPROF), "timed out"),
        (status(received=signal.SIGALRM), "timed out"),
    ],
)
def test_verdicts_follow_from_how_the_tests_ended(ended, verdict):
    assert os.WIFSIGNALED(ended) or os.WIFEXITED(ended)
    assert _verdict(ended) == verdict


def test_tests_that_are_not_found_kill_nothing():
    with pytest.raises(SystemExit, match="no tests"):
        _verdict(status(5))


def test_the_report_counts_by_module_and_lists_survivors():
    mutants = [Mutant("a/b.py", "f", f"x = {number}", f"x = {number + 1}", "") for number in range(5)]
    found = dict(zip(mutants, ["killed", "killed", "timed out", "survived", "survived"], strict=True))
    tallies = [Tally(Module("sums", "a/b.py", []), 70, found)]
    page = report(tallies, {mutants[3]: "nothing reads x"}, seed=7, size=5)
    assert "5 mutants are drawn" in page
    assert "with seed 7." in page
    assert "| sums | `a/b.py` | 70 | 5 | 2 | 1 | 1 | 1 | 60 |\n" in page
    assert "| all |  | 70 | 5 | 2 | 1 | 1 | 1 | 60 |\n" in page
    assert "## Equivalent\n\n- `a/b.py` f: `x = 3` as `x = 4`: nothing reads x\n" in page
    assert "## Other survivors\n\n- `a/b.py` f: `x = 4` as `x = 5`\n" in page


def test_modules_and_their_tests_exist():
    modules = load_modules()
    assert len({module.name for module in modules}) == len(modules)
    for module in modules:
        assert (LIBRARY / module.name).is_file()
        assert module.tests
        assert all((ROOT / test).is_file() for test in module.tests)


def test_mutants_named_as_equivalent_change_lines_that_exist():
    equivalent = load_equivalent()
    assert all(equivalent.values())
    assert {mutant.module for mutant in equivalent} <= {module.name for module in load_modules()}
    for mutant in equivalent:
        lines = (LIBRARY / mutant.module).read_text(encoding="utf-8").splitlines()
        assert mutant.before in " ".join(line.strip() for line in lines)
