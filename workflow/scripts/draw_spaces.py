"""Draw two spaces as they are and relative to the anchors of several recipes."""

import csv

from xstitch.core.files import whole_file
from xstitch.core.job import job
from xstitch.results.space_figure import Spaces, draw_figure, figure_points
from xstitch.spaces.anchors.search import parallel_anchors
from xstitch.spaces.anchors.words import load_shared
from xstitch.spaces.settings.search import WordRules

with job(snakemake):
    params = snakemake.params
    rules = WordRules(**params.words)
    words, source, target = load_shared(snakemake.input.source, snakemake.input.target, rules)
    anchors = {}
    for row in params.rows:
        drawn = row["search"], row["seed"], row["anchors_file"]
        pair = parallel_anchors(source, target, words, *drawn, exchanged=params.exchanged)
        anchors[row["row"]] = (pair.source, pair.target)
    in_order = (target, source) if params.exchanged else (source, target)
    sides = (side.matrix[[side.index[word] for word in words]] for side in in_order)
    points = figure_points(Spaces(tuple(params.names), words, *sides), anchors, params.clusters, params.size)
    with whole_file(snakemake.output.points) as partial, partial.open("w", encoding="utf-8") as stream:
        writer = csv.DictWriter(stream, points.column_names, delimiter="\t", lineterminator="\n")
        writer.writeheader()
        writer.writerows({**r, "x": f"{r['x']:.6f}", "y": f"{r['y']:.6f}"} for r in points.to_pylist())
    draw_figure(points, snakemake.output.figure)
