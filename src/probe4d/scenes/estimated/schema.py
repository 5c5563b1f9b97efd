"""The columns of detections in camera images, and of the objects that are estimated from them."""

from __future__ import annotations

import polars as pl

__all__ = ["BOX", "DETECTIONS_SCHEMA", "ESTIMATED_OBJECTS_SCHEMA", "IMAGE", "LANE_BINS"]

IMAGE = ["scene", "frame", "channel"]
"""What names an image."""

BOX = ["left_px", "top_px", "right_px", "bottom_px"]
"""What places a box in its image, pixels from its left upper corner."""

LANE_BINS: tuple[str, ...] = ("ego lane", "left lane", "right lane", "farther")
"""Where an object lies across the direction in which the ego vehicle looks (see `lane_bins`)."""

DETECTIONS_SCHEMA: dict[str, pl.DataType] = {
    "scene": pl.String(),
    "frame": pl.Int32(),  # 0-based key-frame index
    "channel": pl.String(),  # the camera
    "category": pl.String(),  # the prompt that found it, or the class that a tool gives it
    "left_px": pl.Float64(),
    "top_px": pl.Float64(),
    "right_px": pl.Float64(),
    "bottom_px": pl.Float64(),
    "confidence": pl.Float64(),  # 0 to 1
    "mask_quality": pl.Float64(),  # 0 to 1; null where the tool does not say
    "area_px": pl.Float64(),  # of the mask; null where the tool does not say
}
"""What a detector finds, a row a box."""

ESTIMATED_OBJECTS_SCHEMA: dict[str, pl.DataType] = {
    "scene": pl.String(),
    "frame": pl.Int32(),
    "track": pl.String(),  # estimated: name of what is taken for one object over frames, unique in the dataset
    "category": pl.String(),  # the prompt that found it, or the class that a tool gives it
    "label": pl.String(),  # one of probe4d.scenes.classes.CLASSES, or null
    "channel": pl.String(),
    "left_px": pl.Float64(),
    "top_px": pl.Float64(),
    "right_px": pl.Float64(),
    "bottom_px": pl.Float64(),
    "confidence": pl.Float64(),
    "mask_quality": pl.Float64(),  # null where the tool does not say
    "area_px": pl.Float64(),  # of the mask; of the box where the tool does not say
    "is_cut_off": pl.Boolean(),  # the box ends at a border of the image: where the object stands may not be seen
    "x_m": pl.Float64(),  # estimated: where it stands in the ego frame at the camera's time, on flat ground; null
    "y_m": pl.Float64(),  # where the ray through the bottom of the box does not meet the ground ahead
    "distance_m": pl.Float64(),  # estimated: from the origin of the ego frame to there
    "velocity_x_mps": pl.Float64(),  # estimated: over the ground since the track's last frame, along the axes of the
    "velocity_y_mps": pl.Float64(),  # ego frame; null in its first
    "relative_velocity_x_mps": pl.Float64(),  # estimated: change of x_m and y_m since the track's last frame,
    "relative_velocity_y_mps": pl.Float64(),  # the ego vehicle's own motion included
    "range_rate_mps": pl.Float64(),  # estimated: change of distance_m, negative where it comes nearer
    "time_to_collision_s": pl.Float64(),  # estimated: distance over closing speed; null unless it comes nearer
    "sector": pl.String(),  # estimated: one of probe4d.scenes.geometry.SECTORS
    "lane_bin": pl.String(),  # estimated: one of LANE_BINS
    "occlusion": pl.Float64(),  # estimated: share of the box that nearer boxes cover, 0 to 1
}
"""Objects in camera images with what is estimated of them; nothing here was annotated or measured.

Distances rest on flat ground and on a box that ends where the object stands; tracks on boxes that overlap between
frames; lanes on a straight road; occlusion on boxes alone. Missing is null.
"""
