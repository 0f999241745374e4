"""Images as vectors: what a ViT gets, each image on its own, random models by their seed."""

import numpy as np
import pytest
import torch
from transformers import ViTModel

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


def test_an_image_is_the_first_token_of_the_last_layer(tmp_path):
    initialise_vit(SHAPE, 1, tmp_path / "vit")
    pixels = np.random.default_rng(1).integers(256, size=(16, 16, 3), dtype=np.uint8)
    vectors = encode_images([Image("0", pixels)], tmp_path / "vit")
    model = ViTModel.from_pretrained(tmp_path / "vit", add_pooling_layer=False).eval()
    scaled = torch.from_numpy(pixels.transpose(2, 0, 1) / 127.5 - 1).float()
    with torch.no_grad():
        tokens = model(scaled[None]).last_hidden_state[0].numpy()
    assert len(tokens) == 5  # its own and those of four patches
    np.testing.assert_allclose(vectors.matrix[0], tokens[0], atol=1e-5)
    assert np.abs(tokens.mean(axis=0) - tokens[0]).max() > 0.01
