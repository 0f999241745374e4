"""Inputs of lexica, corpora, vectors, parallel sentences, images and encoders."""

import pytest
from small_run import asked, paper_run, small_run

from xstitch.core.errors import InputError
from xstitch.plan.encoder_inputs import (
    adapter_input,
    adapter_settings,
    aligning_input,
    aligning_settings,
    continuation_input,
    encoder_corpora,
    imported_files,
    later_training_settings,
    linked_pairs,
    longest_linked,
    tied_languages,
)
from xstitch.plan.source_inputs import (
    combined_lexicon_input,
    corpus_input,
    distilled_encoder,
    distilling_settings,
    image_files,
    image_folder,
    induced_lexicon_input,
    lexicon_input,
    parallel_corpora,
    parallel_input,
    parallel_tokenizers,
    sampling_settings,
    taken_alignment,
    vectors_corpus,
    vectors_input,
)

RUN = small_run()


def pair(lexicon, src="en", tgt="de"):
    return asked(lexicon=lexicon, src=src, tgt=tgt)


def test_lexica_by_kind():
    assert lexicon_input(RUN, pair("muse")) == {"file": "resources/muse/v1/en-de.txt"}
    assert lexicon_input(RUN, pair("turned")) == {"file": "resources/muse/v1/de-en.0-5000.txt"}
    assert lexicon_input(RUN, pair("meanings", "sw", "de")) == {
        "source": ["resources/panlex/v1/swh-0"],
        "target": ["resources/panlex/v1/deu-0", "resources/panlex/v1/deu-1"],
    }


def test_a_lexicon_from_a_folder_needs_its_file(tmp_path):
    own = small_run(lexica={"mine": {"kind": "tsv", "folder": str(tmp_path)}})
    with pytest.raises(InputError, match=r"^config: lexica\.mine\.folder: .*/en-de\.tsv: no such file"):
        lexicon_input(own, pair("mine"))
    (tmp_path / "en-de.tsv").touch()
    assert lexicon_input(own, pair("mine")) == {"file": f"{tmp_path}/en-de.tsv"}


def test_lexica_made_from_others():
    both = ["results/lexica/muse/en-sw.parquet", "results/lexica/turned/en-sw.parquet"]
    assert combined_lexicon_input(RUN, pair("both", tgt="sw")) == both
    hop = ["results/lexica/muse/en-de.parquet", "results/lexica/turned/de-sw.parquet"]
    assert combined_lexicon_input(RUN, pair("hop", tgt="sw")) == hop
    with pytest.raises(InputError, match=r"^config: lexica\.hop\.through: de is itself one of en-de"):
        combined_lexicon_input(RUN, pair("hop"))
    assert induced_lexicon_input(RUN, pair("grown")) == {
        "lexicon": "results/lexica/muse/en-de.parquet",
        "source": "results/vectors/ft/en.npz",
        "target": "results/vectors/ft/de.npz",
    }


def test_corpora():
    assert corpus_input(RUN, asked(corpus="web", lang="de")) == "resources/cc100/v1/de.txt.xz"
    assert corpus_input(RUN, asked(corpus="web", lang="sw")) == "resources/cc100/v1/swh.txt.xz"
    assert corpus_input(RUN, asked(corpus="own", lang="de")) == "resources/given/x.example/de.txt"
    assert sampling_settings(RUN, asked(corpus="own", lang="de")) == {"sentences": 10, "head": None}
    text = corpus_input(paper_run(), asked(corpus="wikipedia", lang="de"))
    assert text == "resources/wikipedia2018/2018/first-200000000/de.txt.gz"
    kept = {"unit": "paragraph", "sentences": 100_000, "share": 0.1, "head": 200_000_000}
    assert sampling_settings(paper_run(), asked(corpus="wikipedia", lang="de")) == kept


def test_vectors():
    assert vectors_input(RUN, asked(vectors="wiki", lang="de")) == "resources/wiki/v1/wiki.de.vec"
    assert vectors_input(RUN, asked(vectors="mine", lang="de")) == "resources/given/x.example/de.vec"
    with pytest.raises(InputError, match=r"^config: vectors\.mine\.files\.sw is missing: name a file"):
        vectors_input(RUN, asked(vectors="mine", lang="sw"))
    distilled = asked(vectors="distilled", lang="de")
    assert vectors_corpus(RUN, distilled) == "results/corpora/web/de.parquet"
    assert distilled_encoder(RUN, distilled) == "results/encoders/multi"
    assert distilling_settings(RUN, distilled) == {"steps": 3}
    assert taken_alignment(RUN, asked(vectors="taken", lang="de")) == {
        "aligned": "results/aligned/vecmap/en-de.npz",
        "words": "results/vectors/ft/de.npz",
    }


def test_parallel_sentences():
    german = asked(parallel="opus", lang="de")
    assert parallel_input(RUN, german) == [
        "resources/opus/v1/Europarl/v8/moses/de-en.txt.zip",
        "resources/opus/v1/Tanzil/v1/moses/de-en.txt.zip",
    ]
    assert parallel_corpora(RUN, german) == {"Europarl/v8": 1, "Tanzil/v1": 1}
    swahili = asked(parallel="opus", lang="sw")
    assert parallel_input(RUN, swahili) == ["resources/given/x.example/a", "resources/given/x.example/b"]
    assert parallel_corpora(RUN, swahili) == {"own": 2}
    assert parallel_tokenizers(RUN, swahili) == ["unicode", "unicode"]  # not UDPipe
    with pytest.raises(InputError, match=r"^config: parallel\.opus\.corpora\.zh is missing: name corpora"):
        parallel_input(RUN, asked(parallel="opus", lang="zh"))


def test_images():
    batches = ["resources/unpacked/cifar/v1/one", "resources/unpacked/cifar/v1/two"]
    assert image_files(RUN, asked(images="batches")) == batches
    assert image_files(RUN, asked(images="folder")) == []
    assert [image_folder(RUN, asked(images=name)) for name in ("batches", "folder")] == ["", "pictures"]


def test_encoders_that_are_trained_further():
    tied, further = asked(encoder="tied"), asked(encoder="further")
    corpora = ["results/corpora/web/en.parquet", "results/corpora/web/de.parquet"]
    assert encoder_corpora(RUN, tied) == corpora
    plain = {"encoder": "results/encoders/multi", "corpora": corpora}
    assert continuation_input(RUN, further) == plain
    assert tied_languages(RUN, further) == []
    assert continuation_input(RUN, tied) == {
        **plain,
        "words": ["results/vectors/ft/en.npz", "results/vectors/ft/de.npz"],
        "aligned": ["results/aligned/vecmap/en-de.npz"],
    }
    assert tied_languages(RUN, tied) == ["de"]
    assert later_training_settings(RUN, tied) == {"languages": ["en", "de"], "steps": 9}


def test_encoders_aligned_with_parallel_sentences():
    linked = asked(encoder="linked")
    pairs = ["results/parallel/opus/de.parquet", "results/parallel/opus/sw.parquet"]
    plain = {"encoder": "results/encoders/multi", "parallel": pairs}
    assert aligning_input(RUN, linked) == plain
    assert aligning_settings(RUN, linked) == {"loss": "transport", "steps": 9}
    l2 = {**RUN.encoders["linked"], "loss": "l2", "max_words": 7}
    run = small_run(encoders={"linked": l2})
    links = ["results/links/linked/de.npz", "results/links/linked/sw.npz"]
    assert aligning_input(run, linked) == {**plain, "links": links}
    asked_links = asked(encoder="linked", lang="sw")
    assert linked_pairs(run, asked_links) == pairs[1]
    assert (longest_linked(run, asked_links), longest_linked(RUN, asked_links)) == (7, None)


def test_an_encoder_from_a_folder_needs_the_folder():
    run = small_run(encoders={"mine": {"origin": "folder", "folder": "nowhere"}})
    with pytest.raises(InputError, match=r"^config: encoders\.mine\.folder: nowhere is not a folder"):
        imported_files(run, asked(encoder="mine"))


def test_a_language_adapter_is_trained_on_the_languages_text_alone():
    case = asked(adapters="spoken", lang="de")
    assert adapter_input(RUN, case) == {
        "encoder": "results/encoders/multi",
        "corpus": "results/corpora/web/de.parquet",
    }
    assert adapter_settings(RUN, case) == {"reduction": 2}
