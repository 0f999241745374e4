"""How much of a text is fetched and used: by the corpus, and by all corpora that share a file."""

from dataclasses import replace

from small_run import asked, default_run, paper_run, small_run

from xstitch.plan.downloads import download_address, downloads_of, mirrored_input, wanted_address
from xstitch.plan.heads import corpus_head, file_head, text_file

CORPUS = {"sentences": 50_000, "share": 0.25, "bytes_per_sentence": 30}


def cut_run(**corpora):
    """Return the hand-written run with these corpora only."""
    run = small_run()
    return replace(run, config={**run.config, "corpora": corpora})


def test_a_head_has_the_sentences_in_the_share_that_is_read_first():
    assert corpus_head(CORPUS, "de") == 6_000_000
    assert corpus_head({**CORPUS, "share": 0.3}, "de") == 5_000_000
    assert corpus_head({**CORPUS, "sentences": 3}, "de") == 1_000_000  # less is not worth cutting
    assert corpus_head({"sentences": 50_000, "share": 0.25}, "de") is None
    assert corpus_head({**CORPUS, "files": {"de": "own.txt"}}, "de") is None
    assert corpus_head({**CORPUS, "files": {"de": "own.txt"}}, "sw") == 6_000_000


def test_texts_come_from_cc100_unless_another_data_set_is_named():
    assert text_file(small_run(), CORPUS, "sw") == ("cc100", "swh.txt.xz")
    other = {**CORPUS, "dataset": "wiki", "file": "{lang}.gz"}
    assert text_file(small_run(), other, "sw") == ("wiki", "sw.gz")


def test_corpora_that_share_a_file_get_the_longest_of_their_heads():
    longer = {**CORPUS, "sentences": 60_000}
    run = cut_run(one=CORPUS, two=longer)
    assert file_head(run, "cc100", "de.txt.xz") == file_head(run, "cc100", "swh.txt.xz") == 7_200_000
    assert file_head(run, "cc100", "sw.txt.xz") is None  # no language has this file
    assert file_head(run, "wiki", "de.txt.xz") is None
    mine = {**longer, "files": {"de": "own.txt"}}
    run = cut_run(one=CORPUS, two=mine)
    assert file_head(run, "cc100", "de.txt.xz") == 6_000_000
    assert file_head(run, "cc100", "swh.txt.xz") == 7_200_000
    whole = {"sentences": 1, "share": 1.0}
    assert file_head(cut_run(one=CORPUS, two=whole), "cc100", "de.txt.xz") is None


def test_a_file_with_a_known_checksum_is_not_cut():
    run = cut_run(one=CORPUS)
    known = replace(run.datasets["cc100"], sha256="a" * 64)
    run = replace(run, datasets={**run.datasets, "cc100": known})
    assert file_head(run, "cc100", "de.txt.xz") is None


def test_addresses_have_the_range_that_is_fetched():
    run, job = cut_run(one=CORPUS), asked(dataset="cc100", file="de.txt.xz")
    assert download_address(run, job) == "https://x.example/cc100/de.txt.xz"
    address = "https://x.example/cc100/de.txt.xz#bytes=0-5999999"
    assert wanted_address(run, job) == address
    assert downloads_of(run, "download_dataset", job, ["r"]) == [(address, "r")]
    assert wanted_address(run, asked(dataset="muse", file="en-de.txt")) == "https://x.example/muse/en-de.txt"
    local = replace(run, config={**run.config, "local": {"cc100": "/copies"}})
    assert wanted_address(local, job) == ""


def test_at_paper_scale_a_gigabyte_of_cc100_is_fetched_and_less_of_wikipedia():
    run = paper_run()
    assert file_head(run, "cc100", "de.txt.xz") == file_head(run, "cc100", "zh-Hans.txt.xz") == 10**9
    assert file_head(run, "wikipedia2018", "de.txt.gz") == 4 * 10**8
    assert file_head(run, "fasttext-wiki", "wiki.de.vec") is None


def test_the_mini_worlds_texts_are_shorter_than_their_heads():
    run, job = default_run(), asked(dataset="cc100", file="qab.txt.xz")
    assert file_head(run, "cc100", "qab.txt.xz") == 6_000_000
    assert mirrored_input(run, job) == "results/world/data.statmt.org/cc-100/qab.txt.xz"
