"""A hand-written run, small enough to plan on paper, and the project's default run."""

from dataclasses import replace
from functools import cache
from pathlib import Path
from types import SimpleNamespace

from xstitch.plan.extends import merge
from xstitch.plan.overlays import lay
from xstitch.plan.run import Run, load_run
from xstitch.sources.fetch.datasets import Dataset
from xstitch.sources.world.settings import WorldSettings

ROOT = Path(__file__).parents[2]
TRAINING = {"epochs": 2}
LANGUAGE = {"tokenizer": "unicode", "ebible": "", "panlex": "", "cc100": "", "tatoeba": "", "conll": ""}
CONFIG = {
    "source": "en",
    "seeds": [1, 2],
    "chains": 1,
    "seed": 5,
    "scale": "real",
    "mirror": "",
    "local": {},
    "udpipe": "models",
    "without": [],
    "averages": {},
    "languages": {"en": {}, "de": {"lexicon": "muse"}, "sw": {}},
    "corpora": {
        "web": {"sentences": 10},
        "own": {"sentences": 10, "files": {"de": "https://x.example/de.txt"}},
    },
    "lexica": {
        "muse": {"kind": "muse"},
        "turned": {"kind": "muse-train", "reverse": True},
        "meanings": {
            "kind": "panlex-meanings",
            "dataset": "panlex",
            "file": "{iso}-{shard}",
            "shards": {"de": 2},
        },
        "both": {"kind": "union", "lexica": ["muse", "turned"]},
        "hop": {"kind": "pivot", "lexica": ["muse", "turned"], "through": "de"},
        "grown": {"kind": "bootstrap", "lexica": ["muse"], "vectors": "ft"},
    },
    "vectors": {
        "ft": {"origin": "train", "corpus": "web"},
        "wiki": {"origin": "import", "dataset": "wiki", "file": "wiki.{lang}.vec"},
        "mine": {"origin": "import", "files": {"de": "https://x.example/de.vec"}},
        "distilled": {"origin": "distill", "corpus": "web", "encoder": "multi", "steps": 3},
        "taken": {"origin": "aligned", "alignment": "vecmap"},
    },
    "alignments": {
        "vecmap": {"vectors": "ft"},
        "again": {"vectors": "ft", "dictionary": "vecmap", "validation": "muse"},
        "taught": {"vectors": "ft", "dictionary": "muse"},
    },
    "anchors": {"full": {"vectors": "ft"}, "own": {"vectors": "wiki", "lexicon": "both"}},
    "parallel": {
        "opus": {
            "corpora": {"de": ["Europarl/v8", "Tanzil/v1"]},
            "files": {"sw": ["https://x.example/a", "https://x.example/b"]},
        },
    },
    "images": {
        "batches": {"dataset": "cifar", "files": ["one", "two"], "size": 32},
        "folder": {"folder": "pictures", "size": 32},
    },
    "encoders": {
        "mono": {"origin": "pretrain", "corpus": "web", "languages": ["en"]},
        "multi": {"origin": "pretrain", "corpus": "web", "languages": ["en", "de"]},
        "tied": {
            "origin": "continue",
            "base": "multi",
            "corpus": "web",
            "alignment": "vecmap",
            "languages": ["en", "de"],
            "steps": 9,
        },
        "further": {
            "origin": "continue",
            "base": "multi",
            "corpus": "web",
            "languages": ["en", "de"],
            "steps": 9,
        },
        "linked": {
            "origin": "align",
            "loss": "transport",
            "base": "multi",
            "parallel": "opus",
            "languages": ["de", "sw"],
            "steps": 9,
        },
        "hub": {"origin": "download", "repo": "a/b", "revision": "0" * 40, "files": ["config.json"]},
    },
    "adapters": {"spoken": {"encoder": "multi", "corpus": "web", "reduction": 2}},
    "tasks": {
        "reviews": {
            "kind": "marc",
            "classes": 3,
            "fields": ["body"],
            "targets": ["de", "sw"],
            "max_length": 64,
            "samples": {"sets": 2},
            "by_recipe": {"iwda": {"training": {"epochs": 7}}},
        },
        "verses": {
            "kind": "taxi1500",
            "targets": ["de", "sw"],
            "max_length": 64,
            "training": {"epochs": 4},
        },
        "mine": {
            "kind": "tsv",
            "labels": ["a", "b"],
            "train_limit": 8,
            "targets": ["de"],
            "files": {"en": {"train": "https://x.example/t", "dev": "https://x.example/d"}},
        },
        "nli": {"kind": "xnli", "targets": ["de"], "portions": {"train": 3}},
        "names": {"kind": "conll", "targets": ["de"]},
        "pos": {
            "kind": "universal_dependencies",
            "targets": ["de", "sw"],
            "treebanks": {"en": ["UD_E/e"], "de": ["UD_D/d", "UD_P/p test"]},
        },
        "questions": {"kind": "squad", "targets": ["de"], "max_length": 64, "stride": 8},
        "words": {
            "kind": "spaces",
            "words": {"size": 9},
            "spaces": [
                {"name": "FT", "vectors": "ft"},
                {"name": "PX", "images": "batches", "encoder": "vit"},
            ],
        },
        "settings": {"kind": "settings", "recipes": {"First": "searched"}},
        "anchors": {"kind": "anchors", "targets": ["de"]},
        "bli": {"kind": "muse", "targets": ["de", "sw"]},
        "similarity": {"kind": "semeval2017", "targets": ["de", "sw"]},
    },
}
RECIPES = {
    "lr": {"method": "logistic-regression", "vectors": "ft"},
    "zero": {"method": "zero-shot", "encoder": "mono", "training": TRAINING},
    "linked": {"method": "zero-shot", "encoder": "linked", "training": TRAINING},
    "within": {"method": "in-language", "encoder": "multi", "training": TRAINING, "targets": ["de"]},
    "two": {"method": "bilingual", "encoder": "multi", "training": TRAINING},
    "stacked": {
        "method": "adapters",
        "adapters": "spoken",
        "task_adapter": {"reduction": 16},
        "training": TRAINING,
    },
    "ls": {"method": "stitch", "base": "zero", "anchors": "full", "mapping": {}},
    "rr": {
        "method": "stitch",
        "encoder": "mono",
        "anchors": "own",
        "mapping": {"k": 50},
        "training": TRAINING,
    },
    "iwda": {"method": "adversarial", "base": "zero", "training": TRAINING, "adaptation": {"critic": 1}},
    "kd": {"method": "distill", "base": "iwda", "training": TRAINING},
    "ls-iwda": {"method": "adversarial", "base": "ls", "training": TRAINING},
    "rr-iwda": {"method": "adversarial", "base": "rr", "training": TRAINING},
    "searched": {"method": "relative", "search": {"kind": "optimise"}},
    "known": {"method": "relative", "search": {"kind": "given"}},
    "heads": {
        "method": "relative-heads",
        "search": {"kind": "alternate"},
        "encoders": {"en": "mono", "de": "multi"},
        "texts": "verses",
        "targets": ["de"],
    },
}
ROWS = [{"row": "LS", "recipe": "ls"}, {"row": "RR", "recipe": "rr"}, {"row": "old", "recipe": "published-x"}]
SCORED = {"task": "verses", "metric": "macro_f1", "column": "target"}
PAPERS = {
    "first": {
        "tables": {
            "1": {**SCORED, "columns": ["de", "zh"], "rows": ROWS},
            "2": {**SCORED, "columns": ["en"], "rows": [{"row": "Z", "recipe": "zero"}]},
            "3": {**SCORED, "columns": ["zh"], "value": "mapping.k", "rows": [{"row": "10", "recipe": "rr"}]},
            "4": {"kind": "languages", "languages": ["zh", "de"]},
        },
        "comparisons": {
            "beyond": {"task": "verses", "baseline": "ls", "rows": ROWS},
        },
    },
    "second": {
        "lead": True,
        "tables": {
            "4": {**SCORED, "task": "novels", "columns": ["de"], "rows": [{"row": "N", "recipe": "new"}]},
            "5": {
                "kind": "matches",
                "matches": "words",
                "recipe": "linked",
                "of": ["sw", "de", "zh"],
                "most": 1,
            },
            "6": {"kind": "parallel", "parallel": "opus"},
            "decreases": {
                "kind": "decreases",
                "baseline": "zero",
                "measures": {"Reviews": {"task": "reviews", "metric": "decrease"}},
                "columns": ["Reviews"],
                "rows": [{"row": "I", "recipe": "iwda"}],
            },
        },
        "figures": {
            "1": {
                "kind": "spaces",
                "task": "words",
                "rows": [{"row": "S", "recipe": "searched"}, {"row": "K", "recipe": "known"}],
                "clusters": 6,
            },
            "2": {
                "kind": "improvements",
                "panels": [{"title": "Reviews", "task": "reviews", "target": "ja", "role": -1}],
                "rows": [{"row": "I", "recipe": "iwda"}],
            },
            "3": {
                "kind": "factors",
                "panels": [{"title": "Reviews", "task": "reviews"}],
                "rows": [{"row": "Z", "recipe": "zero"}],
            },
            "4": {
                "kind": "steps",
                "panels": [{"title": "Novels", "task": "novels"}],
                "rows": [{"row": "I", "recipe": "iwda"}],
            },
        },
    },
}


def dataset(name, url, licence="free"):
    return Dataset(name, "v1", url, "", licence, "a note")


DATASETS = {
    entry.dataset: entry
    for entry in (
        dataset("marc", "https://x.example/marc/{file}", "withdrawn"),
        *(
            dataset(name, f"https://x.example/{name}/{{file}}")
            for name in (
                "muse",
                "cc100",
                "wiki",
                "panlex",
                "opus",
                "squad",
                "xquad",
                "taxi1500",
                "ebible",
                "conll2003",
            )
        ),
        *(
            dataset(name, f"https://x.example/{name}.zip")
            for name in ("xnli", "xnli-mt", "ud", "cifar", "semeval2017")
        ),
        dataset("taxi1500-corpus", ""),
    )
}
LANGUAGES = {
    "en": {**LANGUAGE, "language": "en", "name": "English", "conll": "2003/eng", "tatoeba": "eng"},
    "de": {
        **LANGUAGE,
        "language": "de",
        "name": "German",
        "conll": "2003/deu",
        "ebible": "deu1912",
        "panlex": "deu-000",
    },
    "sw": {
        **LANGUAGE,
        "language": "sw",
        "name": "Swahili",
        "tokenizer": "udpipe",
        "cc100": "swh",
        "panlex": "swh-000",
    },
    "zh": {**LANGUAGE, "language": "zh", "name": "Chinese"},
}


def small_run(**changes):
    """Return the hand-written run with some keys of its configuration changed."""
    return Run(
        config=merge(CONFIG, changes),
        recipes=RECIPES,
        languages=LANGUAGES,
        listed=LANGUAGES,
        datasets=DATASETS,
        papers=PAPERS,
        world=WorldSettings.from_config({}),
        given={"resources/given/x.example/de.txt": "https://x.example/de.txt"},
    )


def with_recipe(run, name, **keys):
    """Return the run with some keys of a recipe changed."""
    return replace(run, recipes={**run.recipes, name: {**run.recipes.get(name, {}), **keys}})


@cache
def default_run():
    """Return the run of config/config.yaml."""
    return load_run(lay(ROOT / "config/config.yaml", [], {}, ROOT / "config"), ROOT)


@cache
def paper_run():
    """Return the run of config/config.yaml at paper scale."""
    return load_run(lay(ROOT / "config/config.yaml", [], {"scale": "paper"}, ROOT / "config"), ROOT)


def asked(**wildcards):
    """Return the wildcards of a job."""
    return SimpleNamespace(**wildcards)
