"""What STRIDE says of itself on the card of a benchmark of Waymo's end-to-end data."""

from __future__ import annotations

from dataclasses import replace

from probe4d.benchmarks.stride.card import CARD

__all__ = ["WAYMO_CARD"]

WAYMO_CARD = replace(
    CARD,
    about=(
        "Questions about five key frames, half a second apart, seen by eight cameras. The last one is the query frame: "
        "there a red box marks the object that is asked about. **Answers about objects are estimated, not annotated**: "
        "a detector found their boxes in the front camera's images, flat ground gives their places, and boxes that "
        "overlap give their tracks; `facts.estimated` marks them. Choice questions ask for one judgement each; open "
        "questions for what several of them amount to, and are linked with those; waypoint questions for positions of "
        "the ego vehicle. The paper names some of the 24 templates of this data and counts the others; its benchmark "
        "was never released, and most wordings and all thresholds are ours."
    ),
    rules={
        "scene-context": (
            "the released scenario cluster; the road user that is met first ahead, by estimated places and speeds; "
            "what the trajectory does that people rated best, else the driven one."
        ),
        "spatial-perception": (
            "estimated places and displacements over ground, and the share of a box that boxes of nearer objects cover."
        ),
        "spatial-understanding": "the zones ahead and beside, reached by estimated places without extent.",
        "temporal-memory": "where a track was and how it moved, as estimated; how the ego vehicle moved, by its poses.",
        "temporal-extrapolation": (
            "estimated places after the query frame, and the ego vehicle's manoeuvre by its poses; what stands is kept "
            "where it was seen last."
        ),
        "trajectory": (
            "ego states of the future that come with a key frame, poses of later key frames, and the scores that "
            "people gave to three trajectories."
        ),
    },
    limits=(
        "Places rest on flat ground: where the road rises or falls they are wrong by 10 % and more. Speeds of objects "
        "are differences of such places, so that lines and margins are wider than on annotated scenes; answers about "
        "motion are nevertheless wrong more often than those about places.",
        "Only what the front camera shows is an object; cameras to the sides may show more.",
        "What the driver, or the best of three rated trajectories, did is not the only thing that would be right.",
        *CARD.limits[3:],
    ),
)
"""The card of the edition."""
