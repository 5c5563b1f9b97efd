"""The lines before a question that list its pictures and say how to read them: a pure function.

What they say of a picture's layout, scale and lettering comes from what draws it.
"""

from __future__ import annotations

from collections.abc import Sequence

from probe4d.evidence.birds_eye import EXTENT_M, LOWEST_M, RING_STEP_M, TOP_M
from probe4d.evidence.camera_grid import camera_name
from probe4d.evidence.lettering import frame_words
from probe4d.evidence.pictures import Picture

__all__ = ["preamble"]


def preamble(
    pictures: Sequence[Picture], cameras: Sequence[str] = (), *, asked: str | None = None, lettered: bool = False
) -> str:
    """List pictures that stand before a question.

    Blank pictures are spoken of as if they showed something, as papers do that ask with them.

    Args:
        pictures: Of one view, in the order shown.
        cameras: Channels of the grid in its order, or the one camera; of no account for bird's-eye views.
        asked: Camera whose view the question is about, which is said where others are seen as well.
        lettered: Whether objects that the question names are marked.

    Returns:
        Lines that end with an empty one; an empty text without pictures.
    """
    if not pictures:
        return ""
    frames = [frame_words(picture.label) for picture in pictures]
    if len(frames) == 1:
        listed, each = f"The image above shows {frames[0]} of a driving scene.", "It"
    else:
        numbered = ", ".join(f"Image {number}: {frame}" for number, frame in enumerate(frames, 1))
        listed, each = f"The {len(frames)} images above show frames of a driving scene. {numbered}.", "Each image"
    names = [camera_name(name) for name in cameras]
    match pictures[0].view:
        case "birds-eye":
            how = _birds_eye(each)
        case "one-camera":
            how = f"{each} is the view of the {names[0]} camera of the ego vehicle."
        case "cameras":
            how = _grid(each, names)
    if asked is not None and len(names) != 1:
        how += f" The question is about the view of the {camera_name(asked)} camera."
    if lettered:
        how += " The objects that the question names are outlined, each with its letter."
    return f"{listed}\n{how}\n\n"


def _grid(each: str, names: Sequence[str]) -> str:
    if len(names) == 1:
        return f"{each} has the frame number at the top and the view of the {names[0]} camera of the ego vehicle."
    return (
        f"{each} has the frame number at the top and the views of {len(names)} cameras of the ego vehicle, each under "
        f"its name, row by row from the top left: {', '.join(names)}."
    )


def _birds_eye(each: str) -> str:
    return (
        f"{each} has the frame number at the top and shows LiDAR points from above. The ego vehicle is in the middle "
        "and heads up: what is in front of it is above, what is on its left is on the left. The view reaches "
        f"{EXTENT_M:g} m to the front, back, left and right; the rings around the ego vehicle are {RING_STEP_M:g} m "
        f"apart. Colors tell height, from dark ({LOWEST_M:g} m and below) to bright ({TOP_M:g} m and above)."
    )
