"""The mini world: generated data with the file names and formats of the real data, laid out as a mirror.

Every chain has a world of its own, in its own folder.

INPUTS   none
OUTPUTS  mirror = results/world/<host>/<path>, lock = results/world/lock.tsv
"""


rule generate_world:
    """Generate the mini world as a mirror of upstream files."""
    output:
        files=[f"{{chain}}results/world/{file}" for file in RUN.world_files],
        lock="{chain}results/world/lock.tsv",
    log:
        "{chain}logs/generate_world.log",
    benchmark:
        "{chain}benchmarks/generate_world.tsv"
    conda:
        "../../envs/static.yaml"
    resources:
        mem_mb=1000,
        runtime=10,
    params:
        library=library("generate_world.py"),
        world=planned(chains.drawn_world),
    script:
        "../scripts/generate_world.py"
