"""Puts judgements beside the answers of runs, and makes figures of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import polars as pl

from probe4d.benchmarks.benchmark import Benchmark
from probe4d.benchmarks.question import TEXT
from probe4d.diagnosis.answer_book import AnswerBook, book_of
from probe4d.diagnosis.figures import Figures
from probe4d.diagnosis.judging.candidates import judged_answer, references_digest
from probe4d.diagnosis.judging.judgements import RECORD_FILE, Judgements, JudgeRecord
from probe4d.diagnosis.judging.scores import add_aspects, add_judged
from probe4d.diagnosis.sheets.judged import UNFIT, JudgedSheet
from probe4d.diagnosis.side_by_side import in_order
from probe4d.diagnosis.tables import FIGURES_SCHEMA, JUDGED_SCHEMA
from probe4d.errors import InputError
from probe4d.runs.requests import request_key
from probe4d.runs.run import Run
from probe4d.wording import counted, listed

__all__ = ["DiagnosedJudgements", "diagnose_judgements", "judgements_by_run"]


@dataclass(frozen=True, eq=False)
class DiagnosedJudgements:
    """What judges made of the free answers of runs.

    Attributes:
        book: The scores of the judged runs.
        figures: Columns of `FIGURES_SCHEMA`.
        judged: Columns of `JUDGED_SCHEMA`: the runs in order, questions in benchmark order.
        judges: Record of the judge of each judged run, by the run's name.
        warnings: What the reader should know, as sentences.
    """

    book: AnswerBook[JudgedSheet]
    figures: pl.DataFrame
    judged: pl.DataFrame
    judges: Mapping[str, JudgeRecord]
    warnings: tuple[str, ...]

    def compares(self, run: str, against: str) -> bool:
        """Whether two runs were judged by one judge in one way, so that their scores compare."""
        judges = self.judges
        return {run, against} <= judges.keys() and not _differing(judges[run], judges[against])


def judgements_by_run(
    judgements: Sequence[Judgements], runs: Sequence[Run], benchmark: Benchmark
) -> dict[str, Judgements]:
    """Find the judgements of each run.

    Raises:
        InputError: They are of a run that is not among these, of another benchmark or by other references than
            it has, or a run is judged twice.
    """
    found: dict[str, Judgements] = {}
    by_name = {run.name: run for run in runs}
    for one in judgements:
        record = one.record
        fault = None
        if record.run not in by_name:
            fault = f"judges the run {record.run!r}, which is not among those given"
        elif record.benchmark != benchmark.fingerprint:
            fault = f"judges answers to another benchmark ({record.benchmark[:12]}…, not {benchmark.fingerprint[:12]}…)"
        elif record.run in found:
            fault = f"judges the run {record.run!r} a second time, after {found[record.run].path}"
        if fault is not None:
            raise InputError(
                f"{fault}.",
                path=one.path / RECORD_FILE,
                remedy="Give one folder of judgements for each run that is judged; other judges make other reports.",
            )
        if record.references is not None and record.references != references_digest(by_name[record.run], benchmark):
            raise InputError(
                "judges by other references than the benchmark has now.",
                path=one.path / RECORD_FILE,
                remedy="Judge the run again, into another folder; or give the benchmark as it was then.",
            )
        found[record.run] = one
    return {name: found[name] for name in by_name if name in found}


def diagnose_judgements(
    sheet: JudgedSheet, judgements: Mapping[str, Judgements], rows: pl.DataFrame, *, suite: str
) -> DiagnosedJudgements:
    """Score the answers of judged runs to questions of free text, each in its first variant.

    Args:
        sheet: The questions; there may be none.
        judgements: Judgements by the name of the run (see `judgements_by_run`).
        rows: What runs answered, columns of `ANSWERED_SCHEMA`; other questions and runs may be among them.
        suite: Name of the suite.

    Raises:
        InputError: A run's answer is not the one that was judged.
    """
    free = rows.filter(pl.col("main"), format=TEXT)
    parts = [pl.DataFrame(schema=JUDGED_SCHEMA)]
    parts += [_records(one, free.filter(run=name)) for name, one in judgements.items()]
    judged = pl.concat(parts)
    book = book_of(sheet, list(judgements), _coded(sheet, judged))
    tables = [pl.DataFrame(schema=FIGURES_SCHEMA)]
    for items, together in book.sets() if judgements else ():
        part = book.part(items, together)
        figures = Figures(part, suite)
        add_judged(figures, part)
        add_aspects(figures, part, judged)
        tables.append(figures.table())
    judges = {name: one.record for name, one in judgements.items()}
    warnings = [
        *(warning for one in judgements.values() for warning in one.warnings),
        *(_unjudged(free, list(judgements)) if judgements else ()),
        *_unscored(judged),
        *_judged_otherwise(judges),
    ]
    figures_in_order = in_order(pl.concat(tables), "run", list(judgements))
    return DiagnosedJudgements(book, figures_in_order, judged, judges, tuple(warnings))


def _coded(sheet: JudgedSheet, judged: pl.DataFrame) -> pl.DataFrame:
    """Columns run, item (position in the sheet) and code, as `JudgedSheet` has them."""
    places = sheet.questions.select(question="id").with_row_index("item")
    is_judged = pl.col("state").is_in(["scored", "unscored"])
    return judged.join(places, on="question", maintain_order="left").select(
        "run", "item", code=pl.when(is_judged).then("score").otherwise(UNFIT)
    )


def _records(judgements: Judgements, rows: pl.DataFrame) -> pl.DataFrame:
    """Columns of `JUDGED_SCHEMA`, a row for each answer of one run."""
    found = []
    answers = zip(*judged_answer(rows), strict=True)
    asked = rows.select("run", "question", "variant").iter_rows()
    for (run, question, variant), (answer, digest, unfit) in zip(asked, answers, strict=True):
        key = request_key(question, variant)
        line = judgements.by_key.get(key)
        if unfit is None and line is not None and line.answer != digest:
            raise InputError(
                f"judges another answer to question {question} than {run} holds now.",
                path=judgements.path,
                remedy="Judge the run again, into another folder.",
            )
        row: dict[str, Any] = {"run": run, "question": question, "variant": variant, "answer": answer}
        if unfit is not None:
            row |= {"state": unfit}
        elif line is None:
            row |= {"state": "unscored", "fault": judgements.errors.get(key, "was not judged")}
        else:
            state = "unscored" if line.score is None else "scored"
            row |= {"state": state, "score": line.score, "reason": line.reason, "fault": line.fault}
            if len(line.scores) > 1:
                row["aspects"] = [{"aspect": aspect, "score": score} for aspect, score in line.scores.items()]
        found.append(row)
    columns = {name: [row.get(name) for row in found] for name in JUDGED_SCHEMA}
    return pl.DataFrame(columns, schema=JUDGED_SCHEMA)


def _unjudged(free: pl.DataFrame, names: Sequence[str]) -> list[str]:
    others = free.filter(~pl.col("run").is_in(list(names))).group_by("run", maintain_order=True).len()
    return [
        f"{run} has no judgements: its {counted(n, 'free answer')} {'is' if n == 1 else 'are'} not scored."
        for run, n in others.iter_rows()
    ]


def _unscored(judged: pl.DataFrame) -> list[str]:
    unscored = judged.filter(state="unscored").group_by("run", maintain_order=True).len()
    return [
        f"The judge of {run} left {counted(n, 'answer')} unscored; {'it is' if n == 1 else 'they are'} in no mean."
        for run, n in unscored.iter_rows()
    ]


def _judged_otherwise(judges: Mapping[str, JudgeRecord]) -> list[str]:
    """Say of runs that were judged otherwise than the first, in what; their scores do not compare."""
    sentences = []
    for name in list(judges)[1:]:
        first = next(iter(judges))
        if differing := _differing(judges[name], judges[first]):
            what = listed([f"another {field}" for field in differing])
            sentences.append(f"{name} was judged by {what} than {first}: their scores do not compare.")
    return sentences


def _differing(one: JudgeRecord, other: JudgeRecord) -> list[str]:
    return [name for name in ("judge", "rubric", "prompt", "evidence") if getattr(one, name) != getattr(other, name)]
