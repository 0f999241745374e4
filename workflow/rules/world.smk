"""The mini world: generated data with the file names and formats of the real data, laid out as a mirror.

INPUTS   none
OUTPUTS  mirror = results/world/<host>/<path>, lock = results/world/lock.tsv
"""


rule generate_world:
    """Generate the mini world as a mirror of upstream files."""
    output:
        files=[f"results/world/{file}" for file in RUN.world_files],
        lock="results/world/lock.tsv",
    log:
        "logs/generate_world.log",
    benchmark:
        "benchmarks/generate_world.tsv"
    conda:
        "../../envs/static.yaml"
    resources:
        mem_mb=1000,
        runtime=10,
    params:
        library=library("generate_world.py"),
        world=config.get("world", {}),  # only scale mini has one
    script:
        "../scripts/generate_world.py"
