"""LiDAR-Hallu: existence, position, motion, distance and time of objects around the ego vehicle."""

from __future__ import annotations

from collections.abc import Iterator

import polars as pl

from probe4d.benchmarks.benchmark import BenchmarkRecord
from probe4d.benchmarks.lidar_hallu.answering import answers_in
from probe4d.benchmarks.lidar_hallu.build import FAMILIES, VERSION, Parameters, build
from probe4d.benchmarks.lidar_hallu.templates import PROMPTS
from probe4d.benchmarks.suite import Audit, Suite
from probe4d.benchmarks.taken_as_told import TakenAsTold, resting_on, taken_as_told

__all__ = ["SUITE"]


def _audit_of(record: BenchmarkRecord) -> Audit:
    # The audit reads raw tables by a path of its own; who only builds does not load it.
    from probe4d.benchmarks.lidar_hallu.audit import audit

    return audit


def _taken_as_told(table: pl.DataFrame) -> Iterator[TakenAsTold]:
    return taken_as_told(resting_on(table, ["events"]), "the intervals of events are B4DL's, and in no dataset")


SUITE = Suite(
    name="lidar-hallu",
    version=VERSION,
    parameters=Parameters,
    build=build,
    audit_of=_audit_of,
    prompts=PROMPTS,
    families=FAMILIES,
    answers_in=answers_in,
    taken_as_told=_taken_as_told,
)
