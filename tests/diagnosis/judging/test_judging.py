"""Judging a run: who is asked what, what counts, what is kept, and a judging that is killed."""

from __future__ import annotations

import json
import os
import signal
import time
from collections.abc import Callable
from dataclasses import replace
from multiprocessing.context import ForkServerContext
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from fake_server import FakeServer

import probe4d
from judge_making import MODEL, run_on_disk, text_benchmark, verdict
from making import Model
from probe4d.diagnosis.judging.candidates import candidates_of
from probe4d.diagnosis.judging.judgements import Judgement, read_judgements
from probe4d.diagnosis.judging.judging import judge
from probe4d.diagnosis.judging.plan import JudgePlan, evidence_shown_by
from probe4d.errors import InputError, RunError
from probe4d.models.course import Course
from probe4d.models.generation import Generation
from probe4d.models.request import Reply, Request
from probe4d.runs.evidence_plan import EvidencePlan
from probe4d.runs.run import ANSWER_SCHEMA, RunRecord

ANSWERS: list[Any] = [
    "It turns left.",
    "<think>right? left?</think>It stands still.",
    "",
    {"text": "It goes straight and then", "finish_reason": "length"},
    {"error": "the server was gone"},
    None,
    {"text": "I can not say.", "finish_reason": "refusal"},
    "<think>for ever and ever",
]
UNFIT = [None, None, "empty", "truncated", "error", "missing", "refused", "empty"]


def lines_of(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text().splitlines()]


@pytest.fixture
def bench() -> probe4d.Benchmark:
    return text_benchmark([f"reference {n}" for n in range(8)])


def test_what_holds_nothing_to_judge_is_not_sent(bench: probe4d.Benchmark, tmp_path: Path) -> None:
    run = run_on_disk(bench, tmp_path / "run", ANSWERS)
    found = candidates_of(run, bench)
    assert found["unfit"].to_list() == UNFIT
    assert found["answer"].to_list()[:2] == ["It turns left.", "It stands still."]
    sent: list[Request] = []

    def reply(request: Request) -> str:
        sent.append(request)
        return verdict(7.5, "nearly")

    model = Model(reply)
    judgements = probe4d.judge(bench, run, tmp_path / "judged", model=model)
    assert model.asked == bench.table["id"].to_list()[:2]
    assert model.closed == 1
    assert [line.score for line in judgements.by_key.values()] == [7.5, 7.5]
    assert [line.reason for line in judgements.by_key.values()] == ["nearly", "nearly"]
    assert "right? left?" not in sent[1].text
    for part in ("What does object 0 do?", "reference 0", "\nIt turns left.\n", "You see no picture", '"score"'):
        assert part in sent[0].text
    assert [request.seed for request in sent] == [42, 42]
    assert judgements.record.generation == Generation(temperature=0.0, seed=42, max_tokens=4096)


def test_a_judging_is_repeated_without_a_call_and_without_a_change(bench: probe4d.Benchmark, tmp_path: Path) -> None:
    run = run_on_disk(bench, tmp_path / "run", ANSWERS)
    first = judge(bench, run, tmp_path / "judged", model=Model(lambda request: verdict(3)))
    left = {path.name: path.read_bytes() for path in (tmp_path / "judged").iterdir()}
    begun: list[tuple[int, int]] = []
    again = Model(lambda request: verdict(9))
    assert judge(bench, run, tmp_path / "judged", model=again, begun=lambda *n: begun.append(n)) == first
    assert again.asked == []
    assert again.closed == 0  # who gives a model keeps it
    assert begun == [(2, 2)]
    assert {path.name: path.read_bytes() for path in (tmp_path / "judged").iterdir()} == left


def test_a_reply_without_a_verdict_leaves_its_answer_unscored_and_is_final(
    bench: probe4d.Benchmark, tmp_path: Path
) -> None:
    run = run_on_disk(bench, tmp_path / "run", ANSWERS)
    told: list[Judgement] = []
    judgements = judge(bench, run, tmp_path / "judged", model=Model(lambda _: "Great answer!"), done=told.append)
    assert [(line.score, line.fault) for line in judgements.by_key.values()] == [(None, "holds no JSON object")] * 2
    assert len(told) == 2
    again = Model(lambda request: verdict(9))
    assert judge(bench, run, tmp_path / "judged", model=again) == judgements
    assert again.asked == []


def test_a_run_that_is_finished_later_is_judged_on(bench: probe4d.Benchmark, tmp_path: Path) -> None:
    begun = run_on_disk(bench, tmp_path / "a" / "run", [*ANSWERS[:1], *[None] * 7])
    judge(bench, begun, tmp_path / "judged", model=Model(lambda request: verdict(3)))
    finished = run_on_disk(bench, tmp_path / "b" / "run", ANSWERS)
    model = Model(lambda request: verdict(4))
    judgements = judge(bench, finished, tmp_path / "judged", model=model)
    assert [line.score for line in judgements.by_key.values()] == [3, 4]
    changed = run_on_disk(bench, tmp_path / "c" / "run", ["It turns right.", *ANSWERS[1:]])
    with pytest.raises(InputError, match="judges another answer to question 0000000000000000 than run holds now"):
        judge(bench, changed, tmp_path / "judged", model=model)


def test_other_judgings_into_the_same_folder_are_refused(bench: probe4d.Benchmark, tmp_path: Path) -> None:
    run = run_on_disk(bench, tmp_path / "run", ANSWERS)
    judge(bench, run, tmp_path / "judged", model=Model(lambda request: verdict(3)))
    others = (
        ({"model": Model(lambda request: verdict(3), name="test/other")}, "model 'test/made', now 'test/other'"),
        ({"plan": JudgePlan(rubric="b4dl")}, "rubric 'stride', now 'b4dl'"),
        ({"plan": JudgePlan(generation=Generation(temperature=1.0))}, "temperature 0.0, now 1.0, max_tokens"),
        ({"run": run_on_disk(bench, tmp_path / "other", ANSWERS)}, "run 'run', now 'other'"),
    )
    for other, said in others:
        asked: dict[str, Any] = {"run": run, "model": Model(lambda request: verdict(3))} | other
        with pytest.raises(InputError, match="holds a judging that was asked otherwise") as refused:
            judge(bench, out=tmp_path / "judged", **asked)
        assert said in str(refused.value)


def test_a_judging_by_references_that_changed_is_refused_where_the_judge_sees_them(
    bench: probe4d.Benchmark, tmp_path: Path
) -> None:
    run = run_on_disk(bench, tmp_path / "run", ANSWERS)
    reworded = replace(bench, table=bench.table.with_columns(answer=pl.col("answer") + "!"))
    assert reworded.fingerprint == bench.fingerprint
    model = Model(lambda request: verdict(3))
    judge(bench, run, tmp_path / "seen", model=model)
    with pytest.raises(InputError, match="asked otherwise: other references"):
        judge(reworded, run, tmp_path / "seen", model=model)
    blind = JudgePlan(rubric="b4dl-without-reference")
    first = judge(bench, run, tmp_path / "unseen", model=model, plan=blind)
    assert judge(reworded, run, tmp_path / "unseen", model=model, plan=blind) == first


def test_what_cannot_be_judged_is_refused_before_a_folder_is_made(bench: probe4d.Benchmark, tmp_path: Path) -> None:
    run = run_on_disk(bench, tmp_path / "run", ANSWERS)
    nothing = run_on_disk(bench, tmp_path / "nothing", [None, "", *[None] * 6])
    of_lidar = run_on_disk(bench, tmp_path / "lidar", ANSWERS, evidence=EvidencePlan(kind="own", view="lidar"))
    unknown = run_on_disk(bench, tmp_path / "unknown", ANSWERS, evidence=None)
    pictured = run_on_disk(bench, tmp_path / "pictured", ANSWERS, evidence=EvidencePlan(kind="own", view="cameras"))
    model = Model(lambda request: verdict(3))
    cases: list[tuple[Any, dict[str, Any], str]] = [
        (run, {"plan": JudgePlan(rubric="harsh")}, "there is no rubric 'harsh'"),
        (run, {"model": "nobody/judge"}, "knows no provider 'nobody'"),
        (nothing, {}, "holds no answer that could be judged"),
        (of_lidar, {}, "showed LiDAR features, which no judge can read"),
        (unknown, {}, "does not say what its model was shown"),
        (pictured, {}, "is taken from the dataset"),
    ]
    for judged, options, said in cases:
        with pytest.raises(InputError, match=said):
            judge(bench, judged, tmp_path / "judged", **{"model": model} | options)
    assert not (tmp_path / "judged").exists()
    choices = text_benchmark(["A"], fields={0: {"format": "choice", "options": ("a", "b")}})
    with pytest.raises(InputError, match="was asked no question of the format text"):
        judge(choices, run_on_disk(choices, tmp_path / "choices", ["A"]), tmp_path / "judged", model=model)


def test_a_judge_is_shown_the_true_frames_and_no_more_than_it_can_hold() -> None:
    def shown(**evidence: Any) -> EvidencePlan:
        record = RunRecord(model="m", benchmark="b", evidence=EvidencePlan(**evidence))
        return evidence_shown_by(probe4d.Run("run", record, pl.DataFrame(schema=ANSWER_SCHEMA)))

    assert shown() == EvidencePlan()
    own = EvidencePlan(kind="own", view="cameras", max_frames=8)
    for kind in ("own", "black", "shuffled", "other-scene"):
        assert shown(kind=kind, view="cameras", seed=7) == own
    assert shown(kind="own", view="birds-eye", max_frames=3).max_frames == 3


def test_the_judge_at_fault_is_told_and_asked_again(
    bench: probe4d.Benchmark, tmp_path: Path, fake_server: Callable[..., FakeServer]
) -> None:
    run = run_on_disk(bench, tmp_path / "run", ANSWERS)
    refused = {"status": 400, "json": {"error": {"message": "the question is not liked", "code": "bad"}}}
    server = fake_server(default=verdict(6), steps={"object 1": [refused, {}], "": [{}]}, delay_s=0.01)
    plan = JudgePlan(base_url=server.base_url)
    judgements = judge(bench, run, tmp_path / "judged", model=MODEL, plan=plan)
    first, second = bench.table["id"].to_list()[:2]
    assert list(judgements.by_key) == [first]
    assert "the question is not liked" in judgements.errors[second]
    judgements = judge(bench, run, tmp_path / "judged", model=MODEL, plan=plan)
    assert list(judgements.by_key) == [first, second]
    assert judgements.errors == {}
    assert not (tmp_path / "judged" / "errors.jsonl").exists()
    body = server.requests()[0]["body"]
    assert (body["temperature"], body["seed"]) == (0, 42)


def test_a_key_that_only_shows_once_a_verdict_is_read_is_not_kept(
    bench: probe4d.Benchmark, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    key = 'Ab1"\\é/xYz9=&Qr7'
    monkeypatch.setenv("GATEWAY_PASSWORD", key)
    run = run_on_disk(bench, tmp_path / "run", ANSWERS)
    said = verdict(8, f"the server knows {key}, that is {json.dumps(key)}")
    judgements = judge(bench, run, tmp_path / "judged", model=Model(lambda request: said))
    reasons = [line.reason for line in judgements.by_key.values()]
    assert reasons == ['the server knows [redacted], that is "[redacted]"'] * 2


def test_a_server_that_refuses_everybody_ends_it(
    bench: probe4d.Benchmark, tmp_path: Path, fake_server: Callable[..., FakeServer]
) -> None:
    run = run_on_disk(bench, tmp_path / "run", ANSWERS)
    server = fake_server(steps=[{"status": 401, "json": {"error": {"message": "no such key"}}}])
    with pytest.raises(RunError, match="no such key"):
        judge(bench, run, tmp_path / "judged", model=MODEL, plan=JudgePlan(base_url=server.base_url))
    assert read_judgements(tmp_path / "judged").by_key == {}


def judge_many(benchmark_path: Path, run_path: Path, out: Path, base_url: str, connections: int) -> None:
    os.environ["FAKE_API_KEY"] = "fake-key-that-no-file-may-hold"  # where the process was forked it may not be set
    judge(
        probe4d.read_benchmark(benchmark_path),
        probe4d.read_run(run_path),
        out,
        model=MODEL,
        plan=JudgePlan(base_url=base_url),
        course=Course(max_connections=connections),
    )


@pytest.mark.parametrize("kills", [(12,), pytest.param(tuple(range(1, 30, 2)), marks=pytest.mark.soak)], ids=len)
def test_a_judging_that_is_killed_loses_no_verdict(
    kills: tuple[int, ...], processes: ForkServerContext, tmp_path: Path, fake_server: Callable[..., FakeServer]
) -> None:
    server = fake_server(default=verdict(5, "{digest}"), jitter_s=0.02)
    count, connections = 30, 4
    benchmark = text_benchmark(["reference"] * count, tmp_path / "bench")
    run_on_disk(benchmark, tmp_path / "run", [f"answer {n}" for n in range(count)])
    asked = (tmp_path / "bench", tmp_path / "run", tmp_path / "judged", server.base_url, connections)
    file = tmp_path / "judged" / "judgements.jsonl"
    for lines in kills:
        process = processes.Process(target=judge_many, args=asked)
        process.start()
        while process.is_alive() and (file.read_bytes().count(b"\n") if file.exists() else 0) < lines:
            time.sleep(0.002)
        process.kill()
        process.join()
    assert process.exitcode == -signal.SIGKILL
    judge_many(*asked)
    questions = benchmark.table["id"].to_list()
    judged = [line["question"] for line in lines_of(file)]
    assert judged == questions
    assert sum(server.counts().values()) <= count + len(kills) * connections
    alone = tmp_path / "alone"
    judge_many(asked[0], asked[1], alone, server.base_url, connections)
    as_read = [{**line, "seconds": 0} for line in lines_of(file)]
    assert as_read == [{**line, "seconds": 0} for line in lines_of(alone / "judgements.jsonl")]


def test_what_lies_on_disk_is_read_with_care(bench: probe4d.Benchmark, tmp_path: Path) -> None:
    run = run_on_disk(bench, tmp_path / "run", ANSWERS)
    out = tmp_path / "judged"

    def reply(request: Request) -> Reply:
        return Reply(text=verdict(8, "because"), finish_reason="stop", model="judge-v2", tokens=5)

    judge(bench, run, out, model=Model(reply))
    file = out / "judgements.jsonl"
    whole = file.read_bytes()
    file.write_bytes(whole + whole[:20])
    found = read_judgements(out)
    assert [line.model for line in found.by_key.values()] == ["judge-v2"] * 2
    assert found.warnings == (f"{file}, line 3: half a line at the end was left out.",)
    for spoilt, said in (
        (whole + whole, "judges the answer to question 0000000000000000 a second time"),
        (whole.replace(b'"score":8.0', b'"score":11.0'), "has the score 11.0, and the scale is 0 to 10"),
        (whole + b"{}\n", "is no valid record"),
    ):
        file.write_bytes(spoilt)
        with pytest.raises(InputError, match=said):
            read_judgements(out)
    with pytest.raises(InputError, match=r"has no judge\.json"):
        read_judgements(tmp_path / "run")
    with pytest.raises(InputError, match="is no folder"):
        read_judgements(tmp_path / "nowhere")
