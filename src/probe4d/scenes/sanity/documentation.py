"""Writes docs/sanity-rules.md from the rules themselves.

python -m probe4d.scenes.sanity.documentation > docs/sanity-rules.md
"""

from __future__ import annotations

from itertools import groupby

from probe4d.scenes.sanity import rules
from probe4d.scenes.sanity.rule import GROUPS, Rule

__all__ = ["rules_as_markdown"]

_INTRODUCTION = """\
# Sanity rules

Made from the rules by `python -m probe4d.scenes.sanity.documentation`; change the rules, not this page.

`probe4d scenes DATAROOT` asks these {count} rules about a dataset in the nuScenes schema, in whatever state it
is. An **error** makes geometry or questions wrong, or keeps the dataset from being opened; with `--strict` the
command then exits with 1. A **warning** is something missing or odd beside which the rest can be used. **Info** is
worth knowing. `--exclude RULE` leaves a rule out, by id or name.

A row that one rule has named takes no part in the others, so that a fault is named once. A rule that looks for
what is absent is not asked about tables that have lost rows, and the command says so.

## The object that `--json` prints

| Field | Type | Meaning |
|---|---|---|
| `dataset`, `version` | string | the folder, and the name of its table folder |
| `reference_channel` | string or null | the LiDAR (or, beside cameras alone, the camera) whose readings give the \
key frames their pose |
| `scenes`, `keyframes`, `tracks`, `boxes` | integer or null | how many there are; null where the table cannot be read |
| `splits` | object or null | scenes by official split; `none` counts those in none |
| `boxes_by_class` | object or null | boxes of each of the ten classes |
| `boxes_of_no_class` | integer or null | boxes of other categories |
| `boxes_without_lidar_points` | integer or null | boxes that hold no LiDAR return |
| `boxes_with_unknown_points` | integer or null | boxes that do not say how many they hold |
| `findings` | array | one object a rule that found something, errors first: `rule`, `name`, `severity`, \
`count`, `first` (up to five tokens or names), `description`, `remedy` |
| `unchecked` | array | one object a rule that could not be asked: `rule`, `name`, `reason` |
| `excluded` | array | ids of the rules that were left out |
"""


def rules_as_markdown() -> str:
    """Give the page that describes every rule."""
    parts = [_INTRODUCTION.format(count=len(rules()))]
    for group, members in groupby(rules(), key=lambda rule: rule.id[:3]):
        parts.append(
            f"\n## {GROUPS[group]}\n\n| Rule | Name | Severity | What is wrong | What to do |\n|---|---|---|---|---|\n"
        )
        parts += [_row(rule) for rule in members]
    return "".join(parts)


def _row(rule: Rule) -> str:
    cells = (rule.id, f"`{rule.name}`", rule.severity, rule.description, rule.remedy)
    return f"| {' | '.join(cell.replace('|', chr(92) + '|') for cell in cells)} |\n"


if __name__ == "__main__":
    print(rules_as_markdown(), end="")
