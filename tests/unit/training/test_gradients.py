"""Gradients of losses whose derivatives are known by hand, and how they are compared."""

import math
from itertools import repeat

import pytest
import torch
from torch import nn

from xstitch.training.gradients import ALL, Comparison, compare, evenly_spaced, mean_gradient


class Quadratic(nn.Module):
    """Two layers of two weights each and a head of one; a loss pulls the weights towards a point."""

    def __init__(self):
        super().__init__()
        self.lower = nn.Parameter(torch.tensor([1.0, 2.0]))
        self.upper = nn.Parameter(torch.tensor([0.0, -1.0]))
        self.head = nn.Parameter(torch.tensor([5.0]))

    def towards(self, lower, upper, head=5.0):
        """Half the squared distance: the gradient is the difference."""
        points = (self.lower, lower), (self.upper, upper), (self.head, [head])
        return sum((weights - torch.tensor(point)).square().sum() / 2 for weights, point in points)

    @property
    def shared(self):
        return [self.lower, self.upper]


LAYERS = ["1", "2"]


def gradient(model, *points):
    return mean_gradient(lambda _: model.towards(*points), repeat({}), 1, model.shared)


def test_the_gradient_of_a_quadratic_loss_is_its_difference():
    model = Quadratic()
    lower, upper = gradient(model, [0.0, 0.0], [3.0, 3.0])
    assert lower.tolist() == [1, 2]
    assert upper.tolist() == [-3, -4]


def test_cosines_and_norms_of_two_quadratic_losses():
    model = Quadratic()
    # Differences (1, 2), (-3, -4) and (1, 0), (0, -5): products 1 and 20, squares 5 and 25, 1 and 25.
    found = compare(gradient(model, [0.0, 0.0], [3.0, 3.0]), gradient(model, [0.0, 2.0], [0.0, 4.0]), LAYERS)
    assert found["1"] == pytest.approx((1 / math.sqrt(5), math.sqrt(5), 1))
    assert found["2"] == pytest.approx((20 / 25, 5, 5))
    assert found[ALL] == pytest.approx((21 / math.sqrt(30 * 26), math.sqrt(30), math.sqrt(26)))


@pytest.mark.parametrize(("factor", "cosine"), [(3.0, 1.0), (-0.5, -1.0)])
def test_the_length_of_a_gradient_does_not_matter_but_its_sign_does(factor, cosine):
    one = [torch.tensor([3.0, 4.0]), torch.tensor([0.0])]
    found = compare(one, [factor * part for part in one], LAYERS)
    assert found["1"] == found[ALL] == pytest.approx((cosine, 5, 5 * abs(factor)))


def test_orthogonal_gradients():
    found = compare([torch.tensor([1.0, 1.0])], [torch.tensor([2.0, -2.0])], ["1"])
    assert found[ALL] == pytest.approx((0, math.sqrt(2), math.sqrt(8)))


def test_what_cancels_between_layers_is_orthogonal_in_all():
    found = compare(
        [torch.tensor([1.0]), torch.tensor([1.0])], [torch.tensor([2.0]), torch.tensor([-2.0])], LAYERS
    )
    assert [found[name].cosine for name in ("1", "2", ALL)] == pytest.approx([1, -1, 0])


def test_tensors_of_one_layer_are_one_vector():
    parts = [torch.tensor([3.0]), torch.tensor([[4.0]])]
    found = compare(parts, [torch.tensor([1.0]), torch.tensor([[0.0]])], ["1", "1"])
    assert found == {"all": found["1"], "1": Comparison(0.6, 5, 1)}


def test_a_layer_that_a_loss_does_not_reach_has_no_cosine():
    model = Quadratic()
    reached = mean_gradient(lambda _: model.lower.sum(), repeat({}), 1, model.shared)
    assert reached[1].tolist() == [0, 0]
    found = compare(reached, gradient(model, [0.0, 0.0], [3.0, 3.0]), LAYERS)
    assert math.isnan(found["2"].cosine)
    assert found["2"][1:] == (0, 5)
    # (1, 1) and (1, 2), while the second layer only lengthens the other: 3 / sqrt(2 * 30).
    assert found[ALL].cosine == pytest.approx(3 / math.sqrt(60))


def test_batches_are_averaged_and_each_is_seen_once():
    model, batches = Quadratic(), iter([{"at": 1.0}, {"at": 3.0}, {"at": 100.0}])
    lower, _ = mean_gradient(
        lambda batch: model.towards([batch["at"]] * 2, [0.0, 0.0]), batches, 2, model.shared
    )
    assert lower.tolist() == [-1, 0]  # of (0, 1) and (-2, -1)
    assert next(batches) == {"at": 100.0}


def test_an_optimiser_notices_nothing():
    model = Quadratic()
    before = [weights.clone() for weights in model.parameters()]
    model.lower.grad = torch.tensor([7.0, 7.0])
    gradient(model, [0.0, 0.0], [3.0, 3.0], 0.0)
    assert all(torch.equal(*pair) for pair in zip(model.parameters(), before, strict=True))
    assert model.lower.grad.tolist() == [7, 7]
    assert model.upper.grad is None
    assert model.head.grad is None


def test_points_are_evenly_spaced_from_the_first_weights_to_the_last():
    assert evenly_spaced(100, 5) == [0, 25, 50, 75, 100]
    assert evenly_spaced(10, 4) == [0, 3, 7, 10]
    assert evenly_spaced(3, 9) == [0, 1, 2, 3]
    assert all(isinstance(update, int) for update in evenly_spaced(10, 4))  # they are written down
