"""Writes a finished run as a log of inspect-ai, which `inspect view` and `read_eval_log` open.

The run's own files say more and are what `diagnose` reads; the log is for people who know inspect-ai's viewer. It is
written after the run, one sample at a time: the library's own writer looks through all samples written so far for
each new one.
"""

from __future__ import annotations

import datetime
import zipfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import polars as pl

from probe4d.benchmarks.benchmark import Benchmark
from probe4d.benchmarks.question import NUMBER, Question, questions_from
from probe4d.diagnosis.sheets.numbers import unit_of_answer
from probe4d.errors import InputError
from probe4d.exchange.inspect_log_scores import results_of, scores_of, with_scores
from probe4d.exchange.prompts_sent import PromptsSent
from probe4d.extras import needed
from probe4d.models.generation import Generation
from probe4d.runs.run import RECORD_FILE, Run, check_run
from probe4d.runs.settings import Setting, Variant, recorded_setting
from probe4d.runs.ways import ways_of_shapes
from probe4d.scenes.tables import Scenes
from probe4d.store.files import whole_file
from probe4d.store.hashing import digest
from probe4d.wording import counted

if TYPE_CHECKING:
    from inspect_ai.log import EvalLog, EvalSample
    from inspect_ai.model import ModelUsage

__all__ = ["LOG_FILE", "write_inspect_log"]

LOG_FILE = "inspect.eval"
"""Name of the log in a run folder."""

_STOP_REASONS = {"stop", "max_tokens", "model_length", "tool_calls", "content_filter", "unknown"}
_CUT_REASONS = {"length": "max_tokens", "max_output_tokens": "max_tokens"}


def write_inspect_log(run: Run, benchmark: Benchmark, path: Path | str, *, scenes: Scenes | None = None) -> None:
    """Write the answers of a run, with what the default parser makes of them, as an `.eval` file.

    A sample is an answer or a failure; its id is that of the question, and its epoch the place of its variant in the
    setting. The prompt is the text that was sent; in the place of pictures stands their number, with the digest of
    what was shown. Neither the model's own arguments nor its server's address are in the log.

    Args:
        run: The run. What was never tried has no sample; as long as a question has no answer, the status is `error`.
        benchmark: The benchmark that it answers.
        path: File to write, with the ending `.eval`.
        scenes: The scenes that the pictures were taken from; without them prompts lack the lines that list pictures.

    Raises:
        InputError: inspect-ai is not installed, the run belongs to another benchmark, or the file cannot be written.
        RunError: Writing failed, for example because the disk is full.
    """
    needed("inspect_ai", extra="models", user="a log of inspect-ai")  # said before any work
    path = Path(path)
    if path.suffix != ".eval":
        raise InputError("does not end in .eval.", path=path, remedy="Name the log so that inspect-ai knows it.")
    untried = check_run(run, benchmark, allow_missing=True)
    answers = _read(run, benchmark)
    with (
        whole_file(path) as temporary,
        zipfile.ZipFile(temporary, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as archive,
    ):
        summaries = []
        for sample in _samples(run, benchmark, answers, PromptsSent(run, benchmark, scenes)):
            archive.writestr(
                f"samples/{sample.id}_epoch_{sample.epoch}.json", sample.model_dump_json(exclude_none=True)
            )
            summaries.append(sample.summary().model_dump_json(exclude_none=True))
        archive.writestr("summaries.json", f"[{','.join(summaries)}]")
        archive.writestr("header.json", _header(run, benchmark, answers, untried).model_dump_json(exclude_none=True))


def _read(run: Run, benchmark: Benchmark) -> pl.DataFrame:
    """The answers of a run, each with epoch, question, and what the parser makes of it.

    Returns:
        Columns of `ANSWER_SCHEMA`, and format, unit (of a number), family, scene, shown (options as shown), reference
        (answer for that order), epoch (from 1), and those of `with_scores`.
    """
    setting = recorded_setting(run.record.setting)
    answered = benchmark.rows(run.answers["question"])
    of_questions = answered.select(
        *("format", "family", "scene", "options"),
        unit=pl.when(pl.col("format") == NUMBER).then(unit_of_answer()),
        reference="answer",
        question="id",
    )
    rows = run.answers.join(of_questions, on="question", how="left", maintain_order="left")
    turned = [
        (variant.shown(options), variant.letter_shown(reference, len(options)))
        for options, reference, rotation in rows.select("options", "reference", "rotation").iter_rows()
        for variant in (Variant(rotation=rotation or 0),)
    ]
    schema = {"shown": pl.List(pl.String()), "reference": pl.String()}
    rows = rows.drop("options", "reference").hstack(pl.DataFrame(turned, schema=schema, orient="row"))
    rows = _with_epochs(rows, setting, answered)
    return with_scores(rows, setting)


def _with_epochs(rows: pl.DataFrame, setting: Setting, questions: pl.DataFrame) -> pl.DataFrame:
    """Rows with the place of their variant in the setting (from 1), in which no answer before it needs to exist.

    Variants that the setting does not know, such as people in a run from elsewhere, follow in the order of the log.
    """
    known = ways_of_shapes(setting, questions).select("format", "size", "variant", epoch=pl.col("place") + 1)
    shapes = rows.with_columns(size=pl.col("shown").list.len())
    placed = shapes.join(known, on=["format", "size", "variant"], how="left", nulls_equal=True, maintain_order="left")
    strange = placed.filter(pl.col("epoch").is_null()).select(pl.col("variant").unique(maintain_order=True))
    after = strange.with_row_index("after", offset=1).with_columns(pl.col("after").cast(pl.Int64))
    taken = pl.col("epoch").max().fill_null(0)
    return (
        placed.join(after, on="variant", how="left", nulls_equal=True, maintain_order="left")
        .with_columns(epoch=pl.col("epoch").fill_null(taken + pl.col("after")))
        .drop("after", "size")
    )


def _samples(run: Run, benchmark: Benchmark, answers: pl.DataFrame, prompts: PromptsSent) -> Iterator[EvalSample]:
    questions = {question.id: question for question in questions_from(benchmark.rows(answers["question"]))}
    for row in answers.iter_rows(named=True):
        yield _sample(row, questions[row["question"]], prompts, run.record.model)


def _sample(row: dict[str, Any], question: Question, prompts: PromptsSent, model: str) -> EvalSample:
    from inspect_ai.log import EvalSample
    from inspect_ai.model import ChatMessageUser, Content, ContentText, ModelOutput

    text, pictures = prompts.text(question, row), prompts.pictures(question, row)
    content: list[Content] = [ContentText(text=part) for part in (pictures, text) if part is not None]
    user = ChatMessageUser(content=text if pictures is None else content, id=f"{row['question']}-{row['epoch']}-user")
    output = _output(row, model) if row["error"] is None else ModelOutput(model=model)
    usage = {model: output.usage} if output.usage is not None else {}
    return EvalSample(
        id=row["question"],
        epoch=row["epoch"],
        input=[user],
        choices=row["shown"] or None,
        target=row["reference"],
        messages=[user, *(choice.message for choice in output.choices)],
        output=output,
        scores=scores_of(row),
        metadata={
            "variant": row["variant"],
            "family": question.family,
            "format": question.format,
            "unit": row["unit"],
            "relation": question.relation,
            "scene": question.scene,
            "frames": list(question.frames),
            "evidence": row["evidence"],
            "shown_scene": row["shown_scene"],
            "seed": row["seed"],
        },
        model_usage=usage,
        total_time=row["seconds"],
        working_time=row["seconds"],
        error=_error(row["error"]),
    )


def _output(row: dict[str, Any], model: str) -> Any:
    from inspect_ai.model import (
        ChatCompletionChoice,
        ChatMessageAssistant,
        Content,
        ContentReasoning,
        ContentText,
        ModelOutput,
    )

    reason = _CUT_REASONS.get(row["finish_reason"], row["finish_reason"])
    content: str | list[Content] = row["text"]
    if row["reasoning"]:
        content = [ContentReasoning(reasoning=row["reasoning"]), ContentText(text=row["text"])]
    message = ChatMessageAssistant(
        content=content, id=f"{row['question']}-{row['epoch']}-reply", model=row["model"] or model, source="generate"
    )
    choice = ChatCompletionChoice(message=message, stop_reason=reason if reason in _STOP_REASONS else "unknown")
    return ModelOutput(model=row["model"] or model, choices=[choice], usage=_usage(row), time=row["seconds"])


def _usage(row: dict[str, Any]) -> ModelUsage | None:
    from inspect_ai.model import ModelUsage

    if row["tokens"] is None and row["input_tokens"] is None:
        return None
    read, written = row["input_tokens"] or 0, row["tokens"] or 0
    return ModelUsage(input_tokens=read, output_tokens=written, total_tokens=read + written)


def _error(what: str | None) -> Any:
    from inspect_ai.log import EvalError

    return None if what is None else EvalError(message=what, traceback=what, traceback_ansi=what)


def _header(run: Run, benchmark: Benchmark, answers: pl.DataFrame, untried: Sequence[str]) -> EvalLog:
    from inspect_ai.log import EvalConfig, EvalDataset, EvalLog, EvalSpec, EvalStats

    record, told = run.record, _told_at(run)
    identity = digest([record.model, record.setting, record.benchmark, run.name])[:22]
    questions = answers["question"].unique(maintain_order=True).to_list()
    spec = EvalSpec(
        eval_id=identity,
        run_id=identity,
        task_id=identity,
        created=told,
        task=benchmark.record.suite,
        task_version=benchmark.record.version,
        dataset=EvalDataset(name=benchmark.record.suite, samples=len(questions), sample_ids=questions),
        model=record.model,
        model_generate_config=_generate_config(record.generation),
        config=EvalConfig(epochs=int(answers["epoch"].max() or 1)),  # type: ignore[arg-type]  # of an integer column
        packages=dict(record.versions),
        metadata={
            "run": run.name,
            "setting": record.setting,
            "benchmark": record.benchmark,
            "evidence": None if record.evidence is None else record.evidence.name,
        },
    )
    usage = _whole_usage(answers)
    failed = answers.filter(pl.col("error").is_not_null())["question"].n_unique()
    unanswered = counted(failed + len(untried), "question")
    return EvalLog(
        status="error" if failed or untried else "success",
        error=_error(f"{unanswered} got no answer, or not in every variant." if failed or untried else None),
        eval=spec,
        results=results_of(answers),
        stats=EvalStats(started_at=told, completed_at=told, model_usage={record.model: usage}),
    )


def _told_at(run: Run) -> str:
    """When the run's record was written; the beginning of time for a run that is not on disk."""
    seconds = 0.0 if run.path is None else (run.path / RECORD_FILE).stat().st_mtime
    return datetime.datetime.fromtimestamp(seconds, datetime.UTC).isoformat(timespec="seconds")


def _generate_config(generation: Generation | None) -> Any:
    from inspect_ai.model import GenerateConfig

    if generation is None:
        return GenerateConfig()
    return GenerateConfig(
        temperature=generation.temperature,
        top_p=generation.top_p,
        max_tokens=generation.max_tokens,
        seed=generation.seed,
        reasoning_effort=generation.reasoning_effort,
        system_message=generation.system,
    )


def _whole_usage(answers: pl.DataFrame) -> ModelUsage:
    from inspect_ai.model import ModelUsage

    read, written = int(answers["input_tokens"].sum()), int(answers["tokens"].sum())
    return ModelUsage(input_tokens=read, output_tokens=written, total_tokens=read + written)
