"""Replace every word of a task's texts by its best translation in a lexicon."""

import pyarrow as pa

from xstitch.core.job import job
from xstitch.core.parquet import read_table, write_table
from xstitch.core.progress import progress
from xstitch.spaces.translations import best_of, translated_text, translations
from xstitch.vectors.table import load_words

with job(snakemake):
    glossed = snakemake.params.glossed
    sides = ("target", "source") if glossed else ("source", "target")
    known = load_words([snakemake.input.vocabulary])
    best = best_of(translations(read_table(snakemake.input.lexicon), *sides, known, only_known=not glossed))
    rows = read_table(snakemake.input.texts)
    texts = progress(rows["text"].to_pylist(), "translating", unit="text")
    translated = pa.array([translated_text(text, best) for text in texts], pa.string())
    rows = rows.set_column(rows.column_names.index("text"), "text", translated)
    write_table(rows, snakemake.output.translated)
