"""The command `xstitch`: what a person does before and after a run. Snakemake runs everything else."""
