"""The number of updates that a user's own training texts make, by hand."""

import pytest
from small_run import asked, small_run

from xstitch.core.errors import InputError
from xstitch.plan.addresses import development_texts
from xstitch.plan.model_inputs import finetuning_input
from xstitch.plan.training_size import few_updates

JOB = asked(recipe="rr", task="complaints", space="en-de")


def run_with(tmp_path, texts, **keys):
    """A run with a task of the user's own that has this many training texts, and no development texts."""
    train = tmp_path / "train.tsv"
    train.write_text("".join(f"{n}\tpraise\tgood\n" for n in range(texts)), encoding="utf-8")
    task = {"kind": "tsv", "labels": ["praise", "blame"], "targets": ["de"], "max_length": 9, **keys}
    training = {"epochs": 4, "batch_size": 32, "learning_rate": 1e-3}
    return small_run(
        tasks={"complaints": {"training": training, **task, "files": {"en": {"train": str(train)}}}}
    )


def test_few_updates_are_said_aloud(tmp_path):
    # 48 texts are two batches of 32 at most; four epochs of two.
    assert few_updates(run_with(tmp_path, 48), "finetune_model", JOB) == (
        "complaints: your 48 texts make 8 updates in 4 epochs: raise epochs "
        "(tasks.complaints.training.epochs: 50 makes 100)"
    )


@pytest.mark.parametrize(("texts", "warned"), [(768, True), (769, False)])  # 4 x 24 = 96, 4 x 25 = 100
def test_a_hundred_updates_are_enough(tmp_path, texts, warned):
    assert bool(few_updates(run_with(tmp_path, texts), "finetune_model", JOB)) == warned


def test_a_limit_on_texts_counts(tmp_path):
    assert "your 40 texts" in few_updates(run_with(tmp_path, 2000, train_limit=40), "finetune_model", JOB)


def test_other_jobs_and_unknown_numbers_are_passed_over(tmp_path):
    assert few_updates(run_with(tmp_path, 48), "stitch_model", JOB) == ""
    assert few_updates(small_run(), "finetune_model", asked(recipe="rr", task="verses", space="en-de")) == ""
    address = small_run(
        tasks={"verses": {"files": {"en": {"train": "https://x.example/t.tsv"}}}},
    )
    assert few_updates(address, "finetune_model", asked(recipe="rr", task="verses", space="en-de")) == ""


def test_a_bad_training_file_is_refused_before_the_first_job(tmp_path):
    run = run_with(tmp_path, 48)
    (tmp_path / "train.tsv").write_text("1\tpriase\tgood\n", encoding="utf-8")
    with pytest.raises(InputError, match=r"train.tsv:1: label 'priase' is not one of praise, blame"):
        few_updates(run, "finetune_model", JOB)


def test_development_texts_may_be_missing(tmp_path):
    files = finetuning_input(run_with(tmp_path, 48), JOB)
    assert (
        files["dev"] == [development_texts("complaints", "en")] == ["results/tasks/complaints/en/dev.parquet"]
    )
