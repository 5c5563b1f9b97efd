"""Which pictures show the key frames of a question, and the lines of its prompt that list them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import polars as pl

from probe4d.benchmarks.question import Question
from probe4d.evidence.camera_grid import SURROUND
from probe4d.evidence.pictures import Picture, View
from probe4d.evidence.sources import Sources
from probe4d.runs.evidence_plan import EvidencePlan
from probe4d.runs.frames import Shown
from probe4d.runs.marks import Marks
from probe4d.runs.preamble import preamble
from probe4d.runs.reasons import Reasons
from probe4d.scenes.tables import Scenes

__all__ = ["Pictured", "pictured"]


class Pictured(NamedTuple):
    """The pictures of a question in the order shown, and the text before it that lists them."""

    pictures: tuple[Picture, ...]
    preamble: str


def pictured(
    questions: Sequence[Question],
    shown: Mapping[str, Shown],
    plan: EvidencePlan,
    scenes: Scenes,
    marks: Mapping[str, Marks],
    reasons: Reasons,
) -> dict[str, Pictured]:
    """Choose the pictures of questions.

    Blank pictures have no marks, which would give away what is to be kept back: where objects are. They are spoken of
    as if they had.

    Args:
        questions: The questions, of which those are looked at whose key frames are known.
        shown: The key frames that each shows.
        plan: How they are shown.
        scenes: The scenes that they are taken from.
        marks: Objects to be marked, by the question's id.
        reasons: Takes up why a question has no picture: the first thing that is missing.
    """
    view: View = plan.view if plan.view is not None and plan.view != "lidar" else "cameras"
    black = plan.kind == "black"
    sources = Sources(scenes)
    others = scenes.sensors.filter(pl.col("modality") != "camera")["channel"].unique().to_list()
    pictures: dict[str, tuple[Picture, ...]] = {}
    for question in questions:
        if (one := shown.get(question.id)) is None:
            continue
        channels = _channels(question, view, others)
        if view == "one-camera" and len(channels) != 1:
            reasons[question.id] = ("it does not ask about the view of one camera", None)
            continue
        of_frame = {} if black else marks.get(question.id, {})
        side_px = plan.pictures.of(len(one.frames)).max_side_px
        own_side_px = None if side_px == plan.pictures.max_side_px else side_px
        pictures[question.id] = tuple(
            Picture(view, one.scene, frame, label, channels, black, of_frame.get(frame, ()), own_side_px)
            for frame, label in zip(one.frames, one.labels, strict=True)
        )
    missing = sources.missing(picture for several in pictures.values() for picture in several)
    of: dict[str, Pictured] = {}
    for question in questions:
        several = pictures.get(question.id, ())
        lacking = next((missing[picture] for picture in several if picture in missing), None)
        if lacking is not None:
            reasons[question.id] = ("a reading, or its file, of what it would show is missing", lacking)
        elif several:
            cameras = _cameras(several[0], sources)
            text = preamble(several, cameras, asked=question.channel, lettered=_is_lettered(marks.get(question.id, {})))
            of[question.id] = Pictured(several, text)
    return of


def _is_lettered(marks: Marks) -> bool:
    return any(mark.text for of_frame in marks.values() for mark in of_frame)


def _channels(question: Question, view: View, others: Sequence[str]) -> tuple[str, ...]:
    """The cameras that pictures of a question name.

    A grid is narrowed down to the cameras among the views that a question lists, but not to the one that it asks about:
    who wants that one alone asks for its image.
    """
    if view == "birds-eye" or (view == "cameras" and question.channel is not None):
        return ()
    if question.channel is not None:
        return (question.channel,)
    return tuple(channel for channel in question.evidence.views if channel not in others)


def _cameras(picture: Picture, sources: Sources) -> tuple[str, ...]:
    """Cameras that a picture shows, in its order; those of nuScenes where a blank grid stands for none."""
    if picture.view == "birds-eye":
        return ()
    cameras = tuple(sources.cameras(picture.scene)) or tuple(SURROUND)
    return tuple(channel for channel in cameras if channel in (picture.channels or cameras)) or picture.channels
