"""The command line in the process of the tests, which has torch already: importing it takes longer than most verbs."""

from __future__ import annotations

from probe4d.cli import app

__all__ = ["called"]


def called(*arguments: object) -> None:
    """Call a verb; what would end the process is raised."""
    app([str(argument) for argument in arguments], standalone_mode=False)
