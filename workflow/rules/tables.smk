"""Tables: ours in the paper's shape, the published numbers beside them. One rule for every table.

INPUTS   scores = results/scores/{recipe}/{task}/{src}.tsv, reference = config/reference/{paper}.tsv
OUTPUTS  table = results/tables/{paper}/table{n}.tsv, comparison = ...compare.tsv,
         lead = results/tables/table{n}.tsv, index = results/tables/index.tsv
"""


localrules:
    make_table,
    make_lead_table,
    make_table_index,


rule make_table:
    input:
        scores=table_scores,
        reference="config/reference/{paper}.tsv",
    output:
        table=report(
            "results/tables/{paper}/table{number}.tsv",
            caption="../report/table.rst",
            category="Tables",
            subcategory="{paper}",
            labels={"table": "{number}", "numbers": "ours"},
        ),
        comparison=report(
            "results/tables/{paper}/table{number}.compare.tsv",
            caption="../report/comparison.rst",
            category="Tables",
            subcategory="{paper}",
            labels={"table": "{number}", "numbers": "published beside ours"},
        ),
    log:
        "logs/make_table/{paper}/table{number}.log",
    conda:
        "../../envs/static.yaml"
    threads: 1
    resources:
        mem_mb=500,
        runtime=5,
    params:
        library=library("make_table.py"),
        spec=lambda wildcards: table_spec(wildcards.paper, wildcards.number),
        scale=config["scale"],
        source=SOURCE,
    script:
        "../scripts/make_table.py"


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
