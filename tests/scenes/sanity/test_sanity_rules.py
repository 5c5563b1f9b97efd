from __future__ import annotations

from pathlib import Path

import pytest
from faults import IN_TABLES, ON_DISK
from small_dataset import small_tables, write_dataset

from probe4d.scenes.opening import open_scenes
from probe4d.scenes.sanity import Rule, Severity, inspect, rules

IDS = [rule.id for rule in rules()]


def test_a_valid_dataset_raises_nothing(tmp_path: Path) -> None:
    write_dataset(small_tables(), tmp_path)
    report = inspect(tmp_path)
    assert report.findings == ()
    assert report.unchecked == ()


def test_every_rule_has_a_fault() -> None:
    assert sorted([*IN_TABLES, *ON_DISK]) == sorted(IDS)


def _break(id: str, root: Path) -> None:
    tables = small_tables()
    if id in IN_TABLES:
        IN_TABLES[id](tables)
    write_dataset(tables, root)
    if id in ON_DISK:
        ON_DISK[id](root)


@pytest.mark.parametrize("id", IDS)
def test_a_fault_is_named_by_its_rule_alone(id: str, tmp_path: Path) -> None:
    _break(id, tmp_path / "dataset")
    report = inspect(tmp_path / "dataset")
    assert [finding.rule.id for finding in report.findings] == [id]
    assert report.findings[0].count >= 1
    assert all(report.findings[0].first)


@pytest.mark.parametrize("rule", [rule for rule in rules() if rule.severity is not Severity.ERROR], ids=lambda r: r.id)
def test_what_is_no_error_can_be_opened(rule: Rule, tmp_path: Path) -> None:
    _break(rule.id, tmp_path / "dataset")
    assert open_scenes(tmp_path / "dataset").names == ["street a", "street b"]
