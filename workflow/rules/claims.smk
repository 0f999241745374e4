"""Claims: what the papers say, judged by their published numbers and by those of this run.

The claims of one table need that table alone, those of a paper all of its tables and figures that claims are
about, as far as the configuration can make them.

INPUTS   tables = results/tables/{paper}/{table}.resamples.npz, figures = results/figures/{paper}/figure{number}.tsv,
         reference = config/reference/{paper}.tsv, recorded = config/verdicts/{scale}.tsv, verdicts of runs at other scales
OUTPUTS  claims = results/claims/{paper}.tsv, results/claims/{paper}/{table}.tsv, page = ...html,
         all of them = results/claims.tsv, page = results/claims.html
"""


localrules:
    make_claims,
    join_claims,


rule make_claims:
    """Judge the claims of a paper, or of one of its tables, by published numbers and by those of this run."""
    input:
        unpack(planned(claims.claims_input)),
        reference=local(planned(claims.reference_file)),
        recorded=[local(file) for file in claims.recorded_files(RUN)],
    output:
        claims="results/claims/{about}.tsv",
        page=report(
            "results/claims/{about}.html",
            caption="../report/claims.rst",
            category="Claims",
            labels={"about": "{about}"},
        ),
    log:
        "logs/make_claims/{about}.log",
    wildcard_constraints:
        about="|".join(claims.judged_alone(RUN)),
    conda:
        "../../envs/static.yaml"
    resources:
        mem_mb=1000,
        runtime=5,
    params:
        library=library("make_claims.py"),
        heading=planned(claims.claims_heading),
        claims=planned(claims.claim_entries),
        described=planned(claims.described_sources),
        languages=planned(claims.claim_languages),
        tables=planned(claims.judged_tables),
        figures=planned(claims.figure_kinds),
        absent=planned(claims.absent_sources),
        scales=claims.other_scales(RUN),
        seed=config["seed"],
        scale=config["scale"],
    script:
        "../scripts/make_claims.py"


rule join_claims:
    """Join the claims of all papers, with their verdicts, in one table and one page."""
    input:
        parts=expand("results/claims/{paper}.tsv", paper=claims.papers_with_claims(RUN)),
        recorded=[local(file) for file in claims.recorded_files(RUN)],
    output:
        claims="results/claims.tsv",
        page=report("results/claims.html", caption="../report/claims.rst", category="Claims"),
    log:
        "logs/join_claims.log",
    conda:
        "../../envs/static.yaml"
    resources:
        mem_mb=500,
        runtime=5,
    params:
        library=library("join_claims.py"),
        heading=claims.all_claims_heading(RUN),
        scales=claims.other_scales(RUN),
    script:
        "../scripts/join_claims.py"
