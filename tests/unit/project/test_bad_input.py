"""Malformed inputs end in one line that names the place and a remedy, and nothing is written."""

from types import SimpleNamespace

import pytest
from bad_inputs import CASES, PAGE, page, refusal

from xstitch.core import job as jobs

ALL = [
    pytest.param(noun, number, id=f"{noun}: {case.what}")
    for noun, cases in CASES.items()
    for number, case in enumerate(cases)
]


@pytest.mark.parametrize(("noun", "number"), ALL)
def test_one_line_names_the_place_and_a_remedy(noun, number):
    case, line = CASES[noun][number], refusal(noun, number)
    assert line.startswith(case.place)
    assert case.remedy in line
    assert "\n" not in line
    assert len(line) < 400


def test_a_job_prints_only_the_line_and_ends_with_an_exit_code(monkeypatch, capsys, tmp_path):
    monkeypatch.setattr(jobs, "_send_output_to", lambda _: None)
    case = CASES["Word vectors"][0]
    with pytest.raises(SystemExit) as ended, jobs.job(SimpleNamespace(log=[str(tmp_path / "log")])):
        monkeypatch.chdir(tmp_path)
        (tmp_path / "v.vec").write_bytes(b"")
        case.read()
    assert ended.value.code == 1
    assert capsys.readouterr().err == "error: v.vec: the file is empty; download it again\n"


def test_there_are_many_cases_with_distinct_names():
    names = [parameter.id for parameter in ALL]
    assert len(names) == len(set(names)) >= 70


def test_the_page_is_generated_from_the_cases():
    assert PAGE.read_text(encoding="utf-8") == page(), (
        "run PYTHONPATH=workflow/scripts python tests/unit/bad_inputs.py"
    )
