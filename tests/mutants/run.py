"""Change the methods' modules in small ways and see whether their tests notice: run.py REPORT [MODULE...].

Verdicts are kept in results/mutants.tsv with a digest of the mutant and of the tests, so that a run goes on
where the last one ended, and an edited test tries its module's mutants again. With modules named, only these
are tried, and nothing is written to the report.
"""

import os
import sys
from hashlib import sha256
from pathlib import Path

from mutant_report import Module, Tally, load_equivalent, load_modules, report, survivor_line
from mutations import Mutant, mutants_of, sample
from tqdm import tqdm
from verdicts import LIBRARY, ROOT, verdicts

SEED, SIZE = 1, 40
VERDICTS = ROOT / "results/mutants.tsv"


def known_verdicts() -> dict[str, str]:
    """Return the verdicts of earlier runs by digest; a line that was cut off counts for nothing."""
    if not VERDICTS.is_file():
        return {}
    lines = VERDICTS.read_text(encoding="utf-8").split("\n")[:-1]
    return dict(line.split("\t") for line in lines)


def trial_digest(mutant: Mutant, tests: list[str]) -> str:
    """Return what a verdict depends on, as a digest: the mutant and its tests."""
    texts = [mutant.source, *((ROOT / test).read_text(encoding="utf-8") for test in tests)]
    return sha256("\0".join(texts).encode()).hexdigest()


def try_module(module: Module, jobs: int) -> Tally:
    """Return the verdicts on a module's sample, trying the mutants that have none yet."""
    mutants = mutants_of(module.name, (LIBRARY / module.name).read_text(encoding="utf-8"))
    drawn = sample(mutants, SIZE, SEED)
    digests = {mutant: trial_digest(mutant, module.tests) for mutant in drawn}
    known = known_verdicts()
    found = {mutant: known[digest] for mutant, digest in digests.items() if digest in known}
    missing = [mutant for mutant in drawn if mutant not in found]
    VERDICTS.parent.mkdir(exist_ok=True)
    with VERDICTS.open("a", encoding="utf-8") as stream, tqdm(total=len(missing), desc=module.name) as bar:
        for mutant, verdict in verdicts(missing, module.tests, jobs):
            found[mutant] = verdict
            print(digests[mutant], verdict, sep="\t", file=stream, flush=True)
            bar.update()
    return Tally(module, len(mutants), {mutant: found[mutant] for mutant in drawn})


def main(output: Path, wanted: list[str]) -> int:
    """Try the modules; return how many survivors are not known to be equivalent."""
    modules, equivalent = load_modules(), load_equivalent()
    chosen = [module for module in modules if not wanted or module.name in wanted]
    tallies = [try_module(module, jobs=len(os.sched_getaffinity(0))) for module in chosen]
    survivors = [mutant for tally in tallies for mutant in tally.survivors if mutant not in equivalent]
    for mutant in survivors:
        print(survivor_line(mutant))
    if not wanted:
        output.write_text(report(tallies, equivalent, SEED, SIZE), encoding="utf-8")
    return len(survivors)


if __name__ == "__main__":
    sys.exit(min(main(Path(sys.argv[1]), sys.argv[2:]), 1))
