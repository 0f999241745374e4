"""What the site generates, against values taken by hand from the files it is generated from."""

import pytest
from site_pages import keys, markdown, papers, rules


def row(text, first):
    """The cells of the row of a Markdown table that starts with a cell."""
    lines = [line for line in text.splitlines() if line.startswith(f"| {first} |")]
    assert len(lines) == 1, lines
    return [cell.strip() for cell in lines[0].strip("|").split(" | ")]


def test_a_key_has_its_values_default_and_meaning():
    text = keys.keys_of("Relative")
    assert row(text, "`weighting`")[1:3] == ["`standard` or `softmax` or `sparsemax`", "required"]
    assert row(text, "`k`")[1:] == [
        "whole number, at least 1 or `null`",
        "required",
        "Nearest anchors that count; null: all.",
    ]
    assert row(text, "`negative`")[1:3] == ["`literal` or `clip`", "`literal`"]
    assert row(text, "`original`")[1:3] == ["number, at least 0, at most 1", ""]
    assert "`extends`" not in text


def test_an_entry_inside_another_is_linked():
    assert row(keys.keys_of("Stitched"), "`training`")[1] == "[SomeTraining](#keys-some-training)"
    assert "(keys-some-training)=" in keys.all_sections()


def test_sections_say_which_kinds_have_a_models_keys():
    section = keys.all_sections().partition("### LinearMapping\n")[2].partition("\n### ")[0]
    kinds = ("inverse-relative", "least-squares", "orthogonal", "vecmap")
    assert f"For {', '.join(f'`kind: {kind}`' for kind in kinds)}." in section


def test_a_model_is_listed_once():
    titles = [line for line in keys.all_sections().splitlines() if line.startswith("### ")]
    assert len(titles) == len(set(titles)) > 50


def test_a_rule_has_its_sentence_outputs_and_code():
    entry = rules.all_rules().partition("### swap_adapter\n")[2].partition("\n#")[0]
    assert "Swap the target language's adapter into a model fine-tuned with the source language's." in entry
    assert "`results/swapped/{recipe}/{task}/{src}-{tgt}/seed{seed}`" in entry
    assert "`workflow/scripts/swap_adapter.py`, from `xstitch.models.swapping`" in entry
    assert "GPU" not in entry


def test_addresses_are_those_of_the_snakefile():
    found = row(rules.all_addresses(), "`results/lexica/{lexicon}/{src}-{tgt}.parquet`")
    assert found[1] == "word pairs with scores"


def test_a_table_shows_the_published_numbers_in_its_own_order():
    text = papers.tables_of("mosecrot").partition("### Table 2: ")[2].partition("\n### ")[0]
    assert row(text, "row")[2:] == ["de", "es", "zh", "mt", "sah", "fo", "nds", "tt"]
    assert row(text, "LR")[1:4] == ["`lr`", "0.30", "0.32"]
    assert "snakemake results/tables/mosecrot/table2.tsv" in text


@pytest.mark.parametrize(
    ("paper", "table", "expected"),
    [
        ("mosecrot", "Table 2", ["yes", "yes", "yes"]),
        ("mosecrot", "Table 1", ["yes", "with files of your own", "with files of your own"]),
        ("wordot", "Table 1", ["yes", "not set up", "yes"]),
    ],
)
def test_a_table_says_which_scale_can_make_it(paper, table, expected):
    assert row(papers.scales_of(paper), table)[2:] == expected


def test_settings_are_grouped_by_their_source():
    text = papers.settings_of("mosecrot")
    chosen = text.partition("### Chosen by us")[2].partition("\n### ")[0]
    published = text.partition("### From the paper")[2]
    assert row(chosen, "`vectors.wiki.limit`")[1] == "`200000`"
    assert row(published, "`source`")[1:3] == ['`"en"`', "paper 4"]


def test_special_characters_mean_themselves():
    assert markdown.plain("a_b*c|d") == r"a\_b\*c\|d"
    assert markdown.table(["x"], [["a | b\nc"], [markdown.plain("d|e")]]).splitlines()[2:-1] == [
        r"| a \| b c |",
        r"| d\|e |",
    ]
