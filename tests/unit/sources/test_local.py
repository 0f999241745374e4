"""Data sets from the user's folders, and the messages if there are none."""

from pathlib import Path

import pytest

from xstitch.core.errors import InputError
from xstitch.sources.fetch.datasets import Dataset, load_datasets
from xstitch.sources.fetch.local import copy_local, unobtainable

TABLE = Path(__file__).parents[3] / "config/datasets.tsv"
FILE = "train/dataset_de_train.json"
MARC = load_datasets(TABLE)["marc"]


def test_a_withdrawn_data_set_without_a_folder_is_refused_with_file_and_old_address():
    message = unobtainable(MARC, FILE, "", "")
    assert message.startswith(f"marc: no {FILE} (withdrawn by its owner in 2023")
    assert f"https://amazon-reviews-ml.s3-us-west-2.amazonaws.com/json/{FILE}" in message
    assert message.endswith("; set config local.marc to the folder of your copy")
    assert "\n" not in message


def test_a_mirror_or_a_served_data_set_is_left_to_the_download():
    assert unobtainable(MARC, FILE, "", "results/world") == ""
    served = Dataset("d", "1", "https://h.example/{file}", "", "free", "")
    assert unobtainable(served, FILE, "", "") == ""
    assert [dataset.dataset for dataset in load_datasets(TABLE).values() if dataset.withdrawn] == [
        "marc",
        "conll2002",
        "conll2003",
    ]


@pytest.mark.parametrize("path", [FILE, Path(FILE).name])
def test_a_folder_has_the_file_with_or_without_subfolders(tmp_path, path):
    (tmp_path / "copy" / path).parent.mkdir(parents=True)
    (tmp_path / "copy" / path).write_text("x", encoding="utf-8")
    assert unobtainable(MARC, FILE, str(tmp_path / "copy"), "") == ""
    copy_local("marc", FILE, str(tmp_path / "copy"), MARC.note, tmp_path / "out.json")
    assert (tmp_path / "out.json").read_text(encoding="utf-8") == "x"


def test_a_folder_that_lacks_the_file_is_named(tmp_path):
    message = unobtainable(MARC, FILE, str(tmp_path), "results/world")
    assert message.startswith(f"{tmp_path}/{FILE}: no such file (marc: withdrawn")
    with pytest.raises(InputError, match="no such file"):
        copy_local("marc", FILE, str(tmp_path), MARC.note, tmp_path / "out.json")
    assert not (tmp_path / "out.json").exists()


def test_a_data_set_without_an_address_needs_a_folder(tmp_path):
    with pytest.raises(
        InputError, match=r"corpus: on request; put x.tsv into a folder and set config local.corpus to it"
    ):
        copy_local("corpus", "x.tsv", "", "on request", tmp_path / "out.tsv")


def test_a_file_of_which_the_head_is_wanted_is_copied_whole(tmp_path):
    (tmp_path / "de.txt.xz").write_bytes(b"a text")
    copy_local("cc100", "first-3/de.txt.xz", str(tmp_path), "", tmp_path / "out")
    assert (tmp_path / "out").read_bytes() == b"a text"
    with pytest.raises(InputError, match=r"/es\.txt\.xz: no such file") as caught:
        copy_local("cc100", "first-3/es.txt.xz", str(tmp_path), "", tmp_path / "none")
    assert "first-3" not in str(caught.value)
