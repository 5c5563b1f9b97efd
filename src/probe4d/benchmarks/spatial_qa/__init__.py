"""NuScenes-SpatialQA: how objects in one camera image lie, how far and how large they are, and what follows."""

from __future__ import annotations

from probe4d.benchmarks.benchmark import BenchmarkRecord
from probe4d.benchmarks.spatial_qa.averages import AVERAGES
from probe4d.benchmarks.spatial_qa.build import VERSION, Parameters, build
from probe4d.benchmarks.spatial_qa.drafting import SUITE_NAME
from probe4d.benchmarks.spatial_qa.prompts import PROMPTS
from probe4d.benchmarks.spatial_qa.referring import BEFORE_LETTERS
from probe4d.benchmarks.spatial_qa.surroundings import DECIDING_SIZES
from probe4d.benchmarks.spatial_qa.templates import LEVELS
from probe4d.benchmarks.suite import Audit, Suite

__all__ = ["SUITE"]


def _audit_of(record: BenchmarkRecord) -> Audit:
    # The audit reads raw tables by a path of its own; who only builds does not load it.
    from probe4d.benchmarks.spatial_qa.audit import audit

    return audit


def _before_letters(record: BenchmarkRecord) -> str | None:
    return BEFORE_LETTERS if record.parameters.get("refer") == "marker" else None


def _balanced_in_context(record: BenchmarkRecord) -> bool:
    return record.parameters.get("balance") == "contents"


SUITE = Suite(
    name=SUITE_NAME,
    version=VERSION,
    parameters=Parameters,
    build=build,
    audit_of=_audit_of,
    prompts=PROMPTS,
    families=LEVELS,
    averages=AVERAGES,
    balanced_in_context=_balanced_in_context,
    before_letters=_before_letters,
    deciding_sizes=DECIDING_SIZES,
)
