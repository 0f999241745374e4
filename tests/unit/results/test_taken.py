"""What a recipe has from others, by hand-made scores and predictions."""

import pyarrow as pa

from xstitch.results.scores import Score, predictions_table
from xstitch.results.taken import Taken, taken_predictions, taken_scores

TAKEN = [Taken("c", "y", 0), Taken("b", "x", 3)]


def score(recipe, tgt, seed, value, metric="macro_f1"):
    return Score(recipe, "t", "a", tgt, "test", metric, seed, value, 2, "mini", "2")


def predictions(*answers):
    """A table of two texts for every language, seed and pair of answers."""
    texts = {"id": ["1", "2"], "label": ["p", "q"]}
    return pa.concat_tables(predictions_table(tgt, seed, texts, given) for tgt, seed, given in answers)


def test_in_every_language_the_scores_are_those_of_its_recipe_and_seed():
    scores = [
        *(score("x", "b", 3, 0.1), score("x", "b", 3, 0.2, "accuracy"), score("x", "b", 4, 0.3)),
        *(score("x", "c", 3, 0.4), score("y", "b", 0, 0.5), score("y", "c", 0, 0.6), score("y", "a", 0, 0.7)),
    ]
    found = taken_scores(TAKEN, iter(scores), "best-of-two")
    assert found == [
        score("best-of-two", "c", 0, 0.6),
        score("best-of-two", "b", 3, 0.1),
        score("best-of-two", "b", 3, 0.2, "accuracy"),
    ]


def test_in_every_language_the_predictions_are_those_of_its_recipe_and_seed():
    tables = {
        "x": predictions(("b", 3, "pp"), ("b", 4, "qq"), ("c", 3, "pq")),
        "y": predictions(("b", 0, "qp"), ("c", 0, "qq")),
    }
    expected = predictions(("c", 0, "qq"), ("b", 3, "pp"))
    assert taken_predictions(TAKEN, tables).to_pylist() == expected.to_pylist()
    assert taken_predictions(TAKEN, tables).schema == expected.schema
