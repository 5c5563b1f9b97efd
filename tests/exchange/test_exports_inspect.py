"""inspect-ai runs exported tasks and those of the entry point, scored by our parser."""

from __future__ import annotations

import gc
import importlib.metadata
import math
import subprocess
import sys
import warnings
from pathlib import Path
from typing import Any

import pytest
from export_making import HOSTILE, export_benchmark, hostile_benchmark, hostile_question
from grounded_making import benchmark_of_all, grounded, replied
from inspect_ai import Task, eval
from inspect_ai.log import EvalLog, read_eval_log
from inspect_ai.model import GenerateConfig, ModelOutput, ModelUsage, get_model
from measured_making import benchmark_of_numbers, measured, replied_numbers

from probe4d.benchmarks.benchmark import Benchmark
from probe4d.benchmarks.suites import suite_prompt
from probe4d.diagnosis.diagnose import diagnose
from probe4d.errors import InputError
from probe4d.exchange.exports.export import export
from probe4d.exchange.inspect_log import write_inspect_log
from probe4d.exchange.inspect_registry import exported_task, lidar_hallu
from probe4d.runs.evidence_plan import evidence_named
from probe4d.runs.plan import RunPlan
from probe4d.runs.run import Answer, RunRecord, read_run, write_run
from probe4d.runs.settings import setting_named
from probe4d.scenes.opening import open_scenes

pytestmark = pytest.mark.usefixtures("quiet")


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


def test_words_and_intervals_are_scored_as_diagnose_scores_them(tmp_path: Path) -> None:
    benchmark, said = replied(tmp_path / "bench")
    export(benchmark, tmp_path / "out", to="inspect")
    word = suite_prompt("b4dl", "default")
    replies = {word(question): said[question.id].text for question in benchmark.questions}
    log = evaluated(exported_task(tmp_path / "out", name="b4dl"), replies, tmp_path)
    assert log.samples is not None
    for sample in log.samples:
        kind, reply = sample.metadata["format"], said[str(sample.id)]
        scorer, right, read = {"interval": ("parsed_interval", "interval_miou_inclusive", "interval_parse_rate")}.get(
            kind, ("parsed_answer", "correct", "valid")
        )
        assert sample.scores is not None
        assert list(sample.scores) == [scorer]
        score = sample.scores[scorer]
        assert isinstance(score.value, dict)
        assert (score.value[right], score.value[read]) == (pytest.approx(reply.worth), reply.read)
        assert score.metadata is not None
        assert (score.metadata["state"] == "valid", score.answer is not None) == (reply.read, reply.read)

    answers = [Answer(question=name, text=reply.text) for name, reply in said.items()]
    write_run(tmp_path / "run", RunRecord(model="m", benchmark=benchmark.fingerprint), answers)
    run = read_run(tmp_path / "run")
    found = values(log)
    figures = diagnose(benchmark, [run]).figures.filter(run="run", relation="all", format="interval")
    names = ("interval_miou", "interval_recall", "interval_parse_rate")
    diagnosed = {
        f"{row['metric']} {row['family'].replace('all', 'mean')}": row["value"]
        for row in figures.iter_rows(named=True)
        if row["metric"].startswith(names)
    }
    assert {name: value for name, value in found.items() if name.startswith(names)} == pytest.approx(diagnosed)
    assert len(diagnosed) == 2 * 9
    assert found["correct existence"] == pytest.approx(3 / 9)

    write_inspect_log(run, benchmark, tmp_path / "run.eval")
    assert values(read_eval_log(str(tmp_path / "run.eval"))) == pytest.approx(found)


def test_an_export_without_labels_has_the_scorer_of_intervals_alone(tmp_path: Path) -> None:
    question = grounded(0, "interval", "3-9")
    export(benchmark_of_all([question], tmp_path / "bench"), tmp_path / "out", to="inspect")
    replies = {suite_prompt("b4dl", "default")(question): "from frame 003 to frame 005"}
    log = evaluated(exported_task(tmp_path / "out"), replies, tmp_path, stop_reason="max_tokens")
    assert log.results is not None
    assert {score.scorer for score in log.results.scores} == {"parsed_interval"}
    assert values(log)["interval_parse_rate mean"] == 0  # cut off: frame 005 may have been frame 0050
    assert "interval_recall" in (tmp_path / "out" / "README.md").read_text()


def test_numbers_are_scored_as_diagnose_scores_them(tmp_path: Path) -> None:
    benchmark, said = replied_numbers(tmp_path / "bench")
    export(benchmark, tmp_path / "out", to="inspect")
    word = suite_prompt("spatial-qa", "default")
    replies = {word(question): said[question.id].text for question in benchmark.questions}
    log = evaluated(exported_task(tmp_path / "out", name="spatial-qa"), replies, tmp_path)
    assert log.samples is not None
    for sample in log.samples:
        reply = said[str(sample.id)]
        assert sample.scores is not None
        assert list(sample.scores) == ["parsed_number"]
        score = sample.scores["parsed_number"]
        assert isinstance(score.value, dict)
        assert (score.value["tolerance_accuracy"], score.value["valid_rate"]) == (reply.right, reply.value is not None)
        assert score.answer == (None if reply.value is None else f"{reply.value:.10g}")
        of_angle = sample.metadata["unit"] == "degrees"
        error = score.value["mean_absolute_error"]
        assert error == pytest.approx(
            math.nan if reply.value is None else abs(reply.value - float(sample.target)), nan_ok=True
        )
        assert math.isnan(float(score.value["mean_absolute_error_wrapped"] or 0)) == (
            reply.value is None or not of_angle
        )

    answers = [Answer(question=name, text=reply.text) for name, reply in said.items()]
    write_run(tmp_path / "run", RunRecord(model="m", benchmark=benchmark.fingerprint), answers)
    run = read_run(tmp_path / "run")
    write_inspect_log(run, benchmark, tmp_path / "run.eval")
    written = read_eval_log(str(tmp_path / "run.eval"))
    found = values(log)
    assert values(written) == pytest.approx(found)
    assert written.samples is not None
    of_task = {str(sample.id): sample.scores["parsed_number"].value for sample in log.samples if sample.scores}
    for sample in written.samples:
        assert sample.scores is not None
        assert sample.scores["parsed_number"].value == pytest.approx(of_task[str(sample.id)], nan_ok=True)

    figures = diagnose(benchmark, [run]).figures.filter(run="run", format="number")
    diagnosed = {(row["metric"], row["family"], row["relation"]): row["value"] for row in figures.iter_rows(named=True)}
    compared = {f"{metric} mean": diagnosed[metric, "all", "all"] for metric in ("tolerance_accuracy", "valid_rate")}
    for unit in ("metres", "degrees"):
        for metric in ("tolerance_accuracy", "valid_rate", "mean_absolute_error"):
            compared[f"{metric} {unit}"] = diagnosed[metric, "all", unit]
        compared[f"mean_absolute_error quantitative in {unit}"] = diagnosed["mean_absolute_error", "quantitative", unit]
    for family in ("quantitative", "sizes"):
        for metric in ("tolerance_accuracy", "valid_rate"):
            compared[f"{metric} {family}"] = diagnosed[metric, family, "all"]
    compared["mean_absolute_error sizes in metres"] = diagnosed["mean_absolute_error", "sizes", "metres"]
    of_angles = diagnosed["mean_absolute_error_wrapped", "all", "degrees"]
    compared["mean_absolute_error_wrapped degrees"] = of_angles
    compared["mean_absolute_error_wrapped quantitative in degrees"] = of_angles
    assert found == pytest.approx(compared)
    assert of_angles < diagnosed["mean_absolute_error", "all", "degrees"]


def test_where_no_number_is_read_there_is_no_error(tmp_path: Path) -> None:
    benchmark = benchmark_of_numbers([measured(0, "distance", "metres", "12.5")], tmp_path / "bench")
    answers = [Answer(question=benchmark.questions[0].id, text="I cannot tell.")]
    write_run(tmp_path / "run", RunRecord(model="m", benchmark=benchmark.fingerprint), answers)
    write_inspect_log(read_run(tmp_path / "run"), benchmark, tmp_path / "run.eval")
    written = read_eval_log(str(tmp_path / "run.eval"))
    assert not any("error" in name for name in values(written))
    assert values(written)["valid_rate mean"] == 0
    assert written.results is not None
    unscored = {score.name: score.unscored_samples for score in written.results.scores}
    assert (unscored["valid_rate"], unscored["mean_absolute_error"]) == (0, 1)


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
    benchmark = export_benchmark(questions, tmp_path / "bench")
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


def test_a_misspelt_argument_is_refused_before_anything_is_asked(built: Benchmark, tmp_path: Path) -> None:
    known = {"benchmark": str(built.path), "limit": 2}
    for wrong, named in (({"sampel": 5}, "sampel"), ({"family": "motion", "seeed": 1}, "family or seeed")):
        with pytest.raises(InputError, match=f"takes no argument {named}; it takes dataroot, .* and jpeg_quality"):
            eval("probe4d/lidar-hallu", model="mockllm/model", task_args=known | wrong, log_dir=str(tmp_path / "logs"))
    task = lidar_hallu(**known, model="mockllm/model")  # type: ignore[arg-type]  # which every task is offered
    assert [sample.id for sample in task.dataset] == built.table["id"].to_list()[:2]


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
