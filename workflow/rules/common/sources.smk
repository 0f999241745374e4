"""Where data comes from: downloads, the user's own files, lexica, corpora, vectors, encoders. No rules here."""


def unobtainable(dataset, file):
    """Why nothing can bring a file of a data set, as text; empty if it can be had."""
    folder = config["local"].get(dataset, "")
    if DATASETS[dataset].url and not folder:
        place = mirrored(DATASETS[dataset].address(file), config["mirror"])
        if place.startswith(WORLD) and place.removeprefix(WORLD) not in WORLD_FILES:
            return f"{dataset}: the mini world has no {file}; name a file of your own, or another `mirror`"
    return local.unobtainable(DATASETS[dataset], file, folder, config["mirror"])


def resource(dataset, file):
    """Address of a downloaded file; what cannot be had ends the run before it starts."""
    if problem := checked(unobtainable, dataset, file):
        refuse(problem)
    return f"resources/{dataset}/{DATASETS[dataset].version}/{file}"


def given(key, files, lang):
    """Address of the file that the configuration gives for a language; None if it gives none."""
    return checked(given_path, files[lang], f"{key}.files.{lang}") if lang in files else None


MEMBERS = ".members/"


def unpacked(dataset, member, archive=""):
    """Address of a file out of a downloaded archive; `archive` is one of several files, or within another."""
    place = f"{archive}{MEMBERS}{member}" if archive else member
    return f"resources/unpacked/{dataset}/{DATASETS[dataset].version}/{place}"


def archive_file(wildcards):
    """The archive that a file is unpacked from."""
    dataset = wildcards.dataset
    outer = wildcards.member.rpartition(MEMBERS)[0]
    if not outer:
        return resource(dataset, DATASETS[dataset].url.rpartition("/")[2])
    return resource(dataset, outer) if "{file}" in DATASETS[dataset].url else unpacked(dataset, outer)


def address(wildcards):
    """Where a file is downloaded from; nothing for data sets that only a local folder has, or that one has."""
    dataset = DATASETS[wildcards.dataset]
    own = config["local"].get(wildcards.dataset)
    return dataset.address(wildcards.file) if dataset.url and not own else ""


def mirrored_input(wildcards):
    """The file of the mini world that stands in for a download; other mirrors hold files, not outputs."""
    url = address(wildcards)
    file = mirrored(url, config["mirror"]) if url else ""
    return file if file.startswith(WORLD) else []


def lexicon_input(wildcards):
    """Files behind a lexicon, by its reader; `reverse` takes the file of the opposite direction."""
    lexicon = config["lexica"][wildcards.lexicon]
    pair = f"{wildcards.src}-{wildcards.tgt}"
    if lexicon.get("reverse"):
        pair = f"{wildcards.tgt}-{wildcards.src}"
    if lexicon["reader"] == "panlex-meanings":
        return {
            "source": meaning_files(lexicon, wildcards.src),
            "target": meaning_files(lexicon, wildcards.tgt),
        }
    if lexicon["reader"] == "tsv":
        file = f"{lexicon['folder']}/{pair}.tsv"
        return {"file": checked(given_path, file, f"lexica.{wildcards.lexicon}.folder")}
    if lexicon["reader"] == "panlex-lite":
        return {"file": unpacked("panlex-lite", "panlex_lite/db.sqlite")}
    if lexicon["reader"] == "panlex-swadesh":
        return {"file": resource("panlex-swadesh", "panlex_swadesh.zip")}
    return {"file": resource("muse", f"{pair}.txt" if lexicon["reader"] == "muse" else f"{pair}.0-5000.txt")}


def meaning_files(lexicon, lang):
    """A language's files of PanLex meanings, which are by ISO code; large ones may come in shards."""
    iso = LANGUAGES[lang]["panlex"].partition("-")[0]
    shards = range(lexicon.get("shards", {}).get(lang, 1))
    return [resource(lexicon["dataset"], lexicon["file"].format(iso=iso, shard=shard)) for shard in shards]


def combined_lexicon_input(wildcards):
    """Lexica that a lexicon is made of: of the same pair, or one into a third language and one out of it."""
    lexicon = config["lexica"][wildcards.lexicon]
    src, tgt, through = wildcards.src, wildcards.tgt, lexicon.get("through")
    if through in (src, tgt):
        refuse(f"config: lexica.{wildcards.lexicon}.through: {through} is itself one of {src}-{tgt}")
    pairs = [f"{src}-{through}", f"{through}-{tgt}"] if through else [f"{src}-{tgt}"] * len(lexicon["lexica"])
    return [f"results/lexica/{n}/{p}.parquet" for n, p in zip(lexicon["lexica"], pairs, strict=True)]


def vectors_input(wildcards):
    """File of imported vectors: the user's own, or a data set's."""
    vectors, key = config["vectors"][wildcards.vectors], f"vectors.{wildcards.vectors}"
    if file := given(key, vectors.get("files", {}), wildcards.lang):
        return file
    if "dataset" not in vectors:
        refuse(f"config: {key}.files.{wildcards.lang} is missing: name a file of vectors, or its address")
    return resource(vectors["dataset"], vectors["file"].format(lang=wildcards.lang))


def taken_alignment(wildcards):
    """The alignment whose target side is taken as vectors, and the words of that side."""
    alignment = config["vectors"][wildcards.vectors]["alignment"]
    return {
        "aligned": f"results/aligned/{alignment}/{SOURCE}-{wildcards.lang}.npz",
        "words": f"results/vectors/{config['alignments'][alignment]['vectors']}/{wildcards.lang}.npz",
    }


def corpus_input(wildcards):
    """Text of a language: the user's own, or CC100's, which may name the language otherwise."""
    corpus, key = config["corpora"][wildcards.corpus], f"corpora.{wildcards.corpus}"
    if file := given(key, corpus.get("files", {}), wildcards.lang):
        return file
    return resource("cc100", f"{LANGUAGES[wildcards.lang]['cc100'] or wildcards.lang}.txt.xz")


def udpipe_model(wildcards):
    """Model file of a language that UDPipe segments; empty for the others and without a folder."""
    needed = LANGUAGES[wildcards.lang]["tokenizer"] == "udpipe" and config["udpipe"]
    return f"{config['udpipe']}/{wildcards.lang}.udpipe" if needed else ""


def imported_encoder(wildcards):
    """Files of an encoder that the user has; those of a package count as they were when it was installed."""
    encoder = config["encoders"][wildcards.encoder]
    folder = checked(model_folder, encoder, f"encoders.{wildcards.encoder}")
    files = list(map(str, checked(model_files, folder)))
    return ancient(files) if encoder["origin"] == "package" else files


def encoder_corpora(wildcards):
    """Corpora an encoder is pre-trained on."""
    encoder = config["encoders"][wildcards.encoder]
    return [f"results/corpora/{encoder['corpus']}/{lang}.parquet" for lang in encoder["languages"]]
