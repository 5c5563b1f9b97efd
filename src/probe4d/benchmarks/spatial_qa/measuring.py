"""What the rules need of some scenes: the objects that can be asked about, and all that surrounds them."""

from __future__ import annotations

from typing import Literal, NamedTuple

import msgspec
import polars as pl

from probe4d.benchmarks.sampling import ranks
from probe4d.benchmarks.spatial_qa.referring import VIEW, by_captions, by_markers, same_words
from probe4d.benchmarks.spatial_qa.views import Filters, filtered, shown_objects, with_kinds
from probe4d.scenes.geometry import SE3
from probe4d.scenes.projection import sensor_SE3_global
from probe4d.scenes.tables import Scenes

__all__ = ["Ambiguous", "Measured", "Measuring", "Refer", "measure"]

Ambiguous = Literal["drop", "keep"]
Refer = Literal["caption", "marker"]

_AMBIGUOUS = "object shares its words with another one of the image"


class Measuring(msgspec.Struct, frozen=True, kw_only=True):
    """How scenes are measured, the same for all of them.

    Attributes:
        seed: Seed of every draw.
        filters: What an object must be like in an image to be asked about.
        captions: Captions by instance token; null lets letters stand for objects.
        ambiguous: Whether objects are asked about whose words stand for another one of the image as well.
    """

    seed: int
    filters: Filters
    captions: dict[str, str] | None
    ambiguous: Ambiguous

    @property
    def needs(self) -> tuple[str, ...]:
        """Annotations that questions rest on (see `Question.needs`)."""
        return ("boxes",) if self.captions is None else ("boxes", "captions")


class Measured(NamedTuple):
    """Some scenes, measured.

    Attributes:
        objects: Objects that pass the filters and have words: columns of `VIEWS_SCHEMA`, and refer (the words), entity
            (the same, unique in its image), askable (whether questions may mention it), view (row of `views`), object
            (its own row) and rank (for draws).
        views: Images that show one of these objects: columns view (its own row), scene, frame, channel, keyframes (of
            the scene), eye_x, eye_y, eye_z (the camera's place in the ego frame of the key frame, metres) and rank.
        shown: Columns of `VIEWS_SCHEMA` of all objects that images show, passing filters or not.
        boxes: Columns of `BOXES_SCHEMA` and kind: all objects of the key frames.
        exclusions: Number of objects in images that were left out, by reason.
    """

    objects: pl.DataFrame
    views: pl.DataFrame
    shown: pl.DataFrame
    boxes: pl.DataFrame
    exclusions: dict[str, int]


def measure(scenes: Scenes, measuring: Measuring) -> Measured:
    """Find what can be asked about in some scenes.

    Raises:
        InputError: A camera reading has no image size, or no intrinsics of a pinhole camera.
    """
    shown = shown_objects(scenes)
    passing, exclusions = filtered(shown, measuring.filters)
    captions = measuring.captions
    referred = by_markers(passing) if captions is None else by_captions(passing, captions)
    shared = same_words(referred.objects)
    askable = ~shared if measuring.ambiguous == "drop" else pl.repeat(True, shared.len(), eager=True)
    exclusions |= referred.exclusions
    if not askable.all():
        exclusions[_AMBIGUOUS] = int((~askable).sum())
    views = _views(scenes, referred.objects, measuring.seed)
    told_apart = pl.format("{} ({})", "refer", pl.col("track").str.tail(8))
    objects = (
        referred.objects.join(views.select(*VIEW, "view"), on=VIEW, how="left", maintain_order="left")
        .with_columns(
            entity=pl.when(shared).then(told_apart).otherwise("refer"),
            askable=askable,
            rank=ranks(
                referred.objects.select(pl.format("{}/{}", "channel", "token")).to_series(),
                seed=measuring.seed,
                family="spatial-qa/objects",
            ),
        )
        .with_row_index("object")
    )
    return Measured(objects, views, shown, with_kinds(scenes.boxes), exclusions)


def _views(scenes: Scenes, objects: pl.DataFrame, seed: int) -> pl.DataFrame:
    cameras = scenes.sensors.filter(pl.col("modality") == "camera")
    shown = cameras.join(objects.select(VIEW).unique(), on=VIEW, how="semi").sort(VIEW)
    poses = shown.select("scene", "frame").join(scenes.keyframes, on=["scene", "frame"], maintain_order="left")
    global_SE3_ego = SE3.from_quaternion(
        poses.select("pose_qw", "pose_qx", "pose_qy", "pose_qz").to_numpy(),
        poses.select("pose_x", "pose_y", "pose_z").to_numpy(),
    )
    eyes = global_SE3_ego.inverse().apply(sensor_SE3_global(shown).inverse().translation)
    keys = shown.select(pl.format("{}/{}/{}", *VIEW)).to_series()
    return (
        shown.select(*VIEW)
        .join(scenes.scenes.select("scene", "keyframes"), on="scene", how="left", maintain_order="left")
        .with_columns(*(pl.Series(f"eye_{axis}", eyes[:, at]) for at, axis in enumerate("xyz")))
        .with_columns(rank=ranks(keys, seed=seed, family="spatial-qa/views"))
        .with_row_index("view")
    )
