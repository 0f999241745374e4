"""`xstitch classify`: labels for texts from a file or a pipe."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import click

from xstitch.command.reading import text_lines
from xstitch.core.errors import InputError
from xstitch.core.files import read_json
from xstitch.core.lines import decoded_lines

if TYPE_CHECKING:
    from xstitch.models.classifier import Answer, TextClassifier

STDIN = "-"
NEEDED = ("config.json", "model.safetensors", "tokenizer.json")
HEAD = "ForSequenceClassification"


@click.command(context_settings={"help_option_names": ["-h", "--help"]})
@click.argument("model", type=click.Path(path_type=Path))
@click.argument("texts", default=STDIN)
@click.option("--format", "form", type=click.Choice(["tsv", "jsonl"]), default="tsv", show_default=True)
@click.option("--all", "every", is_flag=True, help="In TSV, too: the probabilities of all labels.")
@click.option("--batch-size", type=click.IntRange(1, 4096), default=64, show_default=True)
def classify(model: Path, texts: str, form: str, every: bool, batch_size: int) -> None:
    """Label TEXTS, one on a line, with the classifier in the folder MODEL.

    TEXTS is a file, plain or compressed, or a pipe. Every line gets an answer, in the same order, with the
    label's probability; JSON lines have those of all labels. Texts are split into words and cut as in the
    model's evaluation (its xstitch.json says how). It runs no job: it computes what transformers' pipeline
    would.

    \b
    xstitch classify results/exported/rr-softmax/taxi1500/en-es/seed1 texts.txt
    cut -f3 test.tsv | xstitch classify MODEL --format jsonl > answers.jsonl
    tail -f messages.txt | xstitch classify MODEL --batch-size 1
    """
    require_classifier(model)
    lines = _lines(texts)
    classifier = _loaded(model)
    if not classifier.noted:
        click.echo(
            f"warning: {model}: says nothing about its language; texts are taken as they are", err=True
        )
    if form == "tsv":
        labels = classifier.labels if every else []
        print("label", "probability", *labels, "text", sep="\t")
    for answer in classifier.answers(lines, batch_size):
        print(_as_json(answer) if form == "jsonl" else _as_row(answer, every), flush=batch_size == 1)
    sys.stdout.flush()  # here, so that a closed pipe is noticed by `main`


def require_classifier(folder: Path) -> None:
    """Refuse a folder that is no transformers model, or one for another task."""
    for name in NEEDED:
        if not (folder / name).is_file():
            raise InputError(f"{folder}: no {name}: not a model's folder; name one below results/exported")
    kinds = read_json(folder / "config.json").get("architectures") or []
    if not any(kind.endswith(HEAD) for kind in kinds):
        found = ", ".join(kinds) or "no model"
        raise InputError(f"{folder}/config.json: {found}: does not classify texts; name another folder")


def _loaded(folder: Path) -> TextClassifier:
    """Import torch and transformers only now, and keep their messages to themselves."""
    from transformers.utils.logging import disable_progress_bar, set_verbosity_error

    from xstitch.models.classifier import TextClassifier

    set_verbosity_error()
    disable_progress_bar()
    return TextClassifier(folder)


def _lines(texts: str) -> Iterator[str]:
    """Stream lines from a file or from the standard input; refuse a missing file at once."""
    if texts == STDIN:
        return (line for _, line in decoded_lines(sys.stdin.buffer, "standard input"))
    path = Path(texts)
    if not path.is_file():
        raise InputError(f"{path}: no such file; name one with a text on every line")
    return (line for _, line in text_lines(path))


def _as_row(answer: Answer, every: bool) -> str:
    """Put the text last: its own tabs then separate no columns."""
    shown = [f"{value:.4f}" for value in answer.probabilities.values()] if every else []
    return "\t".join([answer.label, f"{answer.probabilities[answer.label]:.4f}", *shown, answer.text])


def _as_json(answer: Answer) -> str:
    rounded = {label: round(value, 6) for label, value in answer.probabilities.items()}
    content = {"label": answer.label, "probability": rounded[answer.label], "probabilities": rounded}
    return json.dumps({**content, "text": answer.text}, ensure_ascii=False)
