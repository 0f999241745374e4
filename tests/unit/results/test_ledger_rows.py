"""Rows of a ledger: their values and sources, what they cover, and how they are counted."""

import pytest

from xstitch.core.errors import InputError
from xstitch.results.ledger import count_sources, counted_by_table, ledger_paper, read_ledger

HEADER = "scope\tkey\tvalue\tsource\tnote"
CODE = "authors' code cisnlp/Taxi1500@fe4e1a0 evaluation_code/train.py"


def written(folder, *rows, header=HEADER):
    file = folder / "p.settings.tsv"
    file.write_text("\n".join([header, *rows]) + "\n", encoding="utf-8")
    return file


def row(key="seed", value="1", source="chosen", note="", scope="all"):
    return "\t".join([scope, key, value, source, note])


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("1e-5", 0.00001),  # text to YAML
        ("50", 50),
        ("null", None),
        ("true", True),
        ("linear", "linear"),
        ("[de, zh]", ["de", "zh"]),
        ("{eps: 0.0001, iterations: 1}", {"eps": 0.0001, "iterations": 1}),
        ("", ""),
    ],
)
def test_a_value_has_the_type_it_has_in_the_configuration(tmp_path, text, value):
    (setting,) = read_ledger(written(tmp_path, row(value=text)))
    assert setting.value == value
    assert type(setting.value) is type(value)


@pytest.mark.parametrize(
    ("source", "kind"),
    [
        ("paper 5.1", "published"),
        ("paper Table 2", "published"),
        (CODE, "code"),
        ("cited work XTREME", "code"),
        ("chosen", "chosen"),
        ("departed", "departed"),
    ],
)
def test_a_source_is_of_one_class(tmp_path, source, kind):
    (setting,) = read_ledger(written(tmp_path, row(source=source, note="why")))
    assert setting.kind == kind


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        ([row(source="paper")], ":2: the source 'paper' is not allowed; legal: paper SECTION"),
        ([row(source="authors' code no commit")], "'authors' code no commit\" is not allowed"),
        ([row(), row(source="departed", key="k")], ":3: k departs from the paper; say why in the note"),
        ([row(key="")], ":2: the key is missing"),
        ([row(scope="")], ":2: the scope is missing"),
        (["all\tseed\t1"], ":2: 5 columns expected, not 3"),
        ([row(), row(value="2")], ":3: seed is also at"),
        ([row(value="[1, 2")], ":2: the value '[1, 2' is neither YAML nor JSON"),
    ],
)
def test_a_bad_row_ends_in_one_line(tmp_path, rows, message):
    with pytest.raises(InputError) as problem:
        read_ledger(written(tmp_path, *rows))
    assert message.replace('"', "'") in str(problem.value).replace('"', "'")
    assert "\n" not in str(problem.value)


def test_a_file_with_other_columns_is_refused(tmp_path):
    with pytest.raises(InputError, match=":1: a ledger has the columns scope key value source note"):
        read_ledger(written(tmp_path, header="key\tvalue"))


@pytest.mark.parametrize(
    ("key", "path", "covered"),
    [
        ("recipes.rr.k", "recipes.rr.k", True),
        ("recipes.rr.k", "recipes.rr.k.x", False),
        ("recipes.rr-*.k", "recipes.rr-softmax.k", True),
        ("recipes.rr-*.k", "recipes.ls.k", False),
        ("recipes.*.k", "recipes.rr.mapping.k", False),  # a star in the middle is one part
        ("recipes.rr.*", "recipes.rr.mapping.k", True),  # a star at the end is everything below
        ("recipes.rr.*", "recipes.rr", False),
        ("recipes.rr.*", "recipes.ls.k", False),
    ],
)
def test_which_values_a_key_covers(tmp_path, key, path, covered):
    (setting,) = read_ledger(written(tmp_path, row(key=key)))
    assert setting.covers(tuple(path.split("."))) is covered


def test_settings_are_counted_by_table_and_class(tmp_path):
    rows = [
        row("a", source="paper 1"),
        row("b", source="paper 2", scope="Table 1"),
        row("c", source=CODE, scope="Table 1, Table 2"),
        row("d", source="cited work VecMap", scope="Table 2"),
        row("e", scope="Figure 1"),
        row("f", source="departed", note="why", scope="Table 12"),
    ]
    settings = read_ledger(written(tmp_path, *rows))
    assert count_sources(settings, "Table 1") == {"published": 2, "code": 1, "chosen": 0, "departed": 0}
    assert count_sources(settings, "Table 2") == {"published": 1, "code": 2, "chosen": 0, "departed": 0}
    assert count_sources(settings, "Table 12") == {"published": 1, "code": 0, "chosen": 0, "departed": 1}


def test_the_index_counts_what_is_known(tmp_path):
    rows = [row("a", source="paper 1"), row("b", scope="Table 2")]
    settings = read_ledger(written(tmp_path, *rows))
    tables = {"1": {"task": "t"}, "2": {"task": "t"}, "4": {"kind": "languages"}}
    counted = counted_by_table(settings, tables)
    assert list(counted["1"]) == [
        "paper settings published",
        "paper settings code",
        "paper settings chosen",
        "paper settings departed",
    ]
    assert list(counted["1"].values()) == ["1", "0", "0", "0"]
    assert list(counted["2"].values()) == ["1", "0", "1", "0"]
    assert list(counted["4"].values()) == [""] * 4  # a list of languages
    assert list(counted_by_table([], tables)["1"].values()) == [""] * 4  # no ledger yet


def test_the_paper_of_a_ledger():
    assert ledger_paper("config/reference/x2s.settings.tsv") == "x2s"
