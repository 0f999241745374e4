"""How many updates taggers take: by the lengths of sentences, as far as the model sees them, with a floor."""

from dataclasses import replace

import pandas as pd
import pyarrow as pa
import pytest
from tiny import write_trainable

from xstitch.encoders.folders import load_tokenizer
from xstitch.models.heads import tags
from xstitch.models.tagging import mean_words, scaled_schedule
from xstitch.models.transfer.task import Transfer
from xstitch.training.schedule import Schedule

SCHEDULE = Schedule(learning_rate=1e-5, batch_size=8, epochs=4)


@pytest.fixture(scope="module")
def encoder(tmp_path_factory):
    """Make an encoder whose every word is one subword."""
    return write_trainable(tmp_path_factory.mktemp("encoder") / "encoder", ["a b c d e"] * 20)


def sentences(*lengths):
    words = [["a"] * length for length in lengths]
    return pd.DataFrame({"words": words, "tags": [["O"] * length for length in lengths]})


def test_words_beyond_the_length_do_not_count(encoder):
    """Two of six tokens are special ones: of two, five and seven words, two, four and four are seen."""
    words = list(sentences(2, 5, 7)["words"])
    assert mean_words(load_tokenizer(encoder), words, 6) == pytest.approx(10 / 3)
    assert mean_words(load_tokenizer(encoder), words, 32) == pytest.approx(14 / 3)


def test_updates_are_epochs_times_relative_length_rounded_up():
    """4 x 30 / 8 = 15 batches; at one and a half times the length, 22.5; two batches an update halve that."""
    assert scaled_schedule(SCHEDULE, 30, 1.0).steps == 15
    assert scaled_schedule(SCHEDULE, 30, 1.5).steps == 23
    assert scaled_schedule(replace(SCHEDULE, accumulation=2), 30, 1.5).steps == 12
    assert scaled_schedule(SCHEDULE, 30, 0.7 + 0.1 + 0.2).steps == 15  # not one more for 1.0000000000000002
    assert scaled_schedule(SCHEDULE, 30, 1.5).epochs is None


def test_given_steps_are_not_scaled():
    given = replace(SCHEDULE, epochs=None, steps=7)
    assert scaled_schedule(given, 30, 1.5) == given


@pytest.mark.parametrize(("least", "steps"), [(None, 13), (13, 13), (14, 14), (250, 250)])
def test_tiny_languages_get_a_floor_of_updates(least, steps):
    """A student of 100 sentences, in batches of 32: 12.5 updates."""
    student = replace(SCHEDULE, batch_size=32, least_steps=least)
    assert scaled_schedule(student, 100, 1.0).steps == steps
    assert student.total_steps(4) == max(16, steps)  # four batches an epoch, without scaling
    assert scaled_schedule(student, 20_000, 1.0).steps == 2500


def test_the_floor_also_holds_for_epochs_that_end_with_an_update():
    schedule = replace(SCHEDULE, accumulation=4, epoch_end="update")
    assert schedule.total_steps(5) == 4 * 2
    assert replace(schedule, least_steps=11).total_steps(5) == 11
    assert replace(schedule, least_steps=11).total_batches(5) == 5 * 5 + 4
    assert replace(schedule, epochs=None, steps=3, least_steps=11).total_steps(5) == 3


def test_adaptation_scales_by_words_of_the_target_over_words_of_the_source(encoder):
    """Sources have 2 words, targets 3 and, cut at six tokens, 4: 4 x 6 / 8 x 1.75 = 5.25."""
    transfer = Transfer(encoder, sentences(*[2] * 4), sentences(*[3, 9] * 3), ("O",), 6)
    scaled = transfer.scaled(SCHEDULE)
    assert (scaled.steps, scaled.epochs) == (6, None)
    assert transfer.scaled(replace(SCHEDULE, least_steps=9)).steps == 9


def test_texts_are_not_scaled(encoder):
    texts = pd.DataFrame({"text": ["a b"], "label": ["x"]})
    assert Transfer(encoder, texts, texts, ("x",), 6).scaled(SCHEDULE) == SCHEDULE


def test_taggers_in_their_own_language_scale_by_the_reference(encoder):
    """4 x 20 / 8 x 3 / 2 = 15, and 10 in the reference's own language."""
    own, reference = (pa.Table.from_pandas(sentences(*[n] * 20)) for n in (3, 2))
    settings = {"labels": ["O"], "max_length": 16}
    assert tags.scaled(encoder, reference, own, settings, SCHEDULE).steps == 15
    assert tags.scaled(encoder, reference, reference, settings, SCHEDULE).steps == 10
    assert tags.scaled(encoder, own, reference, settings, SCHEDULE).steps == 7  # 6.67
