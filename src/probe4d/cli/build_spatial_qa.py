"""`probe4d build spatial-qa`: the questions of NuScenes-SpatialQA."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Literal

import typer

from probe4d.cli.build import Building, Dataroot, build
from probe4d.cli.groups import with_groups
from probe4d.cli.object_filters import ObjectFilters

__all__ = ["build_spatial_qa"]


@dataclass(frozen=True)
class Asked:
    """Which questions are built; the fields are options of the command line, and parameters of the build."""

    scale: Annotated[
        str, typer.Option("--scale", help="full, every pair and object; or sample:N, such as sample:10000.")
    ] = "full"
    balance: Annotated[
        Literal["answers", "contents"],
        typer.Option("--balance", help="What a sample balances: answers, or those to each template and categories."),
    ] = "answers"
    refer: Annotated[
        Literal["caption", "marker"],
        typer.Option("--refer", help="What objects are called: captions, or letters drawn into the image."),
    ] = "caption"
    captions: Annotated[
        Path | None,
        typer.Option("--captions", metavar="FILE", help="Captions, such as those of probe4d caption."),
    ] = None
    ambiguous: Annotated[
        Literal["drop", "keep"],
        typer.Option("--ambiguous", help="What becomes of objects called the same as another one of the image."),
    ] = "drop"


@build.command("spatial-qa")
@with_groups
def build_spatial_qa(
    dataroot: Dataroot,
    *,
    building: Building,
    asked: Asked,
    filters: ObjectFilters,
    graphs: Annotated[
        bool, typer.Option("--graphs", help="Write the scene graphs too, as JSON lines in the folder graphs.")
    ] = False,
) -> None:
    """Build questions about camera images: relations, quantities, direct reasoning, situations."""
    building.build(
        "spatial-qa",
        dataroot,
        **vars(asked),
        min_visibility=filters.min_visibility,
        unknown_visibility=filters.unknown_visibility,
        min_side_px=filters.min_side,
        graphs=graphs,
    )
