"""Outputs appear whole or not at all."""

import errno
import os
import subprocess
import sys

import numpy as np
import pytest
from safetensors import SafetensorError
from safetensors.numpy import save_file

from xstitch.core import files
from xstitch.core.errors import InputError
from xstitch.core.files import load_npz, load_npz_rows, save_npz, whole_file, whole_folder


def names(folder):
    return [path.name for path in folder.iterdir()]


def test_a_failed_write_leaves_the_old_file_and_nothing_else(tmp_path):
    path = tmp_path / "out.txt"
    path.write_text("old")
    with pytest.raises(RuntimeError), whole_file(path) as partial:
        partial.write_text("half")
        raise RuntimeError
    assert path.read_text() == "old"
    assert names(tmp_path) == ["out.txt"]


def test_a_failed_folder_leaves_nothing(tmp_path):
    with pytest.raises(RuntimeError), whole_folder(tmp_path / "model") as partial:
        (partial / "config.json").write_text("{}")
        raise RuntimeError
    assert names(tmp_path) == []


@pytest.mark.parametrize(("umask", "mode"), [(0o022, 0o644), (0o027, 0o640), (0o077, 0o600), (0o002, 0o664)])
def test_weights_are_readable_for_whom_the_umask_lets(tmp_path, umask, mode):
    before = os.umask(umask)
    try:
        with whole_folder(tmp_path / "model") as partial:
            save_file({"a": np.zeros(2)}, partial / "model.safetensors")
            (partial / "run.sh").touch(0o777)
    finally:
        os.umask(before)
    assert (tmp_path / "model/model.safetensors").stat().st_mode & 0o777 == mode
    assert (tmp_path / "model/run.sh").stat().st_mode & 0o777 == 0o777 & ~umask


@pytest.mark.parametrize(
    "problem",
    [
        OSError(errno.ENOSPC, "No space left on device"),  # numpy's
        OSError(errno.ENOSPC, "Error writing bytes to file. Detail: [errno 28] No space left"),  # Arrow's
        SafetensorError("Error while serializing: I/O error: No space left on device (os error 28)"),
    ],
)
@pytest.mark.parametrize("whole", [whole_file, whole_folder])
def test_an_error_of_a_full_disk_names_the_output(tmp_path, whole, problem):
    with pytest.raises(OSError, match=r"No space left on device: '.*/out'") as error, whole(tmp_path / "out"):
        raise problem
    assert (error.value.errno, error.value.filename) == (errno.ENOSPC, str(tmp_path / "out"))
    assert names(tmp_path) == []


def test_an_error_that_names_an_unreadable_input_keeps_that_name(tmp_path):
    with pytest.raises(PermissionError, match=r"'other'"), whole_file(tmp_path / "out"):
        raise PermissionError(errno.EACCES, "Permission denied", "other")


def test_a_folder_replaces_the_previous_one(tmp_path):
    for name in ("a", "b"):
        with whole_folder(tmp_path / "model") as partial:
            (partial / name).write_text(name)
    assert names(tmp_path / "model") == ["b"]


def test_leftovers_of_a_killed_job_are_removed_when_it_runs_again_and_nothing_else(tmp_path):
    for name in (".out.abcd_123", ".out.txt.abcd_123", ".out.txt.note", ".out.txt.abcd_123.x"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "half").write_text("half")
    with whole_file(tmp_path / "out.txt") as partial:
        partial.write_text("whole")
    assert sorted(names(tmp_path)) == [".out.abcd_123", ".out.txt.abcd_123.x", ".out.txt.note", "out.txt"]


def test_npz_refuses_python_objects(tmp_path):
    with pytest.raises(TypeError, match="'words' holds Python objects"):
        save_npz(tmp_path / "x.npz", words=np.array(["a", None], dtype=object))
    save_npz(tmp_path / "x.npz", a=np.arange(3))
    assert load_npz(tmp_path / "x.npz")["a"].tolist() == [0, 1, 2]


def test_some_rows_of_a_matrix_are_read_in_blocks(tmp_path, monkeypatch):
    monkeypatch.setattr(files, "ROWS_AT_ONCE", 3)
    matrix = np.arange(16, dtype="f4").reshape(8, 2)
    save_npz(tmp_path / "x.npz", words=np.arange(3), matrix=matrix)
    rows = load_npz_rows(tmp_path / "x.npz", "matrix", np.array([0, 2, 3, 7]))
    assert rows.tolist() == [[0, 1], [4, 5], [6, 7], [14, 15]] and rows.dtype == np.float32
    assert load_npz_rows(tmp_path / "x.npz", "matrix", np.array([], int)).shape == (0, 2)


@pytest.mark.parametrize(("name", "row"), [("matrix", 2), ("words", 0), ("columns", 0), ("other", 0)])
def test_rows_that_a_file_does_not_have_are_refused(tmp_path, name, row):
    arrays = {"words": np.arange(3), "matrix": np.eye(2), "columns": np.asfortranarray(np.eye(3)[:, :2])}
    save_npz(tmp_path / "x.npz", **arrays)
    with pytest.raises(InputError, match=r"x\.npz: not an npz file of plain arrays"):
        load_npz_rows(tmp_path / "x.npz", name, np.array([row]))


JOB = """
import sys
from types import SimpleNamespace
from xstitch.core.errors import InputError
from xstitch.core.job import job
with job(SimpleNamespace(log=[sys.argv[1]])):
    print("to the log")
    raise {problem}
"""


@pytest.mark.parametrize(
    ("problem", "line"),
    [
        ("InputError('no such word')", "error: no such word"),
        (
            "OSError(28, 'No space left on device', 'results/x.npz')",
            "error: results/x.npz: No space left on device; fix that, then run the same command",
        ),
        ("ValueError('a bug')", None),
        ("OSError(5, 'a bug')", None),  # input/output error
    ],
)
def test_a_job_logs_everything_and_reports_a_users_mistake_in_one_line(tmp_path, problem, line):
    log = tmp_path / "logs/job.log"
    command = [sys.executable, "-c", JOB.format(problem=problem), str(log)]
    environment = {**os.environ, "PYTHONPATH": "workflow/scripts"}
    result = subprocess.run(command, capture_output=True, text=True, env=environment, check=False)
    assert result.returncode == 1
    assert result.stdout + result.stderr == ""
    text = log.read_text()
    if line:
        assert text == f"to the log\n{line}\n"
    else:
        assert "Traceback" in text
        assert "a bug" in text
