from __future__ import annotations

import ast
import inspect
from pathlib import Path

import pytest

from probe4d.benchmarks.stride import thresholds
from probe4d.benchmarks.stride.documentation import templates_as_markdown
from probe4d.benchmarks.stride.rules import RULES
from probe4d.benchmarks.stride.templates import CODES, FAMILIES, TEMPLATES

PAGE = Path(__file__).parents[3] / "docs" / "stride-templates.md"

CHOICES = {id: template for id, template in TEMPLATES.items() if template.format == "choice"}
RETAINED = {id: template for id, template in CHOICES.items() if template.verdict == "retained"}


def test_the_page_is_that_of_the_templates() -> None:
    assert PAGE.read_text(encoding="utf-8") == templates_as_markdown(), (
        "run: python -m probe4d.benchmarks.stride.documentation > docs/stride-templates.md"
    )


def test_a_guess_is_right_as_often_as_the_paper_says() -> None:
    assert len(RETAINED) == 16
    chance = sum(1 / template.option_count for template in RETAINED.values()) / len(RETAINED)
    assert round(chance, 6) == 0.197991  # App. C.4


def test_there_are_as_many_templates_as_the_paper_counts() -> None:
    assert len(TEMPLATES) == 39
    assert len(CHOICES) == 31  # App. A.6.1
    assert [id for id in CHOICES if id not in RETAINED] == [
        *("SC-1", "SC-2", "SC-3", "SC-4", "SC-5", "SP-4", "SP-6", "SU-3", "SU-5", "SU-6"),
        *("TM-1", "TE-2", "TE-3", "TE-4", "TE-5"),
    ]
    texts = {id: template.verdict for id, template in TEMPLATES.items() if template.format == "text"}
    assert texts == dict.fromkeys(("SC-6", "SP-7", "SU-7", "TE-6", "TRJ-7"), "retained") | {"TM-6": "removed"}


@pytest.mark.parametrize("template", TEMPLATES.values(), ids=str)
def test_a_template_says_all_that_is_made_of_it(template: object) -> None:
    template = TEMPLATES[template.id]  # type: ignore[attr-defined]
    assert template.family in FAMILIES
    assert template.id.split("-")[0] in CODES
    assert ("{target}" in template.question) == template.has_target
    assert not template.options or len(set(template.options)) == template.option_count
    assert (template.format == "choice") == (template.option_count > 0)
    assert (template.verdict == "removed") == bool(template.removed_because)
    assert ("future" in template.needs) == (template.future_frames > 0)
    assert bool(template.parts) == (template.format == "text") == (template.id not in RULES) == (not template.measure)


def test_open_templates_are_composed_of_sentences_that_there_are() -> None:
    for template in TEMPLATES.values():
        for part in template.parts:
            assert "{answer}" in TEMPLATES[part].statement
            assert TEMPLATES[part].has_target <= template.has_target, f"{template.id} has no target for {part}"
            assert TEMPLATES[part].future_frames <= template.future_frames


def test_every_line_says_why_it_is_there() -> None:
    body = ast.parse(inspect.getsource(thresholds)).body
    named = [statement for statement in body if isinstance(statement, (ast.Assign, ast.AnnAssign))]
    page = templates_as_markdown()
    for statement in named:
        target = statement.targets[0] if isinstance(statement, ast.Assign) else statement.target
        assert f"| `{ast.unparse(target)}` |" in page
