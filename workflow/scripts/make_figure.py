"""Draw a figure of a paper, with the numbers behind it and a summary of them."""

from xstitch.core.files import whole_file
from xstitch.core.job import job
from xstitch.core.tsv import write_records
from xstitch.results.figure_data import draw, facts, gather
from xstitch.results.figures import save

with job(snakemake):
    spec, scale = snakemake.params.spec, snakemake.params.scale
    data = gather(spec, snakemake.input.measured)
    save(draw(spec, data, snakemake.params.order, scale), snakemake.output.figure)
    with whole_file(snakemake.output.data) as partial:
        data.assign(scale=scale).to_csv(partial, sep="\t", index=False)
    write_records(({**fact, "scale": scale} for fact in facts(spec, data)), snakemake.output.facts)
