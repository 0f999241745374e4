"""Which tool splits text: what stands in for a missing one, and what is refused before the first job."""

from dataclasses import replace

import pytest
from small_run import ROOT, asked, default_run, small_run

from xstitch.core.errors import InputError
from xstitch.plan import segmentation
from xstitch.plan.overlays import lay
from xstitch.plan.run import load_run
from xstitch.plan.segmentation import (
    corpus_tool,
    replaced_tools,
    require_tools,
    sentence_tool,
    task_tool,
    tools_of,
    udpipe_model,
)

WITH_MODELS, WITHOUT = small_run(), small_run(udpipe="")
SWAHILI = asked(corpus="web", lang="sw")  # udpipe, in the small run
LISTED = default_run().listed


def run_of(script, tool, **changes):
    """A run without UDPipe's models in which Swahili has another script and tool."""
    run = small_run(udpipe="", **changes)
    swahili = {**run.languages["sw"], "script": script, "tokenizer": tool}
    return replace(run, languages={**run.languages, "sw": swahili})


@pytest.fixture
def without_packages(monkeypatch):
    monkeypatch.setattr(segmentation, "installed", lambda _: False)


@pytest.fixture
def with_packages(monkeypatch):
    monkeypatch.setattr(segmentation, "installed", lambda _: True)


def test_the_model_file_is_in_the_configured_folder():
    assert udpipe_model(WITH_MODELS, asked(lang="sw")) == "models/sw.udpipe"
    assert udpipe_model(WITH_MODELS, asked(lang="de")) == ""
    assert udpipe_model(WITHOUT, asked(lang="sw")) == ""


def test_without_a_model_folder_unicode_stands_in_and_says_so():
    assert corpus_tool(WITH_MODELS, SWAHILI) == "udpipe"
    assert replaced_tools(WITH_MODELS, "sample_corpus", SWAHILI) == []
    assert corpus_tool(WITHOUT, SWAHILI) == "unicode"
    require_tools(WITHOUT, "sample_corpus", SWAHILI)
    (warning,) = replaced_tools(WITHOUT, "sample_corpus", SWAHILI)
    assert warning.startswith("sw: text is split into words by Unicode's rules, because no UDPipe model")
    assert "sw.udpipe from https://" in warning


@pytest.mark.usefixtures("without_packages")
def test_every_listed_language_with_spaces_is_split_without_any_package():
    user_file = ROOT / "config/config.yaml"
    run = load_run(
        lay(user_file, [], {"scale": "real", "languages": {c: {} for c in LISTED}}, ROOT / "config"), ROOT
    )
    refused = set()
    for lang in LISTED:
        job = asked(corpus="cc100", lang=lang)
        try:
            require_tools(run, "sample_corpus", job)
        except InputError:
            refused.add(lang)
    assert len(LISTED) == 49
    assert refused == {"ja", "my", "th", "zh"}  # no spaces between words


@pytest.mark.usefixtures("with_packages")
def test_a_papers_own_text_is_refused_without_the_model_before_the_first_job(tmp_path):
    at_paper_scale = small_run(udpipe="", scale="paper")
    assert corpus_tool(at_paper_scale, SWAHILI) == "udpipe"
    with pytest.raises(
        InputError, match=r"a folder with sw\.udpipe is needed .*languages\.sw\.tokenizer to uni"
    ):
        require_tools(at_paper_scale, "sample_corpus", SWAHILI)
    own = small_run(udpipe="", scale="paper", corpora={"web": {"files": {"sw": "text.txt"}}})
    assert corpus_tool(own, SWAHILI) == "unicode"
    with_folder = small_run(udpipe=str(tmp_path), scale="paper")
    with pytest.raises(
        InputError, match=r"sw\.udpipe: no such UDPipe model; .*set udpipe to '' to do without"
    ):
        require_tools(with_folder, "sample_corpus", SWAHILI)
    (tmp_path / "sw.udpipe").touch()
    require_tools(with_folder, "sample_corpus", SWAHILI)


@pytest.mark.usefixtures("without_packages")
def test_paragraphs_need_no_tool():
    run = small_run(udpipe="", scale="paper", corpora={"web": {"unit": "paragraph"}})
    assert corpus_tool(run, SWAHILI) == "unicode"
    assert tools_of(run, "sample_corpus", SWAHILI) == {}


@pytest.mark.usefixtures("without_packages")
def test_unicode_stands_in_for_icu_where_words_have_spaces():
    latin = run_of("Latin", "icu")
    assert corpus_tool(latin, SWAHILI) == task_tool(latin, SWAHILI) == sentence_tool(latin, "sw") == "unicode"
    (warning,) = replaced_tools(latin, "sample_corpus", SWAHILI)
    assert "because PyICU is not installed; to use it: pip install" in warning


@pytest.mark.usefixtures("without_packages")
@pytest.mark.parametrize(
    ("script", "tool"), [("Thai", "icu"), ("", "icu"), ("Han", "jieba"), ("Japanese", "fugashi")]
)
def test_words_without_spaces_need_their_tool_before_the_first_job(script, tool):
    run = run_of(script, tool)
    assert corpus_tool(run, SWAHILI) == tool
    with pytest.raises(InputError, match=rf"^sw: needs the package {tool} to find words: pip install"):
        require_tools(run, "sample_corpus", SWAHILI)


@pytest.mark.usefixtures("with_packages")
def test_an_installed_tool_is_used():
    assert corpus_tool(run_of("Latin", "icu"), SWAHILI) == "icu"
    require_tools(run_of("Thai", "icu"), "sample_corpus", SWAHILI)


@pytest.mark.usefixtures("without_packages")
def test_texts_of_tasks_and_parallel_sentences_do_without_udpipe():
    assert tools_of(WITHOUT, "import_task", asked(task="verses", lang="sw")) == {}
    assert sentence_tool(WITHOUT, "sw") == "unicode"
    parallel = small_run(udpipe="", parallel={"opus": {"words": "language"}})
    opus = asked(parallel="opus", lang="sw")
    assert tools_of(parallel, "import_parallel", opus) == {"sw": "unicode", "en": "unicode"}
    assert replaced_tools(parallel, "import_parallel", opus) == []
    thai = run_of("Thai", "icu")
    with pytest.raises(InputError, match=r"^sw: needs the package icu"):
        require_tools(thai, "import_task", asked(task="verses", lang="sw"))


def test_other_jobs_split_nothing():
    assert tools_of(WITHOUT, "train_vectors", asked(vectors="ft", lang="sw")) == {}
