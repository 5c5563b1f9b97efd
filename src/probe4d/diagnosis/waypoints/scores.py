"""How far waypoints lie from those of the reference: ADE and FDE (STRIDE, Sec. 5.1 and App. C.4).

An answer that cannot be read has no error of its own. Two conventions are in use, and each figure names its own:
`valid` leaves such answers out, and `penalised` takes the ego vehicle to stay at the origin of the ego frame in them,
as the paper does. A third, `shared`, is over the rows alone in which every run beside it can be read.

The displacement error at one time (as in UniAD's table) and the mean of all up to that time (as in that of ST-P3) are
two things under one name elsewhere; here they are `at` and `up_to`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from probe4d.diagnosis.figures import Figures
from probe4d.diagnosis.sheets.waypoints import WaypointSheet

__all__ = [
    "ADE",
    "FDE",
    "PARSE_RATE",
    "Displacements",
    "add_displacements",
    "add_displacements_by_time",
    "add_shared_displacements",
    "displacements_of",
]

PARSE_RATE = "waypoint_parse_rate"
ADE, FDE = "waypoint_ade_m", "waypoint_fde_m"
"""Beginnings of the names of metrics; `_valid`, `_penalised` or `_shared` follows."""

Values = npt.NDArray[np.float64]


class Displacements(NamedTuple):
    """How far answers lie from the reference, or the differences of two in it, each (answerers, questions).

    Attributes:
        parsed: 1 where waypoints could be read, else 0.
        ade: ADE in metres; NaN where nothing was read.
        fde: FDE likewise.
        penalised_ade: The same with the ego vehicle at the origin where nothing was read.
        penalised_fde: FDE likewise.
    """

    parsed: Values
    ade: Values
    fde: Values
    penalised_ade: Values
    penalised_fde: Values

    def rows(self, rows: Sequence[int]) -> Displacements:
        """Those of some answerers."""
        return Displacements(*(part[list(rows)] for part in self))

    def less(self, other: Displacements) -> Displacements:
        """Differences, row by row; of what was read only where both were."""
        return Displacements(*(own - others for own, others in zip(self, other, strict=True)))

    def where_read(self, other: Displacements) -> Displacements:
        """The same with ADE and FDE of those questions alone that the other has read, too."""
        unread = np.isnan(other.ade)
        ade, fde = (np.where(unread, np.nan, part) for part in (self.ade, self.fde))
        return self._replace(ade=ade, fde=fde)


def displacements_of(sheet: WaypointSheet) -> Displacements:
    """How far every answerer of a sheet is from the reference."""
    return Displacements(
        sheet.parsed.astype(np.float64),
        _average_displacements(sheet.distances),
        _final_displacements(sheet.distances, sheet.steps),
        _average_displacements(sheet.penalised_distances),
        _final_displacements(sheet.penalised_distances, sheet.steps),
    )


def _average_displacements(distances: Values) -> Values:
    """ADE: the mean Euclidean distance over the steps that were asked for.

    Args:
        distances: (..., steps) distances in metres; NaN behind the steps of a question that asks for fewer, and in
            all steps of an answer that is not there.

    Returns:
        (...) metres; NaN where there is no answer.
    """
    steps = (~np.isnan(distances)).sum(axis=-1)
    with np.errstate(invalid="ignore"):
        means: Values = np.nansum(distances, axis=-1) / steps
    return means


def _final_displacements(distances: Values, steps: npt.NDArray[np.intp]) -> Values:
    """FDE: the distance at the last waypoint of the list.

    Of future waypoints that is the farthest in time. Past ones are asked for oldest first, so that it is the one next
    to the query frame: there ADE exceeds FDE for whoever stands still.

    Args:
        distances: (answerers, questions, most steps) distances in metres.
        steps: (questions,) how many each question asks for.
    """
    last: Values = np.take_along_axis(distances, (steps - 1)[None, :, None], axis=2)[:, :, 0]
    return last


def add_displacements(
    figures: Figures, sheet: WaypointSheet, names: Sequence[str], displacements: Displacements, *, suffix: str = ""
) -> None:
    """Add parse rates, ADE and FDE for each family and relation, never over past and future together.

    Metrics, each with the suffix behind it: waypoint_parse_rate; waypoint_ade_m_valid and waypoint_fde_m_valid over
    the answers that could be read; waypoint_ade_m_penalised and waypoint_fde_m_penalised over all questions.

    Args:
        figures: Receives the rows.
        sheet: The questions.
        names: Answerers, or comparisons.
        displacements: How far each is from the reference, or by how much farther.
        suffix: What tells these metrics from those of single answerers.
    """
    for group in sheet.groups:
        parsed, *errors = (part[:, group.items] for part in displacements)
        figures.add_ratios(f"{PARSE_RATE}{suffix}", group, names, parsed.astype(np.int8))
        metrics = [f"{metric}_{convention}" for convention in ("valid", "penalised") for metric in (ADE, FDE)]
        for metric, amounts in zip(metrics, errors, strict=True):
            figures.add_means(f"{metric}{suffix}", group, names, amounts)


def add_shared_displacements(
    figures: Figures, sheet: WaypointSheet, names: Sequence[str], displacements: Displacements, runs: Sequence[str]
) -> None:
    """Add waypoint_ade_m_shared and waypoint_fde_m_shared, over the questions alone that all these runs have read.

    So runs that were read in different answers, and controls, are compared over the same ones.

    Args:
        figures: Receives the rows.
        sheet: The questions.
        names: Answerers.
        displacements: How far each is from the reference.
        runs: Those of them whose readings decide; without one there are no rows.
    """
    if not runs:
        return
    read: npt.NDArray[np.bool_] = np.all(sheet.parsed[[sheet.row(name) for name in runs]], axis=0)
    for whole in sheet.groups:
        group = replace(whole, items=whole.items[read[whole.items]])
        for metric, amounts in ((ADE, displacements.ade), (FDE, displacements.fde)):
            figures.add_means(f"{metric}_shared", group, names, amounts[:, group.items])


def add_displacements_by_time(figures: Figures, sheet: WaypointSheet, names: Sequence[str]) -> None:
    """Add errors by the seconds T between a waypoint and the query frame, where all questions have the same.

    Metrics: waypoint_l2_m_at_Ts, at that time alone, and waypoint_l2_m_up_to_Ts, the mean of all that are as near in
    time or nearer; each with `_valid` and `_penalised` behind it.
    """
    for group in sheet.groups:
        times = sheet.times_of(group)
        if times is None:
            continue
        for convention, distances in (("valid", sheet.distances), ("penalised", sheet.penalised_distances)):
            own = distances[:, group.items, : times.size]
            for place in np.argsort(times):
                time = f"{times[place]:g}s_{convention}"
                figures.add_means(f"waypoint_l2_m_at_{time}", group, names, own[:, :, place])
                nearer = own[:, :, times <= times[place]]
                figures.add_means(f"waypoint_l2_m_up_to_{time}", group, names, _average_displacements(nearer))
