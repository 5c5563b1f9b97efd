"""What a verdict says of answers that are waypoints (STRIDE, Sec. 5.4)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from probe4d.benchmarks.question import WAYPOINTS
from probe4d.diagnosis.controls.answerers import CONSTANT_VELOCITY, STATIONARY
from probe4d.diagnosis.side_by_side import control_beside
from probe4d.diagnosis.waypoints.scores import ADE, FDE, PARSE_RATE
from probe4d.report.lookup import NARROW, Figure, Lookup, in_words, percent
from probe4d.report.statement import FEW, Statement, Tone
from probe4d.wording import amount, listed

__all__ = ["metres", "metres_between", "named_in_figures", "of_waypoints", "waypoint_groups"]

_NAMES = {STATIONARY: "standing still", CONSTANT_VELOCITY: "going straight on at the speed of the query frame"}
_READ = 0.99  # share of answers read from which it goes without saying


def waypoint_groups(lookup: Lookup) -> list[tuple[str, str]]:
    """Families and relations that have figures of waypoints, families in the benchmark's order."""
    found = {(family, relation) for _, metric, family, _, relation in lookup.rows if metric == f"{ADE}_penalised"}
    return sorted(found, key=lambda pair: (lookup.families.index(pair[0]), pair[1]))


def named_in_figures(lookup: Lookup, name: str, runs: Sequence[str], group: tuple[str, str, str]) -> str | None:
    """The name under which an answerer has figures of some waypoints; null where it has none.

    A control whose figures are about the questions of the first run may have them on those of another one alone.

    Args:
        lookup: The figures.
        name: A run or a control.
        runs: The runs.
        group: Family, format and relation.
    """
    names = (name, *(control_beside(name, run) for run in runs))
    return next((one for one in names if lookup.get(one, f"{ADE}_penalised", *group) is not None), None)


def metres(value: float) -> str:
    """A distance with its unit."""
    return f"{amount(value)}{NARROW}m"


def metres_between(figure: Figure | None) -> str:
    """The interval of a distance, without its unit; empty without one."""
    if figure is None or figure.low is None or figure.high is None:
        return ""
    return f"{amount(figure.low)} to {amount(figure.high)}"


def of_waypoints(lookup: Lookup, run: str) -> Iterator[Statement]:
    """Say how far a run's waypoints are off, beside controls that never saw a scene; past and future apart.

    Args:
        lookup: The figures to judge by.
        run: The run.
    """
    for family, relation in waypoint_groups(lookup):
        group = (family, WAYPOINTS, relation)
        ade = lookup.get(run, f"{ADE}_penalised", *group)
        if ade is not None and ade.n >= FEW:
            yield _statement(lookup, run, ade, group)


def _statement(lookup: Lookup, run: str, ade: Figure, group: tuple[str, str, str]) -> Statement:
    between = metres_between(ade)
    told = f"95{NARROW}% interval {between}" if between else "no interval"
    text = f"Its {in_words(group[2])} are {metres(ade.value)} off on average over {ade.n:,} questions (ADE; {told})"
    fde = lookup.get(run, f"{FDE}_penalised", *group)
    text += "." if fde is None else f", the last of each {metres(fde.value)} (FDE)."
    read, valid = lookup.get(run, PARSE_RATE, *group), lookup.get(run, f"{ADE}_valid", *group)
    if read is not None and read.value < _READ:
        text += f" {percent(read.value)} of the answers can be read; the others count as standing at the origin."
        if valid is not None:
            text += f" Over those that can be, ADE is {metres(valid.value)}."
    blind = {words: _without_scene(lookup, control, run, group) for control, words in _NAMES.items()}
    known = {words: figure.value for words, figure in blind.items() if figure is not None}
    if not known:
        return Statement("note", text)
    text += f" Without the scene, {listed([f'{words} gives {metres(value)}' for words, value in known.items()])}."
    tone = _tone(ade, min(known.values()))
    return Statement(tone, text, alarm=tone == "good")


def _tone(ade: Figure, best: float) -> Tone:
    """Whether a run is nearer than the best control, farther, or neither for certain."""
    if ade.low is None or ade.high is None:
        return "note"
    return "good" if ade.high < best else "bad" if ade.low > best else "note"


def _without_scene(lookup: Lookup, control: str, run: str, group: tuple[str, str, str]) -> Figure | None:
    """What a control makes of the questions that a run was asked; null where it could not answer all."""
    for name in (control_beside(control, run), control):
        read = lookup.get(name, PARSE_RATE, *group)
        if read is not None:
            return lookup.get(name, f"{ADE}_penalised", *group) if read.value == 1 else None
    return None
