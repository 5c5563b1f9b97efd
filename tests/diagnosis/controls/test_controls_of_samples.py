"""What words tell does not depend on how many questions a run was asked."""

from __future__ import annotations

from pathlib import Path

import pytest

import probe4d
from probe4d.benchmarks.benchmark import Benchmark


@pytest.mark.parametrize("name", ["control:fixed", "control:content"])
@pytest.mark.parametrize("sample", [30, 90])
def test_a_control_that_is_asked_a_sample_is_the_control_that_stands_beside_it(
    name: str, sample: int, built: Benchmark, tmp_path: Path
) -> None:
    plan = probe4d.RunPlan(selection=probe4d.Selection(sample=sample))
    run = probe4d.ask(built, tmp_path / "run", model=probe4d.control_model(built, name), plan=plan)
    diagnosis = probe4d.diagnose(built, [run])
    labels = {
        who: dict(diagnosis.records.filter(run=who).select("question", "label").iter_rows()) for who in ("run", name)
    }
    assert len(labels["run"]) == sample
    assert labels["run"] == labels[name]
