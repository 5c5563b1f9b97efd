"""Makes questions about pairs of objects, as a spatial suite asks them: what text gives away of them is known."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from itertools import permutations

import numpy as np
from diagnosis_making import question

from probe4d.benchmarks.question import Question

SIZES = {"car": 4.5, "truck": 7.0, "bicycle": 1.7}
"""Length of each class in metres: which of two is longer follows from their classes, but for two of one class."""


def pair_questions(seed: int, *, scenes: int, first: int = 0, objects: int = 6) -> list[Question]:
    """Every ordered pair of objects of each scene: whether one is longer, is left, how far they are, which is next.

    Args:
        seed: Seed of the objects.
        scenes: How many scenes.
        first: Number of the first scene; scenes of one number and seed are alike.
        objects: Objects in a scene.
    """
    made = []
    for scene in range(first, first + scenes):
        rng = np.random.default_rng([seed, scene])
        classes = rng.choice(list(SIZES), objects)
        lengths = [SIZES[name] + rng.normal(0, 0.1) for name in classes]
        places = rng.uniform(-20, 20, objects)
        for one, other in permutations(range(objects), 2):
            about = (f"the {classes[one]} {one}", f"the {classes[other]} {other}")
            context = f"{classes[one]}|{classes[other]}"
            for template, holds in (
                ("longer", lengths[one] > lengths[other]),
                ("left", places[one] > places[other]),
            ):
                text = f"Is {about[0]} {template} than {about[1]}?"
                made.append(
                    _of_pair(scene, "qualitative", template, text, "Yes" if holds else "No", f"{template}|{context}")
                )
            if one < other:
                text = f"How long are {about[0]} and {about[1]}?"
                length = f"{lengths[one] + lengths[other]:.2f}"
                made.append(_of_pair(scene, "quantitative", "length", text, length, f"length|{context}"))
    return made


def _of_pair(scene: int, family: str, template: str, text: str, answer: str, context: str) -> Question:
    number = family == "quantitative"
    return question(
        0,
        answer,
        scene=f"scene-{scene:04d}",
        family=family,
        template=template,
        question=text,
        context=context,
        format="number" if number else "yes-no",
        facts={"unit": "metres"} if number else {},
    )


def balanced_in_contexts(questions: Sequence[Question], most: int) -> list[Question]:
    """As many questions with the answer Yes as with No of each context, at most so many of each."""
    by_context: dict[str, dict[str, list[Question]]] = defaultdict(lambda: {"Yes": [], "No": []})
    for one in questions:
        if one.format == "yes-no":
            by_context[one.context][one.answer].append(one)
    chosen = []
    for answers in by_context.values():
        each = min(most, *(len(some) for some in answers.values()))
        for some in answers.values():
            chosen += sorted(some, key=lambda one: one.id)[:each]
    return chosen
