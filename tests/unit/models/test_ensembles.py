"""Several models that answer together."""

import json
import shutil

import numpy as np
import pytest
from tiny import write_encoder
from toy import EVEN, LABELS, LENGTH, texts

from xstitch.core.errors import InputError
from xstitch.models.classification import predict_labels
from xstitch.models.ensembles import predict_together
from xstitch.models.frozen import fit_head
from xstitch.models.settings.frozen import FrozenSettings

TRAIN, DEV = texts(1, 60, EVEN), texts(2, 30, EVEN)


@pytest.fixture(scope="module")
def folders(tmp_path_factory):
    """Two models with heads on different layers, which disagree about some texts."""
    folder = tmp_path_factory.mktemp("members")
    encoder = write_encoder(folder / "encoder", list(TRAIN["text"]))
    for layer in (1, 3):
        settings = FrozenSettings(layers=[layer], strengths=[1.0])
        fit_head(encoder, TRAIN, DEV, LABELS, settings, LENGTH, folder / str(layer))
    return [folder / "1", folder / "3"]


def test_the_mean_of_their_probabilities_decides(folders):
    alone = [predict_labels(folder, list(DEV["text"]), LENGTH) for folder in folders]
    together = predict_together(folders, list(DEV["text"]), LENGTH)
    mean = (alone[0].probabilities + alone[1].probabilities) / 2
    assert np.allclose(together.probabilities, mean)
    assert together.labels == [LABELS[number] for number in mean.argmax(axis=1)]
    assert alone[0].labels != alone[1].labels


def test_models_with_other_labels_are_refused(folders, tmp_path):
    other = tmp_path / "other"
    shutil.copytree(folders[0], other)
    config = json.loads((other / "config.json").read_text(encoding="utf-8"))
    config["id2label"] = {"0": "b", "1": "a", "2": "c"}
    (other / "config.json").write_text(json.dumps(config), encoding="utf-8")
    with pytest.raises(InputError, match="has other labels"):
        predict_together([folders[0], other], ["a1"], LENGTH)
