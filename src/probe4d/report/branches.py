"""What a run's kept logits tell: how much of its answers both branches of temporal contrast prefer alike."""

from __future__ import annotations

from collections.abc import Iterator

from probe4d.report.lookup import Lookup, interval, percent
from probe4d.report.statement import Statement

__all__ = ["of_branches"]


def of_branches(lookup: Lookup, run: str) -> Iterator[Statement]:
    """Say of a run that was decoded with temporal contrast what the order of frames had to do with its answers."""
    alike = lookup.get(run, "branches_alike")
    shared = lookup.get(run, "preference_shared")
    moved = lookup.get(run, "contrast_moved")
    if alike is None or shared is None or moved is None:
        return
    bounds = interval(shared)
    yield Statement(
        "note",
        f"With the frames shuffled it prefers the same answer to {percent(alike.value)} of {alike.n:,} questions, and "
        f"{percent(shared.value)} of its preference is there whatever their order"
        f"{f' ({bounds})' if bounds else ''}: that part no temporal contrast can take away. The contrast changes "
        f"the preferred answer to {percent(moved.value)}.",
    )
