"""Logistic regression on mean word vectors: a classifier for a language that has no model."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from sklearn.linear_model import LogisticRegression
from sklearn.preprocessing import StandardScaler

from xstitch.core.progress import progress
from xstitch.sources.words import unicode_words
from xstitch.vectors.table import Vectors, lower_cased


def mean_vectors(texts: Sequence[str], vectors: Vectors) -> np.ndarray:
    """Average the vectors of each text's known words; a text without known words gets the zero vector."""
    fold = str.lower if lower_cased(vectors.words) else str
    means = np.zeros((len(texts), vectors.matrix.shape[1]), dtype=np.float32)
    for row, text in enumerate(progress(texts, "averaging words", unit="text")):
        rows = [vectors.index[word] for word in unicode_words(fold(text)) if word in vectors.index]
        if rows:
            means[row] = vectors.matrix[rows].mean(axis=0)
    return means


def logistic_regression(
    vectors: Vectors, train_texts: Sequence[str], train_labels: Sequence[str], test_texts: Sequence[str]
) -> list[str]:
    """Train on labelled texts of a language and predict labels for its test texts.

    Features are standardised; otherwise, the smaller the vectors are, the more the penalty would weigh.
    """
    return regression_across(vectors, train_texts, train_labels, vectors, test_texts)


def regression_across(
    train_vectors: Vectors,
    train_texts: Sequence[str],
    train_labels: Sequence[str],
    test_vectors: Vectors,
    test_texts: Sequence[str],
    own_texts: Sequence[str] | None = None,
) -> list[str]:
    """Train on labelled texts of one language and predict labels for another's, in the same space.

    The means of two languages' texts lie apart even where their words are aligned: with `own_texts`,
    unlabelled ones of the test texts' language, each side is standardised by its own texts.
    """
    if len(set(train_labels)) == 1:  # a few labelled texts may have one label; there is nothing to fit
        return [str(train_labels[0])] * len(test_texts)
    train = mean_vectors(train_texts, train_vectors)
    learnt = StandardScaler().fit(train)
    model = LogisticRegression(max_iter=2000).fit(learnt.transform(train), list(train_labels))
    own = learnt if own_texts is None else StandardScaler().fit(mean_vectors(own_texts, test_vectors))
    return [str(label) for label in model.predict(own.transform(mean_vectors(test_texts, test_vectors)))]
