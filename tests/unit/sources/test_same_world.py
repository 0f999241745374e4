"""One world on every processor: the same bytes with all kernels of the libraries, and those on record.

After an intended change of the world, `make docs` updates the digests and what documents quote.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pytest
import yaml
from world_contents import content_digests, read_digests

ROOT = Path(__file__).parents[3]
DIGESTS = Path(__file__).parents[1] / "digests"
SMALL = {
    "seed": 3,
    "concepts": 250,
    "languages": {code: {"sentences": 1000} for code in ("qaa", "qab", "qac", "qad")},
    "verses": {"train": 60, "dev": 12, "test": 12, "unlabelled": 120},
    "reviews": {"train": 40, "dev": 10, "test": 10},
    **{
        task: {"train": 60, "dev": 12, "test": 30}
        for task in ("xnli", "squad", "tydiqa", "names", "treebanks")
    },
    "similarity_pairs": 100,
    "images": 100,
    "tatoeba": 50,
    "parallel": 200,
}
AVX512 = ("X86_V4", "AVX512_ICL", "AVX512_SPR")
# How a job would run on other processors: the variables, and features of which this one needs at least one.
SETTINGS = {
    "without AVX-512": ({"NPY_DISABLE_CPU_FEATURES": " ".join(AVX512)}, AVX512),
    "without AVX2": ({"NPY_DISABLE_CPU_FEATURES": " ".join((*AVX512, "X86_V3"))}, ("X86_V3",)),
    "OpenBLAS for Nehalem": ({"OPENBLAS_CORETYPE": "Nehalem"}, ("X86_V2",)),
    "OpenBLAS for Haswell": ({"OPENBLAS_CORETYPE": "Haswell"}, ("X86_V3",)),
    "OpenBLAS for Skylake": ({"OPENBLAS_CORETYPE": "SkylakeX"}, ("X86_V4",)),
    "libm without FMA": ({"GLIBC_TUNABLES": "glibc.cpu.hwcaps=-AVX2,-FMA"}, ()),
    "hash seed 0": ({"PYTHONHASHSEED": "0"}, ()),
    "hash seed 4242": ({"PYTHONHASHSEED": "4242"}, ()),
}
GENERATE = """
import json, sys
from pathlib import Path
from xstitch.sources.world.concepts import Pools, make_concepts
from xstitch.sources.world.mirror import write_world
from xstitch.sources.world.settings import WorldSettings
settings = WorldSettings.from_config(json.loads(sys.argv[2]))
write_world(Path(sys.argv[1]), settings)
print(*Pools(make_concepts(settings)).marginal)
"""


class World(NamedTuple):
    """A world on disk, and how often it mentions each concept.

    The rates depend on every weight that words are drawn by: a last bit that no text of a small world shows
    changes them.
    """

    root: Path
    rates: str


def generate(root: Path, world: dict, variables: dict[str, str]) -> World:
    """Write a world in a new process, which loads its libraries with these variables."""
    path = os.pathsep.join(entry for entry in sys.path if entry)
    command = [sys.executable, "-c", GENERATE, str(root), json.dumps(world)]
    environment = {**os.environ, "PYTHONPATH": path, **variables}
    result = subprocess.run(command, env=environment, check=True, capture_output=True, text=True)
    return World(root, result.stdout)


def processor_features() -> set[str]:
    """Return the instruction sets that numpy can use here."""
    known = np.show_config(mode="dicts")["SIMD Extensions"]
    return {*known["baseline"], *known.get("found", ())}


@pytest.fixture(scope="module")
def native(tmp_path_factory: pytest.TempPathFactory) -> World:
    """The small world, as made by this processor's kernels."""
    return generate(tmp_path_factory.mktemp("native") / "world", SMALL, {})


@pytest.mark.parametrize("setting", SETTINGS)
def test_every_setting_writes_the_same_bytes(native: World, tmp_path: Path, setting: str) -> None:
    variables, needed = SETTINGS[setting]
    if needed and not processor_features() & set(needed):
        pytest.skip(f"this processor has none of {', '.join(needed)}: it cannot imitate {setting}")
    # The lock has the checksum of every file.
    other = generate(tmp_path / "world", SMALL, variables)
    assert (other.root / "lock.tsv").read_text() == (native.root / "lock.tsv").read_text()
    assert other.rates == native.rates


def test_the_small_world_is_the_one_on_record(native: World) -> None:
    assert content_digests(native.root) == read_digests(DIGESTS / "small.tsv")


def test_the_default_world_is_the_one_on_record(tmp_path: Path) -> None:
    world = yaml.safe_load((ROOT / "config/mini.yaml").read_text(encoding="utf-8"))["world"]
    generated = generate(tmp_path / "world", world, {})
    assert content_digests(generated.root) == read_digests(DIGESTS / "default.tsv")
