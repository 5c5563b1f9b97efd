"""`probe4d simulate`: write simulated street scenes."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from probe4d.cli import app, output


@app.command("simulate")
def simulate_command(
    out: Annotated[
        Path, typer.Argument(metavar="OUT", help="Folder to write: new, empty, or an earlier simulated dataset.")
    ],
    scenes: Annotated[int, typer.Option("--scenes", help="Number of scenes, each about 20 s long.")] = 12,
    seed: Annotated[int, typer.Option("--seed", help="Same seed, same bytes.")] = 1,
    cameras: Annotated[bool, typer.Option("--cameras/--no-cameras", help="Draw the images of six cameras.")] = True,
    workers: Annotated[int, typer.Option("--workers", help="Processes to share the scenes among.")] = 1,
) -> None:
    """Write a dataset of simulated street scenes, in nuScenes format."""
    from probe4d.scenes.simulator import VERSION, simulate

    with output.progress("Simulating scenes", scenes) as done:
        simulate(out, scenes=scenes, seed=seed, cameras=cameras, workers=workers, done=done)
    output.note(f"{scenes} scenes, version {VERSION}:")
    typer.echo(str(out))
