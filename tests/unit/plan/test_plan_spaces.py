"""Inputs of alignments, anchors, mappings and relative heads."""

from dataclasses import replace

import pytest
from small_run import ROOT, asked, paper_run, small_run, with_recipe

from xstitch.core.errors import InputError
from xstitch.plan.cases import relative_head_cases
from xstitch.plan.curves import _amount
from xstitch.plan.extends import merge
from xstitch.plan.overlays import lay
from xstitch.plan.run import load_run
from xstitch.plan.source_inputs import vectors_input
from xstitch.plan.space_inputs import (
    ANY_ID,
    alignment_input,
    alignment_settings,
    anchors_input,
    compared_words,
    counted_anchors,
    is_exchanged,
    judged_lexica,
    judged_seeds,
    judged_targets,
    mapping_input,
    relative_head_files,
    relative_heads_input,
    retrieval_input,
    retrieval_names,
    retrieval_seeds,
    search_settings,
    searched_texts,
    seeded_input,
    similarity_input,
    similarity_languages,
    translation_input,
)

RUN = small_run()
SPACES = {"source": "results/vectors/ft/en.npz", "target": "results/vectors/ft/de.npz"}


@pytest.mark.parametrize(
    ("alignment", "more"),
    [
        ("vecmap", {}),
        ("taught", {"dictionary": "results/lexica/muse/en-de.parquet"}),
        (
            "again",
            {
                "dictionary": "results/aligned/vecmap/en-de.dictionary.parquet",
                "validation": "results/lexica/muse/en-de.parquet",
            },
        ),
    ],
)
def test_dictionaries_come_from_lexica_or_other_alignments(alignment, more):
    assert alignment_input(RUN, asked(alignment=alignment, src="en", tgt="de")) == {**SPACES, **more}


def test_translation_is_measured_both_ways():
    files = translation_input(RUN, asked(alignment="vecmap", src="en"))
    assert files == {
        "source": "results/vectors/ft/en.npz",
        "targets": ["results/vectors/ft/de.npz", "results/vectors/ft/sw.npz"],
        "aligned": ["results/aligned/vecmap/en-de.npz", "results/aligned/vecmap/en-sw.npz"],
        "forth": [f"resources/muse/v1/en-{tgt}.5000-6500.txt" for tgt in ("de", "sw")],
        "back": [f"resources/muse/v1/{tgt}-en.5000-6500.txt" for tgt in ("de", "sw")],
    }


def test_released_vectors_are_measured_in_the_languages_they_have():
    run = paper_run()
    files = translation_input(run, asked(alignment="muse-released", src="en"))
    assert len(files["targets"]) == len(files["forth"]) == 17
    assert files["targets"][0] == "results/vectors/muse-released/ar.npz"
    job = asked(alignment="muse-released", src="en")
    assert similarity_languages(run, job)[1:4] == [["de", "de"], ["es", "es"], ["it", "it"]]  # and no fa
    assert alignment_settings(run, job) == {"vectors": "muse-released", "method": "none"}
    address = vectors_input(run, asked(vectors="muse-released", lang="de"))
    assert address == "resources/muse-vectors/2017/wiki.multi.de.vec"
    address = vectors_input(run, asked(vectors="rcsls-released", lang="zh"))
    assert address == "resources/fasttext-aligned/2018/wiki.zh.align.vec"


def test_similarity_is_measured_within_languages_and_between_every_two():
    job = asked(alignment="vecmap", src="en")
    within, across = ["en en", "de de", "sw sw"], ["en de", "en sw", "de sw"]
    assert similarity_languages(RUN, job) == [two.split() for two in within + across]
    files, folder = similarity_input(RUN, job), "resources/unpacked/semeval2017/v1/SemEval17-Task2/test"
    assert files["pairs"][1] == f"{folder}/subtask1-monolingual/data/de.test.data.txt"
    assert files["gold"][5] == f"{folder}/subtask2-crosslingual/keys/de-sw.test.gold.txt"


def test_anchors_and_mappings():
    job = asked(anchors="full", encoder="mono", recipe="rr", src="en", tgt="de")
    assert anchors_input(RUN, job) == {
        "lexicon": "results/lexica/muse/en-de.parquet",
        "source": "results/encoders/mono.input.npz",
        "encoder": "results/encoders/mono",
        "target": "results/vectors/ft/de.npz",
    }
    assert mapping_input(RUN, job) == {
        "source": "results/encoders/mono.input.npz",
        "encoder": "results/encoders/mono",
        "target": "results/vectors/wiki/de.npz",
        "anchors": "results/anchors/own/mono/en-de.parquet",
    }
    assert counted_anchors(RUN, job) == ["results/anchors/own/mono/en-de.parquet"]


def test_found_pairs_are_judged_by_another_lexicon():
    search = {"kind": "gromov", "anchors": 9, "seeds": 3}
    grown = {
        "lexica": {"grown": {"search": search}},
        "anchors": {"found": {"vectors": "ft", "lexicon": "grown"}},
    }
    task = {"tasks": {"judged": {"kind": "pairs", "lexicon": "muse", "targets": ["de"]}}}
    run = with_recipe(RUN, "found", method="stitch", anchors="found")
    run = replace(run, config=merge(merge(run.config, grown), task))
    job = asked(recipe="found", task="judged", src="en")
    assert judged_targets(run, job) == ["de"]
    assert judged_lexica(run, job) == {
        "found": ["results/lexica/grown/en-de.parquet"],
        "judges": ["results/lexica/muse/en-de.parquet"],
    }
    assert judged_seeds(run, job) == 3
    curve = {"axis": "known"}
    assert _amount(run, curve, "found", "de") == {"file": "", "most": 3}
    with pytest.raises(
        InputError, match=r"anchors.own: rr takes its anchors from a lexicon that is not searched"
    ):
        judged_lexica(run, asked(recipe="rr", task="judged", src="en"))


def test_spaces_in_which_anchors_are_searched_for():
    spaces = {"source": ["results/vectors/ft/en.npz"], "target": ["results/encoded/vit/batches.npz"]}
    assert seeded_input(RUN, asked(recipe="searched", task="words", pair="FT-PX")) == spaces
    texts = seeded_input(RUN, asked(recipe="heads", task="reviews", pair="de-en"))
    splits = ("train", "dev", "test")
    assert texts == {
        "source": [f"results/encoded/multi/verses/de/{split}.npz" for split in splits],
        "target": [f"results/encoded/mono/verses/en/{split}.npz" for split in splits],
    }
    files = [f"results/bootstrapped/searched/words/FT-PX/seed{seed}.npz" for seed in (1, 2)]
    assert retrieval_input(RUN, asked(recipe="searched", task="words")) == {**spaces, "found_anchors": files}
    assert retrieval_input(RUN, asked(recipe="known", task="words")) == {**spaces, "found_anchors": []}


def test_anchors_may_be_searched_for_among_the_tasks_own_texts():
    job = asked(recipe="heads", task="reviews", pair="de-en")
    run = with_recipe(RUN, "heads", searched_texts=40)
    assert (searched_texts(run, job), searched_texts(RUN, job)) == (40, 0)
    assert seeded_input(run, job) == {
        **seeded_input(RUN, job),
        "source_texts": "results/encoded/multi/reviews/de/train.npz",
        "target_texts": "results/encoded/mono/reviews/en/train.npz",
    }
    assert searched_texts(RUN, asked(recipe="searched", task="words")) == 0


def test_nearest_words_come_from_the_file_of_the_recipe_that_searches():
    run = with_recipe(RUN, "nearest", method="relative", search={"kind": "words", "of": "searched"})
    jobs = (asked(recipe=recipe, task="words") for recipe in ("nearest", "searched"))
    words, vectors = (retrieval_input(run, job) for job in jobs)
    assert words == vectors


def test_settings_of_searches():
    assert retrieval_names(RUN, asked(task="words")) == ["FT", "PX"]
    assert compared_words(RUN, asked(task="words")) == {"size": 9}
    assert compared_words(RUN, asked(task="reviews")) == ANY_ID
    assert search_settings(RUN, asked(task="settings")) == {"First": {"kind": "optimise", "runs": 2}}


def test_a_recipe_may_have_seeds_of_its_own():
    run = with_recipe(RUN, "searched", seeds=[0, 3, 7])
    job = asked(recipe="searched", task="words")
    assert (retrieval_seeds(run, job), retrieval_seeds(RUN, job)) == ([0, 3, 7], [1, 2])
    files = retrieval_input(run, job)["found_anchors"]
    assert [file.rpartition("/")[2] for file in files] == ["seed0.npz", "seed3.npz", "seed7.npz"]
    assert search_settings(run, asked(task="settings"))["First"]["runs"] == 3
    heads = with_recipe(RUN, "heads", seeds=[5])
    cases = relative_head_cases(heads, asked(recipe="heads", task="reviews"))
    assert cases == [["de", 5, "results/bootstrapped/heads/reviews/de-en/seed5.npz"]]


def test_at_paper_scale_bootstrap_has_the_seeds_of_its_table_3():
    paper = load_run(lay(ROOT / "config/config.yaml", [], {"scale": "paper"}, ROOT / "config"), ROOT)
    relative = [name for name, recipe in paper.recipes.items() if recipe["method"].startswith("relative")]
    assert {"anchors-gt", "anchors-ao", "heads-ao", "absolute"} <= set(relative)
    assert {tuple(paper.seeds_of(name)) for name in relative} == {(0, 1, 2, 3, 4)}
    assert paper.seeds_of("rr-softmax") == [1, 2, 3, 4, 5]


def test_exchanged_spaces_swap_names_but_not_files():
    run, job = small_run(tasks={"words": {"exchanged": True}}), asked(recipe="searched", task="words")
    assert (is_exchanged(run, job), is_exchanged(RUN, job)) == (True, False)
    assert is_exchanged(RUN, asked(task="reviews")) is False
    assert retrieval_names(run, job) == ["PX", "FT"]
    assert seeded_input(run, job) == seeded_input(RUN, job)
    files = retrieval_input(run, job)["found_anchors"]
    assert files[0] == "results/bootstrapped/searched/words/PX-FT/seed1.npz"


def test_files_of_heads():
    job = asked(recipe="heads", task="reviews")
    files = relative_head_files(RUN, job)
    assert list(files) == ["en", "de"]
    assert files["de"]["splits"] == {
        split: [f"results/encoded/multi/reviews/de/{split}.npz", f"results/tasks/reviews/de/{split}.parquet"]
        for split in ("train", "test")
    }
    inputs = relative_heads_input(RUN, job)
    assert inputs["found_anchors"] == [
        f"results/bootstrapped/heads/reviews/de-en/seed{seed}.npz" for seed in (1, 2)
    ]
    assert (len(inputs["parallel"]), len(inputs["splits"])) == (2 * 3, 2 * 2 * 2)


def test_heads_of_a_language_without_an_encoder_are_refused():
    run = with_recipe(RUN, "heads", targets=["sw"])
    with pytest.raises(InputError, match=r"^config: recipes\.heads\.encoders names none for sw"):
        relative_head_files(run, asked(recipe="heads", task="reviews"))
