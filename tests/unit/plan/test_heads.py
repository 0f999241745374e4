"""How much of a text a corpus fetches and uses, and how jobs and addresses say so."""

from dataclasses import replace

from small_run import asked, default_run, paper_run, small_run

from xstitch.plan.downloads import download_address, downloads_of, local_note, mirrored_input
from xstitch.plan.heads import corpus_head, text_file
from xstitch.plan.source_inputs import corpus_input

CORPUS = {"sentences": 50_000, "share": 0.25, "bytes_per_sentence": 30}
FILE, ADDRESS = "first-6000000/de.txt.xz", "https://x.example/cc100/de.txt.xz#bytes=0-5999999"


def test_a_head_has_the_sentences_in_the_share_that_is_read_first():
    run = small_run()
    assert corpus_head(run, CORPUS, "de") == 6_000_000
    assert corpus_head(run, {**CORPUS, "share": 0.3}, "de") == 5_000_000
    assert corpus_head(run, {**CORPUS, "sentences": 3}, "de") == 1_000_000  # less is not worth cutting
    assert corpus_head(run, {"sentences": 50_000, "share": 0.25}, "de") is None
    own = {**CORPUS, "files": {"de": "own.txt"}}
    assert corpus_head(run, own, "de") is None and corpus_head(run, own, "sw") == 6_000_000


def test_a_file_with_a_known_checksum_is_not_cut():
    run = small_run()
    known = replace(run.datasets["cc100"], sha256="a" * 64)
    run = replace(run, datasets={**run.datasets, "cc100": known})
    assert corpus_head(run, CORPUS, "de") is None
    assert corpus_head(run, {**CORPUS, "dataset": "wiki", "file": "{lang}"}, "de") == 6_000_000


def test_texts_come_from_cc100_unless_another_data_set_is_named():
    assert text_file(small_run(), CORPUS, "sw") == ("cc100", "swh.txt.xz")
    other = {**CORPUS, "dataset": "wiki", "file": "{lang}.gz"}
    assert text_file(small_run(), other, "sw") == ("wiki", "sw.gz")


def test_the_path_and_the_address_say_how_much_is_fetched():
    run = small_run(corpora={"web": CORPUS})
    path = corpus_input(run, asked(corpus="web", lang="de"))
    assert path == f"resources/cc100/v1/{FILE}"
    job = asked(dataset="cc100", file=FILE)
    assert download_address(run, job) == ADDRESS and local_note(run, job) == ""
    assert downloads_of(run, "download_dataset", job, [path]) == [(ADDRESS, path)]
    whole = asked(dataset="cc100", file="de.txt.xz")
    assert download_address(run, whole) == "https://x.example/cc100/de.txt.xz"


def test_the_copy_in_a_local_folder_has_the_published_name(tmp_path):
    (tmp_path / "de.txt.xz").touch()
    run = small_run(local={"cc100": str(tmp_path)})
    job = asked(dataset="cc100", file=FILE)
    assert download_address(run, job) == ""
    assert downloads_of(run, "download_dataset", job, ["r"]) == [(f"{tmp_path}/de.txt.xz", "r")]


def test_at_paper_scale_a_gigabyte_of_cc100_is_fetched_and_less_of_wikipedia():
    run = paper_run()
    heads = {name: corpus_head(run, corpus, "de") for name, corpus in run.config["corpora"].items()}
    assert heads["cc100"] == heads["first-half"] == 10**9
    assert heads["wikipedia"] == 2 * 10**8 and heads["wikipedia-sentences"] == 4 * 10**8


def test_the_mini_worlds_texts_are_shorter_than_their_heads():
    run = default_run()
    path = corpus_input(run, asked(corpus="cc100", lang="qab"))
    assert path == "resources/cc100/2020/first-6000000/qab.txt.xz"
    job = asked(dataset="cc100", file="first-6000000/qab.txt.xz")
    assert mirrored_input(run, job) == "results/world/data.statmt.org/cc-100/qab.txt.xz"
