"""Probe4D builds questions whose answers follow from geometry, and shows what a model's answers depend on.

The names below are loaded when first used, so that `import probe4d` costs nothing.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

from probe4d.version import __version__

if TYPE_CHECKING:
    from probe4d.benchmarks.benchmark import Benchmark, read_benchmark
    from probe4d.benchmarks.question import Question
    from probe4d.benchmarks.suites import build, check
    from probe4d.diagnosis.diagnose import Diagnosis, diagnose
    from probe4d.report.page import write_report
    from probe4d.runs.run import Run, read_run
    from probe4d.scenes.opening import open_scenes
    from probe4d.scenes.tables import Scenes

__all__ = [
    "Benchmark",
    "Diagnosis",
    "Question",
    "Run",
    "Scenes",
    "__version__",
    "build",
    "check",
    "diagnose",
    "open_scenes",
    "read_benchmark",
    "read_run",
    "write_report",
]

_HOMES = {
    "Benchmark": "probe4d.benchmarks.benchmark",
    "Diagnosis": "probe4d.diagnosis.diagnose",
    "Question": "probe4d.benchmarks.question",
    "Run": "probe4d.runs.run",
    "Scenes": "probe4d.scenes.tables",
    "build": "probe4d.benchmarks.suites",
    "check": "probe4d.benchmarks.suites",
    "diagnose": "probe4d.diagnosis.diagnose",
    "open_scenes": "probe4d.scenes.opening",
    "read_benchmark": "probe4d.benchmarks.benchmark",
    "read_run": "probe4d.runs.run",
    "write_report": "probe4d.report.page",
}


def __getattr__(name: str) -> Any:
    if name in _HOMES:
        return getattr(importlib.import_module(_HOMES[name]), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted([*globals(), *__all__])
