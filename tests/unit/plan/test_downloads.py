"""Files that are downloaded: paths, addresses, archives, and what is unavailable."""

from dataclasses import replace

import pytest
from small_run import asked, default_run, small_run

from xstitch.core.errors import InputError
from xstitch.plan.downloads import (
    archive_file,
    archive_member,
    download_address,
    downloads_of,
    given_address,
    known_checksum,
    local_folder,
    local_note,
    mirrored_input,
    require_address,
    resource,
    unobtainable,
    unpacked,
)


def test_paths_include_the_version():
    run = small_run()
    assert resource(run, "muse", "en-de.txt") == "resources/muse/v1/en-de.txt"
    assert unpacked(run, "ud", "a/b.conllu") == "resources/unpacked/ud/v1/a/b.conllu"
    assert unpacked(run, "ud", "train", "de.tar.gz") == "resources/unpacked/ud/v1/de.tar.gz.members/train"


def test_withdrawn_data_sets_must_be_provided(tmp_path):
    problem = (
        "marc: no train/x.json (a note); its address was https://x.example/marc/train/x.json; "
        "set config local.marc to the folder of your copy"
    )
    assert unobtainable(small_run(), "marc", "train/x.json") == problem
    with pytest.raises(InputError, match=r"^marc: no train/x\.json"):
        resource(small_run(), "marc", "train/x.json")
    (tmp_path / "x.json").touch()
    run = small_run(local={"marc": str(tmp_path)})
    assert resource(run, "marc", "train/x.json") == "resources/marc/v1/train/x.json"
    assert unobtainable(run, "marc", "train/y.json").endswith("train/y.json: no such file (marc: a note)")


def test_the_mini_world_has_only_its_own_files():
    run = default_run()
    assert unobtainable(run, "cc100", "qab.txt.xz") == ""
    assert unobtainable(run, "cc100", "de.txt.xz").startswith("cc100: the mini world has no de.txt.xz; ")


def test_only_files_of_the_mini_world_are_inputs_of_downloads():
    job = asked(dataset="cc100", file="qab.txt.xz")
    assert mirrored_input(default_run(), job) == "results/world/data.statmt.org/cc-100/qab.txt.xz"
    job = asked(dataset="muse", file="en-de.txt")
    assert mirrored_input(small_run(mirror="/copies"), job) == []
    assert mirrored_input(small_run(), asked(dataset="taxi1500-corpus", file="de_test.tsv")) == []


def test_addresses_and_notes():
    job = asked(dataset="muse", file="en-de.txt")
    assert download_address(small_run(), job) == "https://x.example/muse/en-de.txt"
    assert local_note(small_run(), job) == ""
    assert local_folder(small_run(), job) == ""
    run = small_run(local={"muse": "/mine"})
    assert (download_address(run, job), local_note(run, job)) == ("", "a note")
    assert local_folder(run, job) == "/mine"
    assert given_address(small_run(), asked(address="x.example/de.txt")) == "https://x.example/de.txt"


def test_checksums_come_from_the_table_of_data_sets():
    run, job = small_run(), asked(dataset="muse")
    assert known_checksum(run, job) == ""
    listed = {"muse": replace(run.datasets["muse"], sha256="a" * 64)}
    assert known_checksum(replace(run, datasets=listed), job) == "a" * 64


@pytest.mark.parametrize(
    ("dataset", "member", "archive", "name"),
    [
        ("ud", "a/b.conllu", "resources/ud/v1/ud.zip", "a/b.conllu"),
        ("wiki", "de.zip.members/x.vec", "resources/wiki/v1/de.zip", "x.vec"),
        ("ud", "de.tgz.members/train", "resources/unpacked/ud/v1/de.tgz", "train"),
    ],
)
def test_archives_are_files_or_inside_others(dataset, member, archive, name):
    job = asked(dataset=dataset, member=member)
    assert archive_file(small_run(), job) == archive
    assert archive_member(small_run(), job) == name


def test_what_jobs_download():
    run, file = small_run(), "resources/muse/v1/en-de.txt"
    job = asked(dataset="muse", file="en-de.txt")
    assert downloads_of(run, "download_dataset", job, [file]) == [("https://x.example/muse/en-de.txt", file)]
    given = "resources/given/x.example/de.txt"
    assert downloads_of(run, "download_given", asked(), [given]) == [("https://x.example/de.txt", given)]
    (model,) = downloads_of(run, "download_encoder", asked(encoder="hub"), ["results/encoders/hub"])
    assert model.target == "results/encoders/hub/config.json"
    assert model.source.endswith(f"/a/b/resolve/{'0' * 40}/config.json")
    assert downloads_of(run, "make_table", asked(), ["x"]) == []


def test_a_run_does_not_start_without_files_that_only_the_user_has():
    job = asked(dataset="taxi1500-corpus", file="sw_test.tsv")
    message = "^taxi1500-corpus: a note; put sw_test.tsv into a folder and set config local.taxi1500"
    with pytest.raises(InputError, match=message):
        require_address(small_run(), "download_dataset", job, ["x"])
    require_address(small_run(), "make_table", job, ["x"])
