"""Renders the key frames of a scene as a video, with questions and answers beside them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from PIL import Image

from probe4d.benchmarks.benchmark import Benchmark
from probe4d.errors import InputError
from probe4d.report.video.composition import Composition
from probe4d.report.video.drawn_scene import DrawnScene
from probe4d.report.video.exchanges import Exchange, exchanges_of
from probe4d.report.video.options import VideoOptions, format_of, within_rates
from probe4d.report.video.sensing import Blank, Sensing
from probe4d.report.video.writing import load_encoder, refuse_taken, write_pictures
from probe4d.runs.run import Run
from probe4d.scenes.tables import Scenes

__all__ = ["RenderedVideo", "render_video"]


_USUAL = VideoOptions()


class RenderedVideo(NamedTuple):
    """What was written.

    Attributes:
        path: The file, or the folder of pictures.
        frames: Number of pictures.
        fps: Pictures a second.
        questions: Number of questions that stand beside them.
        blanks: Readings that could not be shown, in the order of the key frames.
        without_images: Cameras that were left out since no file of theirs is there.
    """

    path: Path
    frames: int
    fps: float
    questions: int
    blanks: tuple[Blank, ...]
    without_images: tuple[str, ...]


def render_video(
    scenes: Scenes,
    scene: str,
    out: Path | str,
    options: VideoOptions = _USUAL,
    *,
    benchmark: Benchmark | None = None,
    questions: int | Sequence[str] | None = None,
    run: Run | None = None,
    begun: Callable[[int], None] | None = None,
    done: Callable[[], None] | None = None,
) -> RenderedVideo:
    """Render a scene, a picture a key frame, as the project page of B4DL shows 4D LiDAR (B4DL, App. A).

    Points have the colours of heights in the ego frame; boxes are those of the dataset's annotations, with the class
    and the distance over the ground in metres, and trails of where their tracks were before. A reading that cannot be
    read is left blank with words, and told in the result. The same scene and options give the same bytes in GIF, WebP
    and PNG, and the same pictures in MP4.

    Args:
        scenes: The scenes.
        scene: Name of the one that is shown.
        out: File to write, `.mp4` (extra `video`), `.gif` or `.webp`; or, without an ending, a folder of PNG files.
        options: What is shown, how fast and how large.
        benchmark: Questions that stand beside it while their key frames are shown.
        questions: Their number at most, or their ids or beginnings of ids; null for as many as there is room for.
        run: What a model answered.
        begun: Told the number of pictures.
        done: Told of each picture.

    Raises:
        InputError: The scene is not there, an option has a value that it cannot have, there is nothing to show, or
            the questions do not fit; see `exchanges_of`.
        RunError: Writing failed.
    """
    options.check()
    out = Path(out)
    form = format_of(out, options)
    load_encoder(form)
    refuse_taken(out, form)
    if benchmark is None and (questions is not None or run is not None):
        raise InputError("Questions and answers are shown of a benchmark, and none is given.")
    recorded = DrawnScene(scenes, scene)
    span = recorded.span(options.frames)
    fps = options.fps or within_rates(recorded.rate_fps, form)
    if options.view != "cameras":
        _ = scenes.lidar_channel  # refuses a dataset without one
    exchanges: list[Exchange] = []
    if benchmark is not None:
        limit, ids = (questions, ()) if questions is None or isinstance(questions, int) else (None, questions)
        exchanges = exchanges_of(benchmark, scenes, scene, span=span, fps=fps, limit=limit, ids=ids, run=run)
    sensing = Sensing(scenes, scene)
    model = None if run is None else run.record.model
    composition = Composition(recorded, sensing, options, span, title=scene, exchanges=exchanges, model=model)
    if begun:
        begun(span[1] - span[0] + 1)

    def drawn() -> Iterator[tuple[int, Image.Image]]:
        for frame in range(span[0], span[1] + 1):
            yield frame, composition.draw(frame)
            if done:
                done()

    write_pictures(drawn(), out, form, fps)
    left_out = sensing.without_images if options.shows_cameras and not options.cameras else ()
    return RenderedVideo(out, span[1] - span[0] + 1, fps, len(exchanges), tuple(sensing.blanks), left_out)
