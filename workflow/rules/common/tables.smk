"""What tables and comparisons of recipes are made of. No rules here."""

PUBLISHED_SOURCE = "en"  # of all papers; a table with a column of it shows the run's source language, too


def run_columns(spec, targets):
    """Columns this run can fill, by what a column of a table is."""
    column = spec["column"]
    if column == "measure" and spec.get("place") == "pair":
        pairs = measured_pairs(spec, targets)
        return [f"{measure} {pair}" for pair in pairs for measure in spec["measures"]]
    if column == "target":
        return [SOURCE, *targets] if PUBLISHED_SOURCE in spec["columns"] else targets
    if column == "language":
        return [SOURCE, *targets]
    if column == "pair":
        return [pair for tgt in targets for pair in (f"{tgt}-{SOURCE}", f"{SOURCE}-{tgt}")]
    if column == "couple":
        return ["-".join(two) for two in combinations(sorted([SOURCE, *targets]), 2)]
    return []


def measured_pairs(spec, targets):
    """Pairs of spaces or languages, in both directions and, unless a table is of others only, with themselves."""
    spaces = "spaces" in config["tasks"][spec["task"]]
    sides = space_names(spec["task"]) if spaces else [SOURCE, *targets]
    return [f"{one}-{two}" for one, two in product(sides, sides) if one != two or not spec.get("across")]


def shown_rows(spec):
    """The rows of a table: the paper's and, behind them, ours."""
    return [*spec.get("rows", []), *spec.get("ours", [])]


def filled_rows(spec):
    """Rows that this run computes: all but those it leaves out and those a paper quotes from other work.

    A list of languages has none: Snakemake asks even where another rule makes the table.
    """
    return [
        row
        for row in shown_rows(spec)
        if row["recipe"] not in config["without"] and not row["recipe"].startswith(QUOTED)
    ]


def table_languages(spec, task):
    """Languages of a task that every row of a table is scored in."""
    by_row = [scored_languages(row["recipe"], task) for row in filled_rows(spec)]
    return [lang for lang in by_row[0] if all(lang in row for row in by_row)]


def table_spec(paper, number):
    """A table's definition with the columns this run can fill; averages over pairs keep their own."""
    spec = PAPERS[paper]["tables"][number]
    spec = {**spec, "rows": [shown_row(row, spec) for row in shown_rows(spec)]}
    if "measures" in spec and "place" not in spec:
        languages = {task: table_languages(spec, task) for task in table_tasks(spec)}
        held = held_columns(spec, languages, config["averages"])
        return {**spec, "held": held, "columns": list(held)}
    targets = [lang for lang in table_languages(spec, spec["task"]) if lang != SOURCE]
    own = run_columns(spec, targets)
    columns = [column for column in spec["columns"] if column in own] or own or spec["columns"]
    return {**spec, "columns": columns}


def shown_row(row, spec):
    """A row of a table; where rows stand for values of their recipes, with this run's in the label."""
    if "value" not in spec or row["recipe"].startswith(QUOTED):
        return row
    section, key = spec["value"].split(".")
    entry = RECIPES[row["recipe"]][section]
    entry = config["anchors"][entry] if section == "anchors" else entry
    return {**row, "shown": row_label(row["row"], entry[key])}


def scored_names():
    """Names that rows of tables may have as their recipes: all that anything measures."""
    return {*RECIPES, *config["alignments"]}


def missing_for_table(paper, number):
    """What a table lacks to be made, as text; empty if nothing."""
    spec = PAPERS[paper]["tables"][number]
    if "languages" in spec:
        return ""
    if "matches" in spec:
        return missing_for_matches(spec)
    if "parallel" in spec:
        return missing_for_parallel(spec["parallel"], parallel_languages(spec["parallel"]))
    rows, tasks = filled_rows(spec), table_tasks(spec)
    lacking = [f"task {task}" for task in tasks if task not in config["tasks"]]
    lacking += [f"recipe {row['recipe']}" for row in rows if row["recipe"] not in scored_names()]
    if lacking:
        return f"the configuration has no {', '.join(lacking)}"
    if not rows:
        return "the configuration leaves out all of its rows (without)"
    for task, row in product(tasks, rows):
        if "targets" in config["tasks"][task] and not targets_of(row["recipe"], task):
            return f"recipes.{row['recipe']}.targets has none of tasks.{task}.targets"
        if problem := missing_for_heads(row["recipe"], task):
            return problem
    return next(filter(None, map(missing_for_task, tasks)), "")


def matching_spec(wildcards):
    """A table of matches with the encoder it asks, and those of its languages that the encoder is aligned by."""
    number = wildcards.table.removeprefix("table")
    spec = PAPERS[wildcards.paper]["tables"][number]
    if lacking := missing_for_matches(spec):
        refuse(f"table {number} of {wildcards.paper} cannot be made yet: {lacking}")
    encoder = RECIPES[spec["recipe"]]["encoder"]
    aligned = config["encoders"][encoder]["languages"]
    known = [lang for lang in spec["of"] if lang in aligned]
    return {**spec, "encoder": encoder, "shown": known[: spec["most"]]}


def missing_for_matches(spec):
    """What a table of matches lacks, as text; empty if nothing."""
    recipe = spec["recipe"]
    if recipe not in RECIPES or recipe in config["without"]:
        return f"the configuration has no recipe {recipe}"
    encoder = RECIPES[recipe]["encoder"]
    if config["encoders"][encoder]["origin"] != "align":
        return f"recipes.{recipe}.encoder: {encoder} is aligned by no parallel sentences"
    if not set(spec["of"]) & set(config["encoders"][encoder]["languages"]):
        return f"encoders.{encoder}.languages has none of {', '.join(spec['of'])}"
    entry = config["encoders"][encoder]
    return missing_for_parallel(entry["parallel"], entry["languages"])


def matched_pairs(spec):
    """Parallel sentences that a table of matches shows."""
    parallel = config["encoders"][spec["encoder"]]["parallel"]
    return [f"results/parallel/{parallel}/{lang}.parquet" for lang in spec["shown"]]


def counted_pairs(wildcards):
    """Numbers of sentence pairs in the corpora of every language that a table of them is about."""
    parallel = PAPERS[wildcards.paper]["tables"][wildcards.table.removeprefix("table")]["parallel"]
    return [f"results/parallel/{parallel}/{lang}.counts.tsv" for lang in parallel_languages(parallel)]


def possible_tables():
    """Tables whose task and recipes the configuration has."""
    places = [(paper, number) for paper, content in PAPERS.items() for number in content["tables"]]
    return [place for place in places if not missing_for_table(*place)]


def comparison_spec(wildcards):
    """A comparison of recipes as a paper's file defines it, without the rows that this run leaves out."""
    spec = PAPERS[wildcards.paper]["comparisons"][wildcards.comparison]
    if spec["baseline"] in config["without"]:
        refuse(f"{wildcards.comparison} compares with {spec['baseline']}, which config `without` leaves out")
    return {**spec, "rows": filled_rows(spec)}


def compared_predictions(wildcards):
    """Predictions of every recipe of a comparison, in its order."""
    spec = comparison_spec(wildcards)
    return [f"results/predictions/{row['recipe']}/{spec['task']}/{SOURCE}.parquet" for row in spec["rows"]]


def comparison_labels(wildcards):
    """The labels of a comparison's task."""
    return labels_of(comparison_spec(wildcards)["task"])


def listed_languages(wildcards):
    """Languages of a paper's list, and this run's own, with the part each plays here."""
    spec = PAPERS[wildcards.paper]["tables"][wildcards.table.removeprefix("table")]
    parts = {lang: "source" if lang == SOURCE else "target" for lang in config["languages"]}
    languages = dict.fromkeys([*spec["languages"], *parts])
    return [{**LANGUAGES[lang], "here": parts.get(lang, "")} for lang in languages]


def table_scores(wildcards):
    """Score files that fill a table; one line ends the run if it cannot be filled."""
    paper, number = wildcards.paper, wildcards.table.removeprefix("table")
    if number not in PAPERS[paper]["tables"]:
        refuse(f"{paper} has no table {number}; its tables: {', '.join(PAPERS[paper]['tables'])}")
    if lacking := missing_for_table(paper, number):
        refuse(f"table {number} of {paper} cannot be made yet: {lacking}")
    spec = PAPERS[paper]["tables"][number]
    recipes = dict.fromkeys(row["recipe"] for row in filled_rows(spec))
    tasks = table_tasks(spec) if recipes else []  # a list has neither: Snakemake asks all the same
    return [f"results/scores/{one}/{task}/{SOURCE}.tsv" for one, task in product(recipes, tasks)]
