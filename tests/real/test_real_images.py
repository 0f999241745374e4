"""Real photographs through two random vision transformers: CIFAR-10 as a folder of image files."""

import zipfile

import pytest

from xstitch.encoders.images import encode_images, initialise_vit
from xstitch.sources.images import read_folder
from xstitch.spaces.anchors.problem import pair_spaces
from xstitch.spaces.anchors.retrieval import evaluate_pairs

pytestmark = pytest.mark.real
SHAPE = {"layers": 2, "heads": 4, "image_size": 32, "patch_size": 8}


@pytest.fixture(scope="module")
def spaces(data, tmp_path_factory):
    folder = tmp_path_factory.mktemp("cifar10")
    with zipfile.ZipFile(data / "cifar10/cifar10_600.zip") as archive:
        archive.extractall(folder)
    sides = []
    for width in (96, 48):
        initialise_vit({**SHAPE, "width": width}, 1, folder / f"vit-{width}")
        sides.append(encode_images(read_folder(folder), folder / f"vit-{width}"))
    assert [side.matrix.shape for side in sides] == [(600, 96), (600, 48)]
    assert sides[0].words == sides[1].words
    assert sides[0].words[0] == "test/airplane/0000.jpg"
    return pair_spaces(*sides, sides[0].words, anchors=300, seeds=15, seed=1)


def test_parallel_anchors_let_two_models_speak_of_the_same_images(spaces):
    names = ("base", "small")
    truth, seeds = (
        evaluate_pairs(spaces, anchors, names)["base", "small"].mrr
        for anchors in (spaces.true_anchors, spaces.seed_anchors)
    )
    assert truth > seeds
    assert truth > 10 * 0.0049  # ranks at random: the harmonic sum of ten over 600 images
