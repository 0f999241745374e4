"""Files of checkpoints: split, so that a GPU's tensors need not fit into the host's memory all at once."""

from pathlib import Path

import pytest
import torch
from safetensors import safe_open

from xstitch.training import checkpoints
from xstitch.training.checkpoints import load_checkpoint, save_checkpoint

TENSORS = {  # 40, 60, 400 and 8 bytes
    "weights/first": torch.arange(10.0),
    "weights/second": torch.arange(15.0),
    "best/table": torch.arange(100.0).reshape(10, 10).T,
    "optimiser/0.step": torch.tensor([3]),
}


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A checkpoint in shards of up to 100 bytes."""
    monkeypatch.setattr(checkpoints, "SHARD", 100)
    save_checkpoint(tmp_path, "mine", 7, TENSORS, {"step": 7})
    return tmp_path


def test_tensors_are_dealt_into_shards_in_order(folder: Path) -> None:
    files = sorted((folder / "step-000000007").glob("*.safetensors"))
    names = []
    for file in files:
        with safe_open(file, "pt") as content:
            names.append(sorted(content.keys()))
    # 40 + 60 bytes fill the first; what is larger than a shard is alone.
    assert names == [["weights/first", "weights/second"], ["best/table"], ["optimiser/0.step"]]


def test_all_shards_are_loaded(folder: Path) -> None:
    tensors, state = load_checkpoint(folder, "mine")
    assert state == {"step": 7} and list(tensors) == list(TENSORS)
    assert all(torch.equal(tensors[name], tensor) for name, tensor in TENSORS.items())


@pytest.mark.parametrize("damage", ["flipped", "missing"])
@pytest.mark.parametrize("number", [0, 2])
def test_a_checkpoint_with_one_damaged_shard_is_removed(folder: Path, damage: str, number: int) -> None:
    file = folder / f"step-000000007/tensors-{number}.safetensors"
    content = bytearray(file.read_bytes())
    content[-1] ^= 255
    file.write_bytes(content)
    if damage == "missing":
        file.unlink()
    assert load_checkpoint(folder, "mine") is None and not list(folder.iterdir())
