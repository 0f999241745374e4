"""The image has the pinned environment, no other, and nothing secret."""

import re
from pathlib import Path

ROOT = Path(__file__).parents[3]
INSTRUCTIONS = [
    re.sub(r"\\\n\s*", "", line)
    for line in re.findall(
        r"^[A-Z]+ (?:.*\\\n)*.*$", (ROOT / "Containerfile").read_text(encoding="utf-8"), flags=re.M
    )
]


def instructions(name):
    return [line.removeprefix(f"{name} ") for line in INSTRUCTIONS if line.startswith(f"{name} ")]


def test_packages_come_from_the_requirements_files():
    installs = re.findall(r"pip install (.*?)(?= && |$)", " ".join(instructions("RUN")))
    assert len(installs) == 3
    named = [re.findall(r"--requirement /requirements/(\S+)", install) for install in installs]
    assert named == [[], ["base.txt"], ["kubernetes.txt"]]
    assert installs[0].endswith('"$torch"')  # the build of torch is chosen by index, its version in base.txt
    assert "torch=$(grep '^torch==' /requirements/base.txt)" in instructions("RUN")[1]
    assert not re.search(r"[\w-]+==\d", " ".join(INSTRUCTIONS))


def test_python_is_the_one_of_the_environments():
    assert instructions("FROM") == ["docker.io/library/python:3.11-slim"]
    assert "python =3.11" in (ROOT / "envs/neural.yaml").read_text(encoding="utf-8")


def test_jobs_do_not_run_as_root():
    assert INSTRUCTIONS.index("USER 1000") > max(
        number for number, line in enumerate(INSTRUCTIONS) if line.startswith("RUN ")
    )
    assert "useradd --uid 1000" in instructions("RUN")[-1]


def test_the_image_takes_only_the_requirements_of_the_project():
    assert instructions("COPY") == ["requirements /requirements"]
    assert not instructions("ADD")
    assert instructions("ARG") == ['TORCH_INDEX=""']
    assert not re.search(r"(?i)secret|token|password|access_key", " ".join(INSTRUCTIONS))


def test_the_optional_packages_leave_the_pins_of_a_run_alone():
    """All but python-dateutil, which botocore wants older; the file says so."""

    def pins(name):
        text = (ROOT / "requirements" / name).read_text(encoding="utf-8")
        return dict(re.findall(r"^([\w.-]+)==(\S+)", text, flags=re.M))

    optional, constraints = pins("kubernetes.txt"), pins("constraints.txt")
    assert {name for name in optional.keys() & constraints.keys() if optional[name] != constraints[name]} == {
        "python-dateutil"
    }
