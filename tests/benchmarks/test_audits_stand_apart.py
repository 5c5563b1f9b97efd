"""What audits share with builds: nothing but what is listed here with its reason; and what a record has to say."""

from __future__ import annotations

import ast
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec
import pytest

from making import benchmark_of, question
from probe4d.benchmarks.benchmark import SourceDataset
from probe4d.benchmarks.suites import SUITES
from probe4d.errors import InputError
from probe4d.origins import WAYMO_VERSIONS

ROOT = Path(__file__).parents[2]
SOURCE = ROOT / "src"
BENCHMARKS = "probe4d.benchmarks"

SHARED: dict[str, tuple[str, set[str]]] = {
    "probe4d.errors": ("what people are told", {"InputError"}),
    "probe4d.wording": ("what people are told", {"counted"}),
    "probe4d.store.json_tables": ("bytes of a JSON array become rows; nuscenes-devkit is its oracle", {"read_table"}),
    f"{BENCHMARKS}.benchmark": ("what is audited", {"Benchmark", "BenchmarkRecord", "counts_of"}),
    f"{BENCHMARKS}.question": (
        "what is audited, and the definition of its identity",
        {"Evidence", "LETTERS", "Question", "derived_id", "question_ids"},
    ),
    f"{BENCHMARKS}.fingerprints": ("the definition of a benchmark's identity", {"fingerprint"}),
    f"{BENCHMARKS}.suite": ("what is found", {"AuditFinding"}),
    f"{BENCHMARKS}.taken_as_told": ("what no audit derives", {"TakenAsTold", "taken_as_told"}),
    f"{BENCHMARKS}.lidar_hallu.reading": (
        "text of a question → what it asks, without what words it",
        {"Asked", "about_frames", "read_interval", "read_stem"},
    ),
    f"{BENCHMARKS}.spatial_qa.reading": (
        "text of a question → what it asks, without what words it",
        {"Asked", "OPTIONS", "PRINTED", "names_objects", "read_stem"},
    ),
    f"{BENCHMARKS}.b4dl.tasks": (
        "names of the tasks and words of the paper, in which questions are told",
        {"DESCRIBE", "SUITE_NAME", "TASKS", "VOCABULARY"},
    ),
    f"{BENCHMARKS}.b4dl.claims.thresholds": (
        "lines from which motion surely is so or is not: what is to be found out by both",
        set(),
    ),
    f"{BENCHMARKS}.stride.templates": (
        "what docs/stride.md is made from",
        {"TEMPLATES", "Template", "moment_words"},
    ),
    f"{BENCHMARKS}.stride.templates.waymo": (
        "what docs/stride.md is made from",
        {"WAYMO_TEMPLATES", "waymo_templates"},
    ),
    f"{BENCHMARKS}.stride.thresholds": ("lines that docs/stride.md states", set()),
    f"{BENCHMARKS}.stride.waymo.thresholds": ("lines that docs/stride.md states", set()),
}
"""Modules that audits may import, why, and which names; no names stand for all, of modules that hold numbers alone."""

RESTED_ON = {f"{BENCHMARKS}.questions_file"}
"""What of `benchmarks` the shared modules import in their turn."""


def modules() -> dict[str, Path]:
    """Every module below `benchmarks`, by name, packages as their `__init__`."""
    return {
        ".".join(file.relative_to(SOURCE).with_suffix("").parts).removesuffix(".__init__"): file
        for file in (SOURCE / "probe4d" / "benchmarks").rglob("*.py")
    }


def is_of_an_audit(module: str) -> bool:
    """Whether a module is part of an audit."""
    return bool({"audit", "auditing"} & {*module.split(".")})


def imported(file: Path) -> Iterator[tuple[str, str | None]]:
    """Modules of Probe4D that a file imports anywhere in it, each with the name taken from it, null for the module."""
    for node in ast.walk(ast.parse(file.read_text())):
        if isinstance(node, ast.Import):
            yield from ((alias.name, None) for alias in node.names if alias.name.startswith("probe4d"))
        elif isinstance(node, ast.ImportFrom):
            assert not node.level, f"{file} imports from where it lies, not by name"
            for alias in node.names if (node.module or "").startswith("probe4d") else ():
                whole = SOURCE / f"{node.module}.{alias.name}".replace(".", "/")
                is_module = whole.is_dir() or whole.with_suffix(".py").is_file()
                yield (f"{node.module}.{alias.name}", None) if is_module else (str(node.module), alias.name)


def test_audits_import_of_builds_what_is_listed_and_no_more() -> None:
    taken: dict[str, set[str]] = {}
    for module, file in modules().items():
        if is_of_an_audit(module):
            for source, name in imported(file):
                if not is_of_an_audit(source):
                    taken.setdefault(source, set()).update([] if name is None else [name])
    assert {*taken} == {*SHARED}
    assert {source: names for source, names in taken.items() if SHARED[source][1]} == {
        source: names for source, (_, names) in SHARED.items() if names
    }


def test_an_audit_imports_no_audit_of_another_suite() -> None:
    for module, file in modules().items():
        if is_of_an_audit(module):
            suites = {source.split(".")[2] for source, _ in imported(file) if is_of_an_audit(source)}
            assert suites <= {module.split(".")[2], "auditing"}, module


def test_the_contract_forbids_audits_every_module_that_is_not_listed() -> None:
    project: dict[str, Any] = tomllib.loads((ROOT / "pyproject.toml").read_text())
    (contract,) = (
        one for one in project["tool"]["importlinter"]["contracts"] if "takes an independent path" in one["name"]
    )
    audits = {module.rpartition(".audit")[0] for module in modules() if module.endswith(".audit")}
    assert {*contract["source_modules"]} == {f"{BENCHMARKS}.auditing", *(f"{suite}.audit" for suite in audits)}
    forbidden = tuple(contract["forbidden_modules"])
    open_to_audits = {
        module
        for module, file in modules().items()
        if not is_of_an_audit(module)
        and file.name != "__init__.py"
        and not any(module == one or module.startswith(f"{one}.") for one in forbidden)
    }
    parts_of_shared = {module for module in modules() if module.startswith(f"{BENCHMARKS}.stride.templates.")}
    shared = {module for module in SHARED if modules().get(module, Path("__init__.py")).name != "__init__.py"}
    assert open_to_audits == shared | RESTED_ON | parts_of_shared


@pytest.mark.parametrize("version", ["v1.0-mini", WAYMO_VERSIONS["end-to-end"]])
@pytest.mark.parametrize("suite", SUITES)
def test_a_record_that_does_not_say_which_sensor_key_frames_have_their_times_of_is_refused(
    suite: str, version: str, tmp_path: Path
) -> None:
    source = SourceDataset(name="made", version=version, fingerprint=None, licence="none", split="all", scenes=1)
    benchmark = benchmark_of([question(suite=suite)], source=source)
    audit: Any = SUITES[suite].audit_of(benchmark.record)
    fields = {field.name: field for field in msgspec.structs.fields(audit.__self__.parameters_of)}
    assert fields["reference_channel"].required
    with pytest.raises(InputError, match=r"holds a parameter that does not fit .*missing required field"):
        audit(benchmark, tmp_path)
