"""Logs of runs open in inspect-ai, and hold what the run holds."""

from __future__ import annotations

import re
import sys
import zipfile
from pathlib import Path
from typing import Any

import pytest
from export_making import export_benchmark, hostile_question
from inspect_ai.log import read_eval_log, read_eval_log_sample, read_eval_log_sample_summaries

from probe4d.benchmarks.benchmark import Benchmark
from probe4d.errors import InputError
from probe4d.exchange.inspect_log import write_inspect_log
from probe4d.models.generation import Generation
from probe4d.runs.run import Answer, AnswerError, RunRecord, read_run, write_run
from probe4d.runs.settings import setting_named

pytestmark = pytest.mark.usefixtures("quiet")


@pytest.fixture
def rotated_run(tmp_path: Path) -> tuple[Benchmark, Path]:
    benchmark = export_benchmark([hostile_question(n, "choice") for n in range(3)], tmp_path / "bench")
    setting = setting_named("permuted:4")
    answers = [
        Answer(
            question=question.id,
            variant=variant.name,
            text="A",
            reasoning="It looks like {{ A }} <b>.",
            finish_reason="stop",
            rotation=variant.rotation,
            model="m-2026-01-01",
            tokens=2,
            input_tokens=50,
            seconds=0.5,
        )
        for question in benchmark.questions
        for variant in setting.variants(question)
    ]
    record = RunRecord(
        model="openai/m",
        setting="permuted:4",
        parameters={"api_key": "sk-canary", "base_url": "http://user:canary@localhost/v1"},
        generation=Generation(temperature=0.5, max_tokens=9, extra_body={"token": "canary"}),
        benchmark=benchmark.fingerprint,
    )
    failed = AnswerError(question=answers[0].question, variant=answers[0].variant, error="timed out")
    write_run(tmp_path / "run", record, answers[1:], [failed])
    return benchmark, tmp_path / "run"


def test_variants_are_epochs_with_options_as_they_were_shown(
    rotated_run: tuple[Benchmark, Path], tmp_path: Path
) -> None:
    benchmark, run = rotated_run
    write_inspect_log(read_run(run), benchmark, tmp_path / "log.eval")
    log = read_eval_log(str(tmp_path / "log.eval"))
    assert (log.status, log.eval.model, log.eval.config.epochs) == ("error", "openai/m", 4)
    assert log.error is not None
    assert log.error.message.startswith("1 question got no answer")
    assert (log.eval.model_generate_config.temperature, log.eval.model_generate_config.max_tokens) == (0.5, 9)
    assert log.samples is not None
    assert len(log.samples) == 12
    questions = {question.id: question for question in benchmark.questions}
    for sample in log.samples:
        question = questions[str(sample.id)]
        assert sample.metadata["variant"] == f"rotation-{sample.epoch - 1}"
        if sample.error is not None:
            assert sample.epoch == 1
            assert (sample.error.message, sample.scores, sample.output.choices) == ("timed out", None, [])
            continue
        assert sample.choices is not None
        turn = question.options.index(sample.choices[0])
        assert sample.metadata["variant"] == f"rotation-{turn}"
        assert f"A. {sample.choices[0]}\n" in sample.input[0].text  # type: ignore[union-attr]
        assert sample.choices["ABCD".index(str(sample.target))] == question.options["ABCD".index(question.answer)]
        assert sample.scores is not None
        assert sample.scores["parsed_answer"].value == {"correct": int(sample.target == "A"), "valid": 1}
        assert (sample.output.completion, sample.output.model, sample.output.stop_reason) == (
            "A",
            "m-2026-01-01",
            "stop",
        )
        assert sample.output.usage is not None
        assert sample.output.usage.total_tokens == 52
        assert sample.messages[-1].content[0].reasoning == "It looks like {{ A }} <b>."  # type: ignore[union-attr]
    assert len(read_eval_log_sample_summaries(str(tmp_path / "log.eval"))) == 12
    one = read_eval_log_sample(str(tmp_path / "log.eval"), id=benchmark.questions[2].id, epoch=4)
    assert one.metadata["variant"] == "rotation-3"


def test_a_log_holds_no_arguments_of_the_model(rotated_run: tuple[Benchmark, Path], tmp_path: Path) -> None:
    benchmark, run = rotated_run
    write_inspect_log(read_run(run), benchmark, tmp_path / "log.eval")
    with zipfile.ZipFile(tmp_path / "log.eval") as archive:
        assert b"canary" not in b"".join(archive.read(name) for name in archive.namelist())


def test_equal_runs_have_equal_logs(rotated_run: tuple[Benchmark, Path], tmp_path: Path) -> None:
    benchmark, run = rotated_run
    contents = []
    for name in ("one.eval", "two.eval"):
        write_inspect_log(read_run(run), benchmark, tmp_path / name)
        with zipfile.ZipFile(tmp_path / name) as archive:
            contents.append({member: archive.read(member) for member in archive.namelist()})
    assert contents[0] == contents[1]


def test_wrong_logs_are_refused(rotated_run: tuple[Benchmark, Path], tmp_path: Path, built: Benchmark) -> None:
    benchmark, run = rotated_run
    with pytest.raises(InputError, match=r"does not end in \.eval"):
        write_inspect_log(read_run(run), benchmark, tmp_path / "log.json")
    with pytest.raises(InputError, match="answers another benchmark"):
        write_inspect_log(read_run(run), built, tmp_path / "log.eval")
    assert not (tmp_path / "log.eval").exists()


def test_without_inspect_the_message_names_the_extra(
    rotated_run: tuple[Benchmark, Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    benchmark, run = rotated_run
    monkeypatch.setitem(sys.modules, "inspect_ai", None)
    with pytest.raises(InputError, match=r"a log of inspect-ai needs .*pip install 'probe4d\[models\]'"):
        write_inspect_log(read_run(run), benchmark, tmp_path / "log.eval")


def test_runs_of_settings_that_no_suite_words_show_the_question(built: Benchmark, tmp_path: Path) -> None:
    answers = [Answer(question=question.id, text="B") for question in built.questions]
    record = RunRecord(model="human", setting="on paper", benchmark=built.fingerprint)
    write_run(tmp_path / "run", record, answers)
    write_inspect_log(read_run(tmp_path / "run"), built, tmp_path / "log.eval")
    log = read_eval_log(str(tmp_path / "log.eval"))
    assert log.samples is not None
    assert {sample.epoch for sample in log.samples} == {1}
    assert (log.status, log.error) == ("success", None)
    assert {sample.id: sample.output.stop_reason for sample in log.samples} == dict.fromkeys(
        built.table["id"], "unknown"
    )


@pytest.mark.parametrize(("evidence", "family"), [("birds-eye", "existence"), ("shuffled:birds-eye", "motion")])
def test_a_log_holds_the_text_that_was_sent(
    evidence: str, family: str, built: Benchmark, simulated: Path, tmp_path: Path, fake_server: Any, here: Any
) -> None:
    server = fake_server(default="Yes")
    arguments = ("--model", "openai-api/fake/m", "--base-url", server.base_url, "--limit", 3, "--family", family)
    shown = ("--evidence", evidence, "--data", simulated, "--max-side", 256)
    done = here("ask", built.path, "--out", tmp_path / "run", *arguments, *shown)
    assert done.returncode == 0, done.stderr
    run = read_run(tmp_path / "run")
    digests = dict(run.answers.select("question", "evidence").iter_rows())
    log = read_eval_log(str(tmp_path / "run" / "inspect.eval"))
    assert log.samples is not None
    texts = set()
    for sample in log.samples:
        pictures, text = sample.input[0].content  # type: ignore[union-attr]
        assert pictures.text.endswith(f"not in this log; SHA-256 over their digests {digests[sample.id]}]")
        assert re.match(r"The (image above shows frame|[1-9]+ images above show frames)", text.text)
        texts.add(text.text)
    assert texts == set(server.counts())

    write_inspect_log(run, built, tmp_path / "without.eval")  # the scenes are not at hand
    (one, *_) = read_eval_log(str(tmp_path / "without.eval")).samples or ()
    pictures, text = one.input[0].content  # type: ignore[union-attr]
    assert re.match(r"\[\d+ pictures?, not in this log; SHA-256 over", pictures.text)
    assert pictures.text.endswith("; nor are the lines that list them]")
    assert any(sent.endswith(text.text) for sent in texts)


def test_a_run_that_is_asked_leaves_a_log(
    built: Benchmark, tmp_path: Path, fake_server: Any, command: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("FAKE_API_KEY", "sk-canary-0123456789")
    server = fake_server(default="Yes")
    arguments = ("--model", "openai-api/fake/m", "--base-url", server.base_url, "--limit", 5)
    done = command("ask", built.path, "--out", tmp_path / "run", *arguments)
    assert done.returncode == 0, done.stderr
    log = read_eval_log(str(tmp_path / "run" / "inspect.eval"))
    assert (log.status, log.eval.model, log.eval.task) == ("success", "openai-api/fake/m", "lidar-hallu")
    assert log.samples is not None
    assert {sample.id: sample.output.completion for sample in log.samples} == dict.fromkeys(
        built.table["id"].to_list()[:5], "Yes"
    )
    with zipfile.ZipFile(tmp_path / "run" / "inspect.eval") as archive:
        contents = b"".join(archive.read(name) for name in archive.namelist())
    assert b"canary" not in contents
    assert server.base_url.encode() not in contents


def test_people_are_epochs_and_what_was_never_tried_is_told(built: Benchmark, tmp_path: Path) -> None:
    asked = built.table["id"].to_list()[:-1]
    answers = [Answer(question=one, variant="bob", text="B") for one in asked[1:]]
    answers += [Answer(question=one, variant="ann", text="A") for one in asked]
    write_run(tmp_path / "run", RunRecord(model="human", benchmark=built.fingerprint), answers)
    write_inspect_log(read_run(tmp_path / "run"), built, tmp_path / "log.eval")
    log = read_eval_log(str(tmp_path / "log.eval"))
    assert log.samples is not None
    assert {(sample.metadata["variant"], sample.epoch) for sample in log.samples} == {("bob", 1), ("ann", 2)}
    assert log.status == "error"
    assert log.error is not None
    assert log.error.message.startswith("1 question got no answer")
