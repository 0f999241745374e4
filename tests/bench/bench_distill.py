"""Static vectors from encoders: X2Static."""

import random
from itertools import accumulate

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


def plain_loop(model: BertModel, words: CorpusWords, subwords: Subwords) -> None:
    """Train X2Static in the most straightforward way."""
    draw = random.Random(0)
    table = nn.Embedding(VOCABULARY, 64, sparse=True)
    optimiser = torch.optim.SparseAdam(list(table.parameters()), lr=SETTINGS.learning_rate)
    probabilities = keep_probabilities(words.counts, SETTINGS.threshold).tolist()
    upper = list(accumulate(count**0.5 for count in words.counts.tolist()))
    order = np.random.default_rng(0).permutation(SENTENCES)
    for rows in np.split(order, range(SETTINGS.batch_size, SENTENCES, SETTINGS.batch_size)):
        ids, mask = map(torch.from_numpy, subwords.ids.padded(rows, 0))
        with torch.no_grad():
            layers = model(input_ids=ids, attention_mask=mask, output_hidden_states=True).hidden_states
        contexts = (layers[SETTINGS.layer] * mask[:, :, None]).sum(dim=1) / mask.sum(dim=1, keepdim=True)
        targets, sentences, negatives = [], [], []
        for number, row in enumerate(rows):
            for word in words.ids.values[words.ids.offsets[row] : words.ids.offsets[row + 1]].tolist():
                if draw.random() < probabilities[word]:
                    targets.append(word)
                    sentences.append(number)
                    negatives.append(draw.choices(range(VOCABULARY), cum_weights=upper, k=SETTINGS.negatives))
        target_contexts = contexts[sentences]
        scores = (table(torch.tensor(targets)) * target_contexts).sum(dim=1).clamp(-20, 20)
        loss = torch.log1p(torch.exp(-scores)).mean()
        for column in zip(*negatives, strict=True):
            scores = (table(torch.tensor(column)) * target_contexts).sum(dim=1).clamp(-20, 20)
            loss = loss + torch.log1p(torch.exp(scores)).mean()
        optimiser.zero_grad()
        loss.backward()
        optimiser.step()


def bench_x2static() -> Bench:
    """One epoch over 1,536 sentences with layer 6 of 12."""
    words, subwords = make_corpus()
    model = make_encoder()
    contexts = Contexts(
        CutEncoder(make_encoder(), SETTINGS.layer),
        subwords,
        make_shards(words.paragraphs),
        SETTINGS.encoder_batch,
    )
    return Bench(
        "all 12 layers, batches of 128 sentences in random order, targets and negatives drawn in Python",
        lambda: plain_loop(model, words, subwords),
        lambda: x2static(words, contexts, SETTINGS, seed=0),
        rounds=5,
    )
