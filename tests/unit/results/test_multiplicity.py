"""Corrections for the number of comparisons, by hand."""

import numpy as np
import pytest

from xstitch.results.multiplicity import holm, p_value, shown_difference


def test_holm_by_hand():
    # Sorted: .005 x 4, .01 x 3, .03 x 2, and .04 x 1, which may not be below its predecessor.
    assert holm([0.01, 0.04, 0.03, 0.005]) == pytest.approx([0.03, 0.06, 0.06, 0.02])
    assert holm([0.5, 0.9]) == pytest.approx([1.0, 1.0])
    assert holm([0.2]) == [0.2]
    assert holm([]) == []


def test_holm_rejects_what_its_step_down_procedure_rejects():
    rng = np.random.default_rng(3)
    for _ in range(50):
        p_values = rng.beta(0.3, 2, size=12)
        rejected = set()
        for rank, index in enumerate(np.argsort(p_values)):  # the textbook's procedure
            if p_values[index] > 0.05 / (12 - rank):
                break
            rejected.add(index)
        adjusted = holm(list(p_values))
        assert {index for index in range(12) if adjusted[index] <= 0.05} == rejected


def test_p_values_of_a_normal_difference():
    normal = np.random.default_rng(0).normal(size=200_000)
    # 1.96 standard deviations from 0.
    assert p_value(np.concatenate([[0.196], 0.196 + 0.1 * normal])) == pytest.approx(0.05, abs=0.001)
    assert p_value(np.concatenate([[-0.196], 0.1 * normal])) == pytest.approx(0.05, abs=0.001)
    assert p_value(np.concatenate([[0.0], 0.1 * normal])) == 1


def test_p_values_of_few_chains_are_those_of_the_t_test():
    # The quantile of .975 of Student's t with 2 degrees of freedom is 4.303, with 4 it is 2.776.
    for chains, quantile in ((3, 4.303), (5, 2.776)):
        drawn = 0.1 * np.random.default_rng(0).standard_t(chains - 1, size=200_000)
        difference = 0.1 * quantile
        resampled = np.concatenate([[difference], difference + drawn])
        assert p_value(resampled, chains) == pytest.approx(0.05, abs=0.001)
    assert p_value(np.full(10, 0.2), 3) == 0


def test_a_difference_that_never_varies_is_certain():
    assert p_value(np.full(10, 0.2)) == 0
    assert p_value(np.zeros(10)) == 1


def test_what_is_not_shown_is_said():
    assert shown_difference(0.1, 0.049) == "above"
    assert shown_difference(-0.1, 0.001) == "below"
    assert shown_difference(0.1, 0.05) == "no difference shown"
