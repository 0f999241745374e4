"""Change the methods' modules in small ways and see whether their tests notice: run.py REPORT [MODULE...].

Verdicts are kept in results/mutants.tsv: a run goes on where the last one ended, and an edited test tries its
module's mutants again. With modules named, only these are tried, and the report stays as it is.
"""

import os
import sys
from pathlib import Path

from mutant_report import Module, Tally, load_equivalent, load_modules, report, survivor_line
from mutations import mutants_of, sample
from tqdm import tqdm
from verdict_file import VerdictFile
from verdicts import LIBRARY, ROOT, verdicts

SEED, SIZE = 1, 40
VERDICTS = ROOT / "results/mutants.tsv"


def try_module(module: Module, jobs: int) -> Tally:
    """Return the verdicts on a module's sample, trying the mutants that have none yet."""
    mutants = mutants_of(module.name, (LIBRARY / module.name).read_text(encoding="utf-8"))
    drawn = sample(mutants, SIZE, SEED)
    kept = VerdictFile(VERDICTS, [ROOT / test for test in module.tests])
    missing = [mutant for mutant in drawn if kept.verdict(mutant) is None]
    for mutant, verdict in tqdm(verdicts(missing, module.tests, jobs), module.name, len(missing)):
        kept.add(mutant, verdict)
    return Tally(module, len(mutants), {mutant: kept.verdict(mutant) for mutant in drawn})


def main(output: Path, wanted: list[str]) -> int:
    """Try the modules; return how many survivors are not known to be equivalent."""
    equivalent = load_equivalent()
    chosen = [module for module in load_modules() if not wanted or module.name in wanted]
    tallies = [try_module(module, jobs=len(os.sched_getaffinity(0))) for module in chosen]
    survivors = [mutant for tally in tallies for mutant in tally.survivors if mutant not in equivalent]
    for mutant in survivors:
        print(survivor_line(mutant))
    if not wanted:
        output.write_text(report(tallies, equivalent, SEED, SIZE), encoding="utf-8")
    return len(survivors)


if __name__ == "__main__":
    sys.exit(min(main(Path(sys.argv[1]), sys.argv[2:]), 1))
