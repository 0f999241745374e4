"""Anchors confirmed by a map fitted on the others: planted wrong pairs go, right ones stay."""

import numpy as np
import pytest

from xstitch.core.errors import InputError
from xstitch.spaces.anchors import agreement
from xstitch.spaces.anchors.agreement import _mutual, confirmed
from xstitch.spaces.anchors.lexicon import Anchor
from xstitch.spaces.settings.anchors import Agreement

WORDS, WRONG = 600, 120


def spaces(source_dimensions, target_dimensions, noise=0.05):
    """Two views of the same meanings: rotated, noisy, and shuffled on the target side."""
    rng = np.random.default_rng(1)
    meanings = rng.normal(size=(WORDS, 20))
    maps = [np.linalg.qr(rng.normal(size=(d, 20)))[0].T for d in (source_dimensions, target_dimensions)]
    views = [meanings @ w + noise * rng.normal(size=(WORDS, w.shape[1])) for w in maps]
    order = rng.permutation(WORDS)
    target = np.empty_like(views[1])
    target[order] = views[1]
    return views[0], target, order


def planted(order):
    """Right pairs, the last of them crossed over to wrong partners."""
    partners = order.copy()
    partners[-WRONG:] = np.roll(order[-WRONG:], 1)
    return [Anchor(f"s{i}", f"t{j}", i, int(j), 1.0) for i, j in enumerate(partners)]


@pytest.mark.parametrize("dimensions", [(20, 20), (48, 24), (24, 48)])
@pytest.mark.parametrize("k", [1, 10])
def test_planted_wrong_pairs_go_and_right_ones_stay(dimensions, k):
    source, target, order = spaces(*dimensions)
    kept = {anchor.source_row for anchor in confirmed(planted(order), source, target, Agreement(k=k))}
    right = set(range(WORDS - WRONG))
    assert len(kept & right) > 0.99 * len(right)
    # By chance a wrong pair is among ten of 600 in both directions about once in 3,600.
    assert len(kept - right) <= 2


def test_no_pair_vouches_for_itself():
    # With more dimensions than pairs, an orthogonal map brings any pairs together: fitted on all of these
    # random ones, it would confirm nearly all. Of a fold of 16 about one finds its partner by chance.
    rng = np.random.default_rng(2)
    source, target = rng.normal(size=(2, 80, 200))
    anchors = [Anchor(f"s{i}", f"t{i}", i, i, 1.0) for i in range(80)]
    assert len(confirmed(anchors, source, target, Agreement(k=1))) < 20


def test_a_target_word_of_several_sources_is_one_candidate():
    source, target, order = spaces(20, 20)
    anchors = planted(order)[: WORDS - WRONG]
    # A source word next to the first one shares its translation: both are right.
    source = np.vstack([source, source[0] + 1e-3])
    twin = Anchor("twin", "t", WORDS, anchors[0].target_row, 1.0)
    kept = confirmed([*anchors, twin], source, target, Agreement(k=2))
    assert {anchors[0], twin} <= set(kept)


def test_order_and_result_follow_the_seed():
    source, target, order = spaces(20, 20, noise=0.5)
    anchors = planted(order)
    runs = [confirmed(anchors, source, target, Agreement(k=1, seed=seed)) for seed in (3, 3)]
    assert runs[0] == runs[1]
    assert [a.source_row for a in runs[0]] == sorted(a.source_row for a in runs[0])


def test_too_few_pairs_are_refused():
    anchors = [Anchor("a", "b", i, i, 1.0) for i in range(20)]
    with pytest.raises(InputError, match="agreement needs at least 50 pairs, not 20"):
        confirmed(anchors, np.eye(20), np.eye(20), Agreement())


def test_a_pair_is_confirmed_from_both_sides():
    # Words at 0, 10 and 90 degrees on one side, at 4 and 90 on the other. The word at 10 finds the one at 4,
    # which prefers the word at 0: by CSLS 2 cos 4 - cos 4 against 2 cos 6 - cos 6.
    left, right = (
        np.stack([np.cos(np.radians(angles)), np.sin(np.radians(angles))], axis=1)
        for angles in ([0, 10, 90], [4, 90])
    )
    pairs, settings = np.array([(0, 0), (1, 0), (2, 1)]), Agreement(k=1, csls_k=1)
    assert _mutual(left, right, pairs, settings).tolist() == [True, False, True]
    assert _mutual(right, left, pairs[:, ::-1].copy(), settings).tolist() == [True, False, True]


def test_few_that_agree_are_warned_about(monkeypatch, caplog):
    source, target, order = spaces(20, 20)
    anchors = planted(order)
    share = len(confirmed(anchors, source, target, Agreement(k=1))) / len(anchors)
    monkeypatch.setattr(agreement, "SUSPICIOUS", share)
    confirmed(anchors, source, target, Agreement(k=1))
    assert "may be chance" not in caplog.text
    monkeypatch.setattr(agreement, "SUSPICIOUS", share + 1e-9)
    confirmed(anchors, source, target, Agreement(k=1))
    assert "may be chance" in caplog.text


def test_with_more_folds_than_pairs_every_pair_is_a_fold():
    source, target, order = spaces(20, 20)
    anchors = planted(order)[:60]
    some = confirmed(anchors, source, target, Agreement(k=1, folds=61))
    assert some == confirmed(anchors, source, target, Agreement(k=1, folds=60))
    assert len(some) > 40
