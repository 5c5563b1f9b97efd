"""What a verdict says of a run that asked in variants: permutations of the options, and repeats."""

from __future__ import annotations

from probe4d.report.lookup import Lookup, interval, percent
from probe4d.report.statement import FEW, ONE_ANSWER, RunStatement, Statement
from probe4d.runs.run import RunRecord
from probe4d.runs.settings import recorded_setting

__all__ = ["of_variants", "way_of_asking"]


def of_variants(record: RunRecord, lookup: Lookup, run: str) -> RunStatement | None:
    """Say whether answers survive another order of the options, or another try; null for runs without variants."""
    alike, every, some = (
        lookup.get(run, f"variants_{metric}", *_asked_so(record)) for metric in ("alike", "all_right", "any_right")
    )
    if alike is None or every is None or some is None or alike.n < FEW:
        return None
    first = lookup.get(run, "accuracy", *_asked_so(record))
    right = "" if first is None or first.n != alike.n else f"{percent(first.value)} are right in the first, "
    text = (
        f"{way_of_asking(record)}, {percent(alike.value)} of {alike.n:,} questions get one and the same answer "
        f"({interval(alike) or 'no interval'}); {right}{percent(every.value)} in all, {percent(some.value)} in at "
        "least one."
    )
    if recorded_setting(record.setting).varies != "options":
        return RunStatement(run, False, Statement("note", text))
    if alike.high is not None and alike.high < ONE_ANSWER:
        return RunStatement(run, True, Statement("bad", f"Its answers change with the order of the options. {text}"))
    return RunStatement(run, False, Statement("note", text))


def _asked_so(record: RunRecord) -> tuple[str, str]:
    """Family and format of the figures over all questions that have variants."""
    return ("all", "choice") if recorded_setting(record.setting).varies == "options" else ("all", "all")


def way_of_asking(record: RunRecord) -> str:
    """How the variants of a run differ, as the beginning of a sentence."""
    setting = recorded_setting(record.setting)
    if setting.varies == "options":
        return f"With the options in {setting.count} orders"
    return f"Asked {setting.count} times" if setting.varies == "seed" else "Asked in several variants"
