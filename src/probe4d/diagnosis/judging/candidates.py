"""Which answers of a run can be judged: those to questions of free text that hold something to judge."""

from __future__ import annotations

import polars as pl

from probe4d.benchmarks.benchmark import Benchmark
from probe4d.benchmarks.fingerprints import REFERENCED_BY, references_fingerprint
from probe4d.benchmarks.finish_reasons import CUT_REASONS, FILTER_REASONS, REFUSAL_REASONS
from probe4d.benchmarks.question import TEXT
from probe4d.diagnosis.answers import gather_answers
from probe4d.diagnosis.parsing.normalise import after_last_thought
from probe4d.diagnosis.sheets.texts import text_questions
from probe4d.errors import InputError
from probe4d.runs.run import Run, asked_of
from probe4d.runs.selection import selected_of
from probe4d.store.hashing import digest

__all__ = ["candidates_of", "judged_answer", "references_digest"]


def candidates_of(run: Run, benchmark: Benchmark) -> pl.DataFrame:
    """The answers of a run to questions of free text, each in its first variant, in benchmark order.

    Returns:
        Columns question, variant, answer (what is judged of the reply), digest (SHA-256 of that) and unfit (why it is
        not judged; null where it is, see `_unfit`). Questions that were asked and not answered are among them.

    Raises:
        InputError: The run does not fit the benchmark, or was asked no such question.
    """
    texts = text_questions(benchmark)
    asked = asked_of(run, benchmark).join(texts, on="id", how="semi")
    if not asked.height:
        raise InputError(
            f"was asked no question of the format {TEXT} without a vocabulary, which alone are judged.",
            path=run.path or run.name,
            remedy="Give a run of a benchmark that holds some.",
        )
    rows = gather_answers(benchmark, texts.select("id"), [run], allow_missing=True).rows.filter("main")
    return rows.select("question", "variant", *judged_answer(rows))


def references_digest(run: Run, benchmark: Benchmark) -> str:
    """Fingerprint of the references that a run's answers are held against (see `references_fingerprint`)."""
    asked = selected_of(benchmark, run.record.selection)
    return references_fingerprint(benchmark.rows(asked["id"], *REFERENCED_BY))


def judged_answer(rows: pl.DataFrame) -> list[pl.Series]:
    """What is judged of answers, row for row.

    Args:
        rows: Columns of `ANSWERED_SCHEMA`.

    Returns:
        answer, digest and unfit, as in `candidates_of`.
    """
    answers = [after_last_thought(part or "")[0].strip() for part in rows["part"]]
    reasons = [
        _unfit(answer, is_missing=text is None, finish_reason=finish_reason, error=error)
        for answer, text, finish_reason, error in zip(
            answers, rows["text"], rows["finish_reason"], rows["error"], strict=True
        )
    ]
    return [
        pl.Series("answer", answers, dtype=pl.String),
        pl.Series("digest", [digest(answer) for answer in answers], dtype=pl.String),
        pl.Series("unfit", reasons, dtype=pl.String),
    ]


def _unfit(answer: str, *, is_missing: bool, finish_reason: str | None, error: str | None) -> str | None:
    """Why an answer is not judged and counts as 0, in the words for the state of a reply; null where it is judged.

    `error`, `missing`, `refused` (the server marks it as a refusal, or a filter kept it back), `truncated` (cut at its
    limit) or `empty` (no letter or digit behind its thoughts).

    Args:
        answer: The part of the reply that would be judged.
        is_missing: Whether there is no reply.
        finish_reason: Why generation ended, as the provider says.
        error: What went wrong instead of a reply.
    """
    if error:
        return "error"
    if is_missing:
        return "missing"
    reason = (finish_reason or "").lower()
    if reason in REFUSAL_REASONS | FILTER_REASONS:
        return "refused"
    if reason in CUT_REASONS:
        return "truncated"
    return None if any(map(str.isalnum, answer)) else "empty"
