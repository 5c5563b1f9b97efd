"""What a benchmark's card says of its review: what stayed, what went and why, and where references are from."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from probe4d.benchmarks.benchmark import BenchmarkRecord
from probe4d.benchmarks.card import markdown_table
from probe4d.review.templates_kept import TemplateOutcome
from probe4d.wording import counted, in_percent

__all__ = ["reviewed_card"]

_TITLE = re.compile(r"^# .*$", re.MULTILINE)
_REVISED = ("model answer", "corrected answer", "revised reference", "audit")


def reviewed_card(
    card: str,
    record: BenchmarkRecord,
    outcomes: Sequence[TemplateOutcome],
    references: Mapping[str, int],
    *,
    reviewer: str,
) -> str:
    """The card of a benchmark with a section on its review behind the title; the rest tells of the build, and stays.

    Args:
        card: Text of the card before; may be empty.
        record: Content of the new `benchmark.json`.
        outcomes: What became of each template.
        references: How many references came from where, or stayed and why.
        reviewer: Who reviewed; may be empty.
    """
    section = "\n\n".join(_section(record, outcomes, references, reviewer))
    title = _TITLE.search(card)
    if title is None:
        return f"# {record.suite}, reviewed\n\n{section}\n\n{card}"
    new = f"# {record.suite}, reviewed: {record.questions:,} questions from {record.source.title}"
    return f"{card[: title.start()]}{new}\n\n{section}\n\n## Before the review\n\n{title[0][2:]}.{card[title.end() :]}"


def _section(
    record: BenchmarkRecord, outcomes: Sequence[TemplateOutcome], references: Mapping[str, int], reviewer: str
) -> list[str]:
    reviewed = [one for one in outcomes if one.is_reviewed]
    stay = [one for one in outcomes if not one.is_removed]
    before = sum(one.questions for one in outcomes)
    kept_of_reviewed = sum(not one.is_removed for one in reviewed)
    who = _plain(reviewer) if reviewer else "Somebody"
    lines = [
        f"{who} looked at samples of {counted(len(reviewed), 'template')}. "
        f"{_share(kept_of_reviewed, len(reviewed), 'of these')} stay, and of all templates "
        f"{_share(record.questions, before, 'questions')}. A template that failed is removed whole.",
        markdown_table(
            ("template", "questions", "looked at", "rejected", "outcome"),
            [
                (one.name, f"{one.questions:,}", f"{one.kept + one.rejected:,}", f"{one.rejected:,}", _outcome(one))
                for one in outcomes
            ],
        ),
    ]
    if total := sum(references.values()):
        rewritten = sum(references.get(name, 0) for name in _REVISED)
        rows = [(name, f"{n:,}", f"{in_percent(n / total)} %") for name, n in sorted(references.items())]
        lines += [
            f"Of the references of open questions {_share(rewritten, total, 'were')} rewritten; `facts` hold the old "
            "and the new text (`reference_review`). By where they are from, or why they stayed:",
            markdown_table(("reference", "questions", "share"), rows),
        ]
    removed = [one.name for one in outcomes if one.is_removed]
    of = f"{len(stay)} of {len(outcomes)} templates stay" if removed else "no template was removed"
    return ["## Review", f"Benchmark fingerprint: {record.fingerprint}; {of}.", *lines]


def _share(n: int, of: int, noun: str) -> str:
    return f"{n:,} of {of:,} {noun} ({in_percent(n / of)} %)" if of else f"0 {noun}"


def _outcome(one: TemplateOutcome) -> str:
    if one.is_removed:
        return f"removed: {one.reason}"
    return "stays" + (f" ({one.reason})" if one.reason else "" if one.is_reviewed else " (nobody looked at it)")


def _plain(name: str) -> str:
    """A name as text that Markdown takes for nothing else."""
    return re.sub(r"([\\`*_{}\[\]<>()#+!|~])", r"\\\1", " ".join(name.split()))
