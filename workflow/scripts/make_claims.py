"""Judge the claims of a paper, or of one of its tables, by published numbers and by those of this run."""

from xstitch.core.job import job
from xstitch.core.tsv import write_records
from xstitch.results.claims.figures import figure_cells
from xstitch.results.claims.numbers import Described, Languages, Numbers, published_numbers, run_tables
from xstitch.results.claims.page import write_claims_page
from xstitch.results.claims.records import Claim, claim_record, judged_by_published, judged_by_run
from xstitch.results.pages import Heading

with job(snakemake):
    params = snakemake.params
    described = {source: Described(**keys) for source, keys in params.described.items()}
    languages = {name: Languages(**keys) for name, keys in params.languages.items()}
    published = published_numbers(snakemake.input.reference, described, languages["published"])
    tables = run_tables(dict(zip(params.tables, snakemake.input.tables, strict=True)))
    figures = {
        source: figure_cells(kind, file, params.seed)
        for (source, kind), file in zip(params.figures.items(), snakemake.input.figures, strict=True)
    }
    run = Numbers({**tables, **figures}, described, languages["run"], params.absent)
    paper = snakemake.wildcards.about.partition("/")[0]
    claims = [Claim.from_config(name, entry) for name, entry in params.claims.items()]
    records = [
        claim_record(
            paper, claim, judged_by_published(claim, published), judged_by_run(claim, run), params.scale
        )
        for claim in claims
    ]
    write_records(records, snakemake.output.claims)
    recorded = dict(zip(params.scales, snakemake.input.recorded, strict=True))
    made = snakemake.output
    write_claims_page(Heading(**params.heading), made.claims, made.page, recorded)
