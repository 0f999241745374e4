"""Pages of the report: what a reader finds in them, by hand-made tables."""

import base64
from html.parser import HTMLParser

from configured import ROOT

from xstitch.core.tsv import read_records, write_records, write_tsv
from xstitch.results.pages import Heading, write_comparison_page, write_list_page

COMPARED = "row column published reproduced low high covers sd seeds chains difference scale status".split()


class Cells(HTMLParser):
    """The text of every cell, and the class of each."""

    def __init__(self, page):
        super().__init__()
        self.found, self.inside = [], False
        self.feed(page)

    def handle_starttag(self, tag, attrs):
        if tag in ("td", "th"):
            self.inside = True
            self.found.append([dict(attrs).get("class", ""), []])

    def handle_endtag(self, tag):
        self.inside = self.inside and tag not in ("td", "th")

    def handle_data(self, data):
        if self.inside and data.strip():
            self.found[-1][1].append(data.strip())

    def of_class(self, name):
        return [texts for kind, texts in self.found if kind == name]


def compared(row, column, published, ours, low="", high="", status="scale", difference=""):
    values = [row, column, published, ours, low, high, "seeds", "", "2", "1", difference, "mini", status]
    return dict(zip(COMPARED, values, strict=True))


def comparison_page(folder, better, scale="mini", status="scale"):
    write_tsv(
        folder / "t.tsv", ["method", "qab", "error"], [["LR", "0.74", "0.30"], ["<RRs>", "0.69", "0.20"]]
    )
    cells = [
        compared("LR", "qab", "", "0.7400", "0.7012", "0.7793"),
        compared("LR", "error", "0.2851", "0.3000", status=status, difference="0.0149"),
        compared("LR", "de", "0.3000", "", status="absent"),
        compared("<RRs>", "qab", "", "0.6900"),
        compared("<RRs>", "error", "", "0.2000"),
    ]
    write_records(cells, folder / "t.compare.tsv")
    commands, names = {"LR": "snakemake results/scores/lr.tsv"}, {"de": "German"}
    heading = Heading("Macro-F1", "A paper", scale, commands, better, names)
    write_comparison_page(heading, folder / "t.tsv", folder / "t.compare.tsv", folder / "t.html")
    return (folder / "t.html").read_text(encoding="utf-8")


def test_the_best_of_a_column_is_marked_by_its_own_measure(tmp_path):
    page = Cells(comparison_page(tmp_path, {"qab": "highest", "error": "lowest"}))
    assert page.of_class("best") == [["0.74", "0.70 to 0.78"], ["0.20"]]


def test_where_no_number_is_better_none_is_marked(tmp_path):
    assert Cells(comparison_page(tmp_path, {})).of_class("best") == []


def test_published_numbers_stand_in_their_cells_or_in_columns_of_their_own(tmp_path):
    page = comparison_page(tmp_path, {})
    cells = [texts for _, texts in Cells(page).found]
    assert ["0.30", "paper 0.29 (+0.01)"] in cells
    table = Cells(page[: page.index("Every cell")]).found
    heads = [texts for _, texts in table]
    assert heads[1:3] == [["This run"], ["Published"]]
    assert heads[3:7] == [["method"], ["qab"], ["error"], ["de", "German"]]
    assert heads[10] == ["0.30"]  # LR's in German; the other row has none
    assert heads[14] == []


def test_a_cell_at_paper_scale_says_how_it_compares(tmp_path):
    page = comparison_page(tmp_path, {}, scale="paper", status="differs")
    assert ["0.30", "paper 0.29 (+0.01)", "≠ differs"] in [texts for _, texts in Cells(page).found]


def test_a_page_says_what_made_a_row_and_what_may_be_compared(tmp_path):
    page = comparison_page(tmp_path, {})
    assert ["LR", "snakemake results/scores/lr.tsv"] in [texts for _, texts in Cells(page).found]
    assert "cannot match" in page
    assert "cannot match" not in comparison_page(tmp_path, {}, scale="paper")


def test_a_status_is_told_in_words_and_names_are_escaped(tmp_path):
    page = comparison_page(tmp_path, {})
    assert ["scale (not comparable)"] in [texts for _, texts in Cells(page).found]
    assert "<RRs>" not in page
    assert "&lt;RRs&gt;" in page


def test_a_page_stands_alone_and_carries_its_table(tmp_path):
    page = comparison_page(tmp_path, {})
    assert "http" not in page
    data = page.partition("base64,")[2].partition('"')[0]
    assert base64.b64decode(data) == (tmp_path / "t.tsv").read_bytes()


def test_a_list_has_all_its_rows(tmp_path):
    write_tsv(tmp_path / "l.tsv", ["Language", "Code"], [["German", "de"], ["Tatar", "tt"]])
    write_list_page(Heading("Languages", "A paper"), tmp_path / "l.tsv", tmp_path / "l.html")
    cells = [texts for _, texts in Cells((tmp_path / "l.html").read_text(encoding="utf-8")).found]
    assert cells == [["Language"], ["Code"], ["German"], ["de"], ["Tatar"], ["tt"]]


def test_the_pages_of_all_tables_stay_small(tmp_path):
    """Every published cell, as if this run had it too, in one page a paper."""
    size = 0
    for reference in sorted((ROOT / "config/reference").glob("*.tsv")):
        if reference.name.endswith(".settings.tsv"):
            continue
        rows = [row for row in read_records(reference) if row["value"]]
        cells = [
            compared(
                f"{row['table']} {row['row']}", row["column"], row["value"], "0.1234", "0.1111", "0.2222"
            )
            for row in rows
        ]
        assert len(cells) > 80
        write_records(cells, tmp_path / "t.compare.tsv")
        write_tsv(tmp_path / "t.tsv", ["method"], [[row] for row in {cell["row"]: None for cell in cells}])
        heading = Heading("All", "A paper", "paper")
        write_comparison_page(heading, tmp_path / "t.tsv", tmp_path / "t.compare.tsv", tmp_path / "t.html")
        size += (tmp_path / "t.html").stat().st_size
    # In the report pages grow by a third; Snakemake's own part has 3 MB, and each of 60 pages 10 kB.
    assert size * 4 / 3 + 3e6 + 60 * 10e3 < 15e6
