from __future__ import annotations

import json
from pathlib import Path

import pytest

from probe4d.benchmarks.benchmark import Benchmark
from probe4d.benchmarks.suites import SUITES, suite_named
from probe4d.errors import InputError
from probe4d.runs.prompt_lines import prompt_lines, write_prompts


def test_every_suite_words_a_default_prompt() -> None:
    assert all("default" in suite.prompts for suite in SUITES.values())
    assert all(suite_named(name).name == name for name in SUITES)


@pytest.mark.parametrize("setting", ["default", "anti-position", "ego", "explicit-threshold", "chain-of-thought"])
def test_prompts_are_written_a_line_each(built: Benchmark, setting: str, tmp_path: Path) -> None:
    worded: list[object] = []
    assert write_prompts(built, tmp_path / "prompts.jsonl", setting=setting, done=worded.append) == built.table.height
    assert worded == built.table["id"].to_list()
    lines = [json.loads(line) for line in (tmp_path / "prompts.jsonl").read_text(encoding="utf-8").splitlines()]
    assert [line["question"] for line in lines] == built.table["id"].to_list()
    for line, question in zip(lines, built.questions, strict=True):
        assert str(question.question) in line["prompt"]
        assert (line["scene"], tuple(line["options"])) == (question.scene, question.options)
        assert line["evidence"]["frames"] == list(question.evidence.frames)
        assert not set(line) & {"answer", "facts"}


def test_an_unknown_setting_is_named(built: Benchmark) -> None:
    with pytest.raises(InputError, match="no setting 'polite'; it has default, anti-position, ego, explicit-threshold"):
        list(prompt_lines(built, setting="polite"))
