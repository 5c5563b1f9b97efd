"""Writes docs/stride-templates.md from the templates and the lines that their rules draw.

python -m probe4d.benchmarks.stride.documentation > docs/stride-templates.md
"""

from __future__ import annotations

import ast
import inspect
from collections.abc import Iterator
from itertools import pairwise
from types import ModuleType

from probe4d.benchmarks.stride import thresholds
from probe4d.benchmarks.stride.templates import CODES, TEMPLATES, Template
from probe4d.benchmarks.stride.templates.waymo import WAYMO_TEMPLATES
from probe4d.benchmarks.stride.waymo import thresholds as waymo_thresholds
from probe4d.wording import listed

__all__ = ["templates_as_markdown"]

_INTRODUCTION = """\
# The templates of STRIDE

Made from the templates by `python -m probe4d.benchmarks.stride.documentation`; change the templates, not this page.

The paper numbers {count} templates in six families. It prints {printed} of their wordings, which are marked, and none \
of their thresholds; the others are ours. What each was to the paper's reviewers on nuScenes stands beside it: \
{retained} were retained (`build stride` takes these), {removed} removed. [stride.md](stride.md) tells how to build.

All places are in the ego frame of the query frame: x ahead, y to the left. The query frame has {history} key frames \
before it; what "future" needs comes after it and is never shown. `{{target}}` stands for the object in the red box: \
one annotated in all of these frames, at most {range_m:g} m away, not occluded, with a LiDAR return, and at least \
{height_px:g} px high in an image of 900. `{{moment}}` names the query frame where the whole scene is \
shown. The more options, the less a guess is worth; the numbers are the paper's.
"""

_NEEDS = """
## What templates need

| Need | What it is |
|---|---|
| boxes | annotated 3D boxes |
| visibility | the level of visibility of each box, over all cameras |
| future | key frames after the query frame |
| weather, time_of_day, road_type | labels of scenes, from a file (`--labels`) |
| lane | labels of objects, from the same file |
"""

_LINES = """
## The lines, and why they are there

Names end with their unit (m, s, deg, mps for metres a second, px). What lies nearer to a line than the least margin \
of its unit is not asked about.

| Line | At | Why |
|---|---|---|
"""


_WAYMO = """
# On Waymo's end-to-end data

Here the paper has {count} templates, {choices} of them choice, of which a guess is right in {chance:.6f}. It names \
some of them and counts the others. Where it is the same question, the number is that of above; {added} are ours for \
what it names without one. [stride.md](stride.md#waymos-end-to-end-data) tells how to build, and how far answers can \
be trusted.

Objects are estimated: `{{target}}` is one that the front camera shows in all five frames, at most {range_m:g} m away, \
cut off by no border of the image. Lines that are not listed again are those of above; an estimate that is nearer to \
one than {factor:g} times the least margin of its unit is not asked about.
"""

_WAYMO_NEEDS = """
## What they need

| Need | What it is |
|---|---|
| estimated box | the target's box in the image, of the file of `probe4d detect` (`--objects`) |
| estimated objects | the whole of that file: places at other frames, other objects |
| ego states | positions of the future that come with the key frame |
| future | key frames after the query frame, and their poses |
| ratings | trajectories with the scores that people gave them |
| cluster | the released scenario cluster |
"""

_WAYMO_LINES = """
## Their lines

| Line | At | Why |
|---|---|---|
"""

_WORDINGS = {"paper": "the paper's", "paper, extended": "the paper's, with an addition of ours", "ours": "ours"}
_WAYMO_VERDICTS = {"retained": "the paper names it on this data", "ours": "ours, to make up the number that it counts"}


def templates_as_markdown() -> str:
    """Give the page that describes every template and every line."""
    everyone = TEMPLATES.values()
    retained = sum(template.verdict == "retained" for template in everyone)
    parts = [
        _INTRODUCTION.format(
            count=len(TEMPLATES),
            printed=sum(template.wording != "ours" for template in everyone),
            retained=retained,
            removed=len(TEMPLATES) - retained,
            history=thresholds.HISTORY_FRAMES,
            range_m=thresholds.MOST_RANGE_M,
            height_px=thresholds.LEAST_TARGET_HEIGHT_PX,
        )
    ]
    for code, family in CODES.items():
        parts.append(f"\n## {code}: {family.replace('-', ' ')}\n")
        parts += [
            _section(template, template.id, _verdict(template)) for template in everyone if template.family == family
        ]
    parts += [_NEEDS, _LINES, *_lines(thresholds), *_of_waymo()]
    return "".join(parts)


def _of_waymo() -> Iterator[str]:
    """The part of the page on Waymo's end-to-end data."""
    everyone = WAYMO_TEMPLATES.values()
    choices = [template for template in everyone if template.format == "choice"]
    yield _WAYMO.format(
        count=len(WAYMO_TEMPLATES),
        choices=len(choices),
        chance=sum(1 / template.option_count for template in choices) / len(choices),
        added=listed([name for name in WAYMO_TEMPLATES if name not in TEMPLATES]),
        range_m=waymo_thresholds.MOST_ESTIMATED_RANGE_M,
        factor=waymo_thresholds.ESTIMATED_MARGIN_FACTOR,
    )
    for code, family in CODES.items():
        yield f"\n## {code} on Waymo's data\n"
        for template in everyone:
            if template.family == family:
                yield _section(template, f"{template.id} on Waymo's data:", _WAYMO_VERDICTS[template.verdict])
    yield from (_WAYMO_NEEDS, _WAYMO_LINES, *_lines(waymo_thresholds))


def _verdict(template: Template) -> str:
    reason = f": {template.removed_because}" if template.removed_because else ""
    return f"{template.verdict}{reason}"


def _section(template: Template, called: str, verdict: str) -> str:
    lines = [f"\n### {called} {template.relation.replace('-', ' ')}\n", f"> {template.question}\n"]
    rows = []
    if template.options:
        rows.append(("options", "; ".join(template.options)))
    elif template.format == "choice":
        rows.append(("options", f"{template.option_count}, made for each question"))
    if template.measure:
        rows.append(("measured", template.measure))
    if template.parts:
        rows.append(("composed of", ", ".join(template.parts)))
    rows.append(("needs", ", ".join(template.needs) or "ego poses alone"))
    if template.future_frames:
        rows.append(("future", f"{template.future_frames} key frames"))
    rows.append(("wording", _WORDINGS[template.wording]))
    rows.append(("verdict", verdict))
    return "\n".join([*lines, *(f"- {name}: {text}" for name, text in rows)]) + "\n"


def _lines(module: ModuleType) -> Iterator[str]:
    """A row for each constant of a module, in its order: name, value and reason."""
    body = ast.parse(inspect.getsource(module)).body
    for statement, after in pairwise(body):
        match statement:
            case ast.Assign(targets=[ast.Name(id=name)]) | ast.AnnAssign(target=ast.Name(id=name)):
                match after:
                    case ast.Expr(value=ast.Constant(value=str(why))):
                        yield f"| `{name}` | {_value(getattr(module, name))} | {_cell(why)} |\n"


def _value(value: float | str | tuple[float | str, ...] | dict[str, float]) -> str:
    match value:
        case dict():
            return ", ".join(f"{least:g} {unit}" for unit, least in value.items())
        case tuple():
            return ", ".join(map(_value, value))
        case str():
            return f"`{value}`"
        case _:
            return f"{value:g}"


def _cell(text: str) -> str:
    return " ".join(text.split()).replace("|", "\\|")


if __name__ == "__main__":
    print(templates_as_markdown(), end="")
