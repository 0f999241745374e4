"""Tasks in the configuration: one line for every mistake."""

from typing import get_args

import pytest
from configured import checked, refused

from xstitch.plan.schema.tasks import AnyTask
from xstitch.sources.tasks.readers import READERS


@pytest.mark.parametrize(
    ("task", "line"),
    [
        ({"retrieval": {"targets": ["qab"]}}, "retrieval.targets: not for spaces; leave it out"),
        ({"taxi1500": {"targets": ...}}, "taxi1500: the key 'targets' is missing for taxi1500; add it"),
        ({"bli": {"max_length": 9}}, "bli.max_length: not for muse; leave it out"),
        ({"tatoeba": {"files": {}}}, "tatoeba.files: not for tatoeba; leave it out"),
        ({"tatoeba": {"layer": ...}}, "tatoeba: the key 'layer' is missing for tatoeba; add it"),
        ({"xquad": {"stride": 0}}, "xquad.stride: 0 is not allowed; legal: at least 1"),
        ({"udpos": {"portions": {}}}, "udpos.portions: not for universal_dependencies; leave it out"),
        ({"xnli-mt": {"portions": {"dev": ...}}}, "xnli-mt.portions: the key 'dev' is missing; add it"),
        ({"retrieval": {"words": {"size": 0}}}, "retrieval.words.size: 0 is not allowed; legal: at least 1"),
        (
            {"retrieval": {"spaces": [{"name": "FT", "vectors": "fasttext"}]}},
            "retrieval.spaces: [{'name': 'FT', 'vectors': 'fasttext'}] is not allowed; legal: exactly 2",
        ),
        (
            {
                "retrieval": {
                    "spaces": [{"name": "A", "vectors": "glove"}, {"name": "B", "vectors": "word2vec"}]
                }
            },
            "retrieval.spaces.0.vectors: 'glove' is not defined; legal (vectors): ",
        ),
        (
            {
                "vision": {
                    "spaces": [{"name": "A", "images": "cifar10"}, {"name": "B", "vectors": "word2vec"}]
                }
            },
            "vision.spaces.0: needs either 'vectors', or 'images' and 'encoder'",
        ),
        (
            {"hyperparameters": {"recipes": {"Retrieval": "ao"}}},
            "hyperparameters.recipes.Retrieval: 'ao' is not defined; legal (recipes): ",
        ),
        (
            {"xquad": {"by_recipe": {"mbert": {"adaptation": {"strenght": 1}}}}},
            "xquad.by_recipe.mbert.adaptation.strenght: unknown key with value 1",
        ),
    ],
)
def test_a_wrong_task_is_one_line(task, line):
    assert refused(tasks=task).startswith(f"tasks.{line}")


def test_a_task_with_own_files_needs_labels():
    task = {"kind": "tsv", "targets": ["qab"], "max_length": 9, "files": {"qaa": {"train": "t", "dev": "d"}}}
    assert refused(tasks={"x": task}) == "tasks.x: the key 'labels' is missing for tsv; add it"
    assert refused(tasks={"x": {**task, "labels": ["a"]}}).endswith(
        "is not allowed; legal: at least 2 entries"
    )
    checked(tasks={"x": {**task, "labels": ["a", "b"]}})


def test_every_reader_is_a_kind_of_task():
    models = get_args(get_args(AnyTask)[0])
    kinds = {kind for model in models for kind in get_args(model.model_fields["kind"].annotation)}
    assert set(READERS) <= kinds
    assert kinds - set(READERS) == {"muse", "semeval2017", "anchors", "spaces", "settings", "pairs"}
