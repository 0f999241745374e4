"""Fine-tuning on questions and on tags, beside transformers' Trainer by length, and finding translations."""

import tempfile
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from bench import Bench
from bench_training import BATCH, BY_LENGTH, output, train_with_trainer, write_encoder
from rivals import searches, unit
from transformers import DataCollatorForTokenClassification

from xstitch.encoders.folders import load_tokenizer
from xstitch.encoders.sentence_retrieval import nearest_sentences
from xstitch.models.question_answering import finetune_reader, load_reader
from xstitch.models.settings.reading import ReadingSettings
from xstitch.models.tagging import finetune_tagger, load_tagger
from xstitch.sources.tasks.rows import Sentence
from xstitch.sources.tasks.squad import Answer, Question
from xstitch.training.schedule import Schedule

WORDS = np.array([f"w{number}" for number in range(500)])
TAGS = ("O", "B-PER", "I-PER")
LENGTH = 128
SIZE = {"hidden_size": 128, "num_hidden_layers": 4, "num_attention_heads": 4, "intermediate_size": 512}
SCHEDULE = Schedule(learning_rate=1e-4, epochs=1, batch_size=BATCH)


def bench_reading() -> Bench:
    """One epoch over 600 questions of 5 words on texts of 5 to 100, BERT of 4 layers, batches of 32."""
    questions, encoder = _questions(), Path(tempfile.mkdtemp())
    write_encoder(encoder, [question.context for question in questions], **SIZE)
    settings = ReadingSettings(LENGTH, LENGTH, LENGTH, 30)
    return Bench(
        lambda: finetune_reader(encoder, questions, None, SCHEDULE, settings, output()),
        {BY_LENGTH: lambda: _read_with_trainer(encoder, questions)},
        len(questions),
        "questions",
    )


def bench_tagging() -> Bench:
    """One epoch over 800 sentences of 5 to 60 tagged words, BERT of 4 layers, batches of 32."""
    sentences, encoder = _sentences(), Path(tempfile.mkdtemp())
    write_encoder(encoder, [" ".join(sentence.words) for sentence in sentences], **SIZE)
    return Bench(
        lambda: finetune_tagger(encoder, sentences, sentences[:8], TAGS, SCHEDULE, LENGTH, output()),
        {BY_LENGTH: lambda: _tag_with_trainer(encoder, sentences)},
        len(sentences),
        "sentences",
    )


def bench_sentence_search() -> Bench:
    """Find the nearest of 10,000 sentences for each of 10,000, in 768 dimensions."""
    random, number = np.random.default_rng(0), 10_000
    left, right = (random.normal(size=(number, 768)).astype("f4") for _ in range(2))
    others = {
        name: lambda search=search: search(unit(left), unit(right), 1) for name, search in searches().items()
    }
    operations = 2 * number * number * 768
    return Bench(lambda: nearest_sentences(left, right), others, number, "sentences", operations)


def _questions() -> list[Question]:
    random = np.random.default_rng(0)
    questions = []
    for number, length in enumerate(random.integers(5, 100, size=600)):
        words = random.choice(WORDS, length).tolist()
        position = int(random.integers(length))
        start = sum(len(word) + 1 for word in words[:position])
        answer = Answer(start, words[position])
        questions.append(Question(str(number), " ".join(random.choice(WORDS, 5)), " ".join(words), (answer,)))
    return questions


def _sentences(number: int = 800) -> list[Sentence]:
    random = np.random.default_rng(0)
    lengths = random.integers(5, 60, size=number)
    return [
        Sentence(*(tuple(random.choice(choice, length).tolist()) for choice in (WORDS, TAGS)))
        for length in lengths
    ]


def _read_with_trainer(encoder: Path, questions: Sequence[Question]) -> None:
    tokenizer = load_tokenizer(encoder)
    texts = [question.question for question in questions], [question.context for question in questions]
    encoded = tokenizer(*texts, truncation="only_second", max_length=LENGTH)
    rows = []
    for number, question in enumerate(questions):
        letter = question.answers[0].start
        token = encoded.char_to_token(number, letter, sequence_index=1) or 0
        inputs = {name: encoded[name][number] for name in ("input_ids", "attention_mask")}
        rows.append({**inputs, "start_positions": token, "end_positions": token})
    train_with_trainer(load_reader(encoder), rows, tokenizer)


def _tag_with_trainer(encoder: Path, sentences: Sequence[Sentence]) -> None:
    tokenizer = load_tokenizer(encoder)
    words = [list(sentence.words) for sentence in sentences]
    encoded = tokenizer(words, is_split_into_words=True, truncation=True, max_length=LENGTH)
    rows = []
    for number, sentence in enumerate(sentences):
        before, labels = None, []
        for word in encoded.word_ids(number):
            labels.append(-100 if word is None or word == before else TAGS.index(sentence.tags[word]))
            before = word
        inputs = {name: encoded[name][number] for name in ("input_ids", "attention_mask")}
        rows.append({**inputs, "labels": labels})
    train_with_trainer(
        load_tagger(encoder, TAGS), rows, tokenizer, DataCollatorForTokenClassification(tokenizer)
    )
