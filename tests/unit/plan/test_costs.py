"""What jobs cost: sizes by hand, requests beside the rehearsal's measurements, the text of an estimate."""

import re
from dataclasses import replace

import pytest
from small_run import ROOT, asked, default_run, paper_run

from xstitch.core.errors import InputError
from xstitch.plan.costs import core_speed
from xstitch.plan.costs.amounts import Amounts
from xstitch.plan.costs.architectures import Architecture, architecture_of
from xstitch.plan.costs.coefficients import Gpu, load_gpu, load_rules
from xstitch.plan.costs.estimate import Estimate, PlannedJob, Stage, estimate, one_line, table
from xstitch.plan.costs.needs import HEAVY, needs_of, usual_gpu
from xstitch.plan.costs.observed import Done, corrections, finished, last_look, quality
from xstitch.plan.costs.requests import gpus_of, limited, requests
from xstitch.plan.costs.stages import benchmark_patterns, rule_stages, wildcards_in
from xstitch.plan.costs.trainings import rounds, updates_of
from xstitch.plan.extends import merge
from xstitch.training.schedule import Schedule

FINETUNING = {"recipe": "xlmr-large-zero-shot", "task": "marc", "space": "en", "seed": "1"}
MAPPING = {"recipe": "rr-softmax", "src": "en", "tgt": "de"}


class Names(dict):
    """Wildcards as Snakemake passes them: a mapping whose keys are attributes, too."""

    __getattr__ = dict.__getitem__


@pytest.mark.parametrize(
    ("encoder", "parameters"),
    # transformers' AutoModel.from_config(...).num_parameters() for these shapes, pooler included.
    [
        ("bert-base-cased", 108_310_272),
        ("bert-base-multilingual-cased", 177_853_440),
        ("xlm-roberta-base", 278_043_648),
        ("xlm-roberta-large", 559_890_432),
    ],
)
def test_parameters_of_known_encoders(encoder, parameters):
    assert architecture_of(paper_run(), encoder).parameters == parameters


def test_the_size_of_a_small_transformer_by_hand():
    # Table 10 x 4, positions 3 x 4, types 2 x 4, norm 8: 68. Layer: attention 4 x (16 + 4) = 80, feed-forward
    # 4 x 8 + 8 + 8 x 4 + 4 = 76, norms 16: 172. Dense layer on top: 16 + 4 = 20.
    shape = Architecture(10, 4, 2, 2, 8, 3, 2)
    assert shape.layer_parameters == 172
    assert shape.parameters == 68 + 2 * 172 + 20
    # 5 tokens in texts of 3: per layer 2 x 172 operations and 4 x 3 x 4 of attention.
    assert shape.forward_gflop(5, 3) == pytest.approx(5 * 2 * (344 + 48) / 1e9)


@pytest.mark.parametrize(
    ("kind", "content", "rows"),
    [
        ("tsv", "1\ta\tone\n2\tb\ttwo\n3\ta\tthree", 3),
        ("wikiann", "en:Berlin\tB-LOC\nen:is\tO\n\n\nen:Paris\tB-LOC\n\n", 2),
        ("squad", '{"data": [{"paragraphs": [{"qas": [{"question": "a"}, {"question": "b"}]}]}]}', 2),
    ],
)
def test_rows_of_ones_own_files_are_counted(tmp_path, kind, content, rows):
    (tmp_path / "train").write_text(content, encoding="utf-8")
    files = {"de": {"train": str(tmp_path / "train"), "dev": str(tmp_path / "missing")}}
    published = replace(default_run(), config={"tasks": {"own": {"kind": kind, "files": files}}})
    assert Amounts(published).rows("own", "train", "de") == rows
    assert Amounts(published).rows("own", "test", "de") == 0
    # What is not there yet is taken to be as large as what was published.
    assert (
        Amounts(published).rows("own", "dev", "de") == {"tsv": 1000, "wikiann": 10000, "squad": 10570}[kind]
    )


def test_updates_of_a_fine_tuning():
    # 860 verses are 27 batches of 32; 7 updates an epoch of 4 batches each, the last of 3: 105 in 15 epochs.
    schedule = Schedule(1e-5, 32, epochs=15, accumulation=4, epoch_end="update")
    assert updates_of(schedule, 860) == 105
    marc = needs_of(paper_run(), "finetune_model", asked(**FINETUNING)).work
    assert marc.units == 4 * 200_000 / 8


def test_dense_operations_of_a_fine_tuning_by_hand():
    # 100,000 updates of 8 texts, forward and twice that backward, and 4 times 5,000 development texts; every
    # update of the 559,890,432 weights takes as long as 2,500 operations for each but two million.
    work = needs_of(paper_run(), "finetune_model", asked(**FINETUNING), longest=True).work
    layer = 4 * (1024**2 + 1024) + 2 * 1024 * 4096 + 4096 + 1024 + 4 * 1024
    per_token = 24 * (2 * layer + 4 * 512 * 1024)
    passes = (3 * 800_000 + 20_000) * 512 * per_token
    assert work.gflop == pytest.approx((passes + 100_000 * 557_890_432 * 2_500) / 1e9)


def test_a_frozen_table_does_not_learn():
    # Of 108,310,272 weights, 28,996 tokens x 768 stay as they are.
    names, learnt = asked(recipe="original", task="taxi1500", space="en", seed="1"), 86_041_344
    frozen, usual = (
        HEAVY["finetune_model"](
            Amounts(changed(recipes={"original": {"freeze_embeddings": freeze}}), longest=True), names
        )
        for freeze in (True, False)
    )
    table, megabyte = 28_996 * 768, 2**20 / 4
    assert usual.gflop - frozen.gflop == pytest.approx(usual.units * table * 2500 / 1e9)
    assert usual.device_mb - frozen.device_mb == pytest.approx(3 * table / megabyte)
    # A checkpoint has three numbers for each weight that learns; two are on the disk, with the best weights.
    assert frozen.copied_mb == pytest.approx(3 * learnt / megabyte)
    assert frozen.scratch_mb == pytest.approx(2 * 4 * learnt / megabyte)
    assert (frozen.units, frozen.output_mb, frozen.loaded_mb) == (
        usual.units,
        usual.output_mb,
        usual.loaded_mb,
    )


def test_memory_of_a_mapped_table():
    # 200,000 words x 768 and 28,996 tokens x 768 numbers of 4 bytes.
    work = HEAVY["map_embeddings"](Amounts(paper_run()), asked(**MAPPING))
    assert work.output_mb == pytest.approx((200_000 + 28_996) * 768 * 4 / 2**20)
    assert work.host_mb > work.output_mb


def test_self_training_reads_a_share_of_its_pool_in_every_round():
    # 100 examples, 10 a round: 10 rounds, the first reads all, nine read half.
    assert rounds({"share": 0.1, "reread": 0.5}, 100, 100) == pytest.approx(1 + 0.5 * 9)


def test_xlm_r_large_asks_for_more_than_8_gb_beside_its_gpu():
    assert requests(paper_run(), "finetune_model", Names(FINETUNING), gpus=1)["mem_mb"] > 8000


def changed(**sections):
    run = paper_run()
    config = merge(run.config, sections)
    return replace(run, config=config, recipes=config["recipes"])


@pytest.mark.parametrize(
    ("rule", "names", "sections", "resource"),
    [
        ("finetune_model", FINETUNING, {"recipes": {"xlmr-large-zero-shot": {"training": {"epochs": 40}}}},
         "runtime"),
        ("finetune_model", FINETUNING,
         {"recipes": {"xlmr-large-zero-shot": {"training": {"batch_size": 64}}}}, "mem_mb"),
        ("map_embeddings", MAPPING, {"vectors": {"wiki": {"limit": 900_000}}}, "mem_mb"),
        ("stitch_model", {**MAPPING, "task": "marc3", "seed": "1"}, {"vectors": {"wiki": {"limit": 900_000}}},
         "disk_mb"),
        ("align_encoder", {"encoder": "multi-wordot-large"},
         {"encoders": {"multi-wordot-large": {"languages": ["de"] * 28}}}, "mem_mb"),
        ("continue_encoder", {"encoder": "multi-x2s-dcca"},
         {"encoders": {"multi-x2s-dcca": {"languages": ["en"] * 80}}}, "disk_mb"),
        ("train_vectors", {"vectors": "fasttext", "lang": "de"},
         {"vectors": {"fasttext": {"dimensions": 900}}}, "mem_mb"),
        ("pretrain_encoder", {"encoder": "small"},
         {"encoders": {"small": {"vocabulary_size": 250_000, "width": 768}}}, "mem_mb"),
    ],
)  # fmt: skip
def test_a_larger_configuration_asks_for_more(rule, names, sections, resource):
    small = {"origin": "pretrain", "corpus": "cc100", "languages": ["en"], "vocabulary_size": 3000,
             "layers": 2, "width": 64, "heads": 4, "max_length": 128,
             "training": {"epochs": 1, "learning_rate": 1e-3}}  # fmt: skip
    before = changed(encoders={"small": small})
    after = replace(before, config=merge(before.config, sections))
    after = replace(after, recipes=after.config["recipes"])
    assert requests(after, rule, Names(names))[resource] > requests(before, rule, Names(names))[resource]


def test_several_gpus_share_the_dense_products():
    needs = needs_of(paper_run(), "finetune_model", asked(**FINETUNING), longest=True)
    gpu = Gpu("g", 1000.0, 80)
    outside = needs.gpu_seconds(gpu, 10**9)
    assert needs.gpu_seconds(gpu, 4) - outside == pytest.approx((needs.gpu_seconds(gpu) - outside) / 4)


@pytest.mark.parametrize(
    ("resources", "number"),
    [({"gpu": 1}, 1), ({"gpu": 4}, 4), ({}, 0), ({"gpu": 0, "gres": "gpu:2"}, 2), ({"gres": "gpu:a100:1"}, 1),
     ({"gpu": 0, "gres": "gpu"}, 1), ({"gpu": 0}, 0)],
)  # fmt: skip
def test_gpus_are_counted_by_either_name(resources, number):
    assert gpus_of(resources) == number


def test_a_sites_limit_caps_a_request():
    assert (limited(900, 480), limited(300, 480), limited(900, None)) == (480, 300, 900)


def test_portable_kernels_take_longer():
    usual = needs_of(default_run(), "finetune_model",
                     asked(recipe="original", task="taxi1500", space="qaa", seed="1"))  # fmt: skip
    assert usual.slower > 1
    assert replace(usual, slower=1.0).core_seconds < usual.core_seconds


def test_a_job_that_starts_as_a_fork_does_not_load_torch():
    names = asked(recipe="original", task="taxi1500", space="qaa", seed="1")
    cold, warm = (needs_of(default_run(), "finetune_model", names, warm=warm) for warm in (False, True))
    environment = cold.rule.environment
    saved = environment.start_seconds - environment.warm_seconds
    assert saved > 1 and cold.core_seconds - warm.core_seconds == pytest.approx(saved)
    plain = [needs_of(default_run(), "make_table", asked(), warm=warm).core_seconds for warm in (False, True)]
    assert plain[0] == plain[1]


def test_without_gradients_a_batch_has_one_layer_in_memory():
    # 3 tokens of width 4: ten values of the width each, 4 bytes a value.
    shape = Architecture(10, 4, 2, 2, 8, 3, 2)
    assert shape.reading_mb(3) == pytest.approx(3 * 10 * 4 * 4 / 2**20)
    # With gradients, 19 of the width and 3 x 2 heads x 5 tokens in each of 2 layers; adapters keep 8 more.
    assert shape.activations_mb(3, 5) == pytest.approx(3 * 2 * (19 * 4 + 3 * 2 * 5) * 4 / 2**20)
    assert shape.activations_mb(3, 5, adapters=1) == pytest.approx(3 * 2 * (27 * 4 + 30) * 4 / 2**20)


def test_choosing_between_vectors_takes_neighbours_of_all_words_in_five_folds():
    # 200,000 words of 768 dimensions: twice in five folds; and six maps, of four products each.
    work = HEAVY["align_vectors"](Amounts(paper_run()), asked(alignment="x2s-ma", src="en", tgt="de"))
    words, width = 200_000, 768
    assert work.gflop == pytest.approx((10 * 2 * words**2 * width + 6 * 8 * words * width**2) / 1e9)


def test_tuning_on_pairs_by_hand():
    # 200 labels make 8,000 pairs, cut to 2,000: 125 updates of 16 pairs in 8 languages and 3 draws; 10 make
    # 400. All 860 training and 111 test verses are read once for each language and draw.
    works = [
        HEAVY["evaluate_contrastive_heads"](
            Amounts(paper_run(), longest=True),
            asked(recipe=f"contrastive-labels-{number}", task="taxi1500", src="en"),
        )
        for number in (10, 200)
    ]
    assert [work.units for work in works] == [25 * 8 * 3, 125 * 8 * 3]
    layer = 4 * (768**2 + 768) + 2 * 768 * 3072 + 3072 + 768 + 4 * 768
    per_text = 100 * 12 * (2 * layer + 4 * 100 * 768)
    weights = 108_310_272 + (200_000 - 28_996) * 768
    passes = 24 * (3 * 2 * 2000 + 860 + 111) * per_text
    assert works[1].gflop == pytest.approx((passes + 125 * 24 * 2500 * (weights - 2e6)) / 1e9, rel=1e-3)
    # Two checkpoints at a time, each with weights and Adam's two moments; the body itself is not written.
    assert (works[1].output_mb, works[1].scratch_mb) == (0, pytest.approx(2 * 3 * weights * 4 / 2**20))
    assert works[1].copied_mb == pytest.approx(3 * weights * 4 / 2**20)


def test_every_rule_has_coefficients_and_gpu_rules_say_so():
    found = {}
    for file in [ROOT / "Snakefile", *(ROOT / "workflow/rules").glob("*.smk")]:
        text = file.read_text(encoding="utf-8")
        for rule, body in re.findall(r"^rule (\w+):\n(.*?)(?=^rule |\Z)", text, re.M | re.S):
            found[rule] = ("gpu=1" in body, 'requested("mem_mb")' in body)
    assert {rule: known.gpu for rule, known in load_rules().items()} == {
        rule: gpu for rule, (gpu, _) in found.items()
    }
    assert {rule for rule, (_, heavy) in found.items() if heavy} == set(HEAVY)
    assert set(rule_stages(ROOT)) == set(found)


def test_an_unknown_gpu_is_refused():
    with pytest.raises(InputError, match=r"gpus\.tsv"):
        load_gpu("abacus")


def test_the_job_of_a_benchmark_is_found():
    pattern = benchmark_patterns(ROOT)["adapt_model"]
    found = wildcards_in(pattern, "benchmarks/adapt_model/rr-softmax-iwda/marc/en-de/seed12.tsv")
    assert vars(found) == {
        "chain": "",
        "recipe": "rr-softmax-iwda",
        "task": "marc",
        "src": "en",
        "tgt": "de",
        "seed": "12",
    }
    assert wildcards_in(pattern, "benchmarks/adapt_model/other.tsv") is None
    other = wildcards_in(pattern, "chains/2/benchmarks/adapt_model/r/marc/en-de/seed1.tsv")
    assert (other.chain, other.recipe) == ("chains/2/", "r")


def test_finished_jobs_correct_the_estimate(tmp_path):
    folder = tmp_path / "benchmarks/finetune_model/original/taxi1500/qaa"
    folder.mkdir(parents=True)
    needs = needs_of(default_run(), "finetune_model",
                     asked(recipe="original", task="taxi1500", space="qaa", seed="1"))  # fmt: skip
    (folder / "seed1.tsv").write_text(f"s\th:m:s\n{needs.core_seconds * 1.5}\t-\n")
    (folder / "seed2.tsv").write_text("s\th:m:s\n")
    pattern = benchmark_patterns(ROOT)["finetune_model"]
    assert wildcards_in(pattern, "benchmarks/finetune_model/original/taxi1500/qaa/seed1.tsv")
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(tmp_path)
        (job,) = finished(default_run(), ROOT, Gpu("g", 1e12, 80))
    assert job.ratio == pytest.approx(1.5)
    # On a busy machine the clock says more than the job computed.
    # Snakemake last looked at its cores after 885.5 of its 905.5 seconds.
    seen = needs.core_seconds * 2 * 885.5 / 905.5
    (folder / "seed1.tsv").write_text(f"s\th:m:s\tcpu_time\n905.5\t-\t{seen}\n")
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(tmp_path)
        assert [done.ratio for done in finished(default_run(), ROOT, Gpu("g", 1e12, 80))] == [
            pytest.approx(2)
        ]
    assert corrections([job, Done("a", 1, 2), Done("a", 1, 4)]) == {
        "finetune_model": pytest.approx(1.5),
        "a": 3,
    }


@pytest.mark.parametrize(
    ("clock", "seen"), [(0.3, 0.15), (10.25, 10.0), (15.6, 15.5), (39.0, 15.5), (45.4, 15.5), (76.0, 75.5)]
)
def test_the_cores_of_a_job_are_seen_last_some_time_before_its_end(clock, seen):
    assert last_look(clock) == pytest.approx(seen)


def test_a_slower_core_takes_longer_for_everything_and_a_gpu_does_not():
    names = asked(recipe="original", task="taxi1500", space="qaa", seed="1")
    usual, slow = (needs_of(default_run(), "finetune_model", names, pace=pace) for pace in (1.0, 1.5))
    assert slow.core_seconds == pytest.approx(1.5 * usual.core_seconds)
    assert slow.gpu_seconds(usual_gpu()) == usual.gpu_seconds(usual_gpu())


def test_a_core_is_compared_with_the_measured_one(monkeypatch):
    clock = iter([0.0, 0.4, 1.0, 1.2, 2.0, 2.4, 3.0, 3.4, 4.0, 4.4])
    monkeypatch.setattr(core_speed.time, "process_time", lambda: next(clock))
    # 2 x 4,096 x 3,072 x 768 operations in the best round's 0.2 seconds
    assert core_speed.pace_here() == pytest.approx(130 / 96.636764)


def test_the_quality_of_estimates_in_words():
    done = [Done("a", 3600, 3600), Done("a", 3600, 7200)]
    assert quality(done) == "2 finished jobs took 3.00 h, estimated 2.00 h (-33%); 1 of them within 30%"
    assert quality([]) == "no finished jobs to compare with"


def test_the_text_of_an_estimate():
    stages = {
        "world": Stage(1, 0.5, 0.0, 100, 0.0, 10),
        "finetune": Stage(22, 12, 1.5, 2000, 4000, 1000),
    }
    result = Estimate("a100", stages, 3 * 10**9, 1, 4, ["marc: ask its owner"], "none done")
    assert table(result) == (
        "stage     jobs  core h  a100 h    memory  a100 memory     disk\n"
        "world        1   0.500       -  104.9 MB            -  10.5 MB\n"
        "finetune    22    12.0     1.5    2.1 GB       4.2 GB   1.0 GB\n"
        "all         23    12.5     1.5    2.1 GB       4.2 GB   1.1 GB\n"
        "\n"
        "to download: 4 files, 3.0 GB, 1 of unknown size\n"
        "so far: none done\n"
        "to bring by hand:\n"
        "  marc: ask its owner"
    )
    assert one_line(result) == (
        "estimate: 23 jobs, 12.5 h on a core; what wants a GPU takes 1.5 h on one a100; memory 2.1 GB, "
        "disk 1.1 GB (`make estimate` says more)"
    )


def test_jobs_are_summed_by_stage():
    names = {"recipe": "original", "task": "taxi1500", "space": "qaa"}
    jobs = [PlannedJob("finetune_model", {**names, "seed": seed}) for seed in ("1", "2")]
    one = needs_of(default_run(), "finetune_model", jobs[0].names)
    gpu, stages = Gpu("g", 1e12, 80), {"finetune_model": "finetune"}
    total = estimate(default_run(), jobs, stages, gpu, {"finetune_model": 2.0}).total
    assert total.jobs == 2
    assert total.core_hours == pytest.approx(2 * (2 * one.core_seconds + 0.4) / 3600)
    assert total.disk_mb == pytest.approx(2 * one.work.output_mb)
