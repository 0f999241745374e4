"""Write again what documents and tests quote from the mini world: make docs.

That is the files of docs/own-language, the digests of tests/unit/digests and the README's Table 2, which is
taken from results/tables: `make docs` runs the demo first. Run it when the mini world was changed on purpose,
and read the diff.
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

import yaml

ROOT = Path(__file__).parents[1]
for folder in ("workflow/scripts", "docs/own-language", "tests/unit", "tests/unit/sources"):
    sys.path.insert(0, str(ROOT / folder))

from make_files import write_own_files  # noqa: E402
from test_same_world import DIGESTS, SMALL  # noqa: E402
from world_contents import content_digests, write_digests  # noqa: E402

from xstitch.results.tables import side_by_side  # noqa: E402
from xstitch.sources.world.mirror import write_world  # noqa: E402
from xstitch.sources.world.settings import WorldSettings  # noqa: E402

BEGIN, END = "<!-- table2: written by `make docs` -->\n", "<!-- end of table2 -->\n"


def refresh_digests() -> None:
    """Record what the small and the default world hold."""
    default = yaml.safe_load((ROOT / "config/mini.yaml").read_text(encoding="utf-8"))["world"]
    for name, world in {"small": SMALL, "default": default}.items():
        with tempfile.TemporaryDirectory() as folder:
            write_world(Path(folder) / "world", WorldSettings.from_config(world))
            write_digests(DIGESTS / f"{name}.tsv", content_digests(Path(folder) / "world"))


def refresh_readme() -> None:
    """Put the demo's table in the place of the one that the README shows."""
    tables = [str(ROOT / "results/tables" / name) for name in ("table2.tsv", "table2.compare.tsv")]
    lines = "".join(f"    {line}".rstrip() + "\n" for line in side_by_side(*tables).splitlines())
    readme = ROOT / "README.md"
    before, _, rest = readme.read_text(encoding="utf-8").partition(BEGIN)
    after = rest.partition(END)[2]
    readme.write_text(f"{before}{BEGIN}\n{lines}\n{END}{after}", encoding="utf-8")


if __name__ == "__main__":
    write_own_files()
    refresh_digests()
    refresh_readme()
