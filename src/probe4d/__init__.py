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
    from probe4d.benchmarks.suites import build, check, write_prompts
    from probe4d.diagnosis.diagnose import Diagnosis, diagnose
    from probe4d.exchange.answers import import_answers
    from probe4d.exchange.lidar_hallu_release import import_lidar_hallu
    from probe4d.report.page import write_report
    from probe4d.runs.run import Run, read_run
    from probe4d.scenes.opening import open_scenes
    from probe4d.scenes.sanity import inspect
    from probe4d.scenes.simulator.simulate import simulate
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
    "import_answers",
    "import_lidar_hallu",
    "inspect",
    "open_scenes",
    "read_benchmark",
    "read_run",
    "simulate",
    "write_prompts",
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
    "import_answers": "probe4d.exchange.answers",
    "import_lidar_hallu": "probe4d.exchange.lidar_hallu_release",
    "inspect": "probe4d.scenes.sanity",
    "open_scenes": "probe4d.scenes.opening",
    "read_benchmark": "probe4d.benchmarks.benchmark",
    "read_run": "probe4d.runs.run",
    "simulate": "probe4d.scenes.simulator.simulate",
    "write_prompts": "probe4d.benchmarks.suites",
    "write_report": "probe4d.report.page",
}


def __getattr__(name: str) -> Any:
    if name in _HOMES:
        return getattr(importlib.import_module(_HOMES[name]), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted([*globals(), *__all__])
