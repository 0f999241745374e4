"""Choose the recipe of a language's model, without labels in that language."""

from pathlib import Path

from xstitch.core.job import job
from xstitch.core.parquet import read_table, stream_column
from xstitch.core.tsv import write_records
from xstitch.models.signals import DECIMALS, Texts, choose, measure_candidates
from xstitch.sources.word_by_word import best_translations, word_by_word
from xstitch.vectors.table import load_words, lower_cased

with job(snakemake):
    inputs, params = snakemake.input, snakemake.params
    words, dev = load_words([inputs.target]), read_table(inputs.dev, ["text", "label"]).to_pydict()
    translations = best_translations(read_table(inputs.lexicon), words, lower_cased(words))
    translated = [word_by_word(text, translations) for text in dev["text"]]
    texts = Texts(list(stream_column(Path(inputs.texts), "text")), translated, dev["label"])
    models = dict(zip(params.candidates, map(Path, inputs.models), strict=True))
    measured = measure_candidates(models, texts, params.labels, params.max_length)
    chosen = choose(measured)
    records = [
        {
            "recipe": name,
            "minutes": f"{params.candidates[name]:.1f}",
            **{key: f"{value:.{DECIMALS}f}" for key, value in vars(signals).items()},
            "chosen": "yes" if name == chosen else "",
        }
        for name, signals in measured.items()
    ]
    write_records(records, snakemake.output.choice)
    print(f"{chosen}, of {len(records)} candidates, by {len(texts.own)} texts")
