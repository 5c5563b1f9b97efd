"""Which pictures can be rendered of a key frame, and how large."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, NamedTuple

import msgspec

if TYPE_CHECKING:  # the options of the command line are read without what draws pictures
    from probe4d.evidence.marks import Mark

__all__ = ["CLIP_FRAMES", "VIEWS", "Picture", "PictureOptions", "View"]

View = Literal["cameras", "birds-eye", "one-camera"]
VIEWS: tuple[View, ...] = ("cameras", "birds-eye", "one-camera")

CLIP_FRAMES = 5
"""Frames that a question usually shows at most (STRIDE, App. A.3); of more it shows a clip."""


class PictureOptions(msgspec.Struct, frozen=True, kw_only=True):
    """Size and quality of rendered pictures.

    Attributes:
        max_side_px: Longest side, 256 to 4096 pixels.
        clip_side_px: The same of the pictures of a question that shows more than `CLIP_FRAMES` frames, since a long
            clip has to fit into a model's context; null for no other.
        jpeg_quality: Of camera images and their grids, 1 to 95; bird's-eye views are PNG.
    """

    max_side_px: int = 1024
    clip_side_px: int | None = None
    jpeg_quality: int = 85

    def of(self, frames: int) -> PictureOptions:
        """Size and quality of the pictures of a question that shows so many frames."""
        side = self.max_side_px
        if self.clip_side_px is not None and frames > CLIP_FRAMES:
            side = min(side, self.clip_side_px)
        return PictureOptions(max_side_px=side, jpeg_quality=self.jpeg_quality)


class Picture(NamedTuple):
    """A picture to be rendered.

    Attributes:
        view: Surround grid of cameras, bird's-eye view of LiDAR points, or the image of one camera.
        scene: Scene whose sensors are shown.
        frame: Key frame of that scene that is shown.
        label: Frame number written into the picture, which differs from `frame` where the order is shuffled; into
            the image of one camera nothing is written.
        channels: Cameras of the grid, of which empty means all of the scene's; or the one camera.
        black: Whether the picture is blank but for its label.
        marks: Objects that are marked in it, in the order in which they take their colours.
        max_side_px: Its longest side, where that is another than that of the pictures beside it.
    """

    view: View
    scene: str
    frame: int
    label: int
    channels: tuple[str, ...] = ()
    black: bool = False
    marks: tuple[Mark, ...] = ()
    max_side_px: int | None = None
