"""Inspects a dataset: reads its tables once and asks every rule."""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import dataclass
from pathlib import Path

from probe4d.errors import InputError
from probe4d.scenes.nuscenes.folder import TableFolder, find_tables
from probe4d.scenes.sanity.dataset import Dataset, read_dataset
from probe4d.scenes.sanity.rows import TABLES
from probe4d.scenes.sanity.rule import Rule, Severity, rules
from probe4d.scenes.sanity.summary import Summary, summarise

__all__ = ["Finding", "Inspection", "Unchecked", "inspect"]

_FIRST = 5
"""How many offenders a finding names, in the order of their names: that of the rows means nothing."""


@dataclass(frozen=True)
class Finding:
    """What a rule found.

    Attributes:
        rule: The rule.
        count: Number of offenders.
        first: The first few of them, sorted: tokens, or names of places.
    """

    rule: Rule
    count: int
    first: tuple[str, ...]


@dataclass(frozen=True)
class Unchecked:
    """A rule that could not be asked, and why."""

    rule: Rule
    reason: str


@dataclass(frozen=True)
class Inspection:
    """What is wrong with a dataset.

    Attributes:
        root: The dataset's folder.
        version: Name of its table folder.
        reference_channel: The LiDAR, or the camera of a dataset of cameras alone, whose readings give the key frames
            their pose; null where there is none.
        summary: What the dataset holds.
        findings: One a rule that found something, errors first.
        unchecked: Rules that could not be asked.
        excluded: Ids of the rules that the caller left out.
    """

    root: Path
    version: str
    reference_channel: str | None
    summary: Summary
    findings: tuple[Finding, ...]
    unchecked: tuple[Unchecked, ...]
    excluded: tuple[str, ...]

    def count(self, severity: Severity) -> int:
        """Number of findings of a severity."""
        return sum(finding.rule.severity is severity for finding in self.findings)


def inspect(
    dataroot: Path | str,
    *,
    version: str | None = None,
    reference_channel: str | None = None,
    exclude: Collection[str] = (),
    done: Callable[[str], None] | None = None,
) -> Inspection:
    """Look for everything that is known to go wrong in a dataset of the nuScenes schema.

    Unlike `open_scenes` it also takes datasets that cannot be opened: it reads what it can and says what
    it could not check.

    Args:
        dataroot: The dataset's folder.
        version: Name of the table folder; needed only where there are several.
        reference_channel: LiDAR whose readings give the key frames their pose; by default LIDAR_TOP, or
            the LiDAR with most readings; in a dataset of cameras alone, a camera.
        exclude: Ids or names of rules that are not asked.
        done: Told of each table that has been read, for progress bars.

    Raises:
        InputError: There is no folder of tables, or no such rule to exclude.
    """
    excluded = _excluded(exclude)
    folder = _find_tables(Path(dataroot), version)
    return _ask_rules(read_dataset(folder.root, folder.version, reference_channel, done), excluded)


def _ask_rules(data: Dataset, excluded: Collection[str] = ()) -> Inspection:
    """Ask every rule but the `excluded` ids about tables that have been read."""
    findings, unchecked = [], []
    for rule in rules():
        if rule.id in excluded:
            continue
        if reason := _obstacle(rule, data):
            unchecked.append(Unchecked(rule, reason))
            continue
        offenders = rule.find(data)
        if len(offenders):
            findings.append(Finding(rule, len(offenders), tuple(offenders.sort().head(_FIRST).to_list())))
    order = list(Severity)
    findings.sort(key=lambda finding: order.index(finding.rule.severity))
    return Inspection(
        root=data.root,
        version=data.version,
        reference_channel=data.reference_channel if "sensor" in data.tables else data.wanted_channel,
        summary=summarise(data),
        findings=tuple(findings),
        unchecked=tuple(unchecked),
        excluded=tuple(sorted(excluded)),
    )


def _obstacle(rule: Rule, data: Dataset) -> str:
    """Why a rule cannot be asked; empty where it can."""
    for table in rule.needs:
        if table not in data.tables:
            return f"{table} is missing or unreadable"
    for table in rule.whole:
        if table in data.incomplete:
            return f"rows of {table} are unusable"
    return ""


def _excluded(exclude: Collection[str]) -> set[str]:
    ids = {name: rule.id for rule in rules() for name in (rule.id, rule.name)}
    for name in exclude:
        if name not in ids:
            raise InputError(f"There is no sanity rule {name!r}.", remedy="Name a rule by its id, such as TIM001.")
    return {ids[name] for name in exclude}


def _find_tables(root: Path, version: str | None) -> TableFolder:
    """Find the folder of tables, even if it lacks the tables by which folders of tables are known."""
    try:
        return find_tables(root, version)
    except InputError:
        if version is not None or not root.is_dir():
            raise
        found = [folder for folder in root.iterdir() if sum((folder / f"{name}.json").is_file() for name in TABLES) > 2]
        if len(found) != 1:
            raise
        return TableFolder(root, found[0].name)
