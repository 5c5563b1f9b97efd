"""Every question that scenes allow, before any draw: one table for each pool that questions are drawn from.

Each row has a `key`, unique in its table, that depends on nothing but what the question asks.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import msgspec
import polars as pl

from probe4d.benchmarks.annotated_sector import AnnotatedSector
from probe4d.benchmarks.lidar_hallu.events import measured_events
from probe4d.benchmarks.lidar_hallu.rules import (
    INTERVAL_FRAMES,
    class_presence,
    measured_object,
    measured_objects,
    motion_pairs,
    nearest_objects,
    predicate_answers,
)
from probe4d.benchmarks.sampling import arranged
from probe4d.scenes.classes import CLASSES, classes_told
from probe4d.scenes.geometry import SECTORS
from probe4d.scenes.tables import Scenes

__all__ = ["OPTIONS", "Candidates", "Measuring", "candidates_of", "merged"]

OPTIONS = 4


class Measuring(msgspec.Struct, frozen=True, kw_only=True):
    """What decides which questions scenes allow.

    Attributes:
        seed: Seed of every draw.
        min_margin: Smallest margin of a position, distance or motion question, in its rule's unit.
        min_lidar_points: Fewest LiDAR returns of a box that counts.
        annotated_sector: Bearings in which the dataset is annotated; null for all around.
        geometric_events: Whether temporal questions take their events from geometry.
    """

    seed: int
    min_margin: float
    min_lidar_points: int
    annotated_sector: AnnotatedSector | None
    geometric_events: bool

    @property
    def sectors(self) -> tuple[str, ...]:
        """Sectors that an answer can be."""
        return SECTORS if self.annotated_sector is None else self.annotated_sector.sectors()


@dataclass(frozen=True)
class Candidates:
    """Pools by name, and what kept candidates out of them, by reason."""

    pools: dict[str, pl.DataFrame]
    exclusions: dict[str, int] = field(default_factory=dict)


def candidates_of(scenes: Scenes, measuring: Measuring) -> Candidates:
    """Find every question that these scenes allow; scenes do not affect one another.

    Returns:
        The pools existence-yes, existence-no, existence-choice, position, distance, motion-yes, motion-no
        and, from geometry, temporal.
    """
    objects = measured_objects(
        scenes, min_lidar_points=measuring.min_lidar_points, annotated_sector=measuring.annotated_sector
    )
    exclusions = dict(objects.exclusions)
    nearest = nearest_objects(objects.annotated)
    told = classes_told(scenes.version)
    pools = _existence(class_presence(scenes.keyframes, nearest, told), nearest)
    untold = scenes.keyframes.height * (len(CLASSES) - len(told))
    _count(exclusions, "existence: classes that the dataset does not tell apart, at a key frame", untold)

    kept = nearest.filter(pl.col("margin") >= measuring.min_margin)
    _count(exclusions, f"position: margin below {measuring.min_margin:g} degrees", nearest.height - kept.height)
    pools["position"] = _keyed(kept, "label").with_columns(object=measured_object())

    pairs = motion_pairs(nearest, objects.everywhere)
    ahead = nearest.join(scenes.scenes.select("scene", "keyframes"), on="scene").filter(
        pl.col("frame") + INTERVAL_FRAMES < pl.col("keyframes")
    )
    _count(exclusions, "motion: the scene ends before the interval", nearest.height - ahead.height)
    _count(exclusions, "motion: the object is not annotated at the end", ahead.height - pairs.height)
    judged = _keyed(predicate_answers(pairs), "label", "predicate")
    clear = judged.filter(pl.col("margin") >= measuring.min_margin).with_columns(
        object=measured_object(), object_end=measured_object("_end")
    )
    _count(exclusions, f"motion: margin below {measuring.min_margin:g} m", judged.height - clear.height)
    pools["motion-yes"], pools["motion-no"] = clear.filter("holds"), clear.filter(~pl.col("holds"))

    frames = _distance(nearest, measuring.seed)
    pools["distance"] = frames.filter(pl.col("margin") >= measuring.min_margin)
    _count(exclusions, f"distance: margin below {measuring.min_margin:g} m", frames.height - pools["distance"].height)
    if measuring.geometric_events:
        events, left_out = measured_events(scenes, objects.annotated, nearest)
        exclusions |= left_out
        # A nearer object may be of a class that nobody told apart.
        certain = events.filter(pl.lit(len(told) == len(CLASSES)) | (pl.col("kind") != "closest-class"))
        _count(exclusions, "temporal: the dataset does not tell all classes apart", events.height - certain.height)
        pools["temporal"] = certain
    return Candidates(pools, exclusions)


def merged(parts: list[Candidates]) -> Candidates:
    """Put the candidates of several groups of scenes together."""
    exclusions: dict[str, int] = {}
    for part in parts:
        for reason, n in part.exclusions.items():
            _count(exclusions, reason, n)
    return Candidates({name: pl.concat([part.pools[name] for part in parts]) for name in parts[0].pools}, exclusions)


def _existence(presence: pl.DataFrame, nearest: pl.DataFrame) -> dict[str, pl.DataFrame]:
    """Pools of existence questions; `object` is the nearest object of the class that is present."""
    witnesses = nearest.select("scene", "frame", "label", object=measured_object())
    with_label = pl.col("present").alias("label")
    present = presence.with_columns(with_label).explode("label").drop_nulls("label")
    absent = presence.with_columns(pl.col("absent").alias("label")).explode("label").drop_nulls("label")
    present = _keyed(present, "label").join(
        witnesses, on=["scene", "frame", "label"], how="left", maintain_order="left"
    )
    return {
        "existence-yes": present,
        "existence-no": _keyed(absent, "label"),
        "existence-choice": present.filter(pl.col("absent").list.len() >= OPTIONS - 1),
    }


def _distance(nearest: pl.DataFrame, seed: int) -> pl.DataFrame:
    """Key frames with at least four classes: the closest one's object, three drawn others, sorted by distance."""
    frames = _keyed(
        nearest.group_by("scene", "frame", maintain_order=True)
        .agg(label=pl.col("label"), objects=measured_object())
        .filter(pl.col("label").list.len() >= OPTIONS)
    )
    chosen = []
    for key, labels in frames.select("key", "label").iter_rows():
        others = arranged(labels[1:], seed=seed, family="distance-choice/distractors", key=key)[: OPTIONS - 1]
        chosen.append([0, *sorted(labels.index(other) for other in others)])
    frames = frames.with_columns(chosen=pl.Series(chosen, dtype=pl.List(pl.Int64)))
    objects = pl.col("objects").list.gather(pl.col("chosen"))
    distances = objects.list.eval(pl.element().struct.field("distance_m"))
    return frames.select("scene", "frame", "key", objects=objects, margin=distances.list.get(1) - distances.list.get(0))


def _keyed(table: pl.DataFrame, *names: str) -> pl.DataFrame:
    return table.with_columns(key=pl.concat_str("scene", "frame", *names, separator="|"))


def _count(exclusions: dict[str, int], reason: str, n: int) -> None:
    if n:
        exclusions[reason] = exclusions.get(reason, 0) + n
