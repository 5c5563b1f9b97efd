"""STRIDE: where things are, how they moved and will move, in challenging clips of five key frames."""

from __future__ import annotations

from collections.abc import Iterator

import polars as pl

from probe4d.benchmarks.benchmark import BenchmarkRecord
from probe4d.benchmarks.stride.build import VERSION, Parameters, build
from probe4d.benchmarks.stride.candidates import SUITE_NAME
from probe4d.benchmarks.stride.linked_contrasts import LINKED_CONTRASTS
from probe4d.benchmarks.stride.prompts import PROMPTS
from probe4d.benchmarks.stride.templates import FAMILIES
from probe4d.benchmarks.suite import Audit, Suite
from probe4d.benchmarks.taken_as_told import TakenAsTold, resting_on, taken_as_told
from probe4d.origins import WAYMO_VERSIONS

__all__ = ["SUITE"]


def _audit_of(record: BenchmarkRecord) -> Audit:
    # Audits read raw tables by a path of their own; who only builds does not load them.
    if record.source.version == WAYMO_VERSIONS["end-to-end"]:
        from probe4d.benchmarks.stride.waymo.audit import audit as audit_waymo

        return audit_waymo
    from probe4d.benchmarks.stride.audit import audit

    return audit


_LABELS = ("weather", "time_of_day", "road_type", "lane")
"""Needs that a file of labels meets."""


def _taken_as_told(table: pl.DataFrame) -> Iterator[TakenAsTold]:
    yield from taken_as_told(resting_on(table, _LABELS), "labels are a file's, and in no dataset")
    estimated = resting_on(table, ["estimated objects"])
    yield from taken_as_told(estimated, "estimated objects are in no dataset")


SUITE = Suite(
    name=SUITE_NAME,
    version=VERSION,
    parameters=Parameters,
    build=build,
    audit_of=_audit_of,
    prompts=PROMPTS,
    families=FAMILIES,
    linked_contrasts=LINKED_CONTRASTS,
    taken_as_told=_taken_as_told,
)
