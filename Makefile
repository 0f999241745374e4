# The two commands that matter are `make demo` and `make test`. Both set up what they need.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
STAMP := $(VENV)/.installed
REQUIREMENTS := requirements/base.txt requirements/dev.txt requirements/constraints.txt
TABLE := results/tables/table2.tsv
CLAIMS := results/claims/mosecrot/table2.tsv
REPORT := results/report.html
TARGET ?= $(TABLE)
# Files side by side, one to a core.
PYTEST := $(BIN)/python -m pytest -n auto --dist loadfile --no-loadscope-reorder

# Once installed, nothing needs the network; this stops the hub's client from trying.
export HF_HUB_OFFLINE := 1
export PYTHONNOUSERSITE := 1
# Jobs and tests start hundreds of Pythons; each would compile the library and the tests again.
unexport PYTHONDONTWRITEBYTECODE

.PHONY: help env demo run estimate fetch docs site chains choices claims schema ledger test lint unit bench mutants rehearse slurm-test fault-test clean

help: ## what the targets do
	@grep -E '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 12

env: $(STAMP) ## set up a virtual environment with everything pinned

$(STAMP): $(REQUIREMENTS)
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' \
	  || { echo "xstitch needs Python 3.11 or newer: make PYTHON=/path/to/python3.11 $(MAKECMDGOALS)"; exit 1; }
	@test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check \
	  -r requirements/base.txt -r requirements/dev.txt -c requirements/constraints.txt
	@# The command xstitch. Not by pip: jobs look for the library beside their scripts last, behind installed packages.
	@printf '#!/bin/sh\nexec "%s" "%s" "$$@"\n' "$(CURDIR)/$(BIN)/python" "$(CURDIR)/workflow/scripts/xstitch" > $(BIN)/xstitch
	@chmod +x $(BIN)/xstitch
	@touch $@

demo: env ## Table 2 and the report on the embedded mini world, in about four minutes
	$(BIN)/snakemake
	$(BIN)/snakemake --report $(REPORT) --quiet all
	@echo "claims of the paper about this table, in the mini world:"
	@$(BIN)/python workflow/scripts/show_claims.py $(CLAIMS)
	@$(BIN)/python workflow/scripts/show_table.py $(TABLE) $(TABLE:.tsv=.compare.tsv) $(REPORT)

# An empty CONFIG is a slip; without CONFIG the default configuration is used.
run: env ## make TARGET with the files of CONFIG, checked first: make run TARGET=... CONFIG="a.yaml b.yaml" ARGS="--config scale=paper"
	@$(BIN)/python workflow/scripts/run.py $(TARGET) \
	  $(if $(filter undefined,$(origin CONFIG)),,--configfile $(CONFIG)) -- $(ARGS)

estimate: env ## what TARGET costs, before anything runs: make estimate TARGET=... CONFIG=... GPU=a100 JSON=cost.json ARGS="--config scale=paper"
	@GPU=$(GPU) JSON=$(JSON) $(BIN)/python workflow/scripts/estimate.py $(TARGET) \
	  $(if $(filter undefined,$(origin CONFIG)),,--configfile $(CONFIG)) -- $(ARGS)

fetch: env ## download what TARGET needs and do nothing else, e.g. make fetch CONFIG=config/paper.yaml
	$(BIN)/snakemake $(TARGET) --until download_dataset download_given download_encoder \
	  $(if $(CONFIG),--configfile $(CONFIG))

chains: env ## Table 2 with six chains; do runs of three stay within each other's intervals? To docs/chains.md
	$(BIN)/snakemake $(TABLE) --config chains=6
	$(BIN)/python docs/chains.py

choices: env ## choices once made by test verses, on development verses of worlds that no table has, to docs/world.md
	$(BIN)/python docs/choices.py

docs: demo ## refresh what documents and tests quote from the mini world, after changing it on purpose
	$(BIN)/python docs/refresh.py

site: env ## the site of docs/, to results/site/index.html, with every warning an error
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps -r requirements/docs.txt
	$(BIN)/python -m sphinx --fail-on-warning --keep-going --fresh-env --quiet -b html docs results/site
	@echo "site: results/site/index.html"

schema: env ## write workflow/schemas/config.schema.yaml from the models of the configuration
	PYTHONPATH=workflow/scripts $(BIN)/python -m xstitch.plan.schema.file

ledger: env ## write the scopes of config/reference/*.settings.tsv and say which settings have no row or another value
	PYTHONPATH=workflow/scripts $(BIN)/python -m xstitch.plan.ledger

claims: env ## write docs/claims.md: what the papers say, and what their published numbers say to it
	PYTHONPATH=workflow/scripts $(BIN)/python -m xstitch.plan.claims_document

lint: env ## ruff, snakefmt, snakemake --lint
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/snakefmt --check Snakefile workflow/rules
	$(BIN)/snakemake --lint

unit: env ## unit tests only, on all cores
	$(PYTEST) tests/unit

test: lint ## lint and all tests, on all cores
	$(PYTEST)

bench: env ## measure speed beside other libraries, to results/bench.tsv and docs/benchmarks.md: make bench NAMES="finetuning dcca" THREADS=1
	$(if $(NAMES),,mkdir -p results && $(BIN)/python tests/bench/growth.py > results/growth.md)
	THREADS=$(or $(THREADS),1) $(BIN)/python tests/bench/run.py results/bench.tsv docs/benchmarks.md $(NAMES)

mutants: env ## change the methods in small ways and see whether their tests notice, to docs/mutants.md
	OMP_NUM_THREADS=1 $(BIN)/python tests/mutants/run.py docs/mutants.md $(MODULES)

rehearse: env ## run the largest jobs of scale paper, or TARGETS of them, on generated data, to docs/rehearsal.md; ARGS="--cores 1"
	PYTHONPATH=workflow/scripts $(BIN)/python tests/rehearsal/rehearse.py results/rehearsal results/rehearsal.tsv \
	  docs/rehearsal.md $(TARGETS) $(ARGS)

slurm-test: env ## run the cluster command on a real SLURM cluster on this machine (root; Debian's slurm packages)
	@if $(BIN)/python tests/slurm/cluster.py; then $(BIN)/python -m pytest tests/slurm/check_cluster.py; fi

fault-test: env ## kill, fill and lock things while the workflow runs, report to results/faults.tsv
	$(BIN)/python tests/faults/run.py results/faults.tsv

clean: ## remove what runs produced, hub models included; keep the environment and data sets
	rm -rf results chains logs benchmarks .snakemake/library .snakemake/log .snakemake/metadata .snakemake/incomplete .snakemake/scripts
