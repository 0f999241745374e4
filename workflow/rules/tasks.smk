"""Tasks: labelled texts of one language in three splits, by the reader that config `tasks` names.

INPUTS   labelled files of a data set: Taxi1500, for other languages with verses = resources/ebible/...; MARC;
         or the user's own, id TAB label TAB text, of splits that they have
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
        library=lambda wildcards: library(
            "import_task.py", reader_module(reading_settings(wildcards)["reader"])
        ),
        task=reading_settings,
        tokenizer=lambda wildcards: LANGUAGES[wildcards.lang]["tokenizer"],
        seed=config["seed"],
    script:
        "../scripts/import_task.py"
