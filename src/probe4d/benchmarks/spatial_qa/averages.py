"""The columns of the paper's tables, and what their averages are averages of (NuScenes-SpatialQA, Tables 2 and 5).

The paper averages in three ways without saying so; its figures fit no others. Accuracy is pooled over questions,
errors are averaged over the seven columns, those in metres with those in degrees, and the plain figures of Table 5 are
the means of direct and situational reasoning in Table 3. The averages of tolerance accuracy are no means of their
columns (of LLaVA-v1.6 they would give 40.0, and 35.5 is printed); they are taken to be pooled, as those of accuracy.
"""

from __future__ import annotations

from collections.abc import Mapping

from probe4d.benchmarks.spatial_qa.templates import TEMPLATES
from probe4d.benchmarks.suite import Average

__all__ = ["AVERAGES"]

_PAIRS: Mapping[str, tuple[str, ...]] = {
    "below/above": ("below", "above"),
    "left/right": ("left", "right"),
    "front/behind": ("in-front", "behind"),
    "large/small": ("larger", "smaller"),
    "wide/thin": ("wider", "thinner"),
    "tall/short": ("taller", "shorter-in-height"),
    "long/short": ("longer", "shorter-in-length"),
}
_QUANTITIES: Mapping[str, tuple[str, ...]] = {
    "spatial distance": ("distance", "ego-distance"),
    "lateral offset": ("lateral-offset", "ego-lateral-offset"),
    "longitudinal offset": ("longitudinal-offset", "ego-longitudinal-offset"),
    "length": ("length",),
    "width": ("width",),
    "height": ("height",),
    "angle": ("bearing",),
}
"""Seven columns of ten templates: one quantity is one column, whether measured from an object or from the ego vehicle,
since the paper prints no other column that the questions about the ego vehicle could stand in."""

_REASONING = {
    level: tuple(name for name, template in TEMPLATES.items() if template.level == level)
    for level in ("direct-reasoning", "situational")
}

AVERAGES: tuple[Average, ...] = (
    Average("paper_qualitative", "accuracy", _PAIRS, pooled=True),
    Average("paper_quantitative", "tolerance_accuracy", _QUANTITIES, pooled=True),
    Average("paper_quantitative_error", "mean_absolute_error", _QUANTITIES, pooled=False),
    Average("paper_reasoning", "accuracy", _REASONING, pooled=False),
)
"""Table 2 above and below, and the plain and chain-of-thought columns of Table 5."""
