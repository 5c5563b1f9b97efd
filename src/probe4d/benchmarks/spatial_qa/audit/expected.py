"""What the questions of each template have to look like, whatever they ask about."""

from __future__ import annotations

import re
from typing import Any, NamedTuple

import msgspec

from probe4d.benchmarks.spatial_qa.reading import OPTIONS, PRINTED

__all__ = ["EXPECTED", "Expected", "ToldObject"]

_FAMILIES = {
    "qualitative": 14,
    "quantitative": 10,
    "direct-reasoning": 8,
    "situational": 6,
}
"""The levels and how many templates each has, in the order of the paper."""

_RULES = {
    "above": ("elevation-difference", "elevation_difference_m"),
    "below": ("elevation-difference", "elevation_difference_m"),
    "left": ("sideways-difference", "sideways_difference_m"),
    "right": ("sideways-difference", "sideways_difference_m"),
    "in-front": ("depth-difference", "depth_difference_m"),
    "behind": ("depth-difference", "depth_difference_m"),
    "larger": ("volume-difference", "volume_difference_m3"),
    "smaller": ("volume-difference", "volume_difference_m3"),
    "longer": ("length-difference", "length_difference_m"),
    "shorter-in-length": ("length-difference", "length_difference_m"),
    "taller": ("height-difference", "height_difference_m"),
    "shorter-in-height": ("height-difference", "height_difference_m"),
    "wider": ("width-difference", "width_difference_m"),
    "thinner": ("width-difference", "width_difference_m"),
    "distance": ("distance", "distance_m"),
    "ego-distance": ("ego-distance", "ego_distance_m"),
    "ego-longitudinal-offset": ("ego-longitudinal-offset", "ego_longitudinal_m"),
    "longitudinal-offset": ("longitudinal-offset", "longitudinal_m"),
    "ego-lateral-offset": ("ego-lateral-offset", "ego_lateral_m"),
    "lateral-offset": ("lateral-offset", "lateral_m"),
    "length": ("length", "length_m"),
    "width": ("width", "width_m"),
    "height": ("height", "height_m"),
    "bearing": ("bearing", "bearing_deg"),
    "closest-to-object": ("least-distance", "distances_m"),
    "closest-to-ego": ("least-ego-distance", "distances_m"),
    "largest": ("greatest-volume", "volumes_m3"),
    "closer-to-object": ("least-distance", "distances_m"),
    "closer-to-ego": ("least-ego-distance", "distances_m"),
}
"""Rule and measured fact of each template; of those that are not here the rule is called like the template."""

_JUDGED: dict[str, dict[str, Any]] = {
    **{
        name: {"witness": str | None}
        for name in ("near-object", "near-ego", "wide-vehicle", "pedestrian-risk", "bridge")
    },
    "collision": {"distance_m": float, "gap_m": float},
    "occlusion": {"hidden_after_m": float | None},
    "parking": dict.fromkeys(("length_m", "width_m", "spot_length_m", "spot_width_m", "clearance_m"), float),
    "passing": {"gap_m": float, "vehicle_width_m": float},
}
"""Facts of the other templates, and their types."""


class ToldObject(msgspec.Struct, frozen=True, forbid_unknown_fields=True, gc=False):
    """An object as the facts of a question tell of it: token of its box, centre in the ego frame, words, key frame.

    Words and key frame are null where they are left to the question, which may be for all objects but options.
    """

    box: str
    x: float
    y: float
    z: float
    label: str | None = None
    frame: int | None = None


class Expected(NamedTuple):
    """What the questions of a template have to look like.

    Attributes:
        family: The level.
        format: Form of the answer.
        rule: Name of the rule.
        relation: The relation that they propose; null where they propose none.
        entities: How many objects the stem names.
        options: How many options there are.
        measured: Names of the facts that the rule measures.
        unit: Value of `unit` in the facts, or of `margin_unit` where there is a margin.
        facts: Decoder of the facts.
    """

    family: str
    format: str
    rule: str
    relation: str | None
    entities: int
    options: int
    measured: tuple[str, ...]
    unit: str
    facts: msgspec.json.Decoder[Any]

    @property
    def objects(self) -> int:
        """How many objects the question mentions."""
        return self.entities + self.options


def _expected(template: str, family: str) -> Expected:
    options = OPTIONS.get(template, 0)
    rule, measure = _RULES.get(template, (template, ""))
    kind = list[float] if options else float
    measured: dict[str, Any] = {measure: kind} if measure else _JUDGED[template]
    form = {"quantitative": "number"}.get(family, "choice" if options else "yes-no")
    unit = "cubic metres" if "m3" in measure else "degrees" if measure.endswith("_deg") else "metres"
    fields: list[Any] = [("objects", list[ToldObject]), *measured.items()]
    if form == "number":
        fields.append(("unit", str))
    elif template != "occlusion":
        # Whether a question without a margin names its unit is left open.
        fields.append(("margin_unit", str | None, None))
    facts = msgspec.defstruct("Facts", fields, forbid_unknown_fields=True, frozen=True, kw_only=True, gc=False)
    return Expected(
        family=family,
        format=form,
        rule=rule,
        relation=template if family == "qualitative" else None,
        entities=len(set(re.findall(r"\{(object\w*)\}", PRINTED[template]))),
        options=options,
        measured=tuple(measured),
        unit=unit,
        facts=msgspec.json.Decoder(facts),
    )


_FAMILY_OF = dict(zip(PRINTED, (family for family, n in _FAMILIES.items() for _ in range(n)), strict=True))
EXPECTED: dict[str, Expected] = {template: _expected(template, family) for template, family in _FAMILY_OF.items()}
"""By template, in the order of the paper."""
