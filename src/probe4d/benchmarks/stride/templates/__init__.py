"""The templates of STRIDE on annotated driving scenes: wording, options, and what a template rests on (Sec. 3, App. A).

The paper numbers 39 templates in six families. Its text prints few of their wordings and none of their thresholds;
`wording` says which are its own. Numbers of options are fixed, so that a guess is right as often as the paper says:
0.197991 over the 16 choice templates that are retained on nuScenes (App. C.4).
"""

from __future__ import annotations

from collections.abc import Mapping

from probe4d.benchmarks.stride.templates.context import SCENE_CONTEXT
from probe4d.benchmarks.stride.templates.extrapolation import TEMPORAL_EXTRAPOLATION
from probe4d.benchmarks.stride.templates.memory import TEMPORAL_MEMORY
from probe4d.benchmarks.stride.templates.perception import SPATIAL_PERCEPTION
from probe4d.benchmarks.stride.templates.template import CODES, FAMILIES, Need, Template, Verdict, moment_words
from probe4d.benchmarks.stride.templates.trajectory import TRAJECTORY
from probe4d.benchmarks.stride.templates.understanding import SPATIAL_UNDERSTANDING

__all__ = ["CODES", "FAMILIES", "TEMPLATES", "Need", "Template", "Verdict", "moment_words"]

TEMPLATES: Mapping[str, Template] = {
    template.id: template
    for template in (
        *SCENE_CONTEXT,
        *SPATIAL_PERCEPTION,
        *SPATIAL_UNDERSTANDING,
        *TEMPORAL_MEMORY,
        *TEMPORAL_EXTRAPOLATION,
        *TRAJECTORY,
    )
}
"""All 39, by number."""
