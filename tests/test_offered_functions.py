"""What a module offers others take: a function in `__all__` is imported elsewhere, or public, or registered."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import probe4d

ROOT = Path(__file__).parents[1]
SOURCE = ROOT / "src"
TREES = {
    file: ast.parse(file.read_text())
    for folder in ("src", "tests", "bench", "examples")
    for file in (ROOT / folder).rglob("*.py")
    if not {"__pycache__", ".hypothesis"} & {*file.parts}
}


def module_of(file: Path) -> str:
    """Name of the module in a file."""
    return ".".join(file.relative_to(SOURCE).with_suffix("").parts).removesuffix(".__init__")


MODULES = {module_of(file): tree for file, tree in TREES.items() if SOURCE in file.parents}


def taken(tree: ast.Module) -> Iterator[tuple[str, str]]:
    """Names that a file takes from modules of Probe4D, be it by import or as `module.name`."""
    modules: dict[str, str] = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("probe4d"):
            for alias in node.names:
                yield str(node.module), alias.name
                if f"{node.module}.{alias.name}" in MODULES:
                    modules[alias.asname or alias.name] = f"{node.module}.{alias.name}"
        elif isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id in modules:
            yield modules[node.value.id], node.attr


def offered(tree: ast.Module) -> set[str]:
    """Functions in `__all__`; one with a decorator is registered by it, such as a verb."""
    functions = {node.name for node in tree.body if isinstance(node, ast.FunctionDef) and not node.decorator_list}
    for node in tree.body:
        if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "__all__":
            return functions & {*ast.literal_eval(node.value)}
    return set()


def test_every_function_that_a_module_offers_is_taken_by_another_file() -> None:
    used = {pair for tree in TREES.values() for pair in taken(tree)}
    names = {(module, name) for module, tree in MODULES.items() for name in offered(tree)}
    assert len(names) > 500
    assert sorted(one for one in names - used if one[1] not in probe4d.__all__) == []
