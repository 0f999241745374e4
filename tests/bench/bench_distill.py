"""Static vectors from encoders: X2Static."""

import numpy as np
import torch
from bench import Bench
from torch import nn
from transformers import BertConfig, BertModel

from xstitch.encoders.contexts import Contexts, CutEncoder, Subwords, make_shards
from xstitch.encoders.corpus_words import CorpusWords
from xstitch.encoders.distillation import keep_probabilities, x2static
from xstitch.encoders.settings.distillation import DistillSettings
from xstitch.training.batches import Ragged

SENTENCES, VOCABULARY = 1536, 5000
SETTINGS = DistillSettings(layer=6, threshold=1e-3)


def make_corpus() -> tuple[CorpusWords, Subwords]:
    """Draw sentences of 7 to 60 words of Zipfian frequency, one subword per word, between two specials."""
    draw = np.random.default_rng(0)
    lengths = np.minimum(7 + draw.geometric(0.07, size=SENTENCES), 60)
    shares = 1 / np.arange(2, VOCABULARY + 2)
    flat = draw.choice(VOCABULARY, p=shares / shares.sum(), size=lengths.sum())
    ids = Ragged(flat.astype(np.int32), np.concatenate([[0], np.cumsum(lengths)]))
    counts = np.maximum(1, np.bincount(flat, minlength=VOCABULARY))
    framed = [[1, *(part + 3), 2] for part in np.split(flat, ids.offsets[1:-1])]
    words = CorpusWords([f"w{i}" for i in range(VOCABULARY)], counts, ids, np.arange(SENTENCES))
    return words, Subwords(Ragged.from_lists(framed), 0)


def make_encoder() -> BertModel:
    """Make a model with twelve layers like XLM-R base and a twelfth of its width."""
    torch.manual_seed(0)
    config = BertConfig(
        vocab_size=VOCABULARY + 3,
        hidden_size=64,
        num_hidden_layers=12,
        num_attention_heads=4,
        intermediate_size=256,
    )
    return BertModel(config).eval()


def torch_loop(model: BertModel, words: CorpusWords, subwords: Subwords) -> None:
    """Train X2Static as a good engineer would: no layer too many, draws in numpy, all negatives at once."""
    draw = np.random.default_rng(0)
    table = nn.Embedding(VOCABULARY, 64, sparse=True)
    optimiser = torch.optim.SparseAdam(list(table.parameters()), lr=SETTINGS.learning_rate)
    kept = keep_probabilities(words.counts, SETTINGS.threshold)
    shares = words.counts**0.5 / (words.counts**0.5).sum()
    for rows in np.split(draw.permutation(SENTENCES), range(128, SENTENCES, 128)):
        ids, mask = map(torch.from_numpy, subwords.ids.padded(rows, 0))
        with torch.inference_mode():
            states = model(input_ids=ids, attention_mask=mask).last_hidden_state
            contexts = (states * mask[:, :, None]).sum(dim=1) / mask.sum(dim=1, keepdim=True)
        all_targets, present = words.ids.padded(rows, 0)
        chosen = (draw.random(present.shape) < kept[all_targets]) & (present > 0)
        sentences, _ = np.nonzero(chosen)
        targets = torch.from_numpy(all_targets[chosen])
        negatives = draw.choice(VOCABULARY, p=shares, size=(len(targets), SETTINGS.negatives))
        near = contexts.clone()[torch.from_numpy(sentences)]
        good = (table(targets) * near).sum(dim=1).clamp(-20, 20)
        bad = torch.einsum("tnd,td->tn", table(torch.from_numpy(negatives)), near).clamp(-20, 20)
        loss = nn.functional.softplus(-good).mean() + nn.functional.softplus(bad).mean(dim=0).sum()
        optimiser.zero_grad()
        loss.backward()
        optimiser.step()


def bench_x2static() -> Bench:
    """One epoch over 1,536 sentences with layer 6 of 12."""
    words, subwords = make_corpus()
    cut = make_encoder()
    cut.encoder.layer = cut.encoder.layer[: SETTINGS.layer]
    encoder = CutEncoder(make_encoder(), SETTINGS.layer)
    contexts = Contexts(encoder, subwords, make_shards(words.paragraphs), SETTINGS.encoder_batch)
    return Bench(
        lambda: x2static(words, contexts, SETTINGS, seed=0),
        {"torch, in random batches": lambda: torch_loop(cut, words, subwords)},
        SENTENCES,
        "sentences",
    )
