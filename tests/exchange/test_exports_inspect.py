"""inspect-ai runs exported tasks and those of the entry point, scored by our parser; logs of runs open in it."""

from __future__ import annotations

import gc
import importlib.metadata
import re
import subprocess
import sys
import warnings
import zipfile
from pathlib import Path
from typing import Any

import pytest
from export_making import HOSTILE, benchmark_of, hostile_benchmark, hostile_question
from inspect_ai import Task, eval
from inspect_ai.log import EvalLog, read_eval_log, read_eval_log_sample, read_eval_log_sample_summaries
from inspect_ai.model import GenerateConfig, ModelOutput, ModelUsage, get_model

from probe4d.benchmarks.benchmark import Benchmark
from probe4d.benchmarks.suites import suite_prompt
from probe4d.diagnosis.diagnose import diagnose
from probe4d.errors import InputError
from probe4d.exchange.exports.export import export
from probe4d.exchange.inspect_log import write_inspect_log
from probe4d.exchange.inspect_registry import exported_task, lidar_hallu
from probe4d.models.generation import Generation
from probe4d.runs.evidence_plan import evidence_named
from probe4d.runs.plan import RunPlan
from probe4d.runs.run import Answer, AnswerError, RunRecord, read_run, write_run
from probe4d.runs.settings import setting_named
from probe4d.scenes.opening import open_scenes


@pytest.fixture(autouse=True)
def _quiet(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("INSPECT_DISPLAY", "none")
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    monkeypatch.chdir(tmp_path)


def evaluated(task: Task, replies: dict[str, str], tmp_path: Path, **options: Any) -> EvalLog:
    """Ask a mock that knows the reply to each text."""
    stop = options.pop("stop_reason", "stop")

    def reply(messages: list[Any], tools: object, choice: object, config: GenerateConfig) -> ModelOutput:
        output = ModelOutput.from_content("mockllm", replies[messages[-1].text], stop_reason=stop)
        output.usage = ModelUsage(input_tokens=1, output_tokens=1, total_tokens=2)
        return output

    model = get_model("mockllm/model", custom_outputs=reply, memoize=False)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ResourceWarning)  # inspect-ai leaves its streams open
        (log,) = eval(task, model=model, log_dir=str(tmp_path / "logs"), display="none", **options)
        gc.collect()
    assert log.status == "success", log.error
    return log


def values(log: EvalLog) -> dict[str, float]:
    assert log.results is not None
    return {
        f"{score.name} {metric.name}": metric.value
        for score in log.results.scores
        for metric in score.metrics.values()
        if metric.name != "stderr"
    }


def test_an_exported_task_asks_hostile_texts_and_scores_them_by_the_parser(tmp_path: Path) -> None:
    benchmark = hostile_benchmark(tmp_path / "bench")
    export(benchmark, tmp_path / "out", to="inspect")
    word = suite_prompt("lidar-hallu", "default")
    replies = {}
    for question in benchmark.questions:
        wrong = {"A": "B", "Yes": "No", "No": "Yes"}.get(question.answer, "A")
        replies[word(question)] = {0: f"It is {question.answer}.", 1: wrong}.get(question.order % 3, "I cannot tell.")
    log = evaluated(exported_task(tmp_path / "out"), replies, tmp_path)
    assert log.samples is not None
    samples = {sample.id: sample for sample in log.samples}
    assert set(samples) == set(benchmark.table["id"])
    for question in benchmark.questions:
        sample = samples[question.id]
        assert isinstance(sample.input, list)
        assert (sample.input[0].text, sample.target) == (word(question), question.answer)
        assert tuple(sample.choices or ()) == question.options
        assert sample.metadata["scene"] == question.scene
        assert sample.scores is not None
        score = sample.scores["parsed_answer"]
        expected = {0: ("valid", 1), 1: ("valid", 0)}.get(question.order % 3, ("refused", 0))
        assert (score.metadata, score.value) == (
            {"state": expected[0]},
            {"correct": expected[1], "valid": int(expected[0] == "valid")},
        )
    right = sum(order % 3 == 0 for order in range(len(HOSTILE))) / len(HOSTILE)
    unread = sum(order % 3 == 2 for order in range(len(HOSTILE))) / len(HOSTILE)
    assert values(log)["correct accuracy"] == pytest.approx(right)
    assert values(log)["valid probe4d/valid_rate"] == pytest.approx(1 - unread)


def test_the_task_file_is_plain_and_names_the_suite(built: Benchmark, tmp_path: Path) -> None:
    export(built, tmp_path / "out", to="inspect", plan=RunPlan(setting="chain-of-thought"))
    names: dict[str, Any] = {"__file__": str(tmp_path / "out" / "lidar_hallu.py"), "__name__": "lidar_hallu_task"}
    exec(compile((tmp_path / "out" / "lidar_hallu.py").read_text(), names["__file__"], "exec"), names)
    task = names["lidar_hallu"]()
    assert [sample.id for sample in task.dataset] == built.table["id"].to_list()
    assert task.config.max_tokens == setting_named("chain-of-thought").hints["max_tokens"]
    replies = {sample.input[0].text: f"It may be B.\nAnswer: {sample.target}" for sample in task.dataset}
    assert values(evaluated(task, replies, tmp_path))["correct accuracy"] == 1.0


def test_figures_are_those_of_diagnose(built: Benchmark, tmp_path: Path) -> None:
    """Letters by turns, and every fourth reply cut off: task, log and diagnosis say the same."""
    word = suite_prompt("lidar-hallu", "default")
    text = {q.id: ("Yes" if not q.options else "ABCD"[n % 4]) for n, q in enumerate(built.questions)}
    text |= {q.id: "I would say that the" for n, q in enumerate(built.questions) if n % 4 == 3}
    task = lidar_hallu(benchmark=str(built.path))
    log = evaluated(task, {word(q): text[q.id] for q in built.questions}, tmp_path, stop_reason="max_tokens")

    answers = [Answer(question=name, text=reply, finish_reason="max_tokens") for name, reply in text.items()]
    write_run(tmp_path / "run", RunRecord(model="m", benchmark=built.fingerprint), answers)
    run = read_run(tmp_path / "run")
    write_inspect_log(run, built, tmp_path / "run.eval")
    written = values(read_eval_log(str(tmp_path / "run.eval")))
    assert written == pytest.approx(values(log))

    figures = diagnose(built, [run]).figures.filter(run="run", relation="all", format="all")
    diagnosed = {(row["metric"], row["family"]): row["value"] for row in figures.iter_rows(named=True)}
    for family in built.record.counts:
        assert written[f"correct {family}"] == pytest.approx(diagnosed["accuracy", family])
        assert written[f"valid {family}"] == pytest.approx(diagnosed["valid_rate", family])
    assert written["correct accuracy"] == pytest.approx(diagnosed["accuracy", "all"])
    assert 0 < written["valid probe4d/valid_rate"] < 1


def test_a_task_with_pictures_is_evaluated(built: Benchmark, simulated: Path, tmp_path: Path) -> None:
    task = lidar_hallu(benchmark=str(built.path), dataroot=str(simulated), evidence="birds-eye", limit=2)
    replies = {sample.input[0].text: sample.target for sample in task.dataset}
    assert values(evaluated(task, replies, tmp_path))["correct accuracy"] == 1.0


def test_a_picture_outside_of_the_export_is_refused(built: Benchmark, simulated: Path, tmp_path: Path) -> None:
    scenes, plan = open_scenes(simulated), evidence_named("birds-eye")
    export(built, tmp_path / "out", to="inspect", plan=RunPlan(evidence=plan), scenes=scenes)
    lines = tmp_path / "out" / "questions.jsonl"
    lines.write_text(lines.read_text().replace("pictures/", "../pictures/", 1))
    with pytest.raises(InputError, match="leads out of"):
        exported_task(tmp_path / "out")


def test_what_is_not_asked_is_warned_of(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    questions = [hostile_question(0, "choice"), hostile_question(1, "text")]
    benchmark = benchmark_of(questions, tmp_path / "bench")
    task = lidar_hallu(benchmark=str(benchmark.path))
    assert [sample.id for sample in task.dataset] == [questions[0].id]
    assert "left out: 1 × " in caplog.text


def test_the_task_says_what_it_lacks(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"needs questions\. Give -T dataroot"):
        lidar_hallu()
    with pytest.raises(InputError, match="is not a folder"):
        lidar_hallu(benchmark=str(tmp_path / "none"))
    with pytest.raises(InputError, match="there is no evidence 'smell'"):
        lidar_hallu(benchmark=str(tmp_path / "none"), evidence="smell")


def test_inspect_finds_the_task_by_its_entry_point(simulated: Path, tmp_path: Path, fake_server: Any) -> None:
    (found,) = importlib.metadata.entry_points(group="inspect_ai", name="probe4d")
    assert found.value == "probe4d.exchange.inspect_registry"
    server = fake_server(default="Yes")
    arguments = ("dataroot", simulated), ("per_family", 8), ("limit", 6), ("split", "all")
    command = [Path(sys.executable).parent / "inspect", "eval", "probe4d/lidar-hallu", "--display", "plain"]
    command += [word for name, value in arguments for word in ("-T", f"{name}={value}")]
    command += ["--model", "openai-api/fake/m", "--model-base-url", server.base_url, "--log-dir", "logs"]
    done = subprocess.run(
        [*map(str, command)],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    (path,) = (tmp_path / "logs").glob("*.eval")
    log = read_eval_log(str(path))
    assert (log.status, log.eval.task) == ("success", "probe4d/lidar-hallu")
    assert log.samples is not None
    assert len(log.samples) == len(server.counts()) == 6
    for sample in log.samples:
        assert sample.scores is not None
        assert sample.scores["parsed_answer"].value == {
            "correct": int(sample.target == "Yes"),
            "valid": int(not sample.choices),
        }


@pytest.fixture
def rotated_run(tmp_path: Path) -> tuple[Benchmark, Path]:
    benchmark = benchmark_of([hostile_question(n, "choice") for n in range(3)], tmp_path / "bench")
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
    with pytest.raises(InputError, match=r"not installed\. pip install 'probe4d\[models\]'"):
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
    evidence: str, family: str, built: Benchmark, simulated: Path, tmp_path: Path, fake_server: Any, command: Any
) -> None:
    server = fake_server(default="Yes")
    arguments = ("--model", "openai-api/fake/m", "--base-url", server.base_url, "--limit", 3, "--family", family)
    shown = ("--evidence", evidence, "--data", simulated, "--max-side", 256)
    done = command("ask", built.path, "--out", tmp_path / "run", *arguments, *shown)
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
