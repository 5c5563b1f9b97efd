"""B4DL: what a model writes about sequences of key frames, asked in six tasks and held against geometry."""

from __future__ import annotations

from collections.abc import Iterator

import polars as pl

from probe4d.benchmarks.b4dl.build import VERSION, Parameters, build
from probe4d.benchmarks.b4dl.prompts import PROMPTS
from probe4d.benchmarks.b4dl.released_wording import spoken_answer
from probe4d.benchmarks.b4dl.tasks import FAMILIES, SUITE_NAME
from probe4d.benchmarks.benchmark import BenchmarkRecord
from probe4d.benchmarks.suite import Audit, Average, Suite
from probe4d.benchmarks.taken_as_told import TakenAsTold

__all__ = ["SUITE"]


def _audit_of(record: BenchmarkRecord) -> Audit:
    # The audit reads raw tables by a path of its own; who only builds does not load it.
    from probe4d.benchmarks.b4dl.audit import audit

    return audit


def _taken_as_told(table: pl.DataFrame) -> Iterator[TakenAsTold]:
    from probe4d.benchmarks.b4dl.audit import taken_as_told_by_audit

    return taken_as_told_by_audit(table)


SIMPLE_ACCURACY = Average(
    name="paper_accuracy",
    of="accuracy",
    columns={"existence": ("existence-presence", "existence-class"), "binary": ("binary",)},
    pooled=False,
)
"""The accuracy of Tables 3 and 4: the mean of Existence and Binary (Sec. 5.1)."""

SUITE = Suite(
    name=SUITE_NAME,
    version=VERSION,
    parameters=Parameters,
    build=build,
    audit_of=_audit_of,
    prompts=PROMPTS,
    families=FAMILIES,
    spoken=spoken_answer,
    averages=(SIMPLE_ACCURACY,),
    taken_as_told=_taken_as_told,
)
