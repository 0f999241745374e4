"""Adapters: what each computes by hand, where it sits in an encoder, and how many weights it has."""

import pytest
import torch
from torch import nn
from transformers import (
    AutoConfig,
    AutoModelForMaskedLM,
    AutoModelForQuestionAnswering,
    AutoModelForSequenceClassification,
)

from xstitch.core.errors import InputError
from xstitch.encoders.adapters import (
    Bottleneck,
    InvertibleAdapter,
    add_language_adapter,
    add_task_adapter,
)
from xstitch.encoders.settings.adapters import TaskAdapterSettings

KINDS = ("bert", "xlm-roberta")
PUBLISHED = {  # vocabulary and the number of weights of the encoder alone, with its pooler
    "bert": ({"vocab_size": 119547}, 177_853_440),  # bert-base-multilingual-cased
    "xlm-roberta": (
        {"vocab_size": 250002, "max_position_embeddings": 514, "type_vocab_size": 1},
        278_043_648,  # xlm-roberta-base
    ),
}


def small(kind, auto=AutoModelForMaskedLM, **shape):
    """Make a random model whose weights are large enough for adapters to matter."""
    shape = {"hidden_size": 8, "num_hidden_layers": 2, "intermediate_size": 16, **shape}
    config = AutoConfig.for_model(
        kind, vocab_size=40, num_attention_heads=2, max_position_embeddings=20, initializer_range=0.5, **shape
    )
    torch.manual_seed(1)
    return auto.from_config(config).eval()


def randomise(model):
    """Give adapters weights that are not small."""
    torch.manual_seed(2)
    for name, weight in model.named_parameters():
        if "adapters" in name or "invertible" in name:
            nn.init.normal_(weight, std=0.5)


def set_linear(layer, weight, bias):
    assert layer.weight.shape == torch.tensor(weight).shape
    layer.weight.data, layer.bias.data = torch.tensor(weight), torch.tensor(bias)


@pytest.fixture
def output():
    """The end of a layer of width 4, its projection the identity, with a language adapter of width 2."""
    model = small("bert", hidden_size=4, num_hidden_layers=1, intermediate_size=4)
    add_language_adapter(model, reduction=2, invertible_reduction=2)
    output = model.base_model.encoder.layer[0].output
    set_linear(output.dense, torch.eye(4).tolist(), [0.0] * 4)
    adapter = output.adapters["language"]
    set_linear(adapter[0], [[1.0, 0.0, 0.0, 0.0], [0.0, 5.0, 0.0, 0.0]], [0.6, -2.0])
    set_linear(adapter[2], [[-3.0, 9.0], [3.0, 9.0], [-3.0, 9.0], [3.0, 9.0]], [0.0] * 4)
    return model, output


# What the layer's parts before its end hand over: the feed-forward output and what is added to it. Their sum,
# [7, 1, -1, -7], has mean 0 and deviation 5, so it is normalised to [1.4, .2, -.2, -1.4].
FED, ADDED = torch.tensor([[6.0, 1.0, 0.0, -5.0]]), torch.tensor([[1.0, 0.0, -1.0, -2.0]])


def test_a_language_adapter_reads_the_normalised_sum_and_adds_before_normalising(output):
    # Down: 1.4 + .6 = 2 and 5 * .2 - 2 = -1, which ReLU drops. Up: 2 * [-3, 3, -3, 3]. The sum that is
    # normalised is [7, 1, -1, -7] + [-6, 6, -6, 6] = [1, 7, -7, -1], again of deviation 5.
    _, end = output
    torch.testing.assert_close(end(FED, ADDED), torch.tensor([[0.2, 1.4, -1.4, -0.2]]))


@pytest.mark.parametrize(
    ("stacking", "expected"),
    [
        # The task adapter reads [.2, 1.4, -1.4, -.2]. Down: 5 * 1.4 - 4 = 3, up: [6, 0, 0, -6]. Normalised is
        # [1, 7, -7, -1] + [6, 0, 0, -6] = [7, 7, -7, -7].
        ("sequential", [1.0, 1.0, -1.0, -1.0]),
        # It reads the language adapter's output without what is added, [0, 7, -6, 1]. Down: 35 - 4 = 31, up:
        # [62, 0, 0, -62]. Normalised is [7, 1, -1, -7] + [62, 0, 0, -62] = [69, 1, -1, -69]; its variance is
        # 2381.
        ("equation", [69 / 2381**0.5, 1 / 2381**0.5, -1 / 2381**0.5, -69 / 2381**0.5]),
    ],
)
def test_a_task_adapter_comes_after_the_language_adapter(output, stacking, expected):
    model, end = output
    add_task_adapter(model, TaskAdapterSettings(reduction=4, stacking=stacking))
    set_linear(end.adapters["task"][0], [[0.0, 5.0, 0.0, 0.0]], [-4.0])
    set_linear(end.adapters["task"][2], [[2.0], [0.0], [0.0], [-2.0]], [0.0] * 4)
    torch.testing.assert_close(end(FED, ADDED), torch.tensor([expected]))


@pytest.fixture
def coupling():
    adapter = InvertibleAdapter(4, reduction=2)
    set_linear(adapter.first[0], [[1.0, 1.0]], [0.0])
    set_linear(adapter.first[2], [[1.0], [2.0]], [0.0, 1.0])
    set_linear(adapter.second[0], [[-1.0, 1.0]], [0.0])
    set_linear(adapter.second[2], [[3.0], [0.0]], [0.0, 0.0])
    return adapter


def test_the_halves_of_a_vector_shift_each_other_in_turn(coupling):
    # The second half, [3, -1], shifts the first by [2, 5] to [3, 7], which shifts the second by [12, 0].
    vectors, shifted = torch.tensor([[[1.0, 2.0, 3.0, -1.0]]]), torch.tensor([[[3.0, 7.0, 15.0, -1.0]]])
    assert torch.equal(coupling(vectors), shifted)
    assert torch.equal(coupling.inverse(shifted), vectors)


@pytest.mark.parametrize("width", [6, 7])
def test_any_shift_can_be_undone(width):
    torch.manual_seed(0)
    adapter = InvertibleAdapter(width, reduction=2).double()
    for weight in adapter.parameters():
        nn.init.normal_(weight)
    vectors = torch.randn(3, 5, width, dtype=torch.double)
    assert (adapter(vectors) - vectors).abs().min() > 1e-6
    torch.testing.assert_close(adapter.inverse(adapter(vectors)), vectors)
    torch.testing.assert_close(adapter(adapter.inverse(vectors)), vectors)


def test_initial_weights_are_berts_and_biases_zero():
    torch.manual_seed(0)
    adapter = Bottleneck(768, 2)
    assert [tuple(adapter[i].weight.shape) for i in (0, 2)] == [(384, 768), (768, 384)]
    for layer in (adapter[0], adapter[2]):
        assert layer.weight.std().item() == pytest.approx(0.02, rel=0.02)
        assert not layer.bias.any()


@pytest.mark.parametrize("kind", KINDS)
def test_embeddings_are_shifted_and_output_embeddings_get_the_inverse(kind):
    model, plain = small(kind), small(kind)
    add_language_adapter(model, 2, 2)
    randomise(model)
    ids = torch.tensor([[5, 9, 17, 3], [4, 4, 8, 2]])
    invertible = model.base_model.embeddings.invertible
    embedded = plain.base_model.embeddings(input_ids=ids)
    torch.testing.assert_close(model.base_model.embeddings(input_ids=ids), invertible(embedded))
    states = model.base_model(input_ids=ids).last_hidden_state
    if kind == "bert":
        transformed, bias = plain.cls.predictions.transform(states), plain.cls.predictions.bias
    else:
        head = plain.lm_head
        transformed, bias = head.layer_norm(nn.functional.gelu(head.dense(states))), head.bias
    table = plain.get_input_embeddings().weight
    expected = invertible.inverse(transformed) @ table.T + bias
    torch.testing.assert_close(model(input_ids=ids).logits, expected, rtol=1e-4, atol=1e-4)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("auto", [AutoModelForQuestionAnswering, AutoModelForSequenceClassification])
def test_adapters_that_add_nothing_change_nothing(kind, auto):
    model, plain = small(kind, auto), small(kind, auto)
    add_language_adapter(model, 2, 2)
    add_task_adapter(model, TaskAdapterSettings())
    for name, weight in model.named_parameters():
        if "adapters" in name or "invertible" in name:
            nn.init.zeros_(weight)
    ids = torch.tensor([[5, 9, 17, 3]])
    torch.testing.assert_close(model(input_ids=ids)[0], plain(input_ids=ids)[0])


@pytest.mark.parametrize("kind", KINDS)
def test_the_published_sizes(kind):
    # Base models: 12 layers of width 768. A language adapter has 768 * 384 + 384 weights down and
    # 384 * 768 + 768 up in each, 12 * 590,976 = 7,091,712. Its invertible part has two networks from 384
    # through 192 to 384, 2 * (384 * 192 + 192 + 192 * 384 + 384) = 296,064. A task adapter has a bottleneck
    # of 48, 12 * (768 * 48 + 48 + 48 * 768 + 768) = 894,528.
    shape, published = PUBLISHED[kind]
    with torch.device("meta"):
        model = AutoModelForSequenceClassification.from_config(AutoConfig.for_model(kind, **shape))
        if kind == "bert":
            assert model.base_model.num_parameters() == published
        else:  # this classifier's head has its own pooler: 768 * 768 + 768
            assert model.base_model.num_parameters() == published - 590_592
        before = set(model.state_dict())
        add_language_adapter(model, 2, 2)
        add_task_adapter(model, TaskAdapterSettings())
    sizes = {"language": 0, "invertible": 0, "task": 0}
    for name, weight in model.named_parameters():
        if name not in before:
            (part,) = [part for part in sizes if f".{part}." in name]
            sizes[part] += weight.numel()
    assert sizes == {"language": 7_091_712, "invertible": 296_064, "task": 894_528}


@pytest.mark.parametrize("kind", KINDS)
def test_a_base_model_with_adapters_runs(kind):
    torch.manual_seed(0)
    config = AutoConfig.for_model(kind, **{**PUBLISHED[kind][0], "vocab_size": 50})
    model = AutoModelForMaskedLM.from_config(config).eval()
    add_language_adapter(model, 2, 2)
    with torch.inference_mode():
        logits = model(input_ids=torch.tensor([[5, 9, 17, 3]])).logits
    assert logits.shape == (1, 4, 50)
    assert logits.isfinite().all()


def test_other_encoders_are_refused():
    config = AutoConfig.for_model("distilbert", vocab_size=40, dim=8, n_layers=1, n_heads=2, hidden_dim=16)
    model = AutoModelForMaskedLM.from_config(config)
    with pytest.raises(InputError, match=r"^adapters: not for a distilbert encoder; use a BERT or a RoBERTa"):
        add_language_adapter(model, 2, 2)
