"""Folders of judgements as judges beside people."""

from __future__ import annotations

import dataclasses
from pathlib import Path

import msgspec
import numpy as np
import pytest

from probe4d.diagnosis.agreement.judgements import with_judgements
from probe4d.diagnosis.agreement.with_people import JudgeLabels, judge_agreement
from probe4d.diagnosis.judging.judgements import Judgement, Judgements, JudgeRecord
from probe4d.errors import InputError
from probe4d.models.generation import Generation
from probe4d.runs.evidence_plan import EvidencePlan

LABELS = JudgeLabels(items=["a", "b", "c/rotation-1"], human=np.array([9.0, 1.0, 4.0]), judges={})


def judged(path: Path, scores: dict[str, float | None], *, highest: int = 10) -> Judgements:
    record = JudgeRecord(
        run="answered",
        benchmark="f" * 64,
        model="vllm/Qwen/Qwen3-VL-32B-Instruct",
        parameters={},
        generation=Generation(),
        rubric="stride",
        highest=highest,
        evidence=EvidencePlan(kind="own", view="cameras"),
        prompt="1" * 64,
        judge="2" * 64,
    )
    lines = {}
    for key, score in scores.items():
        question, _, variant = key.partition("/")
        lines[key] = Judgement(question=question, variant=variant or None, answer="0" * 64, score=score, text="")
    return Judgements(record, lines, {}, (), path)


def test_verdicts_by_question_and_variant(tmp_path: Path) -> None:
    folder = judged(tmp_path / "qwen", {"a": 8.0, "b": None, "c/rotation-1": 5.0, "elsewhere": 1.0})
    (found,) = judge_agreement(with_judgements(LABELS, [folder]), draws=2)
    assert (found.judge, found.n, found.unscored) == ("qwen", 2, 1)
    assert found.figures["mean_absolute_difference"].value == 1.0
    assert found.fingerprint == (
        f"qwen: vllm/Qwen/Qwen3-VL-32B-Instruct {'2' * 16}; run answered; evidence cameras; rubric stride {'1' * 16}"
    )


def test_a_text_only_judge(tmp_path: Path) -> None:
    folder = judged(tmp_path / "blind", {"a": 8.0})
    blind = dataclasses.replace(folder, record=msgspec.structs.replace(folder.record, evidence=EvidencePlan()))
    assert "; evidence none; " in with_judgements(LABELS, [blind]).fingerprints["blind"]


def test_another_scale(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"qwen: has scores of 0 to 100, and those of people .* 0 to 10\..*--scale"):
        with_judgements(LABELS, [judged(tmp_path / "qwen", {"a": 80.0}, highest=100)])


def test_other_items(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"qwen: judges none of the 3 items\. Give as items the ids"):
        with_judgements(LABELS, [judged(tmp_path / "qwen", {"d": 8.0})])


def test_two_of_one_name(tmp_path: Path) -> None:
    folders = [judged(tmp_path / place / "qwen", {"a": 8.0}) for place in ("x", "y")]
    with pytest.raises(InputError, match=r"y/qwen: is called as the judge 'qwen' is\. Rename the folder"):
        with_judgements(LABELS, folders)
