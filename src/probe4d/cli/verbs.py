"""Registers every verb. A new verb: a file here, and a line below."""

from __future__ import annotations

import importlib
import importlib.util

_FILES = ("scenes", "simulate", "build", "check", "prompts", "import_", "diagnose", "show", "demo")

for _file in _FILES:
    if importlib.util.find_spec(f"probe4d.cli.{_file}"):
        importlib.import_module(f"probe4d.cli.{_file}")
