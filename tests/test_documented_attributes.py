"""What the docstring of a class says of its attributes."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parents[1] / "src" / "probe4d"
_SECTION = re.compile(r"^Attributes:\n((?: .*\n?|\n)*)", re.MULTILINE)
_NAME = re.compile(r"^ {4}(\w+):", re.MULTILINE)


def documented(of: ast.ClassDef) -> list[str]:
    """Names in the section of attributes of a docstring."""
    return [name for section in _SECTION.findall(ast.get_docstring(of) or "") for name in _NAME.findall(section)]


def held(of: ast.ClassDef) -> Iterator[str]:
    """Names of what a class holds: fields, constants, properties and what its methods set."""
    for part in ast.walk(of):
        match part:
            case ast.AnnAssign(target=ast.Name(id=name)) | ast.FunctionDef(name=name):
                yield name
            case ast.Assign(targets=targets):
                yield from (one.id for one in targets if isinstance(one, ast.Name))
            case ast.Attribute(value=ast.Name(id="self"), attr=name, ctx=ast.Store()):
                yield name


def classes() -> dict[str, list[tuple[str, ast.ClassDef]]]:
    """All classes of the package by their names, each with the file that it stands in."""
    found: dict[str, list[tuple[str, ast.ClassDef]]] = {}
    for path in sorted(ROOT.rglob("*.py")):
        for part in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(part, ast.ClassDef):
                found.setdefault(part.name, []).append((str(path.relative_to(ROOT)), part))
    return found


def inherited(of: ast.ClassDef, known: dict[str, list[tuple[str, ast.ClassDef]]]) -> Iterator[str]:
    """Names of what the classes of the package that it is derived from hold."""
    for base in of.bases:
        for _, one in known.get(base.id, []) if isinstance(base, ast.Name) else ():
            yield from (*held(one), *inherited(one, known))


def test_no_attribute_is_documented_that_a_class_does_not_have() -> None:
    known = classes()
    told = {
        f"{file}: {one.name}": (one, names)
        for places in known.values()
        for file, one in places
        if (names := documented(one))
    }
    assert len(told) > 100
    strange = {where: set(names).difference(held(one), inherited(one, known)) for where, (one, names) in told.items()}
    assert not {where: names for where, names in strange.items() if names}


def test_what_a_class_has_not_is_found() -> None:
    lines = ["class A:", '    """A.', "", "    Attributes:", "        b: One", "            c: more."]
    lines += ["        d: Other.", '    """', "", "    b: int"]
    (of,) = ast.parse("\n".join(lines)).body
    assert isinstance(of, ast.ClassDef)
    assert documented(of) == ["b", "d"]
    assert list(held(of)) == ["b"]
