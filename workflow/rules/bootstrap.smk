"""Bootstrapped anchors: found from a few seeds, measured by retrieval, used by relative heads.

INPUTS   source, target = results/vectors/{vectors}/{src}.npz or results/encoded/...
OUTPUTS  encoded = results/encoded/{encoder}/{task}/{lang}/{split}.npz, results/encoded/{encoder}/{images}.npz,
         anchors = results/bootstrapped/{recipe}/{task}/{pair}/seed{seed}.npz, history = ....history.parquet,
         scores = results/scores/{recipe}/{task}/{src}.tsv, figure = results/figures/{paper}/figure{number}.svg
"""


localrules:
    measure_settings,


rule encode_texts:
    """Encode the texts of all splits of a task in one language."""
    input:
        encoder=planned(encoder_inputs.named_encoder),
        texts=planned(tasks.all_splits),
    output:
        train="{chain}results/encoded/{encoder}/{task}/{lang}/train.npz",
        dev="{chain}results/encoded/{encoder}/{task}/{lang}/dev.npz",
        test="{chain}results/encoded/{encoder}/{task}/{lang}/test.npz",
    log:
        "{chain}logs/encode_texts/{encoder}/{task}/{lang}.log",
    benchmark:
        "{chain}benchmarks/encode_texts/{encoder}/{task}/{lang}.tsv"
    conda:
        "../../envs/neural.yaml"
    resources:
        mem_mb=requested("mem_mb"),
        runtime=requested("runtime"),
        disk_mb=requested("disk_mb"),
        gpu=1,
    params:
        library=library("encode_texts.py"),
        max_length=entry("task", "max_length"),
        pooling=planned(encoder_inputs.text_pooling),
    script:
        "../scripts/encode_texts.py"


rule encode_images:
    """Encode images with a vision transformer."""
    input:
        encoder=planned(encoder_inputs.named_encoder),
        files=planned(source_inputs.image_files),
    output:
        vectors="{chain}results/encoded/{encoder}/{images}.npz",
    log:
        "{chain}logs/encode_images/{encoder}/{images}.log",
    benchmark:
        "{chain}benchmarks/encode_images/{encoder}/{images}.tsv"
    wildcard_constraints:
        images=names("images"),
    conda:
        "../../envs/neural.yaml"
    resources:
        mem_mb=requested("mem_mb"),
        runtime=requested("runtime"),
        disk_mb=requested("disk_mb"),
        gpu=1,
    params:
        library=library("encode_images.py"),
        folder=planned(source_inputs.image_folder),
        size=entry("images", "size"),
    script:
        "../scripts/encode_images.py"


rule optimise_anchors:
    """Search for the parallel anchors of two spaces, starting from a few seeds."""
    input:
        unpack(planned(space_inputs.seeded_input)),
    output:
        anchors="{chain}results/bootstrapped/{recipe}/{task}/{pair}/seed{seed}.npz",
        history="{chain}results/bootstrapped/{recipe}/{task}/{pair}/seed{seed}.history.parquet",
    log:
        "{chain}logs/optimise_anchors/{recipe}/{task}/{pair}/seed{seed}.log",
    benchmark:
        "{chain}benchmarks/optimise_anchors/{recipe}/{task}/{pair}/seed{seed}.tsv"
    wildcard_constraints:
        recipe=names("recipes", method=["relative", "relative-heads"]),
        task=names("tasks"),
        pair=r"\w+-\w+",
    conda:
        "../../envs/neural.yaml"
    resources:
        mem_mb=requested("mem_mb"),
        runtime=requested("runtime"),
        disk_mb=requested("disk_mb"),
        gpu=1,
    params:
        library=library("optimise_anchors.py"),
        search=entry("recipe", "search"),
        words=planned(space_inputs.compared_words),
        exchanged=planned(space_inputs.is_exchanged),
        searched_texts=planned(space_inputs.searched_texts),
    script:
        "../scripts/optimise_anchors.py"


rule measure_retrieval:
    """Measure parallel anchors by retrieval within two spaces and across them, for every seed."""
    input:
        unpack(planned(space_inputs.retrieval_input)),
    output:
        scores="{chain}results/scores/{recipe}/{task}/{src}.tsv",
    log:
        "{chain}logs/measure_retrieval/{recipe}/{task}/{src}.log",
    benchmark:
        "{chain}benchmarks/measure_retrieval/{recipe}/{task}/{src}.tsv"
    wildcard_constraints:
        recipe=names("recipes", method=["relative"]),
        task=names("tasks", kind=["spaces"]),
    conda:
        "../../envs/neural.yaml"
    resources:
        mem_mb=requested("mem_mb"),
        runtime=requested("runtime"),
        disk_mb=requested("disk_mb"),
        gpu=1,
    params:
        library=library("measure_retrieval.py"),
        chain=planned(chains.job_chain_name),
        search=entry("recipe", "search"),
        words=planned(space_inputs.compared_words),
        exchanged=planned(space_inputs.is_exchanged),
        names=planned(space_inputs.retrieval_names),
        k=entry("task", "k"),
        jaccard=entry("task", "jaccard"),
        seeds=planned(space_inputs.retrieval_seeds),
        scale=config["scale"],
    script:
        "../scripts/measure_retrieval.py"


rule evaluate_relative_heads:
    """Train relative heads on two languages and score each on both, for every target language and seed."""
    input:
        unpack(planned(space_inputs.relative_heads_input)),
    output:
        scores="{chain}results/scores/{recipe}/{task}/{src}.tsv",
    log:
        "{chain}logs/evaluate_relative_heads/{recipe}/{task}/{src}.log",
    benchmark:
        "{chain}benchmarks/evaluate_relative_heads/{recipe}/{task}/{src}.tsv"
    wildcard_constraints:
        recipe=names("recipes", method=["relative-heads"]),
    conda:
        "../../envs/neural.yaml"
    resources:
        mem_mb=requested("mem_mb"),
        runtime=requested("runtime"),
        disk_mb=requested("disk_mb"),
        gpu=1,
    params:
        library=library("evaluate_relative_heads.py"),
        chain=planned(chains.job_chain_name),
        files=planned(space_inputs.relative_head_files),
        cases=planned(cases.relative_head_cases),
        labels=planned(tasks.task_labels),
        search=entry("recipe", "search"),
        head=entry("recipe", "head"),
        searched_texts=planned(space_inputs.searched_texts),
        training=entry("recipe", "training"),
        words=space_inputs.ANY_ID,
        scale=config["scale"],
    script:
        "../scripts/evaluate_relative_heads.py"


rule measure_settings:
    """Write the hyper-parameters of anchor optimisation as scores, for the table that lists them."""
    output:
        scores="{chain}results/scores/{recipe}/{task}/{src}.tsv",
    log:
        "{chain}logs/measure_settings/{recipe}/{task}/{src}.log",
    wildcard_constraints:
        recipe=names("recipes", method=["relative"]),
        task=names("tasks", kind=["settings"]),
    conda:
        "../../envs/static.yaml"
    resources:
        mem_mb=500,
        runtime=5,
    params:
        library=library("measure_settings.py"),
        chain=planned(chains.job_chain_name),
        settings=planned(space_inputs.search_settings),
        scale=config["scale"],
    script:
        "../scripts/measure_settings.py"


rule draw_spaces:
    """Draw two spaces as they are and relative to the anchors of several recipes."""
    input:
        unpack(planned(figures.drawn_input)),
    output:
        figure=report(
            "results/figures/{paper}/figure{number}.svg",
            caption="../report/spaces.rst",
            category="Figures",
            subcategory="{paper}",
            labels={"figure": "{number}"},
        ),
        points="results/figures/{paper}/figure{number}.tsv",
    log:
        "logs/draw_spaces/{paper}/figure{number}.log",
    wildcard_constraints:
        number=patterns.spaces_pattern(RUN),
    conda:
        "../../envs/neural.yaml"
    resources:
        mem_mb=requested("mem_mb"),
        runtime=requested("runtime"),
        disk_mb=requested("disk_mb"),
    params:
        library=library("draw_spaces.py"),
        rows=planned(figures.drawn_rows),
        names=planned(figures.drawn_names),
        words=planned(figures.drawn_words),
        exchanged=planned(figures.drawn_exchanged),
        clusters=planned(figures.figure_spec, "clusters"),
        size=planned(figures.figure_spec, "size"),
    script:
        "../scripts/draw_spaces.py"
