"""`probe4d review`: the sheet without a command's name, what is printed, and what is refused."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from fake_server import FakeServer
from in_process import called

from judge_making import MODEL, text_benchmark
from making import benchmark_of, question
from probe4d.benchmarks.benchmark import Benchmark, read_benchmark
from probe4d.cli import (
    app,
    verbs,  # noqa: F401 - registers them
)
from probe4d.errors import InputError


@pytest.fixture
def asked(tmp_path: Path) -> Benchmark:
    """Three yes-no questions each of two templates."""
    made = [question(n, suite="lidar-hallu", template=f"T{n // 3}", question="Is it?") for n in range(6)]
    return benchmark_of(made, tmp_path / "bench")


def decided(path: Path, benchmark: Benchmark, mode: str, items: dict[str, dict[str, object]]) -> Path:
    told = {"version": 1, "sheet": "s", "benchmark": benchmark.fingerprint, "mode": mode, "asked": list(items)}
    path.write_text(json.dumps(told | {"items": items}))
    return path


def test_a_sheet_is_written_decided_on_and_applied(
    asked: Benchmark, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for command in (("review",), ("review", "sheet")):
        called(*command, asked.path, "--evidence", "none", "--per-template", 2, "--out", tmp_path / "sheet.html")
        assert "sheet.html: 4 questions of 2 templates, 0 pictures, 0.0 MB" in capsys.readouterr().out
    first, other = asked.table["id"][0], asked.table["id"][3]
    items = {first: {"verdict": "reject", "reason": "answer-wrong"}, other: {"verdict": "keep"}}
    file = decided(tmp_path / "decisions.json", asked, "review", items)
    called("review", "apply", asked.path, file, "--out", tmp_path / "out")
    printed = capsys.readouterr()
    assert "3 of 6 questions stay, 1 of 2 templates" in printed.out
    assert "removed T0: 1 question of 1 rejected: the reference is wrong (1)" in printed.err
    assert read_benchmark(tmp_path / "out").table["template"].unique().to_list() == ["T1"]
    called("review", "apply", asked.path, file, "--out", tmp_path / "all", "--most-rejected", 1)
    assert "6 of 6 questions stay, 2 of 2 templates" in capsys.readouterr().out


def test_answers_of_people_become_a_run(asked: Benchmark, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    items = {asked.table["id"][0]: {"answer": "Yes"}}
    file = decided(tmp_path / "answers.json", asked, "answer", items)
    called("review", "run", asked.path, file, "--out", tmp_path / "human")
    printed = capsys.readouterr()
    assert "human: 1 answer of a person" in printed.out
    assert "5 × it is not in the sheet that a person answered" in printed.err


def test_an_audit_is_counted_by_reason_and_goes_on(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], fake_server: Callable[..., FakeServer]
) -> None:
    bench = text_benchmark(["It turns left."] * 4, tmp_path / "texts")
    said = '{"verdict": "inconsistent", "reason": "wrong-motion", "replacement": "It stands."}'
    server = fake_server(default=said)
    scored = decided(tmp_path / "decisions.json", bench, "review", {bench.table["id"][0]: {"score": 10}})
    command = ("review", "audit", bench.path, "--model", MODEL, "--base-url", server.base_url, "--evidence", "none")
    for _ in range(2):
        called(*command, "--scored", scored, "--out", tmp_path / "audit")
        printed = capsys.readouterr()
        assert "audit: 3 of 3 references inconsistent (100.0 %)" in printed.out
        assert "3 × wrong motion" in printed.err
    called("review", bench.path, "--evidence", "none", "--audit", tmp_path / "audit", "--out", tmp_path / "sheet.html")
    assert "It stands." in (tmp_path / "sheet.html").read_text()


def test_what_cannot_be_shown_is_refused(asked: Benchmark, tmp_path: Path) -> None:
    for options, said in (
        ((), "showing evidence needs the dataset. Give its folder with --data"),
        (("--evidence", "black"), "people are shown the true pictures or none, not black"),
        (("--evidence", "lidar"), "people are shown the true pictures or none, not lidar"),
        (("--evidence", "none", "--per-template", 0), "must be at least 1, not 0"),
    ):
        with pytest.raises(InputError, match=said):
            called("review", asked.path, *options, "--out", tmp_path / "sheet.html")
    assert not (tmp_path / "sheet.html").exists()


def test_an_audit_says_what_it_would_come_to_and_takes_the_options_of_a_judging(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], fake_server: Callable[..., FakeServer]
) -> None:
    bench = text_benchmark(["It turns left."] * 4, tmp_path / "texts")
    server = fake_server(default='{"verdict": "consistent"}')
    command = ("review", "audit", bench.path, "--model", MODEL, "--base-url", server.base_url, "--evidence", "none")
    options = ("--seed", 7, "--max-tokens", 100, "--reasoning-effort", "low", "--extra-body", '{"top_k": 1}')
    called(*command, *options, "--dry-run", "--out", tmp_path / "audit")
    printed = capsys.readouterr().out
    for said in ("calls         4 (references checked)", "pictures      none", "replies       at most 400 tokens"):
        assert f"  {said}\n" in printed
    assert "\n  | It turns left.\n" in printed
    assert server.counts() == {}
    assert not (tmp_path / "audit").exists()
    called(*command, *options, "--out", tmp_path / "audit")
    generation = json.loads((tmp_path / "audit" / "audit.json").read_text())["generation"]
    assert (generation["temperature"], generation["seed"], generation["max_tokens"]) == (0.0, 7, 100)
    assert (generation["reasoning_effort"], generation["extra_body"]) == ("low", {"top_k": 1})
    (shown,) = {text for text in server.counts() if f"{bench.table['question'][0]}\n" in text}
    assert "\n".join(f"  | {line}" for line in shown.split("\n")) in printed
    with pytest.raises(InputError, match="Give --out FOLDER, or --dry-run to send nothing"):
        called(*command)


def test_an_audit_that_is_stopped_says_that_nothing_is_lost(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def stopped(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("probe4d.review.proposing.propose_references", stopped)
    bench = text_benchmark(["It turns left."], tmp_path / "texts")
    command = ("review", "audit", bench.path, "--model", MODEL, "--evidence", "none", "--out", tmp_path / "audit")
    assert app([str(word) for word in command], standalone_mode=False) == 130
    assert f"what was checked is kept in {tmp_path / 'audit'}, and the same command goes on" in capsys.readouterr().err
