"""What a verdict says of free answers that were compared with references word by word."""

from __future__ import annotations

from collections.abc import Iterator

from probe4d.benchmarks.question import TEXT
from probe4d.diagnosis.controls.answerers import CONTENT
from probe4d.diagnosis.free_text.scores import MACRO
from probe4d.diagnosis.side_by_side import control_beside
from probe4d.diagnosis.tables import Diagnosis
from probe4d.report.lookup import Figure, Lookup
from probe4d.report.statement import FEW, Statement
from probe4d.wording import listed

__all__ = ["of_texts", "overall_text"]


def of_texts(diagnosis: Diagnosis, lookup: Lookup, run: str) -> Iterator[Statement]:
    """Say how much a run's free answers have in common with references, and whether one that never looks has more."""
    beside = control_beside(CONTENT, run)
    told, beaten, n = [], [], 0
    for metric, fingerprint in diagnosis.text_fingerprints.items():
        own = overall_text(lookup, run, metric)
        control = overall_text(lookup, beside, metric) or overall_text(lookup, CONTENT, metric)
        if own is None or control is None:
            continue
        told.append(f"{fingerprint.metric} {own.value:.3f} against {control.value:.3f}")
        beaten.append(own.high is None or own.high >= control.value)
        n = _questions(lookup, run, metric)
    if not told:
        return
    against = not any(beaten) and n >= FEW
    yield Statement(
        "bad" if against else "note",
        f"Word by word its free answers compare with the references by {listed(told)} of control:content, which gives "
        "the reference of the most similar question in another scene"
        + (": it would do better to say what is said elsewhere than what it says." if against else "."),
    )


def overall_text(lookup: Lookup, name: str, metric: str) -> Figure | None:
    """The plain mean of a metric over families, or its value where there is one family; null where there is none."""
    return lookup.get(name, metric + MACRO, kind=TEXT) or lookup.get(name, metric, kind=TEXT)


def _questions(lookup: Lookup, run: str, metric: str) -> int:
    found = lookup.get(run, metric, kind=TEXT)
    return 0 if found is None else found.n
