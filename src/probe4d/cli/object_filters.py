"""Options of verbs that take objects out of camera images."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Literal

import typer

__all__ = ["ObjectFilters"]


@dataclass(frozen=True)
class ObjectFilters:
    """What an object must be like in an image (NuScenes-SpatialQA, B.2); the fields are options of the command line."""

    min_visibility: Annotated[
        int, typer.Option("--min-visibility", help="Lowest visibility level of an object, 1 to 4.")
    ] = 4
    unknown_visibility: Annotated[
        Literal["keep", "drop"],
        typer.Option("--unknown-visibility", help="What becomes of objects whose visibility the dataset does not say."),
    ] = "keep"
    min_side: Annotated[
        float, typer.Option("--min-side", metavar="PIXELS", help="An image box has to be wider and higher.")
    ] = 40
