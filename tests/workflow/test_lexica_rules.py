"""Every kind of lexicon on the tiny world, from its download to the table of pairs."""

import pyarrow.parquet as pq
import pytest

pytestmark = pytest.mark.workflow
NAMES = ["muse", "muse-reverse", "panlex", "panlex-hub", "hub-parquet", "swadesh", "both", "two-hop"]
MORE = """
lexica:
  hub-parquet:
    kind: panlex-meanings
    dataset: panlex-meanings-parquet
    file: "{iso}/train/{shard}.parquet"
    min_score: 2
"""


@pytest.fixture(scope="module")
def lexica(tmp_path_factory, seeded):
    """Scores by pair of every lexicon between the source and the low-resource language."""
    project = seeded(tmp_path_factory.mktemp("lexica"))
    (project.folder / "more.yaml").write_text(MORE)
    targets = [f"results/lexica/{name}/qaa-qac.parquet" for name in NAMES]
    project.snakemake(*targets, "--configfile", "tests/workflow/tiny.yaml", "more.yaml")
    return {name: scores(project.folder / target) for name, target in zip(NAMES, targets, strict=True)}


def scores(path):
    rows = pq.read_table(path).to_pylist()
    return {(row["source"], row["target"]): row["score"] for row in rows}


def test_every_lexicon_has_pairs(lexica):
    assert all(len(pairs) > 20 for pairs in lexica.values())


def test_the_forms_of_panlex_agree(lexica):
    assert lexica["panlex"].keys() == lexica["panlex-hub"].keys()
    attested = {pair for pair, meanings in lexica["panlex-hub"].items() if meanings >= 2}
    assert lexica["hub-parquet"].keys() == attested


def test_the_union_adds_up_weighted_scores(lexica):
    muse, panlex, both = lexica["muse"], lexica["panlex"], lexica["both"]
    assert both.keys() == muse.keys() | panlex.keys()
    assert all(both[pair] == 9 * muse.get(pair, 0) + panlex.get(pair, 0) for pair in both)


def test_two_hops_find_pairs_that_are_known_and_others(lexica):
    direct = lexica["muse"].keys() | lexica["panlex"].keys()
    assert lexica["two-hop"].keys() & direct
    assert lexica["two-hop"].keys() - direct


def test_a_third_language_that_is_one_of_the_two_is_refused(clone):
    output = clone.snakemake("-n", "results/lexica/two-hop/qaa-qab.parquet", check=False)
    assert "error: config: lexica.two-hop.through: qab is itself one of qaa-qab" in output
