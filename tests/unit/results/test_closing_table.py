"""The table that a run ends with."""

from xstitch.core.tsv import write_tsv
from xstitch.results.closing_table import closing_table

HEADER = ["row", "column", "published", "reproduced", "low", "high"]


def shown(tmp_path, *rows):
    write_tsv(tmp_path / "compare.tsv", HEADER, rows)
    return closing_table(tmp_path / "compare.tsv").splitlines()


def test_ours_have_intervals_and_the_published_numbers_stand_below(tmp_path):
    assert shown(
        tmp_path,
        ["LR", "qab", "", "0.7412", "0.655", "0.8149"],
        ["LR", "qac", "", "0.76", "", ""],
        ["RRs softmax", "qab", "", "0.1", "0.05", "0.2"],
        ["LR", "de", "0.3", "", "", ""],
        ["RRs softmax", "de", "0.255", "", "", ""],
    ) == [
        "This run, with 95 % intervals:",
        "               qab               qac",
        "  LR           0.74 [0.66 0.81]  0.76",
        "  RRs softmax  0.10 [0.05 0.20]",
        "",
        "The paper, on its own languages and models:",
        "               de",
        "  LR           0.30",
        "  RRs softmax  0.26",
    ]


def test_a_table_without_published_numbers_is_ours_alone(tmp_path):
    assert shown(tmp_path, ["LR", "qab", "", "0.5", "0.4", "0.6"])[1:] == [
        "      qab",
        "  LR  0.50 [0.40 0.60]",
    ]
