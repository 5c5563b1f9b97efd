"""Options of verbs that read the sensor files of a dataset into a network."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from probe4d.scenes.tables import Scenes

__all__ = ["Reading"]


@dataclass(frozen=True)
class Reading:
    """How a dataset is read, and where the network runs; the fields are options of the command line."""

    workers: Annotated[int, typer.Option("--workers", min=1, help="Threads that read files ahead.")] = 2
    device: Annotated[
        str | None, typer.Option("--device", help="Such as cpu or cuda; left out: an accelerator if there is one.")
    ] = None
    version: Annotated[str | None, typer.Option("--version", help="Folder of tables, such as v1.0-mini.")] = None
    reference_channel: Annotated[
        str | None, typer.Option("--reference-channel", help="LiDAR whose times and poses key frames have.")
    ] = None

    def scenes(self, dataroot: Path) -> Scenes:
        """The scenes of a dataset; see `probe4d.scenes.opening.open_scenes`."""
        from probe4d.scenes.opening import open_scenes

        return open_scenes(dataroot, version=self.version, reference_channel=self.reference_channel)
