"""Paths of a run's results: models, anchors, encoded texts, labelled texts, scores."""

from __future__ import annotations

from xstitch.core.errors import InputError
from xstitch.plan.references import ADAPTING, ON_FROZEN, SEARCHES
from xstitch.plan.run import Entry, Run, Wildcards
from xstitch.sources.tasks.places import SPLITS


def vectors_file(vectors: str, lang: str) -> str:
    """Static vectors of a language."""
    return f"results/vectors/{vectors}/{lang}.npz"


def corpus_file(corpus: str, lang: str) -> str:
    """Tokenised sentences of a language."""
    return f"results/corpora/{corpus}/{lang}.parquet"


def encoder_folder(encoder: str) -> str:
    """An encoder as a transformers folder."""
    return f"results/encoders/{encoder}"


def adapter_folder(adapters: str, lang: str) -> str:
    """The adapter of a language."""
    return f"results/adapters/{adapters}/{lang}"


def input_table(encoder: str) -> str:
    """An encoder's input embeddings, as one vector per token."""
    return f"results/encoders/{encoder}.input.npz"


def aligned_file(alignment: str, src: str, tgt: str) -> str:
    """The vectors of two languages, aligned in one space."""
    return f"results/aligned/{alignment}/{src}-{tgt}.npz"


def parallel_file(parallel: str, lang: str) -> str:
    """Sentences of a language and their translations into the source language."""
    return f"results/parallel/{parallel}/{lang}.parquet"


def links_file(encoder: str, lang: str) -> str:
    """Links between the words of the sentence pairs that an encoder is aligned with."""
    return f"results/links/{encoder}/{lang}.npz"


def scores_file(recipe: str, task: str, src: str) -> str:
    """The scores of a recipe on a task, for all targets and seeds."""
    return f"results/scores/{recipe}/{task}/{src}.tsv"


def predictions_file(recipe: str, task: str, src: str) -> str:
    """The predictions of a recipe on a task, for all targets and seeds."""
    return f"results/predictions/{recipe}/{task}/{src}.parquet"


def labelled_texts(run: Run, task: str, lang: str, split: str) -> str:
    """Labelled texts of a language; refuse a split that the user's own files do not include."""
    if split not in run.tasks[task].get("files", {}).get(lang, SPLITS):
        raise InputError(
            f"config: tasks.{task}.files.{lang}.{split} is missing, but this target needs it; add it"
        )
    return f"results/tasks/{task}/{lang}/{split}.parquet"


def development_texts(task: str, lang: str) -> str:
    """Labelled texts that weights are chosen by; without any, training keeps the last weights."""
    return f"results/tasks/{task}/{lang}/dev.parquet"


def lexicon_file(run: Run, anchors: str, src: str, tgt: str) -> str:
    """The lexicon behind a pair's anchors: the target language's, unless the anchors name one."""
    return _lexicon_file(run, run.config["anchors"][anchors], "anchors", src, tgt)


def translating_lexicon(run: Run, recipe: str, src: str, tgt: str) -> str:
    """The lexicon that texts are translated by: the target language's, unless the recipe names one."""
    return _lexicon_file(run, run.recipes[recipe], f"recipes.{recipe}", src, tgt)


def _lexicon_file(run: Run, entry: Entry, user: str, src: str, tgt: str) -> str:
    lexicon = entry.get("lexicon", run.config["languages"][tgt].get("lexicon"))
    if lexicon is None:
        raise InputError(f"config: languages.{tgt}.lexicon is missing, but {user} need it; name a lexicon")
    return f"results/lexica/{lexicon}/{src}-{tgt}.parquet"


def translated_texts(recipe: str, task: str, src: str, tgt: str, split: str) -> str:
    """A split of a task, translated word by word."""
    return f"results/translated/{recipe}/{task}/{src}-{tgt}/{split}.parquet"


def texts_read(run: Run, recipe: str, task: str, src: str, tgt: str, split: str) -> str:
    """The texts of a language as a recipe's model reads them: glosses, if that is how it reads."""
    start = starting_recipe(run, recipe)
    if run.recipes[start]["method"] == "gloss" and tgt != src:
        return translated_texts(start, task, src, tgt, split)
    return labelled_texts(run, task, tgt, split)


def stitched_encoder(run: Run, recipe: str) -> str:
    """The encoder that a recipe stitches: its own, or that of the recipe it starts from."""
    return run.recipes[run.recipes[recipe].get("base", recipe)]["encoder"]


def anchors_file(run: Run, recipe: str, src: str, tgt: str) -> str:
    """The anchors of a recipe for a pair of languages."""
    anchors = run.recipes[recipe]["anchors"]
    return f"results/anchors/{anchors}/{stitched_encoder(run, recipe)}/{src}-{tgt}.parquet"


def target_vectors(run: Run, wildcards: Wildcards) -> str:
    """The vectors that a recipe stitches in: those of its anchors."""
    anchors = run.recipes[wildcards.recipe]["anchors"]
    return vectors_file(run.config["anchors"][anchors]["vectors"], wildcards.tgt)


def mapped_file(recipe: str, src: str, tgt: str) -> str:
    """Both sides of a pair in the source model's space."""
    return f"results/mapped/{recipe}/{src}-{tgt}.npz"


def starting_recipe(run: Run, recipe: str) -> str:
    """The recipe whose model the first of a recipe's adaptations starts from."""
    while run.recipes[recipe]["method"] in (*ADAPTING, *ON_FROZEN):
        recipe = run.recipes[recipe]["base"]
    return recipe


def model_of(run: Run, recipe: str, task: str, src: str, tgt: str, seed: int | str) -> str:
    """The folder of the model that a recipe uses in a target language; glosses are read by their base's."""
    if run.recipes[recipe]["method"] == "gloss":
        return model_of(run, run.recipes[recipe]["base"], task, src, tgt, seed)
    folders = {
        "stitch": f"stitched/{recipe}/{task}/{src}-{tgt}",
        "zero-shot": f"models/{recipe}/{task}/{src}",
        "frozen": f"models/{recipe}/{task}/{src}",
        "in-language": f"models/{recipe}/{task}/{tgt}",
        "bilingual": f"models/{recipe}/{task}/{src}-{tgt}",
        "adapters": f"models/{recipe}/{task}/{src}" if tgt == src else f"swapped/{recipe}/{task}/{src}-{tgt}",
    }
    adapted = f"adapted/{recipe}/{task}/{src}-{tgt}"
    return f"results/{folders.get(run.recipes[recipe]['method'], adapted)}/seed{seed}"


def features_file(recipe: str, task: str, src: str, tgt: str) -> str:
    """What the head of a stitched model reads of a task's texts."""
    return f"results/features/{recipe}/{task}/{src}-{tgt}.npz"


def improvements_file(recipe: str, task: str, src: str, tgt: str, seed: int | str) -> str:
    """What a recipe gains on target sets with other class priors."""
    return f"results/improvements/{recipe}/{task}/{src}-{tgt}/seed{seed}.tsv"


def sets_part(recipe: str, task: str, src: str, tgt: str, seed: int | str, part: int | str) -> dict[str, str]:
    """What one job makes of some of these sets: the models adapted to them, and their part of the gains."""
    case = f"{recipe}/{task}/{src}-{tgt}/seed{seed}/part{part}"
    return {"models": f"results/adapted_to_sets/{case}", "records": f"results/improvements/{case}.tsv"}


def finetuned_behind(run: Run, recipe: str, task: str, src: str, tgt: str, seed: int | str) -> str:
    """The fine-tuned model that a recipe stitches: its base's, or its own in the pair's mapped space."""
    if "base" in run.recipes[recipe]:
        return model_of(run, run.recipes[recipe]["base"], task, src, tgt, seed)
    return f"results/models/{recipe}/{task}/{src}-{tgt}/seed{seed}"


def source_model_of(run: Run, recipe: str, task: str, src: str, tgt: str, seed: int | str) -> str | None:
    """The model with the source language's tokenizer and embeddings; None if a recipe stitches nothing."""
    start = starting_recipe(run, recipe)
    if run.recipes[start]["method"] != "stitch":
        return None
    return finetuned_behind(run, start, task, src, tgt, seed)


def student_of(run: Run, recipe: str) -> str:
    """The encoder that distillation trains: the one its teacher was fine-tuned from."""
    return encoder_folder(run.recipes[starting_recipe(run, recipe)]["encoder"])


def space_vectors(run: Run, space: Entry) -> str:
    """The vectors of a space: of the source language's words, or of images."""
    if "images" in space:
        return f"results/encoded/{space['encoder']}/{space['images']}.npz"
    return vectors_file(space["vectors"], run.source)


def space_names(run: Run, task: str) -> list[str]:
    """The names of a task's two spaces; anchors are searched for in the second of these."""
    names = [space["name"] for space in run.tasks[task]["spaces"]]
    return names[::-1] if run.tasks[task].get("exchanged") else names


def encoded_texts(encoder: str, task: str, lang: str) -> dict[str, str]:
    """The vectors of a task's texts in one language, by split."""
    return {split: f"results/encoded/{encoder}/{task}/{lang}/{split}.npz" for split in SPLITS}


def parallel_texts(run: Run, recipe: str, lang: str) -> list[str]:
    """The vectors of the parallel texts (same id in every language) that a recipe's heads need."""
    encoder, texts = run.recipes[recipe]["encoders"][lang], run.recipes[recipe]["texts"]
    return list(encoded_texts(encoder, texts, lang).values())


def found_anchors(run: Run, recipe: str, task: str, pair: str, seed: int) -> str:
    """The file of a recipe's anchors if it or another recipe searches for them; empty if they are known."""
    recipe = run.recipes[recipe]["search"].get("of", recipe)
    if run.recipes[recipe]["search"]["kind"] not in SEARCHES:
        return ""
    return f"results/bootstrapped/{recipe}/{task}/{pair}/seed{seed}.npz"
