"""What a judge is shown: the pictures of the run, or the true ones in their place, and no more than it can hold."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import probe4d
from judge_making import run_on_disk, text_benchmark, verdict
from making import Model
from probe4d.benchmarks.question import Evidence
from probe4d.diagnosis.judging.dry_run import dry_judge
from probe4d.diagnosis.judging.prepared import prepare_judging
from probe4d.errors import InputError
from probe4d.evidence.pictures import PictureOptions
from probe4d.runs.evidence_plan import EvidencePlan

SMALL = PictureOptions(max_side_px=256)
FRAMES = ((0, 1, 2), (3,), tuple(range(12)))


class Recorder(Model):
    """A model that keeps what it is sent."""

    def __init__(self, reply: str) -> None:
        self.sent: dict[str, probe4d.Request] = {}

        def keep(request: probe4d.Request) -> str:
            self.sent[request.key] = request
            return reply

        super().__init__(keep)


@pytest.fixture(scope="module")
def bench(scenes: probe4d.Scenes) -> probe4d.Benchmark:
    fields: dict[int, dict[str, Any]] = {
        place: {"scene": scenes.names[0], "frames": frames[:1], "evidence": Evidence(frames=frames)}
        for place, frames in enumerate(FRAMES)
    }
    return text_benchmark(["reference"] * len(FRAMES), fields=fields)


def plan(kind: Any = "own", **options: Any) -> EvidencePlan:
    return EvidencePlan(kind=kind, view="birds-eye", pictures=SMALL, **options)


def test_a_judge_is_shown_what_the_run_showed(bench: probe4d.Benchmark, scenes: probe4d.Scenes, tmp_path: Path) -> None:
    asked, judge = Recorder("It turns left."), Recorder(verdict(5))
    run = probe4d.ask(bench, tmp_path / "run", model=asked, plan=probe4d.RunPlan(evidence=plan()), scenes=scenes)
    judgements = probe4d.judge(bench, run, tmp_path / "judged", model=judge, scenes=scenes)
    first, second, long = bench.table["id"]
    for identity in (first, second):
        assert judge.sent[identity].images == asked.sent[identity].images
        preamble = asked.sent[identity].text.partition("What does")[0]
        assert len(preamble) > 50
        assert judge.sent[identity].text.startswith(preamble)
    assert len(asked.sent[long].images) == 12
    shown = judge.sent[long].images
    assert len(shown) == 8
    assert (shown[0], shown[-1]) == (asked.sent[long].images[0], asked.sent[long].images[-1])
    answers = dict(run.answers.select("question", "evidence").iter_rows())
    assert judgements.by_key[first].evidence == answers[first]
    assert judgements.record.evidence == plan(max_frames=8)


def test_a_dry_run_counts_what_would_be_shown(bench: probe4d.Benchmark, scenes: probe4d.Scenes, tmp_path: Path) -> None:
    run = run_on_disk(bench, tmp_path / "run", ["It turns left."] * 3, evidence=plan())
    seen = dry_judge(prepare_judging(bench, run, scenes=scenes), model="openai/gpt-5.5")
    assert seen.calls == 3
    assert seen.pictures is not None
    assert (seen.pictures.shown, seen.pictures.sizes) == (3 + 1 + 8, ("224x256",))
    assert seen.pictures.tokens
    assert seen.example is not None
    assert len(seen.example.pictures) == 3
    assert seen.failures == ()


@pytest.mark.parametrize("kind", ["black", "shuffled", "other-scene"])
def test_a_run_that_saw_something_else_is_judged_by_the_truth(
    kind: str, bench: probe4d.Benchmark, scenes: probe4d.Scenes, tmp_path: Path
) -> None:
    run = run_on_disk(bench, tmp_path / "run", ["It turns left."] * 3, evidence=plan(kind))
    own = run_on_disk(bench, tmp_path / "own", ["It turns left."] * 3, evidence=plan())
    judges = [Recorder(verdict(5)), Recorder(verdict(5))]
    for one, judge in zip((run, own), judges, strict=True):
        probe4d.judge(bench, one, tmp_path / f"judged-{one.name}", model=judge, scenes=scenes)
    assert judges[0].sent == judges[1].sent


def test_a_text_only_judge_sees_no_picture_and_another_view_can_be_chosen(
    bench: probe4d.Benchmark, scenes: probe4d.Scenes, tmp_path: Path
) -> None:
    run = run_on_disk(bench, tmp_path / "run", ["It turns left."] * 3, evidence=plan())
    blind, seeing = Recorder(verdict(5)), Recorder(verdict(5))
    nothing = probe4d.JudgePlan(evidence=EvidencePlan())
    probe4d.judge(bench, run, tmp_path / "blind", model=blind, plan=nothing)
    assert all(not request.images for request in blind.sent.values())
    assert all("You see no picture of the scene." in request.text for request in blind.sent.values())
    unknown = run_on_disk(bench, tmp_path / "unknown", ["It turns left."] * 3, evidence=None)
    chosen = probe4d.JudgePlan(evidence=plan(max_frames=2))
    probe4d.judge(bench, unknown, tmp_path / "seeing", model=seeing, plan=chosen, scenes=scenes)
    assert [len(request.images) for request in seeing.sent.values()] == [2, 1, 2]


def test_evidence_that_cannot_be_shown_is_an_error_of_its_answer_alone(
    bench: probe4d.Benchmark, scenes: probe4d.Scenes, tmp_path: Path
) -> None:
    fields = {0: {"scene": "nowhere"}, 1: {"scene": scenes.names[0], "evidence": Evidence(frames=(0,))}}
    partly = text_benchmark(["reference"] * 2, fields=fields)
    run = run_on_disk(partly, tmp_path / "run", ["It turns left."] * 2, evidence=plan())
    judge = Recorder(verdict(5))
    judgements = probe4d.judge(partly, run, tmp_path / "judged", model=judge, scenes=scenes)
    first, second = partly.table["id"]
    assert list(judgements.by_key) == [second]
    assert "its evidence cannot be shown: nowhere is not in" in judgements.errors[first]
    with pytest.raises(InputError, match="is taken from the dataset"):
        probe4d.judge(partly, run, tmp_path / "without", model=judge)
    assert not (tmp_path / "without").exists()
