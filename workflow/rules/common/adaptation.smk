"""Inputs of encoders that go on from another one, and of their parallel sentences. No rules here."""


def later_training_settings(wildcards):
    """The keys of an encoder that say how it is trained further; what they name comes as input."""
    named = ("origin", "base", "corpus", "alignment", "parallel")
    return {key: value for key, value in config["encoders"][wildcards.encoder].items() if key not in named}


def adapted_targets(encoder):
    """Languages of an adapted encoder other than the source; none where no vectors come in."""
    return [lang for lang in encoder["languages"] if lang != SOURCE] if "alignment" in encoder else []


def adaptation_input(wildcards):
    """The encoder to go on from, corpora and, where words are tied to vectors, those of every language."""
    encoder = config["encoders"][wildcards.encoder]
    files = {"encoder": f"results/encoders/{encoder['base']}", "corpora": encoder_corpora(wildcards)}
    if targets := adapted_targets(encoder):
        alignment = encoder["alignment"]
        vectors = config["alignments"][alignment]["vectors"]
        files["words"] = [f"results/vectors/{vectors}/{lang}.npz" for lang in [SOURCE, *targets]]
        files["aligned"] = [f"results/aligned/{alignment}/{SOURCE}-{tgt}.npz" for tgt in targets]
    return files


def encoder_parallel(wildcards):
    """Parallel sentences of every language that an encoder is aligned by."""
    encoder = config["encoders"][wildcards.encoder]
    return [f"results/parallel/{encoder['parallel']}/{lang}.parquet" for lang in encoder["languages"]]


def parallel_languages(name):
    """Languages with corpora of parallel sentences by which this run aligns an encoder."""
    aligned = [entry["languages"] for entry in config["encoders"].values() if entry.get("parallel") == name]
    return [lang for lang in config["parallel"][name]["corpora"] if any(lang in own for own in aligned)]


def parallel_files(wildcards):
    """Moses files of a language with the source, by corpus: the user's own two, or zips of OPUS."""
    parallel, lang = config["parallel"][wildcards.parallel], wildcards.lang
    key = f"parallel.{wildcards.parallel}"
    if lang in parallel.get("files", {}):
        own = parallel["files"][lang]
        return {"own": [checked(given_path, file, f"{key}.files.{lang}") for file in own]}
    if lang not in parallel["corpora"]:
        refuse(
            f"config: {key}.corpora.{lang} is missing: name corpora of OPUS, or two files under files.{lang}"
        )
    return {name: [resource("opus", moses_zip(name, lang))] for name in parallel["corpora"][lang]}


def moses_zip(corpus, lang):
    """A corpus of OPUS in a language and the source; the codes are in alphabetical order."""
    return f"{corpus}/moses/{'-'.join(sorted([lang, SOURCE]))}.txt.zip"


def missing_for_parallel(name, languages):
    """Why parallel sentences of some languages cannot be had, as text; empty if they can."""
    parallel = config["parallel"][name]
    downloaded = [lang for lang in languages if lang not in parallel.get("files", {})]
    named = [(corpus, lang) for lang in downloaded for corpus in parallel["corpora"].get(lang, [])]
    problems = (unobtainable("opus", moses_zip(*place)) for place in named)
    return next(filter(None, problems), "")


def parallel_tokenizer(lang):
    """What splits sentences of parallel text into words; UDPipe, which splits paragraphs, is not needed."""
    tool = LANGUAGES[lang]["tokenizer"]
    return "unicode" if tool == "udpipe" else tool
