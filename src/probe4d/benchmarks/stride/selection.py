"""Which templates are asked: those that the paper's reviewers retained, all, or those named."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from probe4d.benchmarks.stride.templates import TEMPLATES, Template
from probe4d.benchmarks.stride.templates.waymo import WAYMO_TEMPLATES
from probe4d.errors import InputError

__all__ = ["selected"]

RETAINED = "retained"
ALL = "all"

_BY_DATA = {"scenes with annotated boxes": TEMPLATES, "Waymo's end-to-end data": WAYMO_TEMPLATES}


def selected(templates: str | Sequence[str] | None, known: Mapping[str, Template]) -> tuple[str, ...]:
    """Ids of the templates that are asked, in the order of the table.

    Args:
        templates: `retained` (also where it is null) for those that were not removed, `all`, or ids, as a sequence or
            with commas between them.
        known: The templates of the edition.

    Raises:
        InputError: An id is none of the edition, or none is given.
    """
    if templates is None or templates == RETAINED:
        return tuple(name for name, template in known.items() if template.verdict != "removed")
    if templates == ALL:
        return tuple(known)
    named = templates.split(",") if isinstance(templates, str) else list(templates)
    wanted = {name.strip().upper() for name in named if name.strip()}
    if unknown := sorted(wanted - known.keys()):
        data = next((data for data, templates in _BY_DATA.items() if unknown[0] in templates), None)
        raise InputError(
            f"there is no template {unknown[0]!r}."
            if data is None
            else f"the template {unknown[0]!r} is asked of {data} alone.",
            remedy=f"Give retained, all, or some of {', '.join(known)}, with commas between them.",
        )
    if not wanted:
        raise InputError("no template is named.", remedy="Give retained, all, or ids such as SP-2,SP-3.")
    return tuple(name for name in known if name in wanted)
