"""Models to give away: a folder with a card, complete, readable, and with nothing of Snakemake's in it.

INPUTS   model = results/stitched/..., results/models/... or results/adapted/...,
         coverage = results/reports/..., scores = results/scores/..., predictions = results/predictions/...
OUTPUTS  results/exported/{recipe}/{task}/{src}-{tgt}/seed{seed}/: card, notes, config, weights, tokenizer.
         They are files, not a folder: into folders that jobs make, Snakemake writes a timestamp.
"""


rule export_model:
    """Copy a model into a folder to give away, with a card that says what is known about it."""
    input:
        unpack(planned(exports.export_input)),
    output:
        **exports.exported_files(),
    log:
        "logs/export_model/{recipe}/{task}/{src}-{tgt}/seed{seed}.log",
    wildcard_constraints:
        recipe=names("recipes", method=exports.EXPORTED),
        task=names("tasks", kind=tasks.LEARNT),
    conda:
        "../../envs/static.yaml"
    resources:
        mem_mb=1000,
        runtime=20,
    params:
        library=library("export_model.py"),
        facts=planned(exports.card_facts),
        seed=config["seed"],
    script:
        "../scripts/export_model.py"
