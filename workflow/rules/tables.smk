"""Tables: ours in the paper's shape, the published numbers beside them.

One rule makes every table of scores; lists of languages, corpora and word matches have their own.

INPUTS   scores = results/scores/{recipe}/{task}/{src}.tsv, reference = config/reference/{paper}.tsv
OUTPUTS  table = results/tables/{paper}/{table}.tsv, comparison = ...compare.tsv,
         comparison of recipes = results/tables/{paper}/{comparison}.tsv,
         languages = results/tables/x2s/table4.tsv, matches = results/tables/wordot/table{9,10,11}.tsv, lead = results/tables/table{n}.tsv, index = results/tables/index.tsv
"""


localrules:
    compare_recipes,
    list_languages,
    list_parallel,
    make_table,
    make_lead_table,
    make_table_index,


ruleorder: list_languages > list_parallel > list_matches > compare_recipes > make_table


rule list_languages:
    output:
        table=report(
            "results/tables/{paper}/{table}.tsv",
            caption="../report/languages.rst",
            category="Tables",
            subcategory="{paper}",
            labels={"table": "{table}", "numbers": "none"},
        ),
    log:
        "logs/list_languages/{paper}/{table}.log",
    wildcard_constraints:
        paper="x2s",
        table="table4",
    conda:
        "../../envs/static.yaml"
    threads: 1
    resources:
        mem_mb=500,
        runtime=5,
    params:
        library=library("list_languages.py"),
        languages=listed_languages,
    script:
        "../scripts/list_languages.py"


rule list_parallel:
    input:
        counts=counted_pairs,
    output:
        table=report(
            "results/tables/{paper}/{table}.tsv",
            caption="../report/parallel.rst",
            category="Tables",
            subcategory="{paper}",
            labels={"table": "{table}", "numbers": "ours"},
        ),
    log:
        "logs/list_parallel/{paper}/{table}.log",
    wildcard_constraints:
        paper="wordot",
        table="table6",
    conda:
        "../../envs/static.yaml"
    threads: 1
    resources:
        mem_mb=500,
        runtime=5,
    params:
        library=library("list_parallel.py"),
    script:
        "../scripts/list_parallel.py"


rule list_matches:
    input:
        encoder=lambda wildcards: "results/encoders/{encoder}".format(**matching_spec(wildcards)),
        pairs=lambda wildcards: matched_pairs(matching_spec(wildcards)),
    output:
        table=report(
            "results/tables/{paper}/{table}.tsv",
            caption="../report/matches.rst",
            category="Tables",
            subcategory="{paper}",
            labels={"table": "{table}", "numbers": "none"},
        ),
    log:
        "logs/list_matches/{paper}/{table}.log",
    wildcard_constraints:
        paper="wordot",
        table="table9|table10|table11",
    conda:
        "../../envs/neural.yaml"
    threads: 1
    resources:
        mem_mb=4000,
        runtime=30,
    params:
        library=library("list_matches.py"),
        kind=lambda wildcards: matching_spec(wildcards)["matches"],
        number=lambda wildcards: matching_spec(wildcards)["number"],
        languages=lambda wildcards: matching_spec(wildcards)["shown"],
    script:
        "../scripts/list_matches.py"


rule make_table:
    input:
        scores=table_scores,
        reference="config/reference/{paper}.tsv",
    output:
        table=report(
            "results/tables/{paper}/{table}.tsv",
            caption="../report/table.rst",
            category="Tables",
            subcategory="{paper}",
            labels={"table": "{table}", "numbers": "ours"},
        ),
        comparison=report(
            "results/tables/{paper}/{table}.compare.tsv",
            caption="../report/comparison.rst",
            category="Tables",
            subcategory="{paper}",
            labels={"table": "{table}", "numbers": "published beside ours"},
        ),
    log:
        "logs/make_table/{paper}/{table}.log",
    conda:
        "../../envs/static.yaml"
    threads: 1
    resources:
        mem_mb=500,
        runtime=5,
    params:
        library=library("make_table.py"),
        number=lambda wildcards: wildcards.table.removeprefix("table"),
        spec=lambda wildcards: table_spec(wildcards.paper, wildcards.table.removeprefix("table")),
        scale=config["scale"],
        source=SOURCE,
    script:
        "../scripts/make_table.py"


rule compare_recipes:
    input:
        predictions=compared_predictions,
    output:
        table=report(
            "results/tables/{paper}/{comparison}.tsv",
            caption="../report/recipes.rst",
            category="Tables",
            subcategory="{paper}",
            labels={"table": "{comparison}", "numbers": "ours, with intervals"},
        ),
    log:
        "logs/compare_recipes/{paper}/{comparison}.log",
    conda:
        "../../envs/static.yaml"
    threads: 1
    resources:
        mem_mb=1000,
        runtime=10,
    params:
        library=library("compare_recipes.py"),
        spec=comparison_spec,
        labels=comparison_labels,
        seed=config["seed"],
        scale=config["scale"],
    script:
        "../scripts/compare_recipes.py"


rule make_lead_table:
    input:
        table=f"results/tables/{LEAD}/table{{number}}.tsv",
        comparison=f"results/tables/{LEAD}/table{{number}}.compare.tsv",
    output:
        table="results/tables/table{number}.tsv",
        comparison="results/tables/table{number}.compare.tsv",
    log:
        "logs/make_lead_table/table{number}.log",
    conda:
        "../../envs/static.yaml"
    threads: 1
    resources:
        mem_mb=500,
        runtime=5,
    params:
        library=library("make_lead_table.py"),
    script:
        "../scripts/make_lead_table.py"


rule make_table_index:
    input:
        papers=expand("config/papers/{paper}.yaml", paper=PAPERS),
    output:
        index=report(
            "results/tables/index.tsv",
            caption="../report/index.rst",
            category="Tables",
        ),
    log:
        "logs/make_table_index.log",
    conda:
        "../../envs/static.yaml"
    threads: 1
    resources:
        mem_mb=500,
        runtime=5,
    params:
        library=library("make_table_index.py"),
        missing={
            f"{paper} {number}": missing_for_table(paper, number)
            for paper, content in PAPERS.items()
            for number in content["tables"]
        },
    script:
        "../scripts/make_table_index.py"
