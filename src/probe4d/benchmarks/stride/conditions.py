"""Weather, daylight and kind of road of clips: from a file of labels, else from the words that describe a scene."""

from __future__ import annotations

import re

import polars as pl

__all__ = ["conditions_of"]

_WORDS: dict[str, tuple[str, str]] = {
    "night": ("time_of_day", r"\bnight\b"),
    "rain": ("weather", r"\brain(?:y|ing)?\b"),
    "intersection": ("road_type", r"\b(?:intersections?|junctions?)\b"),
}
"""What is read from a description, the label that says the same, and its words."""

_AFTER_RAIN = re.compile(r"\bafter (?:the )?rain\b", re.IGNORECASE)

_SAME = {"night": ("night",), "rain": ("rain", "fog", "snow"), "intersection": ("intersection",)}
"""Values of that label which mean the condition; fog and snow are as bad to see in as rain."""


def conditions_of(clips: pl.DataFrame, scenes: pl.DataFrame, labels: pl.DataFrame | None) -> pl.DataFrame:
    """Say what holds at each clip.

    A label of the key frame counts before one of its scene, and either before the description, which is of a whole
    scene of twenty seconds.

    Args:
        clips: Columns scene and frame.
        scenes: Columns of `SCENES_SCHEMA`.
        labels: Columns scene, frame (null: of the whole scene), track (null: of no object), name and value; null
            without labels.

    Returns:
        The clips with the columns night, rain and intersection, booleans without null.
    """
    words = scenes.select(
        "scene",
        *(
            pl.col("description")
            .fill_null("")
            .str.replace_all(f"(?i){_AFTER_RAIN.pattern}", "")
            .str.contains(f"(?i){pattern}")
            .alias(name)
            for name, (_, pattern) in _WORDS.items()
        ),
    )
    told = clips.join(words, on="scene", how="left", maintain_order="left")
    for name, (label, _) in _WORDS.items():
        told = _labelled(told, name, label, labels)
    return told.with_columns(pl.col(*_WORDS).fill_null(value=False))


def _labelled(clips: pl.DataFrame, name: str, label: str, labels: pl.DataFrame | None) -> pl.DataFrame:
    if labels is None:
        return clips
    about = labels.filter((pl.col("name") == label) & pl.col("track").is_null())
    means = pl.col("value").is_in(_SAME[name])
    of_scene = about.filter(pl.col("frame").is_null()).select("scene", of_scene=means).unique("scene")
    of_frame = about.filter(pl.col("frame").is_not_null()).select("scene", "frame", of_frame=means)
    return (
        clips.join(of_scene, on="scene", how="left", maintain_order="left")
        .join(of_frame.unique(["scene", "frame"]), on=["scene", "frame"], how="left", maintain_order="left")
        .with_columns(pl.coalesce("of_frame", "of_scene", name).alias(name))
        .drop("of_frame", "of_scene")
    )
