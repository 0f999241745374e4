"""Which tool splits the text of a language into words in this run, and what is missing for it."""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path

from xstitch.core.errors import InputError
from xstitch.plan.run import Run, Wildcards
from xstitch.plan.tasks import task_rows
from xstitch.sources.segmentation import INSTALL, UDPIPE_MODELS

PACKAGES = {"udpipe": "ufal.udpipe", "icu": "icu", "jieba": "jieba", "fugashi": "fugashi"}
# Where words have no spaces between them, Unicode's rules take whole phrases for words.
UNSPACED_SCRIPTS = ("Thai", "Lao", "Myanmar", "Khmer", "Han", "Japanese")
PUBLISHED = "paper"  # the scale whose numbers are compared with published ones


def corpus_tool(run: Run, wildcards: Wildcards) -> str:
    """The tool that splits a corpus of a language: its own or, if that is missing, Unicode's rules."""
    lang, corpus = wildcards.lang, run.config["corpora"][wildcards.corpus]
    tool = run.languages[lang]["tokenizer"]
    if _in_paragraphs(run, wildcards):
        return "unicode"
    if tool == "udpipe":
        # A paper's own text is not to be split differently from the paper's.
        published = run.config["scale"] == PUBLISHED and lang not in corpus.get("files", {})
        return tool if run.config["udpipe"] or published else "unicode"
    return _without_icu(run, lang)


def task_tool(run: Run, wildcards: Wildcards) -> str:
    """The tool that puts spaces between the words of a task's texts; UDPipe leaves texts as they are."""
    return _without_icu(run, wildcards.lang)


def sentence_tool(run: Run, lang: str) -> str:
    """The tool that splits single sentences; UDPipe is only for paragraphs."""
    return "unicode" if run.languages[lang]["tokenizer"] == "udpipe" else _without_icu(run, lang)


def udpipe_model(run: Run, wildcards: Wildcards) -> str:
    """The model file of a language that UDPipe segments; empty for other languages and without a folder."""
    folder = run.config["udpipe"]
    needed = run.languages[wildcards.lang]["tokenizer"] == "udpipe" and folder
    return f"{folder}/{wildcards.lang}.udpipe" if needed else ""


def tools_of(run: Run, rule: str, wildcards: Wildcards) -> dict[str, str]:
    """The tools that a job splits text with, by language."""
    if rule == "sample_corpus" and not _in_paragraphs(run, wildcards):
        return {wildcards.lang: corpus_tool(run, wildcards)}
    if rule == "import_task" and task_rows(run, wildcards) == "texts":
        tool = task_tool(run, wildcards)
        return {} if tool == "udpipe" else {wildcards.lang: tool}
    if rule == "import_parallel" and run.config["parallel"][wildcards.parallel]["words"] == "language":
        return {lang: sentence_tool(run, lang) for lang in (wildcards.lang, run.source)}
    return {}


def require_tools(run: Run, rule: str, wildcards: Wildcards) -> None:
    """Refuse to start while a job's tool or its model is missing; plans do not need them."""
    for lang, tool in tools_of(run, rule, wildcards).items():
        if tool == "udpipe":
            _require_model(lang, udpipe_model(run, wildcards))
        if tool in PACKAGES and not installed(tool):
            raise InputError(f"{lang}: needs the package {PACKAGES[tool]} to find words: {INSTALL}")


def _require_model(lang: str, model: str) -> None:
    remedy = f"get one for {lang} from {UDPIPE_MODELS}"
    if not model:
        raise InputError(
            f"config: udpipe: a folder with {lang}.udpipe is needed to split text as the paper does; "
            f"{remedy}, or set languages.{lang}.tokenizer to unicode"
        )
    if not Path(model).is_file():
        raise InputError(f"{model}: no such UDPipe model; {remedy}, or set udpipe to '' to do without")


def replaced_tools(run: Run, rule: str, wildcards: Wildcards) -> list[str]:
    """Say for which languages of a job Unicode's rules stand in for a tool that is missing, and why."""
    better = ("icu", "udpipe") if rule == "sample_corpus" else ("icu",)
    return [
        _stand_in(lang, run.languages[lang]["tokenizer"])
        for lang, tool in tools_of(run, rule, wildcards).items()
        if tool == "unicode" and run.languages[lang]["tokenizer"] in better
    ]


def _stand_in(lang: str, tool: str) -> str:
    text = f"{lang}: text is split into words by Unicode's rules, because"
    if tool == "icu":
        return f"{text} PyICU is not installed; to use it: {INSTALL}"
    return (
        f"{text} no UDPipe model is configured; to use one, get {lang}.udpipe from {UDPIPE_MODELS} and set "
        "udpipe to its folder"
    )


def _in_paragraphs(run: Run, wildcards: Wildcards) -> bool:
    """Whether a corpus is left as it is written."""
    return run.config["corpora"][wildcards.corpus].get("unit") == "paragraph"


def installed(tool: str) -> bool:
    """Whether the package of a tool can be imported here."""
    package = PACKAGES[tool]
    return find_spec(package.partition(".")[0]) is not None and find_spec(package) is not None


def _without_icu(run: Run, lang: str) -> str:
    """A language's tool; Unicode's rules replace ICU if it is missing and the script has spaces."""
    tool, script = run.languages[lang]["tokenizer"], run.languages[lang].get("script")
    spaced = bool(script) and script not in UNSPACED_SCRIPTS
    return "unicode" if tool == "icu" and spaced and not installed("icu") else tool
