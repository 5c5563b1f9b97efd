"""Which scenes of a dataset a benchmark is built from."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import polars as pl

from probe4d.benchmarks.benchmark import BenchmarkRecord
from probe4d.benchmarks.suite import AuditFinding
from probe4d.errors import InputError
from probe4d.scenes.splits import OFFICIAL_SPLITS
from probe4d.scenes.tables import Scenes

__all__ = ["select_split", "split_findings"]

ALL = "all"
_SHOWN = 5


def select_split(scenes: Scenes, split: str | None) -> tuple[Scenes, str]:
    """Choose the scenes of a split.

    Args:
        scenes: All scenes of the dataset.
        split: Name of an official split, or `all`. Without it: `val` for a trainval folder that holds all
            official val scenes, `all` for any other.

    Returns:
        The scenes, and the choice in words.

    Raises:
        InputError: The split is unknown or holds none of the scenes.
    """
    if split is None:
        found = scenes.scenes.filter(pl.col("split") == "val").height
        whole = "trainval" in scenes.version and found == len(OFFICIAL_SPLITS["val"])
        split = "val" if whole else ALL
    if split == ALL:
        if not scenes.names:
            raise InputError("holds no scene.", path=scenes.root / scenes.version)
        return scenes, ALL
    names = scenes.scenes.filter(pl.col("split") == split)["scene"].to_list()
    if not names:
        there = scenes.scenes["split"].drop_nulls().unique().sort().to_list()
        held = f"but scenes of {', '.join(there)}" if there else "nor of any other official split"
        raise InputError(
            f"holds no scene of the split {split!r}, {held}.",
            path=scenes.root / scenes.version,
            remedy=f"Choose one of them, or --split {ALL}." if there else f"Give --split {ALL}.",
        )
    return scenes.select(names), split


def split_findings(record: BenchmarkRecord, asked_about: Iterable[str]) -> Iterator[AuditFinding]:
    """Check that a benchmark's scenes are of the split that its record names.

    Args:
        record: The benchmark's record.
        asked_about: Names of the scenes that its questions ask about.
    """
    chosen, used = record.parameters.get("split"), record.source.split
    if chosen is not None and chosen != used:
        what = f"the split asked for is {chosen!r}, and the one used {used!r}."
        yield AuditFinding(question="", rule="split", what=what)
    for split, members in OFFICIAL_SPLITS.items():
        if split not in (chosen, used):
            continue
        outside = sorted(set(asked_about) - members)
        if outside:
            what = f"{len(outside)} scenes are not of the split {split!r}: {', '.join(outside[:_SHOWN])}."
            yield AuditFinding(question="", rule="split", what=what)
        if record.source.scenes > len(members):
            what = f"benchmark.json counts {record.source.scenes} scenes, the split {split!r} has {len(members)}."
            yield AuditFinding(question="", rule="split", what=what)
