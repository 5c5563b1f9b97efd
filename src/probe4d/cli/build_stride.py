"""`probe4d build stride`: the questions of STRIDE."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from probe4d.cli import arguments as reading
from probe4d.cli import output
from probe4d.cli.build import Building, Dataroot, build, replies_folder
from probe4d.cli.groups import with_groups
from probe4d.errors import InputError

if TYPE_CHECKING:
    from probe4d.runs.verbalizing import HostedVerbalizer

__all__ = ["build_stride"]


def _reference(*names: str, **option: Any) -> Any:
    return typer.Option(*names, rich_help_panel="References worded by a model", **option)


@dataclass(frozen=True)
class Verbalizing:
    """Who words the references of open questions anew; the fields are options of the command line."""

    verbalizer: Annotated[
        str | None,
        _reference(
            "--verbalizer",
            metavar="PROVIDER/NAME",
            help="inspect-ai name of a model. Left out: the templates' sentences as they are.",
        ),
    ] = None
    verbalized: Annotated[
        Path | None,
        _reference(
            "--verbalized",
            metavar="DIR",
            help="Folder of its replies; the same command goes on where it stopped. Left out: --out with -verbalized.",
        ),
    ] = None
    base_url: Annotated[
        str | None, _reference("--base-url", metavar="URL", help="Address of a server, if not the provider's own.")
    ] = None
    arguments: Annotated[
        list[str] | None,
        _reference("-M", metavar="KEY=VALUE", help="An argument of the provider's own; repeatable."),
    ] = None
    max_connections: Annotated[
        int | None, _reference("--max-connections", metavar="N", help="Most requests at once. Left out: 10.")
    ] = None

    def opened(self, out: Path) -> HostedVerbalizer | None:
        """The verbaliser that is asked for; null without one."""
        if self.verbalizer is None:
            if any((self.verbalized, self.base_url, self.arguments, self.max_connections)):
                raise InputError("nobody is to word references.", remedy="Say who by --verbalizer.")
            return None
        from probe4d.models.course import Course
        from probe4d.runs.verbalizing import HostedVerbalizer

        reading.read_environment()
        return HostedVerbalizer(
            self.verbalizer,
            replies_folder(self.verbalized, out, option="--verbalized"),
            base_url=self.base_url,
            arguments=reading.key_values(self.arguments or (), option="-M"),
            course=Course(max_connections=self.max_connections),
            begun=lambda total, before: output.note(f"wording {total:,} references, {before:,} of them earlier"),
        )


@dataclass(frozen=True)
class Asked:
    """Which questions are built; the fields are options of the command line, and parameters of the build."""

    templates: Annotated[
        str,
        typer.Option("--templates", metavar="IDS", help="retained, all, or ids with commas such as SP-2,SP-3,SP-7."),
    ] = "retained"
    per_template: Annotated[int, typer.Option("--per-template", help="Most questions of a template.")] = 50
    most_per_scene: Annotated[
        int, typer.Option("--most-per-scene", help="Most questions of a template about one scene.")
    ] = 5
    labels: Annotated[
        Path | None,
        typer.Option("--labels", metavar="FILE", help="CSV of weather, time of day, kinds of road and lanes."),
    ] = None
    objects: Annotated[
        Path | None,
        typer.Option(
            "--objects", metavar="FILE", help="Estimated objects of Waymo's end-to-end data (probe4d detect)."
        ),
    ] = None
    horizon_s: Annotated[
        float | None,
        typer.Option("--horizon", metavar="SECONDS", help="How far ahead TRJ-5 asks on that data. Left out: 5."),
    ] = None
    ego_history: Annotated[
        Literal["none", "text"],
        typer.Option("--ego-history", help="Whether trajectory questions tell past positions and speed."),
    ] = "none"


@build.command("stride")
@with_groups
def build_stride(
    dataroot: Dataroot,
    *,
    building: Building,
    asked: Asked,
    verbalizing: Verbalizing,
) -> None:
    """Build questions about clips of five key frames: space, time, trajectories of the ego vehicle."""
    building.build("stride", dataroot, **vars(asked), verbalizer=verbalizing.opened(building.out))
