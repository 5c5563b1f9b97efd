"""`probe4d caption`: noun phrases for objects, by which questions refer to them."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from probe4d.cli import app, output
from probe4d.cli import arguments as reading
from probe4d.cli import ask_options as options
from probe4d.cli.groups import with_groups
from probe4d.cli.object_filters import ObjectFilters
from probe4d.wording import counted, most_frequent

if TYPE_CHECKING:
    from probe4d.runs.captioning import Captioned

__all__ = ["caption"]


@app.command("caption")
@with_groups
def caption(
    dataroot: Annotated[Path, typer.Argument(metavar="DATAROOT", help="Folder of a dataset with cameras.")],
    *,
    model: Annotated[
        str,
        typer.Option("--model", "-m", metavar="PROVIDER/NAME", help="inspect-ai name of a model that takes pictures."),
    ],
    out: Annotated[
        Path, typer.Option("--out", "-o", metavar="CAPTIONS", help="Folder of the captions, new or to go on with.")
    ],
    base_url: options.BaseUrl = None,
    arguments: Annotated[
        list[str] | None,
        typer.Option("-M", metavar="KEY=VALUE", help="An argument of the provider's own; repeatable."),
    ] = None,
    temperature: options.Temperature = None,
    max_tokens: Annotated[int, typer.Option("--max-tokens", help="Most tokens of a reply.")] = 64,
    seed: Annotated[int | None, typer.Option("--seed", metavar="N", help="Seed; repetitions count up from it.")] = None,
    filters: ObjectFilters,
    split: Annotated[
        str | None,
        typer.Option("--split", help="Official split, or all; left out: val of a whole trainval folder, else all."),
    ] = None,
    version: Annotated[str | None, typer.Option("--version", help="Folder of tables, such as v1.0-mini.")] = None,
    max_connections: Annotated[
        int | None, typer.Option("--max-connections", help="Most requests at once. Left out: 10.")
    ] = None,
    max_retries: options.MaxRetries = 5,
    timeout: options.Timeout = 600,
) -> None:
    """Ask a model for a noun phrase for each object, from its best view (NuScenes-SpatialQA, Appendix B).

    A reply that is no noun phrase is asked for again. What was answered is never lost: the same command goes on where
    it stopped. Keys come from the environment, or from .env in the working directory.
    """
    from probe4d.benchmarks.spatial_qa.best_views import best_views
    from probe4d.benchmarks.spatial_qa.views import Filters, objects_in_views
    from probe4d.benchmarks.splits import select_split
    from probe4d.models.course import Course
    from probe4d.models.generation import Generation
    from probe4d.runs.captioning import CAPTIONS_FILE, Captioner, write_captions_of
    from probe4d.scenes.opening import open_scenes

    reading.read_environment()
    captioner = Captioner(
        name=model,
        base_url=base_url,
        arguments=reading.key_values(arguments or (), option="-M"),
        generation=Generation(temperature=temperature, max_tokens=max_tokens, seed=seed),
    )
    course = Course(max_connections=max_connections, max_retries=max_retries, timeout_s=timeout)
    kept = Filters(
        min_visibility=filters.min_visibility,
        unknown_visibility=filters.unknown_visibility,
        min_side_px=filters.min_side,
    )
    scenes, _ = select_split(open_scenes(dataroot, version=version), split)
    objects, exclusions = objects_in_views(scenes, kept)
    output.note_left_out(exclusions)
    with output.progress("objects") as counter:
        captioned = write_captions_of(
            best_views(scenes, objects), scenes.root, out, captioner, course=course, begun=counter.expect, done=counter
        )
    _print(captioned, out / CAPTIONS_FILE)
    if captioned.unanswered:
        raise typer.Exit(1)


def _print(captioned: Captioned, path: Path) -> None:
    typer.echo(f"{path}: captions of {counted(len(captioned.captions), 'object')}")
    for what, reasons in (
        ("got no noun phrase, and have no caption", captioned.without),
        ("got no reply; the same command asks for them again", captioned.unanswered),
    ):
        if reasons:
            output.note(f"{counted(len(reasons), 'object')} {what}:")
        for line in most_frequent(Counter(reasons.values()), rest="other reasons"):
            output.note(f"  {line}")
