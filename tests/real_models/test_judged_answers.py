"""Open questions answered by SmolLM2 over HTTP, judged by it, and diagnosed: from end to end.

It sees nothing and judges poorly: what is held is that every answer is accounted for, and that scores add up.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from serving import Server

import probe4d
from probe4d.models.generation import Generation
from probe4d.runs.selection import Selection

QUESTIONS = 2
MAX_TOKENS = 200
MAX_TOKENS_OF_A_VERDICT = 12


@pytest.fixture(scope="module")
def judged(
    scenes: probe4d.Scenes,
    smollm2_server: Server,
    tmp_path_factory: pytest.TempPathFactory,
) -> tuple[probe4d.Benchmark, probe4d.Run, probe4d.Judgements]:
    folder = tmp_path_factory.mktemp("judged")
    bench = probe4d.build("stride", scenes, folder / "bench", templates=("TRJ-7",), per_template=QUESTIONS)
    run = probe4d.ask(
        bench,
        folder / "run",
        model=f"openai-api/local/{smollm2_server.model}",
        plan=probe4d.RunPlan(
            base_url=smollm2_server.base_url,
            generation=Generation(temperature=0, max_tokens=MAX_TOKENS),
            selection=Selection(limit=QUESTIONS),
        ),
    )
    judgements = probe4d.judge(
        bench,
        run,
        folder / "judged",
        model=f"openai-api/local/{smollm2_server.model}",
        plan=probe4d.JudgePlan(
            base_url=smollm2_server.base_url,
            generation=Generation(temperature=0, seed=42, max_tokens=MAX_TOKENS_OF_A_VERDICT),
        ),
    )
    return bench, run, judgements


def test_every_answer_is_accounted_for(
    judged: tuple[probe4d.Benchmark, probe4d.Run, probe4d.Judgements], tmp_path: Path
) -> None:
    bench, run, judgements = judged
    assert judgements.errors == {}
    assert judgements.by_key
    for line in judgements.by_key.values():
        assert line.text
        assert line.input_tokens > 300  # the rubric, the question, the reference and the answer
        assert (line.score is None) != (line.fault is None)
    diagnosis = probe4d.diagnose(bench, [run], judgements=[judgements])
    assert diagnosis.judged.height == run.answers.height == QUESTIONS
    rows = diagnosis.figures.filter(run="run", family="all", relation="all", format="text")
    figures = dict(rows.select("metric", "value").iter_rows())
    states = diagnosis.judged["state"].to_list()
    assert figures["judged_share"] == states.count("scored") / QUESTIONS
    assert figures["unscored_share"] == states.count("unscored") / QUESTIONS
    scores = diagnosis.judged.filter(state="scored")["score"]
    assert figures.get("judge_mean_valid") == (pytest.approx(np.mean(scores)) if scores.len() else None)
    page = probe4d.write_report(diagnosis, tmp_path / "report").read_text()
    assert ("How free answers are judged" in page) == bool(scores.len())
    assert ("free answers unscored" in page) == ("unscored" in states)
