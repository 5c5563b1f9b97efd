"""What `probe4d ask` prints while it runs and at its end."""

from __future__ import annotations

import io
import re
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest

from probe4d.cli import ask_printing, output
from probe4d.models.request import FeatureRows
from probe4d.runs.dry_run import DryRun, ExampleRequest, FeatureEstimate
from probe4d.runs.summary import RunSummary


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def summary(**fields: object) -> RunSummary:
    values = {"run": "r", "model": "m", "setting": "default", "answers": 1, "unanswered": 0, "errors": {}}
    values |= {"left_out": {}, "tokens": 0, "input_tokens": 0, "servers": {}}
    return RunSummary(**(values | fields))  # type: ignore[arg-type]


def test_without_a_terminal_a_line_comes_every_half_minute_and_at_the_end(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    clock = iter(range(0, 10_000, 7))
    monkeypatch.setattr(output, "time", SimpleNamespace(monotonic=lambda: float(next(clock))))
    with output.progress("answers", status=lambda: "well") as count:
        count.expect(22, 2)
        for _ in range(20):
            count()
    assert capsys.readouterr().err.splitlines() == [f"answers: {done} of 22, well" for done in (7, 12, 17, 22)]


def test_on_a_terminal_there_is_a_bar_with_the_status_that_leaves_nothing_behind(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    terminal = Terminal()
    monkeypatch.setattr(sys, "stderr", terminal)
    monkeypatch.setenv("COLUMNS", "120")
    monkeypatch.setenv("TERM", "xterm")
    with output.progress("answers", status=lambda: "98.0 % [can] be read") as count:
        count.expect(4, 1)
        for _ in range(3):
            count()
    shown = re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", terminal.getvalue())
    assert "4/4" in shown
    assert "98.0 % [can] be read" in shown


def test_quiet_shows_no_progress(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr(output.settings, "quiet", True)
    with output.progress("answers") as count:
        count.expect(3)
        count()
    assert capsys.readouterr().err == ""


def test_the_end_names_the_most_frequent_reasons_and_where_the_rest_lies(
    capsys: pytest.CaptureFixture[str],
) -> None:
    errors = {f"reason {n} \x1b[2J": 20 - n for n in range(12)}
    ask_printing.print_summary(
        summary(unanswered=174, errors=errors, left_out={"one frame": 2}, tokens=5, input_tokens=1234),
        Path("run"),
        to_stdout=True,
    )
    printed = capsys.readouterr()
    assert printed.out == "run: 1 answer (m, default), 1,234 tokens in, 5 out\n"
    lines = printed.err.splitlines()
    assert lines[0] == "left out: 2 × one frame"
    assert lines[1] == "probe4d: 174 calls got no answer; the same command asks them again."
    assert lines[2] == "  20 × reason 0 "
    assert lines[-1] == "  19 for other reasons (see errors.jsonl)"
    assert len(lines) == 13


def test_a_whole_run_ends_in_one_line(capsys: pytest.CaptureFixture[str]) -> None:
    ask_printing.print_summary(summary(answers=1500), Path("run"), to_stdout=True)
    printed = capsys.readouterr()
    assert (printed.out, printed.err) == ("run: 1,500 answers (m, default)\n", "")


@pytest.mark.parametrize(
    ("redacted", "words"), [(0, None), (1, "1 answer holds [redacted]"), (1200, "1,200 answers hold")]
)
def test_replies_that_a_key_was_taken_out_of_are_told(
    capsys: pytest.CaptureFixture[str], redacted: int, words: str | None
) -> None:
    ask_printing.print_summary(summary(redacted=redacted), Path("run"), to_stdout=True)
    err = capsys.readouterr().err
    assert (err == "") if words is None else (words in err)


def test_a_dry_run_says_which_features_are_shown(capsys: pytest.CaptureFixture[str]) -> None:
    seen = DryRun(
        model="lidar-lm:m",
        setting="default",
        questions={"existence": 2},
        calls=2,
        left_out={},
        failures=(),
        text_tokens=1200,
        pictures=None,
        features=FeatureEstimate(rows=80, scenes=1, layout="hallu", ego_text="question"),
        reply_tokens=64,
        example=ExampleRequest(
            key="q",
            model="lidar-lm:m",
            system=None,
            pictures=(),
            features=FeatureRows(scene="s", frames=(0, 1)),
            ego_text="It moves.",
            text="Is it?",
            options={},
        ),
    )
    ask_printing.print_dry_run(seen, counted_by="the checkpoint's tokenizer")
    printed = capsys.readouterr().out
    assert "80 rows of 1 scene; layout hallu, ego-motion text question" in printed
    assert "about 1,200 of text (the checkpoint's tokenizer), 80 of feature rows" in printed
    assert "features: s, key frames 0, 1" in printed
    assert "ego-motion text: It moves." in printed
