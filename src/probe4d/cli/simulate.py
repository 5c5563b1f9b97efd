"""`probe4d simulate`: write simulated street scenes."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from probe4d.cli import app, output
from probe4d.wording import counted


@app.command("simulate")
def simulate_command(
    out: Annotated[
        Path,
        typer.Argument(
            metavar="OUT",
            help="Folder to write: new, empty, or with a simulated dataset of the same options, finished or not.",
        ),
    ],
    scenes: Annotated[
        int, typer.Option("--scenes", help="Number of scenes, each about 20 s long; may grow later.")
    ] = 12,
    seed: Annotated[int, typer.Option("--seed", help="Same seed, same bytes.")] = 1,
    cameras: Annotated[bool, typer.Option("--cameras/--no-cameras", help="Draw the images of six cameras.")] = True,
    workers: Annotated[int, typer.Option("--workers", help="Processes to share the scenes among.")] = 1,
    replace: Annotated[
        bool, typer.Option("--replace", help="Replace a simulated dataset of other options that OUT holds.")
    ] = False,
) -> None:
    """Write a dataset of simulated street scenes, in nuScenes format.

    Every scene is kept when it is finished: a command that was broken off goes on where it stopped when it is
    repeated, and more --scenes are added to those there. A dataset of another seed is not touched without --replace.
    """
    from probe4d.scenes.simulator import VERSION, simulate

    found: list[int] = []
    with output.progress("Simulating scenes", scenes) as done:
        simulate(
            out,
            scenes=scenes,
            seed=seed,
            cameras=cameras,
            workers=workers,
            replace=replace,
            found=found.append,
            done=done,
        )
    there = "" if found == [0] else f" ({'all' if found == [scenes] else found[0]} already there)"
    output.note(f"{counted(scenes, 'scene')}{there}, version {VERSION}:")
    typer.echo(str(out))
