"""Registers every verb, in the order of `probe4d --help`. A new verb: a file here, and its name below."""

from __future__ import annotations

import importlib

_FILES = (
    "simulate",
    "convert",
    "scenes",
    "caption",
    "build",
    "build_lidar_hallu",
    "build_spatial_qa",
    "build_stride",
    "build_b4dl",
    "check",
    "diversity",
    "prompts",
    "detect",
    "encode",
    "train",
    "train_language",
    "ask",
    "judge",
    "judge_agree",
    "import_",
    "import_waypoints",
    "export",
    "export_checkpoint",
    "diagnose",
    "review",
    "review_audit",
    "show",
    "render",
    "demo",
)

for _file in _FILES:
    importlib.import_module(f"probe4d.cli.{_file}")
