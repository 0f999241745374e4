"""Figures: shifts between languages and their effects, as SVG with the numbers in a file next to it.

INPUTS   models = results/models/..., files = results/tasks/...; measurements of recipes
OUTPUTS  shifts = results/shifts/{recipe}/{task}/{src}.tsv: on samples, whole = ...whole.tsv: on all texts,
         figure = results/figures/{paper}/figure{number}.svg, data = ...tsv, facts = ...facts.tsv,
         figure = results/figures/{paper}/{curve}.svg: scores against pairs, text or labels; data = ...tsv,
         crossings = ...crossings.tsv,
         figure = results/figures/steps/{recipe}/{task}/{src}-{tgt}/seed{seed}.svg: an alignment, step by step,
         gradients = results/gradients/{recipe}/{task}/{src}/seed{seed}.parquet: of losses, over a fine-tuning,
         figure = results/figures/gradients/{recipe}/{task}/{src}.svg: their cosines; data = ...tsv
"""


rule measure_shifts:
    """Measure feature shift, prior shift and performance on samples of every target language and on all of it."""
    input:
        unpack(planned(cases.shift_input)),
    output:
        shifts="{chain}results/shifts/{recipe}/{task}/{src}.tsv",
        whole="{chain}results/shifts/{recipe}/{task}/{src}.whole.tsv",
    log:
        "{chain}logs/measure_shifts/{recipe}/{task}/{src}.log",
    benchmark:
        "{chain}benchmarks/measure_shifts/{recipe}/{task}/{src}.tsv"
    wildcard_constraints:
        recipe=names("recipes", method=["zero-shot", *cases.SUPERVISED, *ADAPTING]),
    conda:
        "../../envs/neural.yaml"
    resources:
        mem_mb=requested("mem_mb"),
        runtime=requested("runtime"),
        disk_mb=requested("disk_mb"),
        gpu=1,
    params:
        library=library("measure_shifts.py"),
        cases=planned(cases.shift_cases),
        labels=planned(tasks.task_labels),
        max_length=entry("task", "max_length"),
        samples=planned(model_inputs.measured_samples),
        skew=planned(model_inputs.skew_of),
        seed=planned(chains.job_seed),
    script:
        "../scripts/measure_shifts.py"


rule make_figure:
    """Draw a figure of a paper, with the numbers behind it and a summary of them."""
    input:
        measured=planned(figures.measured_input),
    output:
        figure=report(
            "results/figures/{paper}/figure{number}.svg",
            caption="../report/figure.rst",
            category="Figures",
            subcategory="{paper}",
            labels={"figure": "{number}"},
        ),
        data="results/figures/{paper}/figure{number}.tsv",
        facts="results/figures/{paper}/figure{number}.facts.tsv",
    log:
        "logs/make_figure/{paper}/figure{number}.log",
    wildcard_constraints:
        number=patterns.measurements_pattern(RUN),
    conda:
        "../../envs/static.yaml"
    resources:
        mem_mb=1000,
        runtime=10,
    params:
        library=library("make_figure.py"),
        spec=planned(figures.figure_spec),
        order=figures.language_order(RUN),
        source=RUN.source,
        scale=config["scale"],
    script:
        "../scripts/make_figure.py"


rule draw_curve:
    """Draw scores against what recipes were given, with the numbers and where one overtakes another."""
    input:
        predictions=planned(curves.curve_predictions),
        counted=planned(curves.counted_files),
    output:
        figure=report(
            "results/figures/{paper}/{curve}.svg",
            caption="../report/curve.rst",
            category="Figures",
            subcategory="{paper}",
            labels={"figure": "{curve}"},
        ),
        data="results/figures/{paper}/{curve}.tsv",
        crossings="results/figures/{paper}/{curve}.crossings.tsv",
    log:
        "logs/draw_curve/{paper}/{curve}.log",
    conda:
        "../../envs/static.yaml"
    resources:
        mem_mb=1000,
        runtime=10,
    params:
        library=library("draw_curve.py"),
        spec=planned(curves.curve_spec),
        amounts=planned(curves.curve_amounts),
        labels=planned(curves.curve_labels),
        chains=planned(curves.curve_chains),
        seed=config["seed"],
        scale=config["scale"],
    script:
        "../scripts/draw_curve.py"


rule draw_steps:
    """Draw what an alignment logged at every step."""
    input:
        steps="results/steps/{recipe}/{task}/{src}-{tgt}/seed{seed}.parquet",
    output:
        figure=report(
            "results/figures/steps/{recipe}/{task}/{src}-{tgt}/seed{seed}.svg",
            caption="../report/steps.rst",
            category="Alignments",
            labels={"recipe": "{recipe}", "task": "{task}", "target": "{tgt}", "seed": "{seed}"},
        ),
    log:
        "logs/draw_steps/{recipe}/{task}/{src}-{tgt}/seed{seed}.log",
    wildcard_constraints:
        recipe=names("recipes", method=["adversarial"]),
    conda:
        "../../envs/static.yaml"
    resources:
        mem_mb=1000,
        runtime=10,
    params:
        library=library("draw_steps.py"),
        scale=config["scale"],
    script:
        "../scripts/draw_steps.py"


rule measure_gradients:
    """Measure the cosines of the gradients of alignment losses with the task's, over a fine-tuning."""
    input:
        unpack(planned(gradients.measuring_input)),
    output:
        gradients="{chain}results/gradients/{recipe}/{task}/{src}/seed{seed}.parquet",
    log:
        "{chain}logs/measure_gradients/{recipe}/{task}/{src}/seed{seed}.log",
    benchmark:
        "{chain}benchmarks/measure_gradients/{recipe}/{task}/{src}/seed{seed}.tsv"
    wildcard_constraints:
        recipe=names("recipes", method=["zero-shot"]),
        task=names("tasks", kind=tasks.OF_LABELS),
    conda:
        "../../envs/neural.yaml"
    resources:
        mem_mb=requested("mem_mb"),
        runtime=requested("runtime"),
        disk_mb=requested("disk_mb"),
        gpu=1,
    params:
        library=library("measure_gradients.py"),
        source=RUN.source,
        targets=planned(gradients.compared_targets),
        labels=planned(tasks.task_labels),
        max_length=entry("task", "max_length"),
        training=planned(model_inputs.training_settings),
        measured=planned(gradients.measured_settings),
        wordot=planned(gradients.wordot_settings),
        dcca=planned(gradients.dcca_settings),
        critic=planned(gradients.critic_settings),
    script:
        "../scripts/measure_gradients.py"


rule draw_gradients:
    """Draw how alike the gradients of alignment losses and of a task are over a fine-tuning."""
    input:
        measured=planned(gradients.all_gradients),
    output:
        figure=report(
            "results/figures/gradients/{recipe}/{task}/{src}.svg",
            caption="../report/gradients.rst",
            category="Figures",
            subcategory="gradients",
            labels={"recipe": "{recipe}", "task": "{task}"},
        ),
        data="results/figures/gradients/{recipe}/{task}/{src}.tsv",
    log:
        "logs/draw_gradients/{recipe}/{task}/{src}.log",
    wildcard_constraints:
        recipe=names("recipes", method=["zero-shot"]),
        task=names("tasks", kind=tasks.OF_LABELS),
    conda:
        "../../envs/static.yaml"
    resources:
        mem_mb=1000,
        runtime=10,
    params:
        library=library("draw_gradients.py"),
        runs=planned(gradients.followed_runs),
        seed=config["seed"],
        scale=config["scale"],
    script:
        "../scripts/draw_gradients.py"
