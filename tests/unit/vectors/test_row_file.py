"""Rows in a file: what comes back, and what stays behind."""

import numpy as np
import pytest

from xstitch.vectors.row_file import RowFile


def test_rows_come_back_in_the_order_asked_for(tmp_path):
    rows = RowFile(tmp_path)
    rows.append(np.array([[1, 2], [3, 4]], dtype="f8"))
    rows.append(np.array([[5, 6]], dtype="f4"))
    assert (len(rows), rows.width) == (3, 2)
    assert rows[np.array([2, 0, 2])].tolist() == [[5, 6], [1, 2], [5, 6]]


def test_nothing_is_left_in_the_folder(tmp_path):
    rows = RowFile(tmp_path / "new")
    rows.append(np.ones((2, 2)))
    assert [*(tmp_path / "new").iterdir()] == []


def test_rows_of_another_width_are_refused(tmp_path):
    rows = RowFile(tmp_path)
    rows.append(np.ones((2, 2)))
    with pytest.raises(ValueError, match="rows of 3 dimensions behind rows of 2"):
        rows.append(np.ones((1, 3)))
