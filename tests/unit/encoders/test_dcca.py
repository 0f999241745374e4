"""DCCA: closed-form CCA, cases by hand, numeric gradients, invariance, components, and degenerate views."""

import numpy as np
import pytest
import torch
from scipy.linalg import eigh
from sklearn.cross_decomposition import CCA

from xstitch.core.errors import InputError
from xstitch.encoders.dcca import component_loss, correlation_loss, dcca_loss
from xstitch.encoders.settings.continued import Correlations


def views(rows=300, first=5, second=4, seed=0, noise=0.5):
    """Draw two views that share some hidden causes."""
    random = torch.Generator().manual_seed(seed)
    causes = torch.randn(rows, 3, generator=random, dtype=torch.float64)
    mixed = [
        causes @ torch.randn(3, width, generator=random, dtype=torch.float64)
        + noise * torch.randn(rows, width, generator=random, dtype=torch.float64)
        for width in (first, second)
    ]
    return mixed[0], mixed[1]


def eigen_correlations(x, y, ridge):
    """Compute correlations by the generalised eigenproblem S12 inv(S22) S21 a = r^2 S11 a."""
    x, y = x - x.mean(0), y - y.mean(0)
    s11, s22 = (v.T @ v / (len(x) - 1) + ridge * np.eye(v.shape[1]) for v in (x, y))
    s12 = x.T @ y / (len(x) - 1)
    return np.sqrt(np.maximum(eigh(s12 @ np.linalg.solve(s22, s12.T), s11, eigvals_only=True)[::-1], 0))


def test_one_dimension_by_hand():
    # x = 1 2 3 4 and y = 1 3 2 4: variances 5/3 and 5/3, covariance 4/3, correlation 0.8; with a ridge of 5/3
    # the variances double: 0.4.
    x, y = torch.tensor([[1.0], [2], [3], [4]]), torch.tensor([[1.0], [3], [2], [4]])
    assert correlation_loss(x, y, ridge=0.0).item() == pytest.approx(-0.8)
    assert correlation_loss(x, -y, ridge=5 / 3).item() == pytest.approx(-0.4)


@pytest.mark.parametrize("ridge", [0.0, 1e-4, 0.3])
@pytest.mark.parametrize("number", [None, 1, 2])
def test_the_loss_is_the_sum_of_correlations_of_a_direct_eigen_solution(ridge, number):
    for x, y in (views(), reversed(views())):
        expected = -eigen_correlations(x.numpy(), y.numpy(), ridge)[:number]
        expected = expected[: min(x.shape[1], y.shape[1])].sum()
        assert correlation_loss(x, y, number, ridge).item() == pytest.approx(expected, abs=1e-8)


def test_highest_correlations_are_those_of_scikit_learn():
    x, y = views()
    left, right = CCA(n_components=2, max_iter=5000, tol=1e-12).fit_transform(x.numpy(), y.numpy())
    expected = sum(np.corrcoef(left[:, i], right[:, i])[0, 1] for i in range(2))
    assert correlation_loss(x, y, 2, ridge=0.0).item() == pytest.approx(-expected, abs=1e-6)


def test_invertible_linear_maps_and_shifts_change_nothing():
    x, y = views()
    random = torch.Generator().manual_seed(1)
    a, b = (torch.randn(n, n, generator=random, dtype=torch.float64) for n in (5, 4))
    plain = correlation_loss(x, y, ridge=0.0).item()
    assert correlation_loss(x @ a + 7, y @ b - 3, ridge=0.0).item() == pytest.approx(plain, abs=1e-9)
    assert -3 < plain < -2.3  # three causes are shared, with noise


@pytest.mark.parametrize("number", [None, 2])
def test_gradient_is_that_of_finite_differences(number):
    x, y = views(rows=20)
    x.requires_grad_(True)
    assert torch.autograd.gradcheck(lambda v: correlation_loss(v, y, number, 1e-2), x, atol=1e-6)


def test_gradient_of_a_view_narrower_than_the_other():
    x, y = views(rows=20, first=3, second=6)
    x.requires_grad_(True)
    assert torch.autograd.gradcheck(lambda v: correlation_loss(v, y, None, 1e-2), x, atol=1e-6)


@pytest.mark.parametrize(
    "case", ["repeated correlations", "fewer rows than dimensions", "constant view", "unrelated columns"]
)
def test_gradients_are_finite(case):
    random = torch.Generator().manual_seed(2)
    x = torch.randn(6 if case == "fewer rows than dimensions" else 64, 16, generator=random)
    y = x.clone() if case == "repeated correlations" else torch.randn(len(x), 16, generator=random)
    if case == "constant view":
        x = torch.ones_like(x)
    if case == "unrelated columns":
        y[:, 3:] = 0
    x.requires_grad_(True)
    loss = correlation_loss(x, y)
    (3 * loss).backward()
    assert torch.isfinite(loss)
    assert torch.isfinite(x.grad).all()
    assert x.grad.dtype == torch.float32
    if case == "constant view":
        assert loss.item() == 0
        assert not x.grad.any()


def test_descent_makes_views_correlated():
    x, y = views(noise=2.0)
    x.requires_grad_(True)
    before = correlation_loss(x, y).item()
    for _ in range(50):
        (gradient,) = torch.autograd.grad(correlation_loss(x, y), x)
        x = (x - 20 * gradient).detach().requires_grad_(True)
    assert correlation_loss(x, y).item() < before - 0.3


def test_the_fixed_view_gets_no_gradient():
    x, y = views(rows=10)
    x.requires_grad_(True)
    y.requires_grad_(True)
    correlation_loss(x, y).backward()
    assert y.grad is None


def test_views_of_different_rows_are_refused():
    with pytest.raises(InputError, match="two views with the same number of rows, at least 2, not 3, 4"):
        correlation_loss(torch.ones(3, 2), torch.ones(4, 2))


def test_a_generalised_correlation_counts_as_the_root_of_one_plus_it():
    # The correlation is 0.8, as by hand above.
    x, y = torch.tensor([[1.0], [2], [3], [4]]), torch.tensor([[1.0], [3], [2], [4]])
    assert correlation_loss(x, y, ridge=1e-12, generalised=True).item() == pytest.approx(-(1.8**0.5))
    assert component_loss(x, y, 1, generalised=True).item() == pytest.approx(-(1.8**0.5))
    assert component_loss(x, y, 1).item() == pytest.approx(-0.8)


@pytest.mark.parametrize(("components", "number"), [(2, None), (3, 2), (4, None)])
def test_components_are_those_of_a_concatenated_decomposition(components, number):
    """Generalised CCA: the singular values of both views' components next to each other."""
    x, y = views()
    sides = []
    for view in (x.numpy(), y.numpy()):
        left, _, _ = np.linalg.svd(view - view.mean(axis=0), full_matrices=False)
        sides.append(left[:, :components])
    values = np.linalg.svd(np.hstack(sides), compute_uv=False)[: number or components]
    settings = Correlations(components=components, correlations=number, objective="generalised")
    assert dcca_loss(x, y, settings).item() == pytest.approx(-values.sum(), abs=1e-8)
    plain = dcca_loss(x, y, Correlations(components=components, correlations=number)).item()
    assert plain == pytest.approx(-(values**2 - 1).sum(), abs=1e-8)


def test_all_components_give_all_correlations():
    x, y = views()
    assert component_loss(x, y, 5).item() == pytest.approx(correlation_loss(x, y, ridge=1e-12).item())


@pytest.mark.parametrize(
    ("rows", "components", "number"), [(20, 2, None), (20, 3, 2), (4, 2, None), (20, 5, None)]
)
@pytest.mark.parametrize("generalised", [False, True])
def test_gradient_through_components_is_that_of_finite_differences(rows, components, number, generalised):
    x, y = views(rows=rows)
    x.requires_grad_(True)
    assert torch.autograd.gradcheck(
        lambda v: component_loss(v, y, components, number, generalised), x, atol=1e-6
    )


@pytest.mark.parametrize("case", ["identical views", "constant view", "equal variances"])
def test_gradients_through_components_are_finite(case):
    random = torch.Generator().manual_seed(2)
    x = torch.randn(64, 16, generator=random)
    y = x.clone() if case == "identical views" else torch.randn(64, 16, generator=random)
    if case == "constant view":
        x = torch.ones_like(x)
    if case == "equal variances":
        x = torch.cat([torch.eye(8), -torch.eye(8)])
        y = y[:16]
    x.requires_grad_(True)
    loss = component_loss(x, y, 3, generalised=True)
    loss.backward()
    assert torch.isfinite(loss)
    assert torch.isfinite(x.grad).all()


@pytest.mark.parametrize("scale", [2.0**-20, 2.0**30])
def test_the_scale_of_a_view_does_not_decide_what_is_rounding(scale):
    # A view of two dimensions within five has two components, and with another as large two correlations.
    random = torch.Generator().manual_seed(6)
    flat, y = (torch.randn(30, n, generator=random, dtype=torch.float64) for n in (2, 5))
    x = flat @ torch.randn(2, 5, generator=random, dtype=torch.float64)
    expected = correlation_loss(flat, y, ridge=1e-12).item()
    assert component_loss(scale * x, y, 5).item() == pytest.approx(expected, abs=1e-6)


def test_components_of_equal_variance_have_a_gradient_in_proportion_to_the_scale():
    # Twice as large a view needs twice as large a change: its gradient is half as large.
    random = torch.Generator().manual_seed(2)
    x, y = torch.cat([torch.eye(8), -torch.eye(8)]).double(), torch.randn(16, 16, generator=random).double()
    gradients = []
    for scale in (1.0, 2.0**10):
        view = (scale * x).requires_grad_()
        component_loss(view, y, 3).backward()
        gradients.append(scale * view.grad)
    torch.testing.assert_close(*gradients)


def test_few_components_tell_related_views_from_unrelated_ones_where_all_correlations_do_not():
    """At a sixteenth of the paper's sizes; tests/bench/dcca_views.py has these sizes and a training."""
    random = torch.Generator().manual_seed(5)
    scales = (1 / torch.arange(1, 49)).sqrt()
    static, other = (torch.randn(64, 48, generator=random) * scales for _ in range(2))

    def share(settings):
        """How far related views are on the way from unrelated to identical ones."""
        views = [mix * static + (1 - mix**2) ** 0.5 * other for mix in (0.0, 0.5, 1.0)]
        unrelated, related, identical = (dcca_loss(view, static, settings).item() for view in views)
        return (unrelated - related) / (unrelated - identical), unrelated / identical

    everything, saturation = share(Correlations(ridge=1e-4))
    assert saturation > 0.75
    components, level = share(Correlations(components=5, objective="generalised"))
    assert components > 1.5 * everything
    assert level < 0.9
