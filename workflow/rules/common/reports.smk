"""Inputs of the report on one language. No rules here."""


def coverage_input(wildcards):
    """What covers a language, and a text of it to be covered."""
    recipe, src, tgt = wildcards.recipe, wildcards.src, wildcards.tgt
    return {
        "vectors": target_vectors(wildcards),
        "lexicon": lexicon_file(RECIPES[recipe]["anchors"], src, tgt),
        "anchors": anchors_file(recipe, src, tgt),
        "text": covered_text(wildcards)[1],
    }


def covered_text(wildcards):
    """The text whose words are looked up in a language's vectors: what it is, its file and the file's column."""
    anchors = RECIPES[wildcards.recipe]["anchors"]
    corpus = config["vectors"][config["anchors"][anchors]["vectors"]].get("corpus")
    if has_test(wildcards.task, wildcards.tgt):
        return "test texts", labelled_texts(wildcards.task, wildcards.tgt, "test"), "text"
    if corpus:
        return "corpus", f"results/corpora/{corpus}/{wildcards.tgt}.parquet", "text"
    return "lexicon", lexicon_file(anchors, wildcards.src, wildcards.tgt), "target"


def report_input(wildcards):
    """Coverage and models of a language and, where it has test texts, scores."""
    recipe, task, tgt = wildcards.recipe, wildcards.task, wildcards.tgt
    stem = f"{recipe}/{task}/{wildcards.src}-{tgt}"
    files = {
        "coverage": f"results/reports/{stem}.coverage.tsv",
        "models": [f"results/stitched/{stem}/seed{seed}" for seed in SEEDS],
    }
    if has_test(task, tgt):
        files["scores"] = f"results/scores/{recipe}/{task}/{wildcards.src}.tsv"
        files["test"] = labelled_texts(task, tgt, "test")
    return files


def report_summary(wildcards):
    """One line that says what was done for a language."""
    source = f"{LANGUAGES[wildcards.src]['name']} ({wildcards.src})"
    return f"Stitched to a model of {source} by recipe {wildcards.recipe} for task {wildcards.task}."
