"""Every rule up to the scores belongs to a chain: one that forgets it would mix the draws of all."""

import re
from pathlib import Path

import pytest

from xstitch.plan.costs.stages import RULE

ROOT = Path(__file__).parents[3]
# Rules that bring all chains together, show the first, or make what all of them share.
TOGETHER = {"tables", "claims", "reports", "export"}  # stages
FIRST = {"make_figure", "draw_curve", "draw_steps", "draw_spaces", "draw_gradients"}
FIRST |= {"evaluate_best", "export_best", "report_best", "judge_choices"}
SHARED = {"download_given", "download_encoder", "import_encoder"}
RULES = {
    rule: body
    for file in sorted((ROOT / "workflow/rules").glob("*.smk"))
    if file.stem not in TOGETHER
    for rule, body in RULE.findall(file.read_text(encoding="utf-8"))
}


@pytest.mark.parametrize("rule", sorted(RULES.keys() - FIRST - SHARED))
def test_a_rule_up_to_the_scores_has_all_of_its_files_in_its_chain(rule):
    body = RULES[rule]
    paths = re.findall(r'"([^"\s]*\b(?:results|resources|logs|benchmarks)/[^"]*)"', body)
    assert paths and all(re.match(r"\{+chain\}+(results|resources|logs|benchmarks)/", path) for path in paths)
    assert 'config["seed"]' not in body
    if "scores=" in body:
        assert "chain=planned(chains.job_chain_name)" in body


@pytest.mark.parametrize("rule", sorted(FIRST | SHARED))
def test_what_is_shared_or_of_the_first_chain_is_in_no_other(rule):
    assert "{chain}" not in RULES[rule]
