"""Asking from the command line, of a server over HTTP."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from fake_server import FakeServer

import probe4d
from probe4d.benchmarks.benchmark import Benchmark
from probe4d.errors import RunError

Command = Callable[..., subprocess.CompletedProcess[str]]
Server = Callable[..., FakeServer]
MODEL = ("--model", "openai-api/fake/m")


def test_asked_diagnosed_and_not_asked_again(
    command: Command, here: Command, bench: Path, fake_server: Server, tmp_path: Path
) -> None:
    server = fake_server(default="A")
    arguments = ("ask", bench, *MODEL, "--base-url", server.base_url, "--out", tmp_path / "run", "--sample", 30)
    done = command(*arguments)
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith(f"{tmp_path / 'run'}: 30 answers (openai-api/fake/m, default), ")
    last = done.stderr.splitlines()[-1]
    assert last.startswith("answers: 30 of 30, ")
    assert "a second" in last
    assert "% can be read" in last
    again = here(*arguments, "--json")
    assert again.returncode == 0, again.stderr
    summary = json.loads(again.stdout)
    assert (summary["answers"], summary["unanswered"], summary["servers"]) == (30, 0, {"m": 30})
    assert sum(server.counts().values()) == 30
    diagnosed = here("diagnose", bench, tmp_path / "run", "--out", tmp_path / "report", "--no-report")
    assert diagnosed.returncode == 0, diagnosed.stderr


def test_failures_end_with_1_and_reasons_and_are_asked_again(
    here: Command, bench: Path, built: Benchmark, fake_server: Server, tmp_path: Path
) -> None:
    lost = built.questions[0].question or ""
    coloured = {"error": {"message": "\x1b[31mno\x1b[0m memory \x1b]8;;http://example.org\x07left"}}
    server = fake_server(default="A", steps={lost: [{"status": 400, "json": coloured}, {}]})
    arguments = ("ask", bench, *MODEL, "--base-url", server.base_url, "--out", tmp_path / "run", "--limit", 4)
    done = here(*arguments)
    assert done.returncode == 1
    assert "Traceback" not in done.stderr
    assert "got no answer; the same command asks " in done.stderr
    assert " × " in done.stderr.splitlines()[-1]
    (error,) = map(json.loads, (tmp_path / "run" / "errors.jsonl").read_text().splitlines())
    assert "HTTP 400: no memory left" in error["error"]
    assert error["error"] in done.stderr
    again = here(*arguments)
    assert again.returncode == 0, again.stderr
    assert ": 4 answers (" in again.stdout


def test_unreadable_answers_and_another_model_are_said_at_once(
    here: Command, bench: Path, fake_server: Server, tmp_path: Path
) -> None:
    server = fake_server(default="\x1b[2JI would rather talk about lunch.", model="another")
    done = here("ask", bench, *MODEL, "--base-url", server.base_url, "--out", tmp_path / "run", "--limit", 25)
    assert done.returncode == 0, done.stderr
    assert "The server answers as another, and openai-api/fake/m was asked." in done.stderr
    assert done.stderr.count("cannot be read:") == 1
    assert done.stderr.count("talk about lunch") == 3
    assert "\x1b" not in done.stderr
    assert "[2J" not in done.stderr
    assert "0.0 % can be read" in done.stderr


def test_stopped_with_ctrl_c_and_gone_on(bench: Path, here: Command, fake_server: Server, tmp_path: Path) -> None:
    server = fake_server(default="A", delay_s=0.2)
    run = tmp_path / "run"
    arguments = ["ask", bench, *MODEL, "--base-url", server.base_url, "--out", run, "--max-connections", 2]
    process = subprocess.Popen(
        [sys.executable, "-m", "probe4d", *map(str, arguments)], stderr=subprocess.PIPE, text=True
    )
    while process.poll() is None and not ((run / "answers.jsonl").exists() and (run / "answers.jsonl").stat().st_size):
        time.sleep(0.05)
    process.send_signal(signal.SIGINT)
    _, errors = process.communicate(timeout=60)
    assert process.returncode == 130, errors
    kept = len((run / "answers.jsonl").read_text().splitlines())
    assert f"probe4d: stopped; {kept} answers are kept in {run}, and the same command goes on." in errors
    assert "Traceback" not in errors
    done = here(*arguments, "--max-connections", 20)
    assert done.returncode == 0, done.stderr
    assert sum(server.counts().values()) <= 100 + 2


def test_a_server_that_is_down_ends_it_in_words_and_keeps_what_came(
    here: Command, bench: Path, fake_server: Server, tmp_path: Path
) -> None:
    server = fake_server(default="A")
    run = ("--out", tmp_path / "run", "--max-retries", 0, "--timeout", 5)
    assert here("ask", bench, *MODEL, "--base-url", server.base_url, *run, "--limit", 3).returncode == 0
    down = server.base_url
    server.stop()
    done = here("ask", bench, *MODEL, "--base-url", down, "--out", tmp_path / "other", *run[2:])
    assert done.returncode == 1
    assert "Traceback" not in done.stderr
    assert "Asking has ended; nothing was answered." in done.stderr


def test_a_run_whose_log_finds_no_room_is_complete(
    here: Command, bench: Path, fake_server: Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def no_room(run: object, benchmark: object, path: Path, **_: object) -> None:
        raise RunError(f"{path}: could not be written to the end (No space left on device).")

    monkeypatch.setattr("probe4d.exchange.inspect_log.write_inspect_log", no_room)
    server = fake_server(default="A")
    done = here("ask", bench, *MODEL, "--base-url", server.base_url, "--out", tmp_path / "run", "--limit", 3)
    assert done.returncode == 0, done.stderr
    assert "inspect.eval: could not be written to the end" in done.stderr
    assert "The run is complete without this log" in done.stderr
    assert probe4d.read_run(tmp_path / "run").answers.height == 3


def test_pictures_are_sent_and_their_hash_kept(
    here: Command, bench: Path, simulated: Path, fake_server: Server, tmp_path: Path
) -> None:
    server = fake_server(default="A")
    shown = ("--evidence", "birds-eye", "--data", simulated, "--max-frames", 2, "--max-side", 320, "--workers", 1)
    done = here("ask", bench, *MODEL, "--base-url", server.base_url, "--out", tmp_path / "run", "--limit", 3, *shown)
    assert done.returncode == 0, done.stderr
    run = probe4d.read_run(tmp_path / "run")
    assert run.answers["evidence"].null_count() == 0
    assert run.record.evidence is not None
    assert (run.record.evidence.pictures.max_side_px, run.record.evidence.max_frames) == (320, 2)
    for request in server.requests():
        parts = request["body"]["messages"][-1]["content"]
        assert {part["type"] for part in parts} == {"image_url", "text"}


def test_env_file_of_the_working_directory_gives_keys_and_is_never_echoed(
    here: Command, bench: Path, fake_server: Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    server = fake_server(default="A")
    monkeypatch.delenv("FAKE_API_KEY")
    arguments = ("ask", bench, *MODEL, "--base-url", server.base_url, "--out", tmp_path / "run", "--limit", 1)
    (tmp_path / ".env").write_text("FAKE_API_KEY=key-from-the-parent-folder\n")
    (tmp_path / "here").mkdir()
    monkeypatch.chdir(tmp_path / "here")
    lacking = here(*arguments)
    assert lacking.returncode == 2
    assert "needs FAKE_API_KEY" in lacking.stderr
    (tmp_path / "here" / ".env").write_text("FAKE_API_KEY=key-from-this-folder\n")
    done = here(*arguments)
    assert done.returncode == 0, done.stderr
    assert "key-from" not in done.stdout + done.stderr
    assert server.requests()[-1]["headers"]["authorization"] == "Bearer key-from-this-folder"
    assert not [path for path in (tmp_path / "run").iterdir() if b"key-from" in path.read_bytes()]
    monkeypatch.setenv("FAKE_API_KEY", "key-from-the-environment")
    other = (*arguments[:-3], tmp_path / "other", "--limit", 1)
    assert here(*other).returncode == 0
    assert server.requests()[-1]["headers"]["authorization"] == "Bearer key-from-the-environment"


def test_controls_are_models(here: Command, bench: Path, built: Benchmark, tmp_path: Path) -> None:
    done = here("ask", bench, "--model", "control:content", "--out", tmp_path / "run")
    assert done.returncode == 0, done.stderr
    assert f"{built.table.height} answers (control:content, default)" in done.stdout


def test_a_dry_run_of_nothing_says_what_asking_would(
    here: Command, bench: Path, simulated: Path, tmp_path: Path
) -> None:
    arguments = ("ask", bench, "--model", "openai/gpt-5.5", "--evidence", "one-camera", "--data", simulated)
    done = here(*arguments, "--dry-run")
    assert done.returncode == 2
    assert "selected questions can be asked; of the first: it does not ask about the view of one camera" in done.stderr
    assert here(*arguments, "--out", tmp_path / "run").stderr == done.stderr


def test_a_dry_run_needs_no_key_and_writes_nothing(here: Command, bench: Path, simulated: Path, tmp_path: Path) -> None:
    arguments = ("ask", bench, "--preset", "stride-gpt-5.5", "--dry-run", "--limit", 4)
    shown = ("--evidence", "birds-eye", "--data", simulated, "--out", tmp_path / "run", "--system", "Look.")
    done = here(*arguments, *shown, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("Nothing was sent.")
    for words in ("openai/gpt-5.5", "640", "image_detail: low", "system: Look.", "SHA-256 ", "  | ", "of pictures"):
        assert words in done.stdout
    assert list(tmp_path.iterdir()) == []
    as_json = json.loads(here(*arguments, *shown, "--json").stdout)
    assert (as_json["model"], as_json["calls"], as_json["pictures"]["shown"]) == ("openai/gpt-5.5", 4, 4)


def test_presets_are_listed_without_a_benchmark(here: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    done = here("ask", "--list-presets")
    assert max(map(len, done.stdout.splitlines())) <= 80
    assert done.returncode == 0, done.stderr
    for words in ("stride-gpt-5.5", "spatialqa-spatialrgpt", "import answers"):
        assert words in done.stdout


def test_another_run_in_the_folder_is_refused_with_what_differs(here: Command, bench: Path, tmp_path: Path) -> None:
    arguments = ("ask", bench, "--model", "control:fixed", "--out", tmp_path / "run")
    assert here(*arguments, "--limit", 3).returncode == 0
    done = here(*arguments, "--limit", 4, "--seed", 1)
    assert done.returncode == 2
    assert len(done.stderr.strip().splitlines()) == 1
    for words in ("holds another run", "limit", "seed", "3", "4"):
        assert words in done.stderr


@pytest.mark.parametrize(("options", "noted"), [((), True), (("--evidence", "none"), False)])
def test_a_lidar_model_that_is_shown_nothing_by_accident_is_noted(
    bench: Path, here: Command, options: tuple[str, ...], noted: bool
) -> None:
    done = here("ask", bench, "--model", "lidar-lm:nowhere", "--dry-run", *options)
    assert done.returncode == 2
    assert ("is shown no features. Give --features, or --evidence none if that is meant." in done.stderr) is noted
