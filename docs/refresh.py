"""Refresh what documents and tests quote from the mini world: make docs.

These are the files of docs/own-language, the digests of tests/unit/digests, the demo's Table 2 in docs/demo
and in the README, the checksums of its scores and tables (docs/demo.sha256), and its verdicts on the paper's
claims (config/verdicts/mini.tsv, docs/claims.md). All but the first two come from results: `make docs` runs
the demo first. Run it after changing the mini world or a method on purpose, and read the diff.
"""

from __future__ import annotations

import hashlib
import shutil
import sys
import tempfile
from pathlib import Path
from types import SimpleNamespace

import yaml

ROOT = Path(__file__).parents[1]
for folder in ("workflow/scripts", "docs/own-language", "tests/unit", "tests/unit/sources"):
    sys.path.insert(0, str(ROOT / folder))

from make_files import write_own_files  # noqa: E402
from test_same_world import DIGESTS, SMALL  # noqa: E402
from world_contents import content_digests, write_digests  # noqa: E402

from xstitch.plan.claims_document import FILE, claim_names, document  # noqa: E402
from xstitch.plan.overlays import lay  # noqa: E402
from xstitch.plan.run import Run, load_run  # noqa: E402
from xstitch.plan.tables import table_scores  # noqa: E402
from xstitch.results.claims.recorded import FOLDER, record_verdicts  # noqa: E402
from xstitch.results.side_by_side import side_by_side, what_it_is  # noqa: E402
from xstitch.sources.world.mirror import write_world  # noqa: E402
from xstitch.sources.world.settings import WorldSettings  # noqa: E402

BEGIN, END = "<!-- table2: written by `make docs` -->\n", "<!-- end of table2 -->\n"
LEAD = SimpleNamespace(paper="mosecrot", table="table2")
TABLES = ("results/tables/table2.tsv", "results/tables/table2.compare.tsv")
CLAIMS = "results/claims/mosecrot/table2.tsv"
QUOTED = ROOT / "docs/demo"  # the demo's tables, as the README quotes them


def default_run() -> Run:
    """The run that `make demo` is."""
    return load_run(lay(ROOT / "config/config.yaml", [], {}, ROOT / "config"), ROOT)


def refresh_digests() -> None:
    """Record the contents of the small and the default world."""
    default = yaml.safe_load((ROOT / "config/mini.yaml").read_text(encoding="utf-8"))["world"]
    for name, world in {"small": SMALL, "default": default}.items():
        with tempfile.TemporaryDirectory() as folder:
            write_world(Path(folder) / "world", WorldSettings.from_config(world))
            write_digests(DIGESTS / f"{name}.tsv", content_digests(Path(folder) / "world"))


def quoted_table() -> str:
    """The table as the README shows it, with what it is means of."""
    files = [QUOTED / Path(file).name for file in TABLES]
    lines = "".join(f"    {line}".rstrip() + "\n" for line in side_by_side(*files).splitlines())
    return f"{what_it_is(files[1])}\n\n{lines}"


def refresh_readme() -> None:
    """Keep the demo's tables and replace the table in the README with them."""
    QUOTED.mkdir(exist_ok=True)
    for file in TABLES:
        shutil.copyfile(ROOT / file, QUOTED / Path(file).name)
    readme = ROOT / "README.md"
    before, _, rest = readme.read_text(encoding="utf-8").partition(BEGIN)
    after = rest.partition(END)[2]
    readme.write_text(f"{before}{BEGIN}\n{quoted_table()}\n{END}{after}", encoding="utf-8")


def refresh_demo_checksums() -> None:
    """Record what the demo computed, for comparison on other machines: sha256sum -c docs/demo.sha256."""
    files = [*table_scores(default_run(), LEAD), *TABLES]
    lines = [f"{hashlib.sha256((ROOT / file).read_bytes()).hexdigest()}  {file}\n" for file in files]
    (ROOT / "docs/demo.sha256").write_text("".join(lines), encoding="utf-8")


def refresh_verdicts() -> None:
    """Record what the demo's table says to the claims about it, and show it among all claims."""
    record_verdicts(ROOT / CLAIMS, claim_names(ROOT / "config"), ROOT / FOLDER)
    (ROOT / FILE).write_text(document(ROOT / "config"), encoding="utf-8")


if __name__ == "__main__":
    write_own_files()
    refresh_digests()
    refresh_readme()
    refresh_demo_checksums()
    refresh_verdicts()
