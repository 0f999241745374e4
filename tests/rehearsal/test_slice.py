"""A slice of the rehearsal: a model of the lead paper at true size, from the download to its score."""

import json

import pyarrow.parquet as pq
import pytest
from measurements import read_notes
from mirror import write_mirror
from planning import dry_run, planned
from rehearse import NOTES, copy_project, load_rehearsal, rehearse
from safetensors import safe_open

from xstitch.results.scores import read_scores

pytestmark = pytest.mark.workflow
SCORES = "results/scores/ls/marc3/en.tsv"
HEAVY = {
    "import_vectors",
    "build_anchors",
    "map_embeddings",
    "finetune_model",
    "stitch_model",
    "evaluate_models",
}


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """The project after the slice has been run."""
    copy = tmp_path_factory.mktemp("slice")
    copy_project(copy)
    write_mirror(copy, load_rehearsal(copy), planned(dry_run(copy, [SCORES])))
    assert rehearse(copy, [SCORES], cores=2) == 0
    return copy


def test_every_heavy_job_stays_within_what_its_rule_asks_for(folder):
    asked = {job.output[0]: float(job.resources["mem_mb"]) for job in planned(dry_run(folder, [SCORES]))}
    peaks = {
        record["rule"]: (record["peak_mb"], asked[record["output"][0]])
        for record in read_notes(folder / NOTES)
    }
    assert set(peaks) >= HEAVY
    # On a CPU, activations and the optimiser's state are in the same memory.
    assert {rule: peak for rule, peak in peaks.items() if peak[0] > peak[1]} == {}


def test_sizes_are_those_of_the_paper(folder):
    settings = json.loads((folder / "results/encoders/bert-base-cased/config.json").read_text())
    assert [settings[key] for key in ("vocab_size", "num_hidden_layers", "hidden_size")] == [28_996, 12, 768]
    with safe_open(folder / "results/stitched/ls/marc3/en-de/seed1/model.safetensors", "np") as weights:
        assert weights.get_slice("bert.embeddings.word_embeddings.weight").get_shape()[0] >= 200_000
    anchors = folder / "results/anchors/full/bert-base-cased/en-de.parquet"
    assert pq.read_metadata(anchors).num_rows == 6731


def test_scores_say_that_they_are_a_rehearsal(folder):
    assert {score.scale for score in read_scores(folder / SCORES)} == {"rehearsal"}
