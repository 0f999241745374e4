"""Images as vectors: what a ViT gets, each image on its own, random models by their seed."""

import numpy as np
import pytest
import torch

from xstitch.core.errors import InputError
from xstitch.encoders.images import encode_images, initialise_vit, prepare
from xstitch.sources.images import Image

SHAPE = {"layers": 2, "width": 16, "heads": 2, "image_size": 16, "patch_size": 8}


@pytest.fixture
def pixels():
    return np.random.default_rng(0).integers(256, size=(4, 3 * 32 * 32), dtype=np.uint8)


def test_a_model_gets_resized_and_scaled_colours():
    pixels = np.zeros((2, 2, 3), np.uint8)
    pixels[0, 1] = [255, 51, 0]
    prepared = prepare(pixels, 2, [0.5, 0.2, 0.0], [0.5, 0.1, 1.0])
    assert prepared.shape == (1, 3, 2, 2)
    torch.testing.assert_close(prepared[0, :, 0, 1], torch.tensor([1.0, 0.0, 0.0]))
    torch.testing.assert_close(prepared[0, :, 1, 1], torch.tensor([-1.0, -2.0, 0.0]))
    assert prepare(pixels, 8, [0.5] * 3, [0.5] * 3).shape == (1, 3, 8, 8)


def test_images_are_encoded_independently_and_in_order(tmp_path, pixels):
    initialise_vit(SHAPE, 1, tmp_path / "vit")
    images = [Image(str(n), row.reshape(32, 32, 3)) for n, row in enumerate(pixels)]
    together = encode_images(images, tmp_path / "vit", batch_size=3)
    assert together.words == ["0", "1", "2", "3"]
    assert together.matrix.shape == (4, 16)
    alone = np.concatenate([encode_images([image], tmp_path / "vit").matrix for image in images])
    np.testing.assert_allclose(together.matrix, alone, atol=1e-5)
    assert together.matrix.std(axis=0).min() > 0.01  # images differ


def test_no_image_at_all_is_one_clear_line(tmp_path):
    initialise_vit(SHAPE, 1, tmp_path / "vit")
    with pytest.raises(InputError, match="no image"):
        encode_images([], tmp_path / "vit")


def test_random_models_follow_from_their_seed(tmp_path):
    for name, seed in (("a", 1), ("b", 1), ("c", 2)):
        initialise_vit(SHAPE, seed, tmp_path / name)
    weights = {name: (tmp_path / name / "model.safetensors").read_bytes() for name in "abc"}
    assert weights["a"] == weights["b"] != weights["c"]
