"""xstitch: language technology for languages that have no large model, five papers in one workflow.

Addresses, in the order the data flows:
    results/world/<host>/<path>                               the mini world, laid out as a mirror
    resources/{dataset}/{version}/{file}                      downloads; also resources/unpacked, resources/given
    results/corpora/{corpus}/{lang}.parquet                   tokenised sentences
    results/lexica/{lexicon}/{src}-{tgt}.parquet              word pairs with scores
    results/vectors/{vectors}/{lang}.npz                      static vectors
    results/parallel/{parallel}/{lang}.parquet                sentences and their translations in the source
    results/links/{encoder}/{lang}.npz                        links between words of these, for the L2 baseline
    results/encoders/{encoder}/                               transformers folders; {encoder}.input.npz: input tables
    results/adapters/{adapters}/{lang}/                       language adapters, trained in a frozen encoder
    results/aligned/{alignment}/{src}-{tgt}.npz               two spaces mapped into one, with .dictionary.parquet
    results/anchors/{anchors}/{encoder}/{src}-{tgt}.parquet   parallel anchors
    results/mapped/{recipe}/{src}-{tgt}.npz                   both sides in the source model's space
    results/tasks/{task}/{lang}/{split}.parquet               labelled texts, questions, tagged sentences ...
    results/models/{recipe}/{task}/{space}/seed{seed}/        fine-tuned models; space: {src}, or {src}-{tgt} if mapped
    results/stitched/{recipe}/{task}/{src}-{tgt}/seed{seed}/  the target language's model
    results/translated/{recipe}/{task}/{src}-{tgt}/{split}.parquet  texts translated word by word
    results/swapped/{recipe}/{task}/{src}-{tgt}/seed{seed}/   with the target language's adapter
    results/adapted/{recipe}/{task}/{src}-{tgt}/seed{seed}/   adapted to unlabelled texts; steps in results/steps
    results/scores/{recipe}/{task}/{src}.tsv                  all targets and seeds, long format
    results/encoded/{encoder}/{task}/{lang}/{split}.npz       texts as vectors; images as .../{encoder}/{images}.npz
    results/features/{recipe}/{task}/{src}-{tgt}.npz          what heads for a few labels are fitted to
    results/bootstrapped/{recipe}/{task}/{pair}/seed{seed}.npz  anchors found from a few seeds
    results/predictions/{recipe}/{task}/{src}.parquet         predictions behind comparisons with intervals
    results/shifts/{recipe}/{task}/{src}.tsv                  feature and prior shift; also results/improvements
    results/reports/{recipe}/{task}/{src}-{tgt}.html          coverage, scores, mistakes and models of one language
    results/exported/{recipe}/{task}/{src}-{tgt}/seed{seed}/  a model to give away, with its card
    results/unlabelled/{task}/{lang}.parquet                  texts of a language without labels
    results/recommended/{task}/{src}-{tgt}.tsv                the recipe chosen without labels, of which, and why
    results/scores/recommended/{task}/{src}.tsv               what the chosen ones score, as one more recipe
    results/reports/best/{task}/{src}-{tgt}.html              the report on it; its model: results/exported/best/...
    results/gradients/{recipe}/{task}/{src}/seed{seed}.parquet  gradients of losses over a fine-tuning, beside the task's
    results/figures/{paper}/figure{number}.svg (+ .tsv)       with the numbers behind them
    results/figures/gradients/{recipe}/{task}/{src}.svg (+ .tsv)  cosines of these gradients
    results/figures/{paper}/{curve}.svg (+ .tsv)              scores against pairs, text or labels; also .crossings.tsv
    results/tables/{paper}/{table}.tsv (+ .compare.tsv)       the lead paper's also as results/tables/table{n}.tsv
    results/claims.tsv, results/claims/{paper}.tsv            what the papers say, and whether it is so
    results/provenance.json                                   code, settings, packages and data behind every table

Up to the scores, the same addresses below chains/2/ are those of the second chain, and so on: {chain} is empty for the
first (docs/chains.md).
"""

from snakemake.utils import min_version

min_version("9.27")


configfile: "config/config.yaml"


report: "workflow/report/workflow.rst"


include: "workflow/rules/common.smk"
include: "workflow/rules/world.smk"
include: "workflow/rules/download.smk"
include: "workflow/rules/corpora.smk"
include: "workflow/rules/lexica.smk"
include: "workflow/rules/vectors.smk"
include: "workflow/rules/parallel.smk"
include: "workflow/rules/encoders.smk"
include: "workflow/rules/align.smk"
include: "workflow/rules/anchors.smk"
include: "workflow/rules/tasks.smk"
include: "workflow/rules/stitch.smk"
include: "workflow/rules/finetune.smk"
include: "workflow/rules/adapters.smk"
include: "workflow/rules/adapt.smk"
include: "workflow/rules/evaluate.smk"
include: "workflow/rules/bootstrap.smk"
include: "workflow/rules/tables.smk"
include: "workflow/rules/figures.smk"
include: "workflow/rules/claims.smk"
include: "workflow/rules/reports.smk"
include: "workflow/rules/export.smk"
include: "workflow/rules/recommend.smk"


onstart:  # only once: a second section would replace this one
    announce_downloads()
    announce_weaknesses()
    announce_costs()
    schedule_on_events()
    begin_display()
    start_jobs_warm()


onsuccess:
    record_provenance()
    end_display(True)


onerror:
    end_display(False)


rule all:
    """Table 2 of the lead paper, and the list of all tables: what `snakemake` makes without a target."""
    default_target: True
    input:
        "results/tables/table2.tsv",
        "results/tables/index.tsv",
        f"results/claims/{papers.lead_paper(RUN)}/table2.tsv",


rule tables:
    """Every table that this configuration has recipes and data for."""
    input:
        checked(tables.possible_tables, RUN),
        "results/tables/index.tsv",


rule claims:
    """Every table and figure that a claim of a paper is about, and the verdicts on all claims."""
    input:
        "results/claims.tsv",


grow_requests()
