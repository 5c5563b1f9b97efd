"""Everybody's answers to the questions that a page embeds: what was said, in each variant, and what had been shown."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from itertools import pairwise
from typing import Any

import polars as pl

from probe4d.benchmarks.question import Question
from probe4d.diagnosis.parsing import STATES
from probe4d.diagnosis.tables import AnswerKind, Diagnosis
from probe4d.report.evidence_shown import shown_in_words
from probe4d.runs.run import Run
from probe4d.wording import CONTROL_SEQUENCE

__all__ = ["answers_given", "cut_off", "replies"]

TEXT_BYTES = 10_000_000
TEXT_LENGTHS = (4_000, 2_000, 1_000, 500, 250, 120)
NUMBER_DECIMALS = 2
SCORE_DECIMALS = 3  # of a metric of words
DIGEST = 12  # digits of an evidence digest that tell any two apart


def answers_given(diagnosis: Diagnosis) -> pl.DataFrame:
    """Answers of all formats; columns of `RECORDS_SCHEMA`, numbers as labels with their units, scores as labels.

    A number is right within the tolerance. An answer in free text is neither right nor wrong: `correct` is null; where
    it was judged the judge's words stand below its text.
    """
    return pl.concat([_SHOWN[kind](diagnosis) for kind in diagnosis.answered])


def _labels(diagnosis: Diagnosis) -> pl.DataFrame:
    return diagnosis.records


def _numbers(diagnosis: Diagnosis) -> pl.DataFrame:
    return diagnosis.numbers.select(
        *("run", "question", "variant", "text", "state"),
        label=pl.format("{} {}", pl.col("value").round(NUMBER_DECIMALS), "unit"),
        correct="within_tolerance",
    )


def _intervals(diagnosis: Diagnosis) -> pl.DataFrame:
    """What intervals were named and how much they overlap, neither right nor wrong; or, wrong, why none was read."""
    return diagnosis.intervals.select(
        *("run", "question", "variant", "text", "state"),
        label=pl.coalesce(
            pl.format("frames {} to {}, IoU {}", "first", "last", pl.col("iou_inclusive").round(NUMBER_DECIMALS)),
            "reason",
        ),
        correct=pl.when(pl.col("first").is_null()).then(False),
    )


def _waypoints(diagnosis: Diagnosis) -> pl.DataFrame:
    """How far off waypoints are, which is neither right nor wrong; or, wrong, why they could not be read."""
    errors = (pl.col(name).round(NUMBER_DECIMALS) for name in ("ade_m", "fde_m"))
    return diagnosis.waypoints.select(
        *("run", "question", "variant", "text", "state"),
        label=pl.coalesce(pl.format("ADE {} m, FDE {} m", *errors), "reason"),
        correct=pl.when(~pl.col("parsed")).then(False),
    )


def _judged(diagnosis: Diagnosis) -> pl.DataFrame:
    highest = {name: record.highest for name, record in diagnosis.judges.items()}
    best = pl.col("run").replace_strict(highest, default=None, return_dtype=pl.Int64)
    is_judged = pl.col("state").is_in(["scored", "unscored"])
    said = pl.coalesce("reason", pl.format("no verdict ({})", "fault"))
    return diagnosis.judged.select(
        *("run", "question", "variant"),
        text=pl.concat_str("answer", pl.format("Judge: {}", said), separator="\n\n", ignore_nulls=True),
        state=pl.when(is_judged).then(pl.lit("valid")).otherwise("state"),
        label=pl.when(is_judged).then(
            pl.coalesce(pl.format("{} of {}", pl.col("score").round(NUMBER_DECIMALS), best), pl.lit("unscored"))
        ),
        correct=pl.lit(None, pl.Boolean),
    )


def _compared(diagnosis: Diagnosis) -> pl.DataFrame:
    """Free answers that were compared with references word by word, without those that were judged as well."""
    texts = diagnosis.texts.join(diagnosis.judged.select("run", "question"), on=["run", "question"], how="anti")
    scores = [
        pl.format("{} {}", pl.lit(one.metric), pl.col(metric).round(SCORE_DECIMALS))
        for metric, one in diagnosis.text_fingerprints.items()
    ]
    return texts.select(
        *("run", "question", "variant"),
        text=pl.when(~pl.col("state").is_in(["error", "missing"])).then("answer"),
        state="state",
        label=pl.concat_str(scores, separator=", ") if scores else pl.lit(None, pl.String),
        correct=pl.lit(None, pl.Boolean),
    )


_SHOWN: Mapping[AnswerKind, Callable[[Diagnosis], pl.DataFrame]] = {
    "labels": _labels,
    "numbers": _numbers,
    "intervals": _intervals,
    "waypoints": _waypoints,
    "judged": _judged,
    "texts": _compared,
}


def replies(
    diagnosis: Diagnosis, questions: Sequence[Question]
) -> tuple[list[dict[str, Any]], list[str], tuple[str, ...]]:
    """Pack the answers of every answerer, runs first.

    Args:
        diagnosis: The answers.
        questions: The questions embedded, in order.

    Returns:
        For each of `Diagnosis.answerers` the columns `label`, `state`, `correct` and `text` in the order of the
        questions, `shown` (what it saw; null if nothing) and `variants` (every answer of a run that asked in variants;
        null for others); the distinct texts, to which `text` points; and what was cut, as sentences.
    """
    ids = pl.DataFrame({"question": [question.id for question in questions]}, schema={"question": pl.String})
    # A question left out by a run has no row; a release may hold one twice.
    readable = pl.col("text").str.replace_all(CONTROL_SEQUENCE, "")
    records = (
        answers_given(diagnosis)
        .join(ids, on="question", how="semi")
        .unique(["run", "question"], keep="first", maintain_order=True)
        .with_columns(readable)
    )
    variants = diagnosis.variants.join(ids, on="question", how="semi").with_columns(readable)
    texts, cut, limit = _texts(pl.concat([records["text"], variants["text"]]))
    places = pl.DataFrame(
        {"text": texts, "place": range(texts.len())}, schema={"text": pl.String(), "place": pl.Int64()}
    )
    coded, coded_variants = (_coded(table, places) for table in (records, variants))
    runs = {run.name: run for run in diagnosis.runs}
    answers = []
    for name in diagnosis.answerers():
        own = ids.join(coded.filter(pl.col("run") == name), on="question", how="left", maintain_order="left")
        run = runs.get(name)
        answers.append({
            "label": own["label"].to_list(),
            "state": own["state"].to_list(),
            "correct": own["correct"].cast(pl.Int8).to_list(),
            "text": own["place"].to_list(),
            "shown": None if run is None else _shown(run, ids),
            "variants": None if run is None else _variants(run, ids, coded_variants),
        })  # fmt: skip
    many = int(cut.sum())
    notes = (f"{many:,} {'reply is' if many == 1 else 'replies are'} cut after {limit:,} characters.",) if many else ()
    return answers, cut_off(texts, cut, limit).to_list(), notes


def _texts(all_texts: pl.Series) -> tuple[pl.Series, pl.Series, int]:
    """The distinct texts, which of them have to be cut, and to how many characters."""
    distinct = all_texts.drop_nulls().unique(maintain_order=True)
    lengths = distinct.str.len_bytes()
    limit = next(
        (size for size in TEXT_LENGTHS if lengths.clip(upper_bound=size).sum() <= TEXT_BYTES), TEXT_LENGTHS[-1]
    )
    return distinct, distinct.str.len_chars() > limit, limit


def cut_off(texts: pl.Series, cut: pl.Series, limit: int) -> pl.Series:
    """Texts, those to be cut with their first characters and how many there are."""
    return pl.select(
        pl.when(cut)
        .then(pl.format("{}… ({} characters in all)", texts.str.slice(0, limit), texts.str.len_chars()))
        .otherwise(texts)
    ).to_series()


def _coded(records: pl.DataFrame, places: pl.DataFrame) -> pl.DataFrame:
    """Records with the numbers of their texts and states."""
    numbers = {state: place for place, state in enumerate(STATES)}
    return records.join(places, on="text", how="left", maintain_order="left").with_columns(
        state=pl.col("state").replace_strict(numbers, return_dtype=pl.Int64)
    )


def _variants(run: Run, ids: pl.DataFrame, coded: pl.DataFrame) -> list[list[list[Any]]] | None:
    """For each question the name, label, state, correctness, text and rotation of every answer."""
    own = coded.filter(pl.col("run") == run.name)
    if not own.height:
        return None
    rotations = run.answers.select("question", "variant", "rotation")
    rows = own.join(rotations, on=["question", "variant"], how="left", nulls_equal=True, maintain_order="left")
    of: dict[str, list[list[Any]]] = {}
    columns = ("question", "variant", "label", "state", pl.col("correct").cast(pl.Int8), "place", "rotation")
    for question, *answer in rows.select(columns).iter_rows():
        of.setdefault(question, []).append(answer)
    return [of.get(question, []) for question in ids["question"]]


def _shown(run: Run, ids: pl.DataFrame) -> dict[str, Any] | None:
    """What a run saw: in words, and for each question its frames, the digest, the other scene and the answer there."""
    plan = run.record.evidence
    if plan is None or plan.kind == "none":
        return None
    # Every variant of a question sees the same; a failure says nothing of what was seen.
    answered = run.answers.filter(pl.col("error").is_null()).join(ids, on="question", how="semi", maintain_order="left")
    of: dict[str, list[str | None]] = {}
    columns = ("question", "evidence_frames", "evidence", "shown_scene", "shown_answer")
    answers = answered.unique("question", keep="first", maintain_order=True)
    for question, frames, digest, scene, answer in answers.select(columns).iter_rows():
        of[question] = [_frames(frames), None if digest is None else digest[:DIGEST], scene, answer]
    return {"what": shown_in_words(plan), "of": [of.get(question) for question in ids["question"]]}


def _frames(frames: Sequence[int] | None) -> str | None:
    """The key frames shown, in the order shown; null for answers whose log does not say."""
    if not frames:
        return None
    if len(frames) > 2 and all(after - before == 1 for before, after in pairwise(frames)):
        return f"frames {frames[0]}\u2013{frames[-1]}"
    return f"{'frame' if len(frames) == 1 else 'frames'} {', '.join(map(str, frames))}"
