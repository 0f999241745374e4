"""Make choices again that were once made by test verses: on development verses of held-out worlds.

`make choices` writes the table to docs/world.md. The worlds are chains that no table of the demo or of
docs/chains.md has; the settings are those of config/mini.yaml and the alternatives of docs/choices.yaml.
"""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable, Iterator
from itertools import product
from pathlib import Path
from statistics import fmean

import numpy as np
from scipy.stats import t

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT / "workflow/scripts"))

from xstitch.core.parquet import read_table  # noqa: E402
from xstitch.models.classification import predict_labels  # noqa: E402
from xstitch.models.logistic_regression import logistic_regression  # noqa: E402
from xstitch.results.metrics import macro_f1  # noqa: E402
from xstitch.sources.world.verses import LABELS  # noqa: E402
from xstitch.vectors.table import Vectors  # noqa: E402

CHAINS = (7, 8, 9)
TARGETS = ("qab", "qac", "qad")
# The chosen setting first.
VECTORS = {
    "fasttext": "10 epochs, .1",
    "fasttext-10-05": "10 epochs, .05",
    "fasttext-5-10": "5 epochs, .1",
    "fasttext-5-05": "5 epochs, .05",
}
RECIPES = {
    "rr-softmax": "6 epochs, 1e-3",
    "rr-6-20": "6 epochs, 2e-3",
    "rr-15-10": "15 epochs, 1e-3",
    "rr-15-05": "15 epochs, 5e-4",
}
LENGTH = 100  # tokens of a verse, as in the demo
BEGIN, END = "<!-- written by `make choices` -->\n", "<!-- end -->\n"


def vectors_file(chain: int, vectors: str, lang: str) -> str:
    """The vectors of a setting."""
    return f"chains/{chain}/results/vectors/{vectors}/{lang}.npz"


def model_folder(chain: int, recipe: str, lang: str) -> str:
    """The stitched model of a setting."""
    return f"chains/{chain}/results/stitched/{recipe}/taxi1500/qaa-{lang}/seed1"


def verses(chain: int, lang: str, split: str) -> str:
    """Labelled verses; never those of the test split."""
    return f"chains/{chain}/results/tasks/taxi1500/{lang}/{split}.parquet"


def run() -> None:
    """Make all that is compared."""
    cells = [*product(CHAINS, TARGETS)]
    files = [vectors_file(chain, name, lang) for chain, lang in cells for name in VECTORS]
    files += [model_folder(chain, name, lang) for chain, lang in cells for name in RECIPES]
    files += [verses(chain, lang, "dev") for chain, lang in cells]
    command = [sys.executable, "-m", "snakemake", *files, "--configfile", "docs/choices.yaml"]
    subprocess.run(command, cwd=ROOT, check=True)


def vector_scores(chain: int, vectors: str) -> Iterator[float]:
    """Macro-F1 of logistic regression on development verses, language by language."""
    for lang in TARGETS:
        train, dev = (read_table(ROOT / verses(chain, lang, split)).to_pydict() for split in ("train", "dev"))
        table = Vectors.load(ROOT / vectors_file(chain, vectors, lang))
        predicted = logistic_regression(table, train["text"], train["label"], dev["text"])
        yield macro_f1(dev["label"], predicted, LABELS)


def recipe_scores(chain: int, recipe: str) -> Iterator[float]:
    """Macro-F1 of stitched models on development verses, language by language."""
    for lang in TARGETS:
        dev = read_table(ROOT / verses(chain, lang, "dev")).to_pydict()
        answers = predict_labels(ROOT / model_folder(chain, recipe, lang), dev["text"], LENGTH)
        yield macro_f1(dev["label"], answers.labels, LABELS)


def compared(
    what: str, settings: dict[str, str], score: Callable[[int, str], Iterator[float]]
) -> Iterator[str]:
    """A table of settings: the mean over worlds and languages, and how far it is from the chosen one."""
    means = {name: np.array([fmean(score(chain, name)) for chain in CHAINS]) for name in settings}
    chosen = means[next(iter(settings))]
    yield f"| {what} | macro-F1 | minus the chosen one |\n|---|---|---|\n"
    for name, shown in settings.items():
        difference = means[name] - chosen
        width = t.ppf(0.975, len(CHAINS) - 1) * difference.std(ddof=1) / np.sqrt(len(CHAINS))
        ends = f"{difference.mean() - width:+.3f} to {difference.mean() + width:+.3f}"
        rest = "" if means[name] is chosen else f"{difference.mean():+.3f} ({ends})"
        yield f"| {shown} | {means[name].mean():.3f} | {rest} |\n"


if __name__ == "__main__":
    run()
    vectors = compared("fastText vectors, by logistic regression", VECTORS, vector_scores)
    recipes = compared("fine-tuning, by softmax top-50", RECIPES, recipe_scores)
    page = ROOT / "docs/world.md"
    before, _, rest = page.read_text(encoding="utf-8").partition(BEGIN)
    written = "".join([*vectors, "\n", *recipes])
    page.write_text(f"{before}{BEGIN}\n{written}\n{END}{rest.partition(END)[2]}", encoding="utf-8")
