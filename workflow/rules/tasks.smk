"""Tasks: rows of one language in three splits, by the reader for the task's `kind` (xstitch.sources.tasks.readers).

INPUTS   original files of a data set, as the reader's `files` says; or the user's files, for splits they have
OUTPUTS  splits = results/tasks/{task}/{lang}/{split}.parquet: texts or pairs with labels, questions with answers,
         sentences with tags, sentences with translations (xstitch.sources.tasks.rows); a split that a language
         lacks is an empty table
"""


rule import_task:
    """Read the rows of a task in one language."""
    input:
        unpack(planned(tasks.task_input)),
    output:
        train="{chain}results/tasks/{task}/{lang}/train.parquet",
        dev="{chain}results/tasks/{task}/{lang}/dev.parquet",
        test="{chain}results/tasks/{task}/{lang}/test.parquet",
    log:
        "{chain}logs/import_task/{task}/{lang}.log",
    conda:
        "../../envs/static.yaml"
    resources:
        mem_mb=1000,
        runtime=20,
    params:
        library=library("import_task.py", tasks.task_reader),
        task=planned(tasks.reading_settings),
        tokenizer=planned(segmentation.task_tool),
        seed=planned(chains.job_seed),
    script:
        "../scripts/import_task.py"


rule gather_texts:
    """Gather texts of a language for a task, without labels."""
    input:
        texts=planned(unlabelled.unlabelled_source),
    output:
        texts="{chain}results/unlabelled/{task}/{lang}.parquet",
    log:
        "{chain}logs/gather_texts/{task}/{lang}.log",
    wildcard_constraints:
        task=names("tasks", kind=tasks.OF_TEXTS),
    conda:
        "../../envs/static.yaml"
    resources:
        mem_mb=1000,
        runtime=20,
    params:
        library=library("gather_texts.py"),
        limit=config["recommend"]["texts"],
    script:
        "../scripts/gather_texts.py"
