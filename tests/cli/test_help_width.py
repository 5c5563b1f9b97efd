"""Help that can be typed from: at the widths of terminals no option's name is cut, and names are alike in all verbs."""

from __future__ import annotations

from collections.abc import Iterator

import click
import pytest
import typer
from typer.testing import CliRunner

from probe4d.cli import app


def verbs(command: click.Command, path: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], list[str]]]:
    """Every verb with the names of its options."""
    named = [name for parameter in command.params if parameter.param_type_name == "option" for name in parameter.opts]
    yield path, [*named, *(name for parameter in command.params for name in parameter.secondary_opts)]
    for name, part in getattr(command, "commands", {}).items():
        yield from verbs(part, (*path, name))


VERBS = dict(verbs(typer.main.get_command(app)))


@pytest.mark.parametrize("columns", [80, 120])
@pytest.mark.parametrize("path", VERBS, ids=" ".join)
def test_no_option_is_cut(path: tuple[str, ...], columns: int) -> None:
    shown = CliRunner().invoke(app, [*path, "--help"], env={"COLUMNS": str(columns), "TERMINAL_WIDTH": str(columns)})
    assert shown.exit_code == 0
    words = shown.output.replace(",", " ").split()  # several names of one option stand with commas between
    assert [name for name in VERBS[path] if name not in words] == []


@pytest.mark.parametrize("path", [path for path, named in VERBS.items() if "--out" in named], ids=" ".join)
def test_where_results_go_has_a_short_name_in_every_verb(path: tuple[str, ...]) -> None:
    assert "-o" in VERBS[path]
