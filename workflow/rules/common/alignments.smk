"""Inputs of alignments and of what measures them. No rules here."""


def alignment_input(wildcards):
    """Both spaces, the dictionary where a method needs one, and the one whose accuracy is logged."""
    alignment = config["alignments"][wildcards.alignment]
    pair = f"{wildcards.src}-{wildcards.tgt}"
    files = {
        "source": f"results/vectors/{alignment['vectors']}/{wildcards.src}.npz",
        "target": f"results/vectors/{alignment['vectors']}/{wildcards.tgt}.npz",
    }
    dictionary = alignment.get("dictionary")
    if dictionary in config["alignments"]:
        files["dictionary"] = f"results/aligned/{dictionary}/{pair}.dictionary.parquet"
    elif dictionary:
        files["dictionary"] = f"results/lexica/{dictionary}/{pair}.parquet"
    if "validation" in alignment:
        files["validation"] = f"results/lexica/{alignment['validation']}/{pair}.parquet"
    return files


def aligned_input(wildcards, task):
    """The vectors' words and the aligned matrices of every target language of a task."""
    vectors = config["alignments"][wildcards.alignment]["vectors"]
    targets = config["tasks"][task]["targets"]
    return {
        "source": f"results/vectors/{vectors}/{wildcards.src}.npz",
        "targets": [f"results/vectors/{vectors}/{tgt}.npz" for tgt in targets],
        "aligned": [f"results/aligned/{wildcards.alignment}/{wildcards.src}-{tgt}.npz" for tgt in targets],
    }


def translation_input(wildcards):
    """Aligned vectors and MUSE's test dictionaries, from the source language and to it."""
    src, targets = wildcards.src, config["tasks"]["bli"]["targets"]
    return {
        **aligned_input(wildcards, "bli"),
        "forth": [resource("muse", f"{src}-{tgt}.5000-6500.txt") for tgt in targets],
        "back": [resource("muse", f"{tgt}-{src}.5000-6500.txt") for tgt in targets],
    }


def similarity_languages():
    """The two languages of every file of graded pairs: within one, from the source, between two targets."""
    targets = config["tasks"]["similarity"]["targets"] if "similarity" in config["tasks"] else []
    within = [[lang, lang] for lang in [SOURCE, *targets]]
    return within + [[SOURCE, tgt] for tgt in targets] + [list(two) for two in combinations(targets, 2)]


def similarity_file(first, second, part, ending):
    """A file of SemEval-2017 Task 2, which names languages in an order of its own: that of the task's targets."""
    within = first == second
    folder = f"subtask1-monolingual/{part}" if within else f"subtask2-crosslingual/{part}"
    name = first if within else f"{first}-{second}"
    return unpacked("semeval2017", f"SemEval17-Task2/test/{folder}/{name}.test.{ending}.txt")


def similarity_input(wildcards):
    """Aligned vectors and graded word pairs."""
    languages = similarity_languages()
    return {
        **aligned_input(wildcards, "similarity"),
        "pairs": [similarity_file(*two, "data", "data") for two in languages],
        "gold": [similarity_file(*two, "keys", "gold") for two in languages],
    }
