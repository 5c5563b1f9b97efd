"""What LiDAR-Hallu says of itself on a dataset card."""

from __future__ import annotations

from dataclasses import replace

from probe4d.benchmarks.annotated_sector import AnnotatedSector
from probe4d.benchmarks.card import SuiteCard

__all__ = ["suite_card"]

_CARD = SuiteCard(
    title="LiDAR-Hallu",
    about=(
        "Questions about what is around the ego vehicle, where it is, how it moves and when things happen. Every "
        "answer is measured in the dataset's annotations by a fixed rule; `rule`, `facts` and `margin` of a "
        "question say how, from which boxes and poses, and how close it was. All positions are box centres in the "
        "ego frame at the time of the key frame's reference LiDAR reading (x forward, y left, z up)."
    ),
    rules={
        "existence": (
            "a class is present at a key frame if a box of it holds enough LiDAR returns (`min_lidar_points`); "
            "in choice questions one option is present and three are absent."
        ),
        "position": (
            "the bearing of the nearest object of the class, counter-clockwise from straight ahead, in one of eight "
            "sectors of 45 degrees (front from -22.5 to 22.5, lower bound included); the margin is in degrees."
        ),
        "motion": (
            "the nearest object of the class at the first frame, followed for 8 key frames (about 4 s), each end in "
            "its own ego frame: closer or farther if its distance changes by at least 2 m, left or right if y changes "
            "by at least 1 m, similar if the distance changes by less than 1 m and y by less than 0.5 m; the margin "
            "is in metres. A No whose change has the right sign but is too small carries `below_threshold`."
        ),
        "distance": (
            "the class whose nearest object is closest to the ego origin in the ground plane; the options are four "
            "classes present at the key frame; the margin is in metres to the second of the four."
        ),
        "temporal": (
            "the only unbroken run of key frames over which the event takes place (or B4DL's own interval, where an "
            "events file was given); a wrong interval shares at most a fifth of its key frames with the true one."
        ),
    },
    limits=(
        "An absent class is one without a box of enough LiDAR returns; it may still be annotated with fewer, or be "
        "there and not annotated.",
        "Motion is relative to the ego vehicle: its own turning counts as lateral motion of what it passes.",
        "The words of the default prompts do not state the thresholds; `--setting explicit-threshold` does.",
        "Wrong intervals of temporal questions are matched in length, overlap and order in time as far as they fit "
        "(unless `distractors` is `published`); what is left is small but not nothing: on nuScenes mini, simulated and "
        "generated scenes picking the interval that starts last scores about 0.3, and picking the one closest to the "
        "middle of the scene up to 0.38, where chance is 0.25. Compare a temporal score with such rules.",
        "The same object and key frame can appear in several questions; intervals should be taken over whole scenes.",
    ),
    papers=(
        "LiDAR-Hallu: Do LiDAR Language Models Really Understand Spatio-temporal Relationships? arXiv:2609.24452",
        "B4DL (source of temporal events where an events file was given)",
    ),
)


def suite_card(annotated: AnnotatedSector | None) -> SuiteCard:
    """The suite's words for a card, with a limit of its own for a dataset that is annotated in part."""
    if annotated is None:
        return _CARD
    partly = (
        f"**Only bearings from {annotated.start_deg:g} to {annotated.end_deg:g} degrees, counter-clockwise from "
        "straight ahead, are taken as annotated.** Questions about objects say that they ask about that range alone: "
        "absence, nearness and order hold inside it, and only sectors that it meets are proposed. Questions about the "
        "ego vehicle's own motion, and events from a file, are not confined."
    )
    return replace(_CARD, limits=(partly, *_CARD.limits))
