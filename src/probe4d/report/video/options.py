"""What a video shows, how fast and how large."""

from __future__ import annotations

from pathlib import Path
from typing import Literal, get_args

import msgspec

from probe4d.errors import InputError
from probe4d.wording import listed

__all__ = ["FORMATS", "VIDEO_VIEWS", "ColouredBy", "VideoOptions", "VideoView", "format_of", "within_rates"]

VideoView = Literal["above", "orbit", "cameras"]
VIDEO_VIEWS: tuple[VideoView, ...] = get_args(VideoView)

ColouredBy = Literal["class", "track"]

FORMATS = {".mp4": "MP4", ".gif": "GIF", ".webp": "WebP", "": "PNG"}
"""What is written, by the ending of its name; without one, a folder of pictures."""

_SIDES_PX = (240, 4096)
_RATES_FPS = (0.1, 60.0)
_REACHES_M = (5.0, 500.0)
_TRAILS = (0, 1000)
_GIF_FPS = 50.0  # of what is faster, browsers make 10 frames a second


class VideoOptions(msgspec.Struct, frozen=True, kw_only=True):
    """How the key frames of a scene are shown; one picture a key frame.

    Attributes:
        view: `above`: LiDAR points from above, ego vehicle heading up; `orbit`: the same in perspective, turning
            round the ego vehicle once; `cameras`: the images of cameras.
        frames: First and last key frame, both included; null for all of the scene.
        fps: Key frames a second; null for as fast as they were recorded.
        size_px: Width and height, 240 to 4096 each.
        reach_m: How far the view of LiDAR points reaches from the ego vehicle: from above to the nearer borders, in
            orbit about as far to the sides; metres.
        cameras: Channels whose images are shown; empty for all that have an image.
        strip: Whether these images are shown below the LiDAR's points.
        trail: Key frames that the trails of tracks go back.
        coloured_by: What has a colour of its own: a class, or a track.
    """

    view: VideoView = "above"
    frames: tuple[int, int] | None = None
    fps: float | None = None
    size_px: tuple[int, int] = (1280, 720)
    reach_m: float = 40.0
    cameras: tuple[str, ...] = ()
    strip: bool = False
    trail: int = 6
    coloured_by: ColouredBy = "class"

    @property
    def shows_cameras(self) -> bool:
        """Whether camera images are shown."""
        return self.strip or self.view == "cameras"

    def check(self) -> None:
        """See that every option has a value that it can have.

        Raises:
            InputError: One has not.
        """
        if self.view not in VIDEO_VIEWS:
            raise InputError(f"There is no view {self.view!r}.", remedy=f"Take {listed(VIDEO_VIEWS, 'or')}.")
        if self.coloured_by not in get_args(ColouredBy):
            raise InputError(f"Boxes are coloured by class or track, not by {self.coloured_by!r}.")
        smallest, largest = _SIDES_PX
        if not all(smallest <= side <= largest for side in self.size_px):
            width, height = self.size_px
            raise InputError(f"The sides of a video must be {smallest} to {largest} px, not {width}x{height}.")
        slowest, fastest = _RATES_FPS
        if self.fps is not None and not slowest <= self.fps <= fastest:
            raise InputError(f"A video has {slowest:g} to {fastest:g} key frames a second, not {self.fps:g}.")
        nearest, farthest = _REACHES_M
        if not nearest <= self.reach_m <= farthest:
            raise InputError(f"The reach of a view must be {nearest:g} to {farthest:g} m, not {self.reach_m:g}.")
        if not _TRAILS[0] <= self.trail <= _TRAILS[1]:
            raise InputError(f"A trail has {_TRAILS[0]} to {_TRAILS[1]} key frames, not {self.trail}.")
        if self.strip and self.view == "cameras":
            raise InputError("A strip of camera images lies below LiDAR points, and the view cameras has none.")
        if self.cameras and not self.shows_cameras:
            raise InputError(
                f"Cameras are named, and the view {self.view} shows none.",
                remedy="Add a strip of their images (--strip), or take the view cameras.",
            )


def format_of(path: Path, options: VideoOptions) -> str:
    """The format that a file's ending asks for.

    Raises:
        InputError: There is no such format, or it cannot have this size or rate.
    """
    form = FORMATS.get(path.suffix.lower())
    if form is None:
        raise InputError(
            f"ends in {path.suffix!r}, and a video is .mp4, .gif or .webp.",
            path=path,
            remedy="Name it so, or name a folder for pictures in PNG.",
        )
    if form == "MP4" and any(side % 2 for side in options.size_px):
        even = "x".join(str(side + side % 2) for side in options.size_px)
        raise InputError(
            "has colours at half of its size, so both sides must be even.", path=path, remedy=f"Take {even}."
        )
    if form == "GIF" and options.fps is not None and options.fps > _GIF_FPS:
        raise InputError(f"is a GIF, which has at most {_GIF_FPS:g} frames a second.", path=path, remedy="Take MP4.")
    return form


def within_rates(fps: float, form: str) -> float:
    """The rate nearest to a recorded one that a video of a format can have, key frames a second."""
    slowest, fastest = _RATES_FPS
    return min(max(fps, slowest), _GIF_FPS if form == "GIF" else fastest)
