"""Pinned kernels: set where the processor supports them, and honoured by the libraries."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from xstitch.core import portable
from xstitch.core.portable import CPU_FLAGS, PINNED, pin_kernels


@pytest.fixture
def cpu(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    """Fake a processor's architecture and flags."""

    def make(flags: str, machine: str = "x86_64") -> Path:
        monkeypatch.setattr(portable.platform, "machine", lambda: machine)
        file = tmp_path / "cpuinfo"
        file.write_text(f"processor\t: 0\nflags\t\t: {flags}\nbugs\t\t:\n", encoding="utf-8")
        return file

    return make


def test_variables_are_set_but_those_of_a_user_stay(cpu) -> None:
    environment = {"MKL_CBWR": "AVX2"}
    assert pin_kernels(environment, cpu("sse4_2 fma avx2 avx512f"))
    assert environment == {**PINNED, "MKL_CBWR": "AVX2"}


@pytest.mark.parametrize(
    ("flags", "machine"), [("sse4_2 avx", "x86_64"), ("avx2", "x86_64"), ("avx2 fma", "aarch64")]
)
def test_nothing_is_set_where_the_processor_lacks_the_features(cpu, flags: str, machine: str) -> None:
    environment: dict[str, str] = {}
    assert not pin_kernels(environment, cpu(flags, machine))
    assert not environment


def test_nothing_is_set_where_the_processors_features_are_unknown(tmp_path: Path) -> None:
    environment: dict[str, str] = {}
    assert not pin_kernels(environment, tmp_path / "missing")
    assert not environment


def test_libraries_honour_the_variables() -> None:
    environment = dict(os.environ)
    for name in PINNED:
        environment.pop(name, None)
    if not pin_kernels(environment, CPU_FLAGS):
        pytest.skip("this processor lacks AVX2 and FMA")
    code = (
        "import numpy, torch, threadpoolctl; "
        "print(numpy.show_config(mode='dicts')['SIMD Extensions'].get('found')); "
        "print(torch.backends.cpu.get_cpu_capability()); "
        "libraries = threadpoolctl.threadpool_info(); "
        "print([library['architecture'] for library in libraries if library['internal_api'] == 'openblas'])"
    )
    result = subprocess.run(
        [sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=True
    )
    assert result.stdout.splitlines() == ["['X86_V3']", "AVX2", "['Haswell']"]
