"""Who asks a benchmark for all columns of all questions, gigabytes of the largest: those who need them, no others."""

from __future__ import annotations

import ast
from pathlib import Path

SOURCE = Path(__file__).parents[2] / "src" / "probe4d"

NEED_ALL = {
    "benchmarks/benchmark.py": "writes it",
    "benchmarks/spatial_qa/build.py": "gives it, where no folder was asked for",
    "benchmarks/suites.py": "counts what is taken as told, of suites that have no millions of questions",
    "benchmarks/b4dl/audit/__init__.py": "compares questions of a sequence with each other",
    "benchmarks/b4dl/audit/files.py": "compares questions with the files beside them",
    "benchmarks/stride/audit/__init__.py": "compares questions with each other",
    "benchmarks/stride/waymo/audit/__init__.py": "compares questions with each other",
    "review/applying.py": "writes it anew",
}


def is_of_a_benchmark(node: ast.Attribute) -> bool:
    """Whether `.table` is asked of what is called a benchmark, or of what reads one."""
    owner = node.value.func if isinstance(node.value, ast.Call) else node.value
    return ast.unparse(owner).endswith(("benchmark", "stored", "bench"))


def test_whole_tables_are_taken_where_there_is_a_reason() -> None:
    taking = {
        file.relative_to(SOURCE).as_posix()
        for file in SOURCE.rglob("*.py")
        for node in ast.walk(ast.parse(file.read_text()))
        if isinstance(node, ast.Attribute) and node.attr == "table" and is_of_a_benchmark(node)
    }
    assert taking == {*NEED_ALL}
