"""`probe4d build lidar-hallu`: the questions of LiDAR-Hallu."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import typer

from probe4d.cli.build import Building, Dataroot, build
from probe4d.cli.groups import with_groups

__all__ = ["build_lidar_hallu"]


@dataclass(frozen=True)
class Asked:
    """Which questions are built; the fields are options of the command line, and parameters of the build."""

    per_family: Annotated[int, typer.Option("--per-family", help="Questions in each family.")] = 2000
    min_margin: Annotated[
        float, typer.Option("--min-margin", help="Smallest margin: degrees for position, metres for the others.")
    ] = 0.0
    min_lidar_points: Annotated[
        int, typer.Option("--min-lidar-points", help="Fewest LiDAR returns of a box that counts.")
    ] = 1
    annotated_sector: Annotated[
        str | None,
        typer.Option("--annotated-sector", help="Bearings that are annotated, FROM:TO in degrees, such as -45:45."),
    ] = None
    events: Annotated[
        Path | None, typer.Option("--events", help="B4DL's time_grounding.json, to take events from.")
    ] = None
    distractors: Annotated[
        str, typer.Option("--distractors", help="Lengths of wrong intervals: matched or published.")
    ] = "matched"


@build.command("lidar-hallu")
@with_groups
def build_lidar_hallu(dataroot: Dataroot, *, building: Building, asked: Asked) -> None:
    """Build questions about LiDAR sequences: existence, position, motion, distance, and when events take place."""
    building.build("lidar-hallu", dataroot, **vars(asked))
