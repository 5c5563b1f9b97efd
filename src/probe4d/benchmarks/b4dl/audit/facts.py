"""What the facts of a question hold, and which shape of measures its verdict rests on."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal

import msgspec

__all__ = ["Facts", "Shape", "facts_of", "is_of_objects", "shape_of"]

Shape = Literal["unmeasured", "outside", "nothing", "things", "motion", "ego", "joined"]
"""What was measured: nothing at all; that an answer leaves the sequence; that nothing of a kind is annotated; what is
there; how an object moves; how the ego vehicle moves; two clauses, each by itself."""

_OF_THING = frozenset(("track", "category", "frame", "box", "range_m", "bearing_deg", "lidar_points"))
_OF_WAY = frozenset(("way_m", "speed_start_mps", "speed_end_mps", "turn_deg"))
_SHAPES: Mapping[frozenset[str], Shape] = {
    frozenset(): "unmeasured",
    frozenset(("answer", "sequence")): "outside",
    frozenset(("frames", "candidates")): "nothing",
    frozenset(("frames", "candidates", "sure")) | _OF_THING: "things",
    frozenset(("frames", "candidates", "range_end_m", "box_end")) | _OF_THING | _OF_WAY: "motion",
    frozenset(("frames",)) | _OF_WAY: "ego",
    frozenset(("clauses",)): "joined",
}
_OVERLAP = "overlap"


class Facts(msgspec.Struct, forbid_unknown_fields=True):
    """What the facts of every question hold."""

    sequence: str
    start: int
    end: int
    generator: str
    verdict: str
    claim: str | None
    why: str
    measured: dict[str, Any]
    corrected: bool
    generated_answer: str | None = None

    @property
    def is_decided(self) -> bool:
        """Whether geometry supports the generated answer or contradicts it."""
        return self.verdict in ("supported", "contradicted")


def facts_of(text: str) -> Facts:
    """The facts of a question.

    Raises:
        msgspec.MsgspecError: They do not fit.
    """
    return msgspec.json.decode(text, type=Facts)


def shape_of(measured: Mapping[str, Any]) -> Shape | None:
    """What was measured, by the names of its values; null where they are none that are written together."""
    names = frozenset(measured)
    shape = _SHAPES.get(names - {_OVERLAP})
    return shape if _OVERLAP not in names or shape in ("things", "nothing") else None


def is_of_objects(measured: Mapping[str, Any]) -> bool:
    """Whether boxes were measured, of one clause at least."""
    clauses = measured.get("clauses")
    parts = [clause.get("measured") for clause in clauses if isinstance(clause, dict)] if clauses else [measured]
    return any(isinstance(part, dict) and shape_of(part) in ("nothing", "things", "motion") for part in parts)
