"""Which values of a configuration reach the tables and figures of a paper.

A table names recipes and tasks, and these name further entries: encoders, vectors, corpora and so on. Which
keys name entries is known from the models of the configuration (xstitch.plan.schema).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from functools import reduce
from itertools import product
from typing import Any

from pydantic import ValidationError

from xstitch.plan.extends import SECTIONS, merge
from xstitch.plan.papers import has_scores, quoted
from xstitch.plan.schema.configuration import Configuration
from xstitch.plan.schema.derived import keys_of
from xstitch.plan.schema.encoders import TRANSPORT_KEYS
from xstitch.plan.schema.tasks import ForRecipe
from xstitch.plan.schema.types import UNDEFINED, Model
from xstitch.plan.tasks import LEARNT
from xstitch.results.columns import table_tasks
from xstitch.training.schedule import Schedule

Entry = Mapping[str, Any]
Keys = tuple[str, ...]  # the path of a value: the keys that lead to it
Name = tuple[str, str]  # of an entry: its section and its name
OF_ALL = ("source", "seed", "seeds", "chains")  # values outside entries that every score depends on
SEEDS = {("seeds",)}  # of fine-tuned models
LEARNING = (
    "training",
    "freeze_embeddings",
    "skew",
    "adaptation",
    "candidates",
    "task_adapter",
)  # keys of recipes that only learnt tasks need
# Methods that a task's `training` applies to.
FINETUNED = ("zero-shot", "stitch", "in-language", "bilingual", "adapters")
BY_LANGUAGE = ("files", "corpora", "treebanks", "shards")  # keys of entries with data for each language
# Keys of a task's `samples` that tables and figures of a kind need: sets to measure on, sets to adapt to.
SAMPLED = {
    **dict.fromkeys(("factors", "layers", "joint"), ("sets", "size")),
    **dict.fromkeys(("improvements", "corrections"), ("adapted_sets", "adapted_size")),
}
# Keys of a recipe that a task needs; tasks of other kinds need all.
NEEDED = {"anchors": ("anchors", "encoder"), "settings": ("search", "seeds")}


def leaves(value: Any, path: Keys = ()) -> Iterator[tuple[Keys, Any]]:
    """Every value that is not a mapping, with its path; a list is one value."""
    if isinstance(value, Mapping):
        for key, child in value.items():
            yield from leaves(child, (*path, str(key)))
    else:
        yield path, value


def value_at(config: Entry, path: Keys) -> Any:
    """The value at a path."""
    return reduce(lambda parent, key: parent[key], path, config)


def with_defaults(config: Entry) -> dict[str, Any]:
    """A resolved configuration with the library's defaults written out, except those that are null."""
    written = _written(Configuration.model_validate(config, context=config))
    usual = {
        key: field.default
        for key, field in keys_of(Schedule).model_fields.items()
        if not field.is_required() and field.default is not None
    }
    for recipe in written["recipes"].values():
        if recipe.get("training"):
            recipe["training"] = merge(usual, recipe["training"])
    for encoder in written["encoders"].values():
        if encoder.get("loss") == "l2":
            for key in TRANSPORT_KEYS:  # which it must not have
                encoder.pop(key, None)
    return written


def _written(value: Any) -> Any:
    if isinstance(value, ForRecipe):  # changes only what it names
        return value.model_dump(exclude_unset=True)
    if isinstance(value, Model):
        return {key: _written(child) for key, child in _keys(value)}
    if isinstance(value, Mapping):
        return {key: _written(child) for key, child in value.items()}
    return [_written(child) for child in value] if isinstance(value, list) else value


def _keys(model: Model) -> Iterator[tuple[str, Any]]:
    """The keys that are set, and the others that have a default."""
    for key, field in type(model).model_fields.items():
        value = getattr(model, key)
        if key not in model.model_fields_set and value is None:
            value = _all_defaults(field.annotation)
            if value is None:
                continue
        yield key, value


def _all_defaults(annotation: Any) -> Model | None:
    """The model of a key that may be left out because all of its own keys may be."""
    is_model = isinstance(annotation, type) and issubclass(annotation, Model)
    if not is_model or any(field.is_required() for field in annotation.model_fields.values()):
        return None
    return annotation.model_construct()


def shown_names(paper: Entry) -> dict[str, Entry]:
    """The tables and figures of a paper, by the names that a ledger's scopes use.

    Lists of languages have no settings, and tables of our rows alone have none of the paper's.
    """
    tables = {f"Table {number}": spec for number, spec in paper["tables"].items()}
    figures = {f"Figure {number}": spec for number, spec in paper.get("figures", {}).items()}
    return {
        name: spec
        for name, spec in (tables | figures).items()
        if spec.get("kind") != "languages" and ("rows" in spec or "ours" not in spec)
    }


def reached(config: Entry, paper: Entry) -> dict[Keys, set[str]]:
    """The values that a paper's tables and figures depend on, with those that do.

    `config` is resolved. Rows of ours and comparisons of ours are left out.
    """
    graph = Graph(with_defaults(config))
    found: dict[Keys, set[str]] = {}
    for shown, spec in shown_names(paper).items():
        for path in graph.behind(spec):
            found.setdefault(path, set()).add(shown)
    return found


class Graph:
    """Entries of a configuration and the entries they name."""

    def __init__(self, config: Entry) -> None:
        """Find out which entries name which."""
        self.config = config
        self.names = _names(config)

    def behind(self, spec: Entry) -> set[Keys]:
        """The paths of all values that a table or figure depends on."""
        found = {(key,) for key in OF_ALL}
        if "parallel" in spec:
            return (found - SEEDS) | self._below([("parallel", spec["parallel"])])
        if spec.get("kind") == "matches":
            encoder = self.config["recipes"][spec["recipe"]]["encoder"]
            found = (found - SEEDS) | self._below([("encoders", encoder)])
        else:
            rows = [row for row in spec["rows"] if not quoted(row)]
            if all(self._has_own_seeds(row["recipe"]) for row in rows):
                found -= SEEDS
            for row, task in product(rows, _tasks(spec)):
                if has_scores(row, task):
                    found |= self._cell(row["recipe"], task)
        sampled = SAMPLED.get(spec.get("kind"), ())
        found = {path for path in found if path[2:3] != ("samples",) or path[3] in sampled}
        return self._without_other_languages(found)

    def _has_own_seeds(self, recipe: str) -> bool:
        """Whether a recipe does not depend on the run's seeds; alignments have none."""
        entry = self.config["recipes"].get(recipe)
        return entry is None or "seeds" in entry

    def _without_other_languages(self, found: set[Keys]) -> set[Keys]:
        """Leave out the data of languages that no task, recipe or encoder among these values names."""
        named = [value_at(self.config, path) for path in found if path[-1] in ("targets", "languages")]
        used = {self.config["source"]}.union(*named)
        return {
            path
            for path in found
            if len(path) < 4 or path[2] not in BY_LANGUAGE or path[3] in used or path[0] == "recipes"
        }

    def _cell(self, recipe: str, task: str) -> set[Keys]:
        """What the score of a recipe, or of an alignment, on a task depends on."""
        if recipe not in self.config["recipes"]:
            return self._below([("alignments", recipe), ("tasks", task)])
        entry, kind = self.config["recipes"][recipe], self.config["tasks"][task]["kind"]
        keys = [key for key in NEEDED.get(kind, entry) if kind in LEARNT or key not in LEARNING]
        own = {
            path for path in _recipe_paths(entry, recipe, self.config["tasks"][task], task) if path[0] in keys
        }
        found = {("recipes", recipe, *path) for path in own}
        found |= {("tasks", task, *path) for path in _task_paths(self.config["tasks"][task], recipe, entry)}
        found |= self._below(
            [name for key, name in self.names.get(("tasks", task), []) if name[0] != "recipes"]
        )
        named = [name for key, name in self.names.get(("recipes", recipe), []) if key in keys]
        found |= self._below([name for name in named if name[0] != "recipes"])
        for _, base in (name for name in named if name[0] == "recipes"):
            found |= self._cell(base, task)
        if kind == "settings":
            for measured in self.config["tasks"][task]["recipes"].values():
                search = leaves(self.config["recipes"][measured]["search"])
                found |= {("recipes", measured, "search", *path) for path, _ in search}
        return found | self._lexica_of_languages(entry, task)

    def _lexica_of_languages(self, recipe: Entry, task: str) -> set[Keys]:
        """The lexica that languages name, where anchors name none."""
        if "anchors" not in recipe or "lexicon" in self.config["anchors"][recipe["anchors"]]:
            return set()
        targets = self.config["tasks"][task]["targets"]
        languages = [lang for lang in recipe.get("targets", targets) if lang in targets]
        linked = [lang for lang in languages if "lexicon" in self.config["languages"][lang]]
        lexica = [("lexica", self.config["languages"][lang]["lexicon"]) for lang in linked]
        return {("languages", lang, "lexicon") for lang in linked} | self._below(lexica)

    def _below(self, names: Iterable[Name]) -> set[Keys]:
        """The paths of all values of some entries and of those that they name."""
        found: set[Keys] = set()
        waiting, seen = list(names), set()
        while waiting:
            section, name = waiting.pop()
            if (section, name) in seen or section == "languages":
                continue
            seen.add((section, name))
            left_out = ("training", "by_recipe") if section == "tasks" else ()
            paths = [path for path, _ in leaves(self.config[section][name]) if path[0] not in left_out]
            found |= {(section, name, *path) for path in paths}
            waiting += [named for _, named in self.names.get((section, name), [])]
        return found


def _names(config: Entry) -> dict[Name, list[tuple[str, Name]]]:
    """The entries that each entry names, with the key that names them.

    To the models, a configuration whose sections are empty has nothing but undefined names.
    """
    try:
        Configuration.model_validate(config, context={section: {} for section in SECTIONS})
    except ValidationError as error:
        undefined = [problem for problem in error.errors() if problem["type"] == UNDEFINED]
    found: dict[Name, list[tuple[str, Name]]] = {}
    for problem in undefined:
        if problem["loc"][0] not in SECTIONS or problem["loc"][-1] == "[key]":
            continue
        section, name, *place = problem["loc"]
        key = next(part for part in place if part in config[section][name])
        sections = problem["ctx"]["sections"].split(" and ")
        home = next(other for other in sections if problem["input"] in config[other])
        found.setdefault((section, name), []).append((key, (home, problem["input"])))
    return found


def _tasks(spec: Entry) -> list[str]:
    """The tasks of a table or figure."""
    return [panel["task"] for panel in spec["panels"]] if "panels" in spec else table_tasks(spec)


def _recipe_paths(entry: Entry, name: str, task: Entry, task_name: str) -> list[Keys]:
    """The values of a recipe that a task does not override."""
    specific = task.get("by_recipe", {}).get(name, {})
    general = {"training": task.get("training", {})} if entry["method"] in FINETUNED else {}
    overriding = {path for path, _ in leaves(merge(general, specific))}
    paths = [path for path, _ in leaves(entry) if path not in overriding]
    return [path for path in paths if path[0] != "skew" or path[1] == task_name]


def _task_paths(task: Entry, recipe: str, entry: Entry) -> list[Keys]:
    """The values of a task that apply to a recipe."""
    specific = task.get("by_recipe", {}).get(recipe, {})
    trained = "training" in entry and entry["method"] in FINETUNED
    found: list[Keys] = []
    for path, _ in leaves(task):
        if path[0] == "by_recipe":
            applies = path[1] == recipe and path[2] in entry
        elif path[0] == "training":
            applies = trained and path[1] not in specific.get("training", {})
        else:
            applies = True
        found += [path] if applies else []
    return found
