"""Ways to break a question of the level direct-reasoning, and what an audit says of each."""

from __future__ import annotations

import math

from mutating import answered, changed, fact, fields, nudged, with_facts
from spatial_changes import Mutations, doubled_option, first_to_last, swapped_measures, turned_options

from probe4d.benchmarks.question import Evidence

__all__ = ["DIRECT_REASONING"]

DIRECT_REASONING: Mutations = {
    # Answers of a wrong form.
    "letter beyond the options": ("closer-to-ego", bool, fields(answer="C"), "the answer is 'C'"),
    # What a template fixes.
    "format": ("near-object", bool, fields(format="number"), "in format 'number'"),
    "needs": ("near-ego", bool, fields(needs=("boxes",)), "needs: stored ['boxes']"),
    # Where and when.
    "unknown scene": ("largest", bool, fields(scene="scene-9999"), "the dataset has no scene 'scene-9999'"),
    "key frame beyond the scene": ("wide-vehicle", bool, fields(frames=(400,)), "frame 400 lies outside the scene's "),
    "no key frame": ("near-ego", bool, fields(frames=()), "asks of key frames []"),
    "evidence of all cameras": (
        "closest-to-ego",
        bool,
        lambda q: changed(q, evidence=Evidence(frames=q.frames)),
        "evidence: stored ",
    ),
    # Words.
    "an entity of none": ("near-ego", bool, fields(entities=("the car",)), "the question names 0 objects"),
    "option in another place": ("closest-to-object", bool, first_to_last, "options: stored "),
    "options turned": ("closest-to-ego", bool, turned_options, "answer: stored "),
    "options turned, largest": ("largest", bool, turned_options, "answer: stored "),
    "options turned, of two": ("closer-to-object", bool, turned_options, "answer: stored "),
    "option twice": ("closest-to-object", bool, doubled_option, "the options are not 4 different ones"),
    "option too few": (
        "closest-to-ego",
        lambda q: q.answer != "D",
        lambda q: changed(q, options=q.options[:-1]),
        "the options are not 4 different ones",
    ),
    "option without a word": (
        "largest",
        bool,
        lambda q: changed(q, options=("", *q.options[1:])),
        "the options are not 4 different ones",
    ),
    "option of none": ("near-object", bool, fields(options=("the car",)), "the options are not 0 different ones"),
    # What follows from the objects.
    "margin of a choice": (
        "closer-to-ego",
        bool,
        lambda q: changed(q, margin=(q.margin or 0) * 1.02),
        "margin: stored ",
    ),
    "margin that is no number": ("near-object", bool, fields(margin=math.nan), "margin: stored nan"),
    "returns of none": ("wide-vehicle", bool, fields(lidar_points=3), "lidar_points: stored 3, derived None"),
    "feature": (
        "largest",
        bool,
        lambda q: changed(q, features=("animal", *q.features[1:])),
        "features: stored ",
    ),
    "feature too few": ("closer-to-ego", bool, lambda q: changed(q, features=q.features[1:]), "features: stored "),
    # Facts that all rules note.
    "position z": ("closest-to-object", bool, fact("objects.3.z", nudged(0.1)), "facts.objects[3].z: stored "),
    # Facts of single rules.
    "distance of an option": (
        "closest-to-object",
        bool,
        fact("distances_m.2", lambda number: number * 1.02),
        "facts.distances_m[2]: stored ",
    ),
    "distances of options exchanged": ("closer-to-object", bool, swapped_measures, "facts.distances_m[0]: stored "),
    "distance too few": ("closer-to-ego", bool, fact("distances_m", lambda some: some[1:]), "and there are 2 options"),
    "volume of an option": ("largest", bool, fact("volumes_m3.0", nudged(0.1)), "facts.volumes_m3[0]: stored "),
    "no witness": ("near-object", answered("Yes"), fact("witness", lambda _: None), "facts.witness: stored None"),
    "unknown witness": (
        "near-ego",
        answered("Yes"),
        fact("witness", lambda token: token[::-1]),
        "facts.witness: stored ",
    ),
    "object itself as witness": (
        "near-object",
        answered("Yes"),
        lambda q: with_facts(q, lambda facts: facts.update(witness=facts["objects"][0]["box"])),
        "facts.witness: stored ",
    ),
}
