"""A benchmark after its review: templates kept whole or removed, references rewritten, old and new texts kept."""

from __future__ import annotations

import shutil
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import msgspec
import polars as pl

from probe4d.benchmarks.benchmark import (
    CARD_FILE,
    QUESTIONS_FILE,
    Benchmark,
    BenchmarkRecord,
    benchmark_folder,
    counts_of,
    refuse_taken,
    write_description,
)
from probe4d.benchmarks.composition import COMPOSITION_FILE, composition_of
from probe4d.benchmarks.fingerprints import fingerprint
from probe4d.benchmarks.question import is_free_text
from probe4d.benchmarks.questions_file import write_questions
from probe4d.errors import InputError
from probe4d.review.card import reviewed_card
from probe4d.review.decisions import Decisions, read_decisions
from probe4d.review.references import Revised, revised_text
from probe4d.review.templates_kept import TemplateOutcome, template_outcomes
from probe4d.store.hashing import file_digest
from probe4d.version import __version__

__all__ = ["REVIEW", "AppliedReview", "apply_review"]

REVIEW = "reference_review"
"""Key of the facts of a question whose reference was rewritten: its old and new text, and why."""

_BESIDE = (".csv", ".svg")
"""Endings of what builds write beside questions, card and record, and what a card shows."""


class AppliedReview(NamedTuple):
    """A benchmark that was reviewed.

    Attributes:
        benchmark: What is left of it, as it lies on disk.
        templates: What became of each template.
        references: How many references of the questions that stay came from where, or stayed as they are and why.
    """

    benchmark: Benchmark
    templates: list[TemplateOutcome]
    references: dict[str, int]


def apply_review(
    benchmark: Benchmark, decisions: Path | str, out: Path | str, *, most_rejected: float = 0.0
) -> AppliedReview:
    """Write a benchmark as a review leaves it (STRIDE, App. A.6).

    Templates stay whole or go whole; of those that stay no question is edited but for the references of open ones,
    which are rewritten by the rule of `revised_text`. Questions keep their ids, so that runs on a benchmark which
    lost no template still answer it; judgements were made by the old references. Of a reference that is rewritten
    again, after a second review, the facts keep the text before the first one as `old`.

    Args:
        benchmark: The benchmark that the sheet was made of.
        decisions: The file that the sheet's page downloaded.
        out: Folder of the new benchmark.
        most_rejected: Share of a template's reviewed questions that may be rejected without removing it; at 0 one
            rejected question removes it.

    Raises:
        InputError: The file cannot be read or is of another benchmark, a reference would be rewritten that is not the
            one decided on (as where the same decisions were applied before), no template would stay, or the folder is
            that of the benchmark itself or cannot be written.
    """
    out = Path(out)
    refuse_taken(out)
    if benchmark.path is not None and out.resolve() == benchmark.path.resolve():
        raise InputError("is the benchmark that is reviewed.", path=out, remedy="Choose another folder (out=, --out).")
    found = read_decisions(decisions, benchmark, mode="review")
    outcomes = template_outcomes(benchmark.table, found, most_rejected=most_rejected)
    removed = {one.name for one in outcomes if one.is_removed}
    kept = benchmark.table.filter(~pl.col("template").is_in(list(removed)))
    if not kept.height:
        raise InputError(
            "rejects every template, so that no question would stay.",
            path=decisions,
            remedy="Decide on whole templates in the sheet, or let more be rejected (most_rejected=, --most-rejected).",
        )
    table, references = _rewritten(_without_gaps(kept), found, Path(decisions))
    digest = file_digest(decisions)
    record = _record(benchmark.record, table, outcomes, references, digest, most_rejected)
    card = reviewed_card(_old_card(benchmark), record, outcomes, references, reviewer=found.reviewer)
    _write(out, table, record, card, benchmark.path)
    return AppliedReview(Benchmark(table, record, out), outcomes, dict(references))


def _without_gaps(kept: pl.DataFrame) -> pl.DataFrame:
    """Number the questions of each family anew, and drop links to what is gone."""
    ids = kept["id"].to_list()
    return kept.with_columns(
        order=(pl.col("order").rank("ordinal").over("family") - 1).cast(pl.Int32),
        links=pl.col("links").list.eval(pl.element().filter(pl.element().is_in(ids))),
    )


def _rewritten(table: pl.DataFrame, decisions: Decisions, file: Path) -> tuple[pl.DataFrame, Counter[str]]:
    """The questions with new references, and how many came from where or stayed why."""
    counts: Counter[str] = Counter()
    answers, facts = table["answer"].to_list(), table["facts"].to_list()
    for place, (identity, is_free) in enumerate(table.select("id", is_free_text()).iter_rows()):
        if not is_free:
            continue
        made = revised_text(decisions.items.get(identity))
        counts[made.source if isinstance(made, Revised) else made] += 1
        if isinstance(made, Revised):
            _refuse_other_reference(decisions.items[identity].reference, answers[place], identity, file)
            held = msgspec.json.decode(facts[place], type=dict[str, Any])
            earlier = held.get(REVIEW)
            old = earlier.get("old", answers[place]) if isinstance(earlier, dict) else answers[place]
            held[REVIEW] = _about(old, made, decisions, identity)
            answers[place], facts[place] = made.text, msgspec.json.encode(held, order="sorted").decode()
    return table.with_columns(
        answer=pl.Series(answers, dtype=pl.String), facts=pl.Series(facts, dtype=pl.String)
    ), counts


def _refuse_other_reference(decided_on: str | None, now: str, identity: str, file: Path) -> None:
    """Refuse to rewrite a reference that is not the one which the sheet showed."""
    if decided_on is None:
        raise InputError(
            f"rewrites the reference of question {identity} and does not hold the one that was decided on.",
            path=file,
            remedy="Give the file as the page of `probe4d review` downloads it.",
        )
    if decided_on != now:
        raise InputError(
            f"decides on another reference of question {identity} than the benchmark has now; a review may have "
            "rewritten it since.",
            path=file,
            remedy="Give the benchmark that the sheet was made of, or decide on a sheet of this one.",
        )


def _about(old: str, made: Revised, decisions: Decisions, identity: str) -> dict[str, Any]:
    """What the facts say of a new reference."""
    one = decisions.items[identity]
    told = {
        "old": old,
        "new": made.text,
        "source": made.source,
        "score": one.score,
        "note": one.note or None,
        "answer_of": decisions.answers_of if one.shown_answer is not None else None,
        "audit_reason": None if one.proposal is None else one.proposal.reason,
        "reviewer": decisions.reviewer or None,
    }
    return {name: value for name, value in told.items() if value is not None}


def _record(
    record: BenchmarkRecord,
    table: pl.DataFrame,
    outcomes: Sequence[TemplateOutcome],
    references: Mapping[str, int],
    digest: str,
    most_rejected: float,
) -> BenchmarkRecord:
    removed = {
        f"template {one.name} removed in review: {one.reason}": one.questions for one in outcomes if one.is_removed
    }
    review = {
        "decisions_sha256": digest,
        "most_rejected": most_rejected,
        "references": dict(sorted(references.items())),
    }
    return msgspec.structs.replace(
        record,
        parameters=record.parameters | {"reviews": [*record.parameters.get("reviews", []), review]},
        counts=counts_of(table),
        exclusions=record.exclusions | removed,
        fingerprint=fingerprint(table),
        probe4d=__version__,
    )


def _old_card(benchmark: Benchmark) -> str:
    file = None if benchmark.path is None else benchmark.path / CARD_FILE
    try:
        return "" if file is None else file.read_text(encoding="utf-8")
    except FileNotFoundError:
        return ""
    except (OSError, UnicodeDecodeError) as error:
        raise InputError("cannot be read as text in UTF-8.", path=file) from error


def _write(out: Path, table: pl.DataFrame, record: BenchmarkRecord, card: str, source: Path | None) -> None:
    """Write the folder, with what the old one holds for its card."""
    with benchmark_folder(out) as folder:
        for file in [] if source is None else sorted(source.iterdir()):
            if file.suffix in _BESIDE and file.is_file():
                shutil.copyfile(file, folder / file.name)
        write_questions(table, folder / QUESTIONS_FILE)
        composition_of(table.lazy()).counts.write_csv(folder / COMPOSITION_FILE)
        write_description(folder, record, card)
