from __future__ import annotations

from pathlib import Path

import pytest

from probe4d.scenes.sanity import Severity, rules
from probe4d.scenes.sanity.documentation import rules_as_markdown
from probe4d.scenes.sanity.rule import GROUPS, Rule, register

PAGE = Path(__file__).parents[3] / "docs" / "sanity-rules.md"


def test_the_page_is_that_of_the_rules() -> None:
    assert PAGE.read_text(encoding="utf-8") == rules_as_markdown(), (
        "run: python -m probe4d.scenes.sanity.documentation > docs/sanity-rules.md"
    )


def test_every_rule_speaks_in_whole_sentences() -> None:
    for rule in rules():
        assert rule.description.endswith("."), rule.id
        assert rule.remedy.endswith("."), rule.id


def test_ids_and_names_are_unique_and_of_a_group() -> None:
    assert len(rules()) >= 44
    assert {rule.id[:3] for rule in rules()} == set(GROUPS)
    taken = rules()[0]
    for id, name in ((taken.id, "another"), ("TAB999", taken.name), ("XXX001", "another")):
        with pytest.raises(ValueError, match="rule"):
            register(Rule(id, name, Severity.INFO, "It is.", "Nothing.", taken.find))
