"""Packed sequences: the states and gradients of transformers' padded layers, and dropout as defined."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from torch import nn
from torch.nn import functional
from transformers import (
    AutoConfig,
    AutoModelForQuestionAnswering,
    AutoModelForSequenceClassification,
    AutoModelForTokenClassification,
)

from xstitch.core.portable import PINNED
from xstitch.encoders.adapters import add_language_adapter
from xstitch.encoders.packed import attention, encoder, layers
from xstitch.encoders.packed.attention import Group, groups_of
from xstitch.encoders.packed.dropout import Draws, drop_
from xstitch.encoders.packed.encoder import NARROW, pack_encoder
from xstitch.encoders.packed.layers import Batch, run_layer
from xstitch.training.shares import Rows

FAMILIES = ("bert", "roberta", "xlm-roberta")
KINDS = {
    "texts": AutoModelForSequenceClassification,
    "words": AutoModelForTokenClassification,
    "answers": AutoModelForQuestionAnswering,
}
LENGTHS = torch.tensor([11, 3, 7, 7, 1, 9, 7])
NOISE = "key.bias"  # in exact arithmetic its gradient is 0


def make_model(family: str = "bert", kind: str = "texts", dropout: float = 0.0, **options) -> nn.Module:
    config = AutoConfig.for_model(
        family,
        vocab_size=60,
        hidden_size=NARROW,
        num_hidden_layers=3,
        num_attention_heads=4,
        intermediate_size=2 * NARROW,
        max_position_embeddings=24,
        initializer_range=0.1,
        hidden_dropout_prob=dropout,
        attention_probs_dropout_prob=dropout,
        num_labels=3 if kind != "answers" else 2,
        attn_implementation="sdpa",
        **options,
    )
    torch.manual_seed(1)
    model = KINDS[kind].from_config(config)
    for name, weight in model.named_parameters():
        if name.endswith("bias"):
            nn.init.normal_(weight, std=0.1)
    return model.train()


def make_batch(padding: int) -> dict[str, torch.Tensor]:
    random = torch.Generator().manual_seed(2)
    mask = torch.arange(int(LENGTHS.max())) < LENGTHS[:, None]
    ids = torch.randint(5, 60, mask.shape, generator=random)
    return {"input_ids": ids.masked_fill(~mask, padding), "attention_mask": mask.long()}


def scores_of(model: nn.Module, batch: dict[str, torch.Tensor]) -> torch.Tensor:
    """Return the scores of real tokens, or of texts."""
    output = model(**batch)
    if "logits" in output and output.logits.dim() == 2:
        return output.logits
    scores = output.logits if "logits" in output else torch.stack([output.start_logits, output.end_logits], 2)
    return scores[batch["attention_mask"] == 1]


def gradients(model: nn.Module, batch: dict[str, torch.Tensor]) -> tuple[torch.Tensor, dict]:
    """Return the scores, and the gradients of a function in which every one of them counts differently."""
    model.zero_grad()
    scores = scores_of(model, batch)
    factors = torch.linspace(-1, 1, scores.numel()).view_as(scores)
    (scores.sin() * factors).sum().backward()
    return scores.detach(), {
        name: weight.grad for name, weight in model.named_parameters() if weight.grad is not None
    }


def assert_equal(found: dict, expected: dict) -> None:
    assert found.keys() == expected.keys()
    for name in found:
        if not name.endswith(NOISE):
            largest = expected[name].abs().max()
            assert (found[name] - expected[name]).abs().max() < 1e-4 * largest + 1e-9, name


@pytest.mark.parametrize("family", FAMILIES)
@pytest.mark.parametrize("kind", KINDS)
def test_states_and_gradients_are_those_of_padded_layers(family: str, kind: str) -> None:
    model = make_model(family, kind)
    batch = make_batch(model.config.pad_token_id)
    scores, expected = gradients(model, batch)
    assert pack_encoder(model, first=kind == "texts", variables={})
    packed, found = gradients(model, batch)
    assert torch.allclose(packed, scores, atol=1e-6)
    assert_equal(found, expected)


@pytest.mark.parametrize("first", [False, True])
def test_no_padding_in_a_batch_and_blocks_of_several_texts(first: bool, monkeypatch) -> None:
    monkeypatch.setattr(attention, "BLOCK", 4 * 6 * 6 * 2)  # two texts of six tokens at a time
    model = make_model()
    batch = {"input_ids": torch.randint(5, 60, (5, 6))}
    _, expected = gradients(model, batch)
    pack_encoder(model, first, variables={})
    assert_equal(gradients(model, batch)[1], expected)


def test_texts_of_one_length_are_grouped_in_blocks(monkeypatch) -> None:
    monkeypatch.setattr(attention, "BLOCK", 2 * 9 * 2)  # two heads, 18 scores each: two texts of 3 tokens
    assert groups_of(np.array([2, 3, 3, 3, 5]), heads=2) == [
        Group(first_query=0, first_key=0, number=1, length=2, asking=2),
        Group(2, 2, 2, 3, 3),
        Group(8, 8, 1, 3, 3),
        Group(11, 11, 1, 5, 5),
    ]
    assert groups_of(np.array([3, 3, 3, 5]), heads=2, first=True) == [
        Group(first_query=0, first_key=0, number=3, length=3, asking=1),
        Group(3, 9, 1, 5, 1),
    ]


def test_padding_may_be_within_a_text() -> None:
    model = make_model(kind="words")
    batch = {"input_ids": torch.randint(5, 60, (2, 5)), "attention_mask": torch.ones(2, 5).long()}
    batch["attention_mask"][1, 2] = 0
    scores, expected = gradients(model, batch)
    pack_encoder(model, variables={})
    packed, found = gradients(model, batch)
    assert torch.allclose(packed, scores, atol=1e-6)
    assert_equal(found, expected)


def test_no_gradient_is_computed_for_frozen_weights() -> None:
    model = make_model()
    frozen = ("embeddings", "layer.0.attention", "layer.2.output.LayerNorm.weight", "layer.1.intermediate")
    for name, weight in model.named_parameters():
        weight.requires_grad_(not any(part in name for part in frozen))
    batch = make_batch(0)
    _, expected = gradients(model, batch)
    pack_encoder(model, first=True, variables={})
    _, found = gradients(model, batch)
    assert_equal(found, expected)
    assert "bert.encoder.layer.0.output.dense.weight" in found
    assert "bert.encoder.layer.0.attention.self.query.weight" not in found


def test_shares_of_a_batch_add_up_to_its_gradient() -> None:
    model = make_model(kind="texts")
    pack_encoder(model, first=True, variables={})
    batch = {**make_batch(0), "labels": torch.tensor([0, 1, 2, 0, 1, 2, 0])}
    model(**batch).loss.backward()
    whole = {name: weight.grad for name, weight in model.named_parameters()}
    model.zero_grad()
    for rank in range(2):
        own, part = Rows().share(batch, rank, 2)
        (part * model(**own).loss).backward()
    assert_equal({name: weight.grad for name, weight in model.named_parameters()}, whole)


# Dropout


def test_dropout_drops_its_share_and_keeps_means() -> None:
    torch.manual_seed(0)
    kept = Draws().kept((1000, 1000), 0.1)
    assert kept.dtype == torch.uint8
    assert (kept == 0).float().mean().item() == pytest.approx(0.1, abs=0.0015)  # five deviations
    dropped = drop_(torch.ones(1000, 1000), kept, 0.1)
    share = 6554 / 65536
    assert dropped.unique().tolist() == pytest.approx([0, 1 / (1 - share)])
    assert dropped.mean().item() == pytest.approx(1, abs=0.002)


def test_neighbours_are_dropped_independently() -> None:
    torch.manual_seed(1)
    dropped = 1.0 - Draws().kept((1_000_000,), 0.5).double()
    for distance in (1, 2, 3, 4, 8, 768):
        both = (dropped[distance:] * dropped[:-distance]).mean().item()
        assert both == pytest.approx(0.25, abs=0.0025)  # five deviations


def test_draws_follow_torchs_seed_and_differ_from_pass_to_pass() -> None:
    torch.manual_seed(5)
    first, second = (Draws().kept((7, 9), 0.5) for _ in range(2))
    torch.manual_seed(5)
    assert torch.equal(Draws().kept((7, 9), 0.5), first)
    assert not torch.equal(first, second)


def test_nothing_is_drawn_for_a_share_of_zero() -> None:
    assert Draws().kept((2, 2), 0.0) is None
    assert drop_(torch.ones(2), None, 0.0).tolist() == [1, 1]


class Recorded(Draws):
    """Draws that remember what was kept."""

    def __init__(self) -> None:
        super().__init__()
        self.masks: list[torch.Tensor] = []

    def kept(self, shape, share):
        self.masks.append(super().kept(shape, share))
        return self.masks[-1]


def plain_layer(layer: nn.Module, rows: torch.Tensor, lengths, masks, share: float) -> torch.Tensor:
    """Compute a layer text by text and head by head from the definition, with what dropout kept given."""
    factor, heads = 65536 / (65536 - round(share * 65536)), layer.attention.self.num_attention_heads
    masks = [mask.double() * factor for mask in masks]
    own, taken, start = layer.attention.self, [], 0
    for number, length in enumerate(lengths):
        text = rows[start : start + length]
        query, key, value = (
            part(text).unflatten(1, (heads, -1)).unbind(1) for part in (own.query, own.key, own.value)
        )
        size = query[0].shape[1]
        weights = [(q @ k.T / size**0.5).softmax(1) for q, k in zip(query, key, strict=True)]
        parts = [w * m @ v for w, m, v in zip(weights, masks[number], value, strict=True)]
        taken.append(torch.cat(parts, 1))
        start += length
    end = layer.attention.output
    rows = end.LayerNorm(end.dense(torch.cat(taken)) * masks[-2] + rows)
    fed = layer.output.dense(functional.gelu(layer.intermediate.dense(rows)))
    return layer.output.LayerNorm(fed * masks[-1] + rows)


def test_dropout_is_where_it_belongs_and_so_are_its_gradients() -> None:
    layer, lengths, share = make_model(dropout=0.3).bert.encoder.layer[0], [3, 4, 6], 0.3
    torch.manual_seed(4)
    rows, factors = torch.randn(2, sum(lengths), NARROW).unbind()
    rows.requires_grad_()
    draws = Recorded()
    states = run_layer(layer, rows, Batch(groups_of(np.array(lengths), 4), 4, None, draws, True))
    (states * factors).sum().backward()
    found = {name: weight.grad for name, weight in layer.named_parameters()} | {"rows": rows.grad}
    layer.double().zero_grad()
    exact = rows.detach().double().requires_grad_()
    expected = plain_layer(layer, exact, lengths, draws.masks, share)
    assert torch.allclose(states.double(), expected, atol=1e-5)
    (expected * factors).sum().backward()
    wanted = {name: weight.grad for name, weight in layer.named_parameters()} | {"rows": exact.grad}
    assert_equal(found, wanted)


def test_weights_of_attention_are_kept_only_for_gradients(monkeypatch: pytest.MonkeyPatch) -> None:
    kept, real = [], layers.attend

    def noted(*given: object) -> tuple:
        result = real(*given)
        kept.append(len(result[1]))
        return result

    monkeypatch.setattr(layers, "attend", noted)
    model = make_model().eval()
    pack_encoder(model, first=True, variables={})
    with torch.inference_mode():
        model(**make_batch(0))
    assert set(kept) == {0}
    kept.clear()
    model(**make_batch(0))
    assert kept and all(kept)


def test_evaluation_drops_nothing() -> None:
    model = make_model(dropout=0.3).eval()
    batch = make_batch(0)
    expected = model(**batch).logits
    pack_encoder(model, first=True, variables={})
    with torch.inference_mode():
        assert torch.allclose(model(**batch).logits, expected, atol=1e-6)


# What is left to the padded computation


@pytest.mark.parametrize(
    "options", [{"hidden_act": "gelu_new"}, {"is_decoder": True}, {"hidden_size": NARROW - 4}]
)
def test_other_layers_are_left_alone(options: dict) -> None:
    model = make_model()
    for name, value in options.items():
        setattr(model.config, name, value)
    assert not pack_encoder(model, variables={})
    assert "forward" not in vars(model.bert.encoder)


def test_adapters_are_left_alone() -> None:
    model = make_model(kind="words")
    add_language_adapter(model, reduction=2, invertible_reduction=2)
    assert not pack_encoder(model, variables={})


def test_other_architectures_are_left_alone() -> None:
    config = AutoConfig.for_model(
        "distilbert", vocab_size=60, dim=NARROW, n_layers=1, n_heads=2, hidden_dim=8
    )
    assert not pack_encoder(AutoModelForSequenceClassification.from_config(config), variables={})


def test_pinned_kernels_keep_the_padded_computation() -> None:
    model = make_model()
    assert not pack_encoder(model, variables=PINNED)
    assert pack_encoder(model, variables={**PINNED, "MKL_CBWR": "AVX2"})


def test_what_cannot_be_packed_is_computed_padded(monkeypatch) -> None:
    """The first token is padding, or the computation is in bf16."""
    model, batch = make_model(kind="words"), make_batch(0)
    left = {**batch, "attention_mask": batch["attention_mask"].flip(1)}
    expected = scores_of(model, left)
    pack_encoder(model, variables={})
    monkeypatch.setattr(encoder, "run_layer", None)  # would fail
    assert torch.equal(scores_of(model, left), expected)
    with torch.autocast("cpu", torch.bfloat16):
        assert scores_of(model, batch).dtype == torch.bfloat16
