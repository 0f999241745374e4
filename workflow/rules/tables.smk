"""Tables: our numbers in the paper's layout, next to the published ones.

One rule makes every table of scores; lists of languages, corpora and word matches, and what a text says about shifts,
have their own rules. The key `kind` of a table in config/papers/{paper}.yaml says which.

INPUTS   scores = results/scores/{recipe}/{task}/{src}.tsv, predictions = results/predictions/..., for intervals,
         reference = config/reference/{paper}.tsv,
         measured = results/shifts/..., results/improvements/..., ledgers = config/reference/{paper}.settings.tsv
OUTPUTS  table = results/tables/{paper}/{table}.tsv, comparison = ...compare.tsv, resamples = ...resamples.npz,
         comparison of recipes = results/tables/{paper}/{comparison}.tsv,
         lists = results/tables/{paper}/{table}.tsv, lead = results/tables/table{number}.tsv,
         index = results/tables/index.tsv
"""


localrules:
    compare_recipes,
    list_languages,
    list_parallel,
    make_table,
    make_lead_table,
    make_shift_table,
    make_table_index,


rule list_languages:
    """List the languages of a paper and of this run: family, script and how text is segmented."""
    output:
        table="results/tables/{paper}/{table}.tsv",
        page=report(
            "results/tables/{paper}/{table}.html",
            caption="../report/languages.rst",
            category="Tables",
            subcategory="{paper}",
            labels={"table": "{table}"},
        ),
    log:
        "logs/list_languages/{paper}/{table}.log",
    wildcard_constraints:
        table=patterns.list_pattern(RUN, "languages"),
    conda:
        "../../envs/static.yaml"
    resources:
        mem_mb=500,
        runtime=5,
    params:
        library=library("list_languages.py"),
        heading=planned(pages.list_heading),
        languages=planned(tables.listed_languages),
    script:
        "../scripts/list_languages.py"


rule list_parallel:
    """List how many sentence pairs each parallel corpus has."""
    input:
        counts=planned(tables.counted_pairs),
    output:
        table="results/tables/{paper}/{table}.tsv",
        page=report(
            "results/tables/{paper}/{table}.html",
            caption="../report/parallel.rst",
            category="Tables",
            subcategory="{paper}",
            labels={"table": "{table}"},
        ),
    log:
        "logs/list_parallel/{paper}/{table}.log",
    wildcard_constraints:
        table=patterns.list_pattern(RUN, "parallel"),
    conda:
        "../../envs/static.yaml"
    resources:
        mem_mb=500,
        runtime=5,
    params:
        library=library("list_parallel.py"),
        heading=planned(pages.list_heading),
    script:
        "../scripts/list_parallel.py"


rule list_matches:
    """List words of sample sentences with their matches in the transport plan, or pairs that hardly match."""
    input:
        unpack(planned(tables.matching_input)),
    output:
        table="results/tables/{paper}/{table}.tsv",
        page=report(
            "results/tables/{paper}/{table}.html",
            caption="../report/matches.rst",
            category="Tables",
            subcategory="{paper}",
            labels={"table": "{table}"},
        ),
    log:
        "logs/list_matches/{paper}/{table}.log",
    wildcard_constraints:
        table=patterns.list_pattern(RUN, "matches"),
    conda:
        "../../envs/neural.yaml"
    resources:
        mem_mb=requested("mem_mb"),
        runtime=requested("runtime"),
        disk_mb=requested("disk_mb"),
    params:
        library=library("list_matches.py"),
        heading=planned(pages.list_heading),
        kind=planned(tables.matching_spec, "matches"),
        number=planned(tables.matching_spec, "number"),
        languages=planned(tables.matching_spec, "shown"),
    script:
        "../scripts/list_matches.py"


rule make_table:
    """Make one table of a paper: our numbers in its layout, and a comparison with the published ones."""
    input:
        scores=planned(tables.table_scores),
        predictions=planned(tables.table_predictions),
        reference=local("config/reference/{paper}.tsv"),
    output:
        table="results/tables/{paper}/{table}.tsv",
        page=report(
            "results/tables/{paper}/{table}.html",
            caption="../report/table.rst",
            category="Tables",
            subcategory="{paper}",
            labels={"table": "{table}"},
        ),
        comparison="results/tables/{paper}/{table}.compare.tsv",
        resamples="results/tables/{paper}/{table}.resamples.npz",
    log:
        "logs/make_table/{paper}/{table}.log",
    conda:
        "../../envs/static.yaml"
    resources:
        mem_mb=2000,
        runtime=20,  # resampling tags of 39 languages and five seeds takes five minutes
    params:
        library=library("make_table.py"),
        heading=planned(pages.table_heading),
        number=planned(tables.asked_number),
        spec=planned(tables.table_spec),
        predicted=planned(tables.predicted_cells),
        seed=config["seed"],
        scale=config["scale"],
        source=RUN.source,
    script:
        "../scripts/make_table.py"


rule make_shift_table:
    """Make a table of what a paper's text says about shifts: our numbers, and a comparison with the published."""
    input:
        measured=planned(shift_tables.table_files),
        reference=local("config/reference/{paper}.tsv"),
    output:
        table="results/tables/{paper}/{table}.tsv",
        page=report(
            "results/tables/{paper}/{table}.html",
            caption="../report/table.rst",
            category="Tables",
            subcategory="{paper}",
            labels={"table": "{table}"},
        ),
        comparison="results/tables/{paper}/{table}.compare.tsv",
        resamples="results/tables/{paper}/{table}.resamples.npz",
    log:
        "logs/make_shift_table/{paper}/{table}.log",
    wildcard_constraints:
        table=patterns.shifts_pattern(RUN),
    conda:
        "../../envs/static.yaml"
    resources:
        mem_mb=500,
        runtime=5,
    params:
        library=library("make_shift_table.py"),
        heading=planned(pages.table_heading),
        number=planned(tables.asked_number),
        spec=planned(tables.table_spec),
        cases=planned(shift_tables.table_cases),
        seed=config["seed"],
        scale=config["scale"],
        source=RUN.source,
    script:
        "../scripts/make_shift_table.py"


rule compare_recipes:
    """Compare recipes with a baseline on the same test items, with confidence intervals."""
    input:
        predictions=planned(tables.compared_predictions),
    output:
        table="results/tables/{paper}/{comparison}.tsv",
        page=report(
            "results/tables/{paper}/{comparison}.html",
            caption="../report/recipes.rst",
            category="Tables",
            subcategory="{paper}",
            labels={"table": "{comparison}"},
        ),
    log:
        "logs/compare_recipes/{paper}/{comparison}.log",
    conda:
        "../../envs/static.yaml"
    resources:
        mem_mb=1000,
        runtime=10,
    params:
        library=library("compare_recipes.py"),
        heading=planned(pages.comparison_heading),
        spec=planned(tables.comparison_spec),
        labels=planned(tables.comparison_labels),
        source=RUN.source,
        chains=planned(tables.compared_chains),
        seed=config["seed"],
        scale=config["scale"],
    script:
        "../scripts/compare_recipes.py"


rule make_lead_table:
    """Copy the lead paper's table to its short address."""
    input:
        table=f"results/tables/{papers.lead_paper(RUN)}/table{{number}}.tsv",
        comparison=f"results/tables/{papers.lead_paper(RUN)}/table{{number}}.compare.tsv",
    output:
        table="results/tables/table{number}.tsv",
        comparison="results/tables/table{number}.compare.tsv",
    log:
        "logs/make_lead_table/table{number}.log",
    conda:
        "../../envs/static.yaml"
    resources:
        mem_mb=500,
        runtime=5,
    params:
        library=library("make_lead_table.py"),
    script:
        "../scripts/make_lead_table.py"


rule make_table_index:
    """List all tables of all papers, what is missing to make them, and where their settings come from."""
    input:
        papers=local(expand("config/papers/{paper}.yaml", paper=RUN.papers)),
        ledgers=local(tables.written_ledgers(RUN)),
    output:
        index="results/tables/index.tsv",
        page=report("results/tables/index.html", caption="../report/index.rst", category="Tables"),
    log:
        "logs/make_table_index.log",
    conda:
        "../../envs/static.yaml"
    resources:
        mem_mb=500,
        runtime=5,
    params:
        library=library("make_table_index.py"),
        heading=planned(pages.index_heading),
        missing=checked(tables.missing_by_table, RUN),
    script:
        "../scripts/make_table_index.py"
