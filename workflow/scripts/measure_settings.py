"""Write the hyper-parameters of anchor optimisation as scores, for the table that lists them."""

from xstitch.core.job import job
from xstitch.results.scores import Score, write_scores

with job(snakemake):
    params, wildcards = snakemake.params, snakemake.wildcards
    scores = []
    for column, settings in params.settings.items():
        values = {
            "runs": settings["runs"],
            "anchors": settings["anchors"],
            "seeds": settings["seeds"],
            "steps": settings["steps"],
            "learning_rate": settings["learning_rate"],
            "adam": 1,  # xstitch.spaces.anchors.optimise has no other optimiser and no other loss
            "mse": 1,
            **{key: settings["sinkhorn"][key] for key in ("eps", "stop", "iterations")},
        }
        columns = (wildcards.recipe, wildcards.task, wildcards.src, column, "all")
        for metric, value in values.items():
            scores.append(Score(*columns, metric, 0, float(value), 1, params.scale))
    write_scores(scores, snakemake.output.scores, snakemake.params.chain)
