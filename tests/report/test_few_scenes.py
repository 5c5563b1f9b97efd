"""Nothing is judged of a run that was asked about a handful of scenes, whatever kind of answer it gave."""

from __future__ import annotations

import json
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import pytest

import probe4d
from judge_making import run_on_disk, text_benchmark, verdict
from making import Model, benchmark_of, question, run_of
from probe4d.benchmarks.question import TEXT, Question
from probe4d.diagnosis.diagnose import diagnose
from probe4d.diagnosis.tables import Diagnosis
from probe4d.report.few_scenes import figures_to_judge_by, scenes_of
from probe4d.report.lookup import Lookup
from probe4d.report.verdict import verdicts

SCENES = 3
ASKED = 48
POINTS = json.dumps([[1.0, 0.0], [2.0, 0.0]])
FIELDS: dict[str, dict[str, Any]] = {
    "labels": {"format": "yes-no", "answer": "Yes"},
    "numbers": {"format": "number", "answer": "3.0", "facts": {"unit": "metres"}},
    "intervals": {"format": "interval", "answer": "3-9"},
    "waypoints": {"format": "waypoints", "answer": POINTS, "facts": {"direction": "future", "speed_mps": 2.0}},
}


def _in_few_scenes(fields: dict[str, Any]) -> list[Question]:
    places = range(ASKED)
    return [question(n, scene=f"scene-{n % SCENES}", question=f"How is thing {n}?", **fields) for n in places]


def _simple(kind: str, _folder: Path) -> Diagnosis:
    asked = _in_few_scenes(FIELDS[kind])
    benchmark = benchmark_of(asked)
    replies = [{"question": one.id, "text": "Nobody can say."} for one in asked]
    return diagnose(benchmark, [run_of("vague", benchmark, replies)])


def _free(folder: Path) -> tuple[probe4d.Benchmark, probe4d.Run]:
    scenes = {n: {"scene": f"scene-{n % SCENES}"} for n in range(ASKED)}
    benchmark = text_benchmark(["A car turns left."] * ASKED, fields=scenes)
    return benchmark, run_on_disk(benchmark, folder / "vague", ["Things are on the road."] * ASKED)


def _judged(folder: Path) -> Diagnosis:
    benchmark, run = _free(folder)
    model = Model(lambda request: verdict(1.0), name="test/judge")
    return diagnose(benchmark, [run], judgements=[probe4d.judge(benchmark, run, folder / "judged", model=model)])


def _compared(folder: Path) -> Diagnosis:
    benchmark, run = _free(folder)
    return diagnose(benchmark, [run], text_metrics=[probe4d.Bleu(), probe4d.RougeL()])


OF_KIND: dict[str, Callable[[Path], Diagnosis]] = {
    **{kind: partial(_simple, kind) for kind in FIELDS},
    "judged": _judged,
    "texts": _compared,
}


def test_a_kind_of_answers_is_tried_for_each_that_there_is(tmp_path: Path) -> None:
    assert OF_KIND.keys() == _simple("labels", tmp_path).answered.keys()


@pytest.mark.parametrize("kind", OF_KIND)
def test_answers_of_every_kind_count_scenes(kind: str, tmp_path: Path) -> None:
    diagnosis = OF_KIND[kind](tmp_path)
    assert [name for name, table in diagnosis.answered.items() if "vague" in table["run"]] == [kind]
    assert scenes_of(diagnosis)["vague"] == SCENES
    first, *others = next(one.statements for one in verdicts(diagnosis) if one.run == "vague")
    assert f"from {SCENES} scenes, too few" in first.text
    assert others, "something is said of the answers"


def test_free_text_of_few_scenes_is_not_beaten_by_what_is_said_elsewhere(tmp_path: Path) -> None:
    diagnosis = _compared(tmp_path)
    told = [one for verdict in verdicts(diagnosis) for one in verdict.statements]
    assert any(one.text.startswith("Word by word") for one in told)
    assert not [one for one in told if "it would do better to say" in one.text]
    measured, judged_by = (
        lookup.get("vague", "rouge_l", kind=TEXT) for lookup in (Lookup.of(diagnosis), figures_to_judge_by(diagnosis))
    )
    assert measured is not None
    assert measured.high is not None
    assert measured.high < 1.0, "an interval would say that it is beaten"
    assert judged_by == measured._replace(low=None, high=None)
