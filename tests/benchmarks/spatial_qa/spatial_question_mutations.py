"""Ways to break a question of spatial-qa, those of every template and those of each level."""

from __future__ import annotations

from mutating import changed, fact, nudged
from spatial_changes import Mutations, large, other_answer
from spatial_direct_reasoning_mutations import DIRECT_REASONING
from spatial_qualitative_mutations import QUALITATIVE
from spatial_quantitative_mutations import QUANTITATIVE
from spatial_situational_mutations import SITUATIONAL

from probe4d.benchmarks.spatial_qa.templates import TEMPLATES

__all__ = ["QUESTIONS"]

OF_A_VIEW = ("near-ego", "wide-vehicle", "pedestrian-risk", "bridge")
QUESTIONS: Mutations = {
    **{f"answer, {name}": (name, large, other_answer, "answer: stored ") for name in TEMPLATES},
    **{
        f"place of an object, {name}": (name, bool, fact("objects.0.x", nudged(1e-4)), "facts.objects[0].x: stored ")
        for name in TEMPLATES
        if name not in OF_A_VIEW
    },
    **{
        f"margin, {name}": (
            name,
            lambda q: q.margin is not None,
            lambda q: changed(q, margin=(q.margin or 0) + 1e-4),
            "margin: stored ",
        )
        for name in OF_A_VIEW
    },
    **QUALITATIVE,
    **QUANTITATIVE,
    **DIRECT_REASONING,
    **SITUATIONAL,
}
