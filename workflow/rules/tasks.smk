"""Tasks: labelled texts of one language in three splits.

INPUTS   labelled files of a data set; for other languages also verses = resources/ebible/...
OUTPUTS  splits = results/tasks/{task}/{lang}/{split}.parquet
"""


rule import_task:
    input:
        unpack(task_input),
    output:
        train="results/tasks/{task}/{lang}/train.parquet",
        dev="results/tasks/{task}/{lang}/dev.parquet",
        test="results/tasks/{task}/{lang}/test.parquet",
    log:
        "logs/import_task/{task}/{lang}.log",
    conda:
        "../../envs/static.yaml"
    threads: 1
    resources:
        mem_mb=1000,
        runtime=20,
    params:
        library=library("import_task.py"),
        tokenizer=lambda wildcards: LANGUAGES[wildcards.lang]["tokenizer"],
    script:
        "../scripts/import_task.py"
