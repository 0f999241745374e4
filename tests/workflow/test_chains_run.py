"""Chains: a run draws everything before fine-tuning several times, and only what is new runs again."""

import csv
from statistics import fmean

import pytest
from conftest import TABLE
from project_copy import planned_jobs, shrink_project

from xstitch.plan.chains import in_chain
from xstitch.plan.overlays import lay
from xstitch.plan.run import load_run
from xstitch.sources.world.mirror import write_world
from xstitch.sources.world.settings import WorldSettings

pytestmark = pytest.mark.workflow
RECIPES = {"LR": "lr", "LS": "ls", "RRs softmax top50": "rr-softmax"}
LOCK = "results/world/lock.tsv"
# What one chain of the smallest world takes: two languages, one target, two fine-tuned models.
CHAIN = {
    **{"generate_world": 1, "download_dataset": 8, "import_lexicon": 1, "import_task": 2, "sample_corpus": 2},
    **{"pretrain_encoder": 1, "train_vectors": 1, "import_encoder_vectors": 1, "build_anchors": 1},
    **{"map_embeddings": 3, "finetune_model": 2, "stitch_model": 3, "evaluate_models": 3},
    **{"gather_texts": 1, "fit_head": 1, "standardise_head": 1},
    "evaluate_classifiers": 1,
}
TABLES = {"make_table": 1, "make_lead_table": 1}


def rows(path):
    with path.open(encoding="utf-8", newline="") as stream:
        return list(csv.DictReader(stream, delimiter="\t"))


@pytest.fixture(scope="module")
def project(tmp_path_factory, seeded):
    """The smallest world in two chains; of the first, most is there already."""
    project = seeded(tmp_path_factory.mktemp("chains"))
    shrink_project(project)
    before = project.folder / "results/vectors/fasttext/qab.npz"
    stamp = before.stat().st_mtime_ns
    project.snakemake(TABLE, "--config", "chains=2")
    assert before.stat().st_mtime_ns == stamp  # the first chain is what a run of one chain computes
    return project


def planned(project, chains):
    return planned_jobs(project.snakemake("-n", TABLE, "--config", f"chains={chains}"))


def test_every_chain_is_drawn_from_a_seed_of_its_own(project, tmp_path):
    run = load_run(
        lay(project.folder / "config/config.yaml", [], {}, project.folder / "config"), project.folder
    )
    settings = WorldSettings.from_config({**run.config["world"], "seed": 1001})
    write_world(tmp_path / "world", settings)
    expected = (tmp_path / "world/lock.tsv").read_bytes()
    assert (project.folder / "chains/2" / LOCK).read_bytes() == expected
    assert (project.folder / LOCK).read_bytes() != expected
    file = "results/encoders/mini-mono/model.safetensors"
    contents = [(project.folder / folder / file).read_bytes() for folder in ("", "chains/2")]
    assert contents[0] != contents[1]
    assert in_chain(run, file, "chains/2/") == f"chains/2/{file}"


def test_the_table_shows_the_mean_of_the_chains(project):
    table = {row["method"]: row["qab"] for row in rows(project.folder / TABLE)}
    compared = {
        row["row"]: row
        for row in rows(project.folder / TABLE.replace(".tsv", ".compare.tsv"))
        if row["column"] == "qab"
    }
    for label, recipe in RECIPES.items():
        scores = [
            score
            for folder in ("", "chains/2")
            for score in rows(project.folder / folder / f"results/scores/{recipe}/taxi1500/qaa.tsv")
            if (score["tgt"], score["metric"]) == ("qab", "macro_f1")
        ]
        assert [score["chain"] for score in scores] == ["1", "2"]
        mean = fmean(float(score["value"]) for score in scores)
        assert float(table[label]) == pytest.approx(mean, abs=0.006)
        cell = compared[label]
        assert float(cell["reproduced"]) == pytest.approx(mean, abs=1e-4)
        assert (cell["chains"], cell["seeds"]) == ("2", "1")
        assert "chains" in cell["covers"].split()
        assert float(cell["low"]) <= mean <= float(cell["high"])


def test_another_chain_reruns_nothing_of_the_first_ones(project):
    assert planned(project, 2) == {}
    assert planned(project, 3) == {**CHAIN, **TABLES}
    assert planned(project, 1) == TABLES


def test_a_changed_recipe_reruns_its_descendants_in_every_chain(project):
    setting = "recipes={rr-softmax: {mapping: {tau: 0.2}}}"
    jobs = planned_jobs(project.snakemake("-n", TABLE, "--config", "chains=2", setting))
    expected = {"map_embeddings": 2, "finetune_model": 2, "stitch_model": 2, "evaluate_models": 2, **TABLES}
    assert jobs == expected


def test_chains_share_what_no_seed_decides(project):
    data = [*(project.folder / "chains").rglob("*")]
    assert data and not any(path.name in ("given", "tables", "figures") for path in data)
    assert (project.folder / "chains/2/resources").is_dir()  # generated: every chain has its own
