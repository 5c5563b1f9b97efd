"""`probe4d render`: a scene as a video, with questions and answers beside it, or in the rerun viewer."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from probe4d.cli import app, output
from probe4d.cli.groups import with_groups
from probe4d.report.video.options import ColouredBy, VideoOptions, VideoView
from probe4d.wording import counted, listed, most_frequent

if TYPE_CHECKING:
    from collections.abc import Sequence

    from probe4d.benchmarks.benchmark import Benchmark
    from probe4d.report.video.render import RenderedVideo
    from probe4d.report.video.sensing import Blank
    from probe4d.scenes.tables import Scenes

__all__ = ["render"]

_MOST_SPANS = 10


@dataclass(frozen=True)
class Shown:
    """What a video shows; the fields are options of the command line."""

    view: Annotated[
        VideoView, typer.Option("--view", help="LiDAR points from above or in orbit, or the images of cameras.")
    ] = "above"
    frames: Annotated[
        str | None, typer.Option("--frames", metavar="FIRST-LAST", help="Key frames, both included; left out: all.")
    ] = None
    fps: Annotated[
        float | None, typer.Option("--fps", help="Key frames a second; left out: as they were recorded.")
    ] = None
    size: Annotated[str, typer.Option("--size", metavar="WxH", help="Width and height in pixels.")] = "1280x720"
    reach: Annotated[
        float, typer.Option("--reach", metavar="METRES", help="How far the view of points reaches to the sides.")
    ] = 40.0
    strip: Annotated[bool, typer.Option("--strip", help="Show camera images below the points.")] = False
    camera: Annotated[
        list[str] | None,
        typer.Option("--camera", metavar="CHANNEL", help="A camera to be shown; may be repeated; left out: all."),
    ] = None
    trail: Annotated[int, typer.Option("--trail", help="Key frames that the trails of tracks go back.")] = 6
    coloured_by: Annotated[ColouredBy, typer.Option("--colour-by", help="What has a colour of its own.")] = "class"

    def options(self) -> VideoOptions:
        """The options of the video.

        Raises:
            InputError: One cannot be read.
        """
        return VideoOptions(
            view=self.view,
            frames=None if self.frames is None else _pair(self.frames, "-", "--frames FIRST-LAST", "12-24"),
            fps=self.fps,
            size_px=_pair(self.size, "x", "--size WIDTHxHEIGHT", "1280x720"),
            reach_m=self.reach,
            cameras=tuple(dict.fromkeys(self.camera or ())),
            strip=self.strip,
            trail=self.trail,
            coloured_by=self.coloured_by,
        )


@app.command("render")
@with_groups
def render(
    dataroot: Annotated[Path, typer.Argument(metavar="DATAROOT", help="Folder of a dataset in the nuScenes schema.")],
    scene: Annotated[str, typer.Argument(metavar="SCENE", help="Name of the scene.")],
    shown: Shown,
    out: Annotated[
        Path | None, typer.Option("--out", "-o", help="File to write: .mp4, .gif or .webp; or a folder for PNG files.")
    ] = None,
    rerun: Annotated[bool, typer.Option("--rerun", help="Open the scene in the rerun viewer on this machine.")] = False,
    rrd: Annotated[
        Path | None, typer.Option("--rrd", metavar="FILE", help="Write a recording (.rrd) that the rerun viewer opens.")
    ] = None,
    benchmark: Annotated[
        Path | None,
        typer.Option("--benchmark", metavar="BENCH", help="Benchmark whose questions stand beside the video."),
    ] = None,
    questions: Annotated[int | None, typer.Option("--questions", help="Show so many questions at most.")] = None,
    question: Annotated[
        list[str] | None,
        typer.Option("--question", metavar="ID", help="Show this question; may be repeated."),
    ] = None,
    run: Annotated[
        Path | None, typer.Option("--run", metavar="RUN", help="Run whose answers stand below the right ones.")
    ] = None,
    version: Annotated[str | None, typer.Option("--version", help="Folder of tables, such as v1.0-mini.")] = None,
    reference_channel: Annotated[
        str | None, typer.Option("--reference-channel", help="LiDAR whose times and poses key frames have.")
    ] = None,
) -> None:
    """Render a scene as a video: LiDAR points or camera images with boxes and trails, questions and answers beside it.

    A reading that is missing or damaged is left blank, with words in the picture, and told at the end. Of the options
    of the picture the viewer takes --frames, --camera and --colour-by.
    """
    from probe4d.errors import InputError
    from probe4d.runs.run import read_run

    options = shown.options()
    if out is None and rrd is None and not rerun:
        raise InputError("There is nothing to make.", remedy="Give --out FILE, --rrd FILE or --rerun.")
    if questions is not None and question:
        raise InputError("--questions chooses questions and --question names them.", remedy="Give one of the two.")
    if out is None and (benchmark or run or question or questions is not None):
        raise InputError("Questions and answers stand beside a video.", remedy="Give --out FILE.")
    read, scenes = _opened(dataroot, benchmark, version, reference_channel)
    if out is not None:
        from probe4d.report.video.render import render_video

        with output.progress("Pictures") as counter:
            rendered = render_video(
                scenes,
                scene,
                out,
                options,
                benchmark=read,
                questions=question or questions,
                run=None if run is None else read_run(run),
                begun=counter.expect,
                done=counter,
            )
        print(rendered.path)
        _tell(rendered)
    if rrd is not None or rerun:
        _show_in_viewer(scenes, scene, options, rrd, is_opened=rerun)
    output.note(f"What is shown falls under the licence of the dataset: {scenes.licence}.")


def _opened(
    dataroot: Path, benchmark: Path | None, version: str | None, reference_channel: str | None
) -> tuple[Benchmark | None, Scenes]:
    from probe4d.benchmarks.benchmark import read_benchmark
    from probe4d.benchmarks.source import open_source
    from probe4d.errors import InputError
    from probe4d.scenes.opening import open_scenes

    if benchmark is None:
        return None, open_scenes(dataroot, version=version, reference_channel=reference_channel)
    if reference_channel is not None:
        raise InputError("With --benchmark, the LiDAR is that which the benchmark was built with.")
    read = read_benchmark(benchmark)
    scenes, warnings = open_source(read, dataroot, version=version)
    for warning in warnings:
        output.note(warning)
    return read, scenes


def _show_in_viewer(scenes: Scenes, scene: str, options: VideoOptions, rrd: Path | None, *, is_opened: bool) -> None:
    from probe4d.report.viewer import open_in_rerun, write_rerun

    given: dict[str, Any] = {
        "frames": options.frames,
        "cameras": options.cameras,
        "coloured_by": options.coloured_by,
    }
    blanks: tuple[Blank, ...] = ()
    with output.progress("Key frames logged") as counter:
        if rrd is not None:
            blanks = write_rerun(scenes, scene, rrd, begun=counter.expect, done=counter, **given).blanks
        if is_opened:
            blanks = open_in_rerun(scenes, scene, begun=counter.expect, done=counter, **given).blanks
    if rrd is not None:
        print(rrd)
    _tell_blanks(blanks)


def _tell(rendered: RenderedVideo) -> None:
    beside = f", with {counted(rendered.questions, 'question')}" if rendered.questions else ""
    output.note(f"{counted(rendered.frames, 'picture')}, {rendered.fps:.3g} a second{beside}")
    if rendered.without_images:
        output.note(f"Cameras of which no image is there are left out: {listed(rendered.without_images)}.")
    _tell_blanks(rendered.blanks)


def _tell_blanks(blanks: Sequence[Blank]) -> None:
    reasons: dict[str, list[int]] = {}
    for blank in blanks:
        reasons.setdefault(f"{blank.channel} {blank.why.rstrip('.')}", []).append(blank.frame)
    if reasons:
        counts = {f"{what}: {_frames(frames)}": len(frames) for what, frames in reasons.items()}
        output.note("Left blank:")
        for line in most_frequent(counts, rest="others"):
            output.note(f"  {line}")


def _frames(frames: list[int]) -> str:
    """Key frames, ascending, in words: `key frames 3, 7 to 12`."""
    spans: list[list[int]] = []
    for frame in frames:
        if spans and frame == spans[-1][1] + 1:
            spans[-1][1] = frame
        else:
            spans.append([frame, frame])
    named = [str(first) if first == last else f"{first} to {last}" for first, last in spans[:_MOST_SPANS]]
    more = ", …" if len(spans) > _MOST_SPANS else ""
    return f"key frame{'s' if len(frames) > 1 else ''} {', '.join(named)}{more}"


def _pair(text: str, between: str, option: str, example: str) -> tuple[int, int]:
    """Two whole numbers with a character between them.

    Raises:
        InputError: The text is not that.
    """
    from probe4d.errors import InputError

    found = re.fullmatch(rf"(\d{{1,9}}){between}(\d{{1,9}})", text, re.ASCII)
    if found is None:
        raise InputError(f"{option} takes two whole numbers, not {text!r}.", remedy=f"Such as {example}.")
    return int(found[1]), int(found[2])
