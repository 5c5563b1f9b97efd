"""Of a benchmark the families that are asked are read alone, and are asked the same."""

from __future__ import annotations

from pathlib import Path

import pytest

import probe4d
from probe4d.benchmarks.benchmark import Benchmark
from probe4d.cli.shared_options import Prompts
from probe4d.runs.evidence_plan import EvidencePlan, evidence_named
from probe4d.runs.plan import RunPlan


def test_families_that_are_asked_are_read_alone_unless_others_tell_what_is_right_elsewhere(built: Benchmark) -> None:
    assert built.path is not None
    some = Prompts(families=["position", "motion"])
    assert set(some.questions(built.path, EvidencePlan()).table["family"]) == {"position", "motion"}
    assert some.questions(built.path, evidence_named("other-scene:lidar")).table.equals(built.table)
    assert Prompts().questions(built.path, EvidencePlan()).table.equals(built.table)


@pytest.mark.parametrize("name", ["control:fixed", "control:content"])
def test_a_control_answers_a_family_read_alone_as_it_does_beside_the_others(
    name: str, built: Benchmark, tmp_path: Path
) -> None:
    assert built.path is not None
    prompts = Prompts(families=["motion"], sample=12)
    plan = RunPlan(selection=prompts.selection())
    alone = prompts.questions(built.path, plan.evidence)
    runs = [
        probe4d.ask(read, tmp_path / which, model=probe4d.control_model(read, name), plan=plan)
        for which, read in (("alone", alone), ("beside", built))
    ]
    first, second = (dict(run.answers.select("question", "text").iter_rows()) for run in runs)
    assert len(first) == 12
    assert first == second
    assert runs[0].record == runs[1].record
