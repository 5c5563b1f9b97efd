"""What a model is asked to describe: the camera images of a sequence, in two groups of views (Sec. 3.2, Table 7)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import groupby
from typing import NamedTuple

import msgspec
import polars as pl

from probe4d.benchmarks.b4dl.tasks import VOCABULARY
from probe4d.benchmarks.generating import Picture, Prompt
from probe4d.errors import InputError
from probe4d.scenes.sensor_files import list_files
from probe4d.scenes.tables import Scenes
from probe4d.wording import counted, listed

__all__ = ["REAR", "context_prompts", "missing_images", "shorter_prompt", "view_groups"]

REAR = "rear"
"""The group whose cameras look backwards, so that left and right of its description are mirrored."""

_NUSCENES = {
    "front": {"front": "CAM_FRONT", "front_left": "CAM_FRONT_LEFT", "front_right": "CAM_FRONT_RIGHT"},
    REAR: {"back": "CAM_BACK", "back_left": "CAM_BACK_LEFT", "back_right": "CAM_BACK_RIGHT"},
}
_WAYMO_EIGHT = {
    "front": {"front": "FRONT", "front_left": "FRONT_LEFT", "front_right": "FRONT_RIGHT"},
    REAR: {"back": "REAR", "back_left": "REAR_LEFT", "back_right": "REAR_RIGHT"},
}
_WAYMO_FIVE = {
    "left": {"front": "FRONT", "front_left": "FRONT_LEFT", "side_left": "SIDE_LEFT"},
    "right": {"front": "FRONT", "front_right": "FRONT_RIGHT", "side_right": "SIDE_RIGHT"},
}

_NOT_RECORDED = "images that the dataset has no record of"
_NO_FILE = "images whose file is not there"

_TASK = (
    "You describe the frames of a driving scene, so that the 3D point clouds which a LiDAR recorded at the same "
    "moments can be analysed. The images show frames {start:03d} to {end:03d} of one drive."
)
_WHOLE = (
    "Write one paragraph about the scene as the LiDAR point cloud captures it, which brings together what the images "
    "of the {views} ({names}) show."
)
_CONTENT = (
    "Say which types of objects there are, where they are relative to each other, their shapes, sizes, distances and "
    "movements. Leave out colour, text, lighting, weather and whatever else only an image shows."
)
_CHANGE = (
    "Stress what changes over time: give frame numbers and directions (left, right, front, back), and say whether "
    "objects approach or move away."
)
_PARTS = (
    "Give the paragraph three parts: [1] Description of the Scene [2] Key Changes Over Time [3] Important Objects and "
    "Events from the Driver's Perspective"
)
_CLASSES = (
    "LiDAR tells objects apart by these classes only: {{{classes}}}. Do not infer colour, text or what words on "
    "signs mean."
)
_EGO = "Mention special movements of the ego vehicle, such as stopping, starting or turning, if there are any."
_BACKWARDS = (
    "The cameras look backwards. Say left and right as somebody sees them who looks out of the back: what lies on the "
    "left of the back images is on the left. The back_left view therefore lies to the right of the back view, and the "
    "back_right view to its left; do not take sides from the names of the views. Front and back "
    "are those of the ego vehicle: all that these images show is behind it."
)


_SHORTER = (
    "You were asked this before, and your reply was cut off at its limit of length, so that none of it can be taken. "
    "Write the whole paragraph anew, in {words} words at most, with all three parts and an end. Think no longer than "
    "that takes."
)
_MOST_WORDS = 200
"""Of a description that is asked for once more: well below what a reply may hold by any usual limit of tokens."""


class _Image(NamedTuple):
    """An image that should be shown; without a file it is missing."""

    view: str
    frame: int
    file: str | None


def view_groups(scenes: Scenes) -> Mapping[str, Mapping[str, str]]:
    """Which cameras are described together: by the name of a group its channels, by the name of their view.

    `front` and `rear` where cameras look both ways; `left` and `right` on Waymo's perception data, whose five cameras
    look ahead and to the sides.

    Raises:
        InputError: No scene has a camera of these.
    """
    cameras = set(scenes.sensors.filter(pl.col("modality") == "camera")["channel"].unique())
    for groups in (_NUSCENES, _WAYMO_EIGHT if "REAR" in cameras else _WAYMO_FIVE):
        if any(channel in cameras for views in groups.values() for channel in views.values()):
            return groups
    raise InputError(
        "has no images of cameras around the vehicle, and B4DL's sequences are described from such.",
        path=scenes.root / scenes.version,
        remedy="Simulate or convert the scenes with cameras, or take a dataset that has them.",
    )


def context_prompts(sequences: pl.DataFrame, scenes: Scenes, *, longest_side_px: int) -> list[Prompt]:
    """Ask for a description of each group of views of each sequence (Table 7, in our wording).

    Pictures are all frames of a group's first view, then all of its second, then all of its third. A group of which a
    sequence has no image at all is not asked about (see `missing_images`).

    Args:
        sequences: Columns of `SEQUENCES_SCHEMA`.
        scenes: Their scenes.
        longest_side_px: Images are sent no larger than this.

    Returns:
        Prompts with keys `<sequence>/<group>`, in the order of the sequences.

    Raises:
        InputError: The dataset has no cameras, or no image of these sequences is there.
    """
    groups = view_groups(scenes)
    images = _images(sequences, scenes, groups)
    if images["missing"].is_not_null().all():
        raise InputError(
            f"has none of the {counted(images.height, 'image')} that its sequences show.",
            path=scenes.root,
            remedy="Check that the dataset's camera images are there.",
        )
    of_prompts: dict[tuple[str, str], list[_Image]] = {}
    for sequence, group, *image in images.select("sequence", "group", "view", "frame", "shown").iter_rows():
        of_prompts.setdefault((sequence, group), []).append(_Image(*image))
    bounds = {name: (start, end) for name, start, end in sequences.select("sequence", "start", "end").iter_rows()}
    return [
        Prompt(
            key=f"{sequence}/{group}",
            text=_text(*bounds[sequence], group, of_prompt),
            pictures=tuple(Picture(image.file, longest_side_px) for image in of_prompt if image.file is not None),
        )
        for (sequence, group), of_prompt in of_prompts.items()
        if any(image.file is not None for image in of_prompt)
    ]


def shorter_prompt(prompt: Prompt) -> Prompt:
    """Ask once more for a description that was cut at its limit, and for a shorter one.

    Args:
        prompt: What was asked, by `context_prompts`.

    Returns:
        A prompt with the key and the pictures of the first.
    """
    return msgspec.structs.replace(prompt, text=f"{prompt.text}\n\n{_SHORTER.format(words=_MOST_WORDS)}")


def missing_images(sequences: pl.DataFrame, scenes: Scenes) -> dict[str, int]:
    """How many images that the sequences should show are missing, by reason.

    Raises:
        InputError: The dataset has no cameras.
    """
    missing = _images(sequences, scenes, view_groups(scenes)).filter(pl.col("missing").is_not_null())
    return dict(missing.unique(["channel", "scene", "frame"])["missing"].value_counts().sort("missing").iter_rows())


def _images(sequences: pl.DataFrame, scenes: Scenes, groups: Mapping[str, Mapping[str, str]]) -> pl.DataFrame:
    """Every image that should be shown, in the order of prompts: `shown` is its file, `missing` why it has none."""
    rows = [(group, view, channel) for group, views in groups.items() for view, channel in views.items()]
    views = pl.DataFrame(rows, schema=["group", "view", "channel"], orient="row")
    wanted = (
        sequences.select("scene", "sequence", "frames")
        .join(views, how="cross", maintain_order="left_right")
        .explode("frames")
        .rename({"frames": "frame"})
    )
    files = scenes.sensors.filter(pl.col("modality") == "camera").select("scene", "frame", "channel", filename="file")
    found = wanted.join(files, on=["scene", "frame", "channel"], how="left", maintain_order="left")
    there = list_files(scenes.root, found.select("filename").drop_nulls().unique(maintain_order=True))
    return (
        found.join(there.select("filename", "outside", "exists"), on="filename", how="left", maintain_order="left")
        .with_columns(
            pl.when(pl.col("filename").is_null())
            .then(pl.lit(_NOT_RECORDED))
            .when(~pl.col("exists") | pl.col("outside"))
            .then(pl.lit(_NO_FILE))
            .alias("missing")
        )
        .with_columns(shown=pl.when(pl.col("missing").is_null()).then(pl.col("filename")))
    )


def _text(start: int, end: int, group: str, images: Sequence[_Image]) -> str:
    """The whole text of a prompt; pictures are numbered in the order in which they are shown."""
    shown = list(dict.fromkeys(image.view for image in images if image.file is not None))
    instructions = [
        _WHOLE.format(views=counted(len(shown), "view"), names=", ".join(shown)),
        _CONTENT,
        _CHANGE,
        *([_BACKWARDS] if group == REAR else []),
        _PARTS,
        _CLASSES.format(classes=", ".join(VOCABULARY)),
        _EGO,
        "The images are, in the order in which they are shown:",
    ]
    task = _TASK.format(start=start, end=end)
    return "\n".join([task, *(f"- {instruction}" for instruction in instructions), *_told(images)])


def _told(images: Sequence[_Image]) -> list[str]:
    """Of each view which images show which frames, and which frames it lacks."""
    lines, before = [], 0
    for view, of_view in groupby(images, key=lambda image: image.view):
        frames: dict[bool, list[int]] = {True: [], False: []}
        for image in of_view:
            frames[image.file is not None].append(image.frame)
        shown, missing = frames[True], frames[False]
        if not shown:
            lines.append(f"  {view}: no image.")
            continue
        numbers = f"image {before + 1}" if len(shown) == 1 else f"images {before + 1} to {before + len(shown)}"
        lacks = f" There is no image of {_in_words(missing)}." if missing else ""
        lines.append(f"  {view}: {numbers}, which show{'s' if len(shown) == 1 else ''} {_in_words(shown)}.{lacks}")
        before += len(shown)
    return lines


def _in_words(frames: Sequence[int]) -> str:
    return f"frame{'' if len(frames) == 1 else 's'} {listed([f'{frame:03d}' for frame in frames])}"
