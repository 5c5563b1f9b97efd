"""Registers every verb. A new verb: a file here, and a line below."""

from __future__ import annotations

import importlib

_FILES = ("scenes", "simulate", "build", "check", "prompts", "import_", "diagnose", "show")

for _file in _FILES:
    importlib.import_module(f"probe4d.cli.{_file}")
