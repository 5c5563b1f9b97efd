"""The 24 templates of STRIDE on Waymo's end-to-end data."""

from __future__ import annotations

from fractions import Fraction

import pytest

from probe4d.benchmarks.stride.selection import selected
from probe4d.benchmarks.stride.templates import CODES, TEMPLATES, Template
from probe4d.benchmarks.stride.templates.waymo import WAYMO_TEMPLATES, waymo_templates
from probe4d.benchmarks.stride.waymo.edition import WAYMO_RULES, positions_of
from probe4d.errors import InputError

CHOICES = {id: template for id, template in WAYMO_TEMPLATES.items() if template.format == "choice"}


def test_there_are_as_many_as_the_paper_counts() -> None:
    assert len(WAYMO_TEMPLATES) == 24  # Sec. 3.3
    assert len(CHOICES) == 18  # 900 questions of 50 each (App. C.4)
    assert [id for id in WAYMO_TEMPLATES if id not in CHOICES] == ["SC-6", "SP-7", "SU-7", "TE-6", "TRJ-5", "TRJ-7"]


def test_a_guess_is_right_as_often_as_the_paper_says() -> None:
    total = sum(Fraction(1, template.option_count) for template in CHOICES.values())
    assert total == Fraction(439, 120)
    assert round(float(total / 18), 6) == 0.203241  # App. C.4


@pytest.mark.parametrize("template", WAYMO_TEMPLATES.values(), ids=lambda template: template.id)
def test_a_template_says_all_that_is_made_of_it(template: Template) -> None:
    assert template.id.split("-")[0] in CODES
    assert ("{target}" in template.question) == template.has_target
    assert not template.options or len(set(template.options)) == template.option_count
    assert ("future" in template.needs) == (template.future_frames > 0)
    assert template.verdict != "removed"
    assert bool(template.parts) == (template.format == "text") == (template.id not in WAYMO_RULES)
    assert bool(template.parts) == (not template.measure)
    for part in template.parts:
        assert "{answer}" in WAYMO_TEMPLATES[part].statement
        assert WAYMO_TEMPLATES[part].has_target <= template.has_target
        assert WAYMO_TEMPLATES[part].future_frames <= template.future_frames
        assert WAYMO_TEMPLATES[part].is_estimated <= template.is_estimated


def test_a_number_of_the_paper_is_of_the_same_kind_of_question() -> None:
    for id, template in WAYMO_TEMPLATES.items():
        if id in TEMPLATES:
            assert (template.family, template.format) == (TEMPLATES[id].family, TEMPLATES[id].format)
            assert template.has_target == TEMPLATES[id].has_target
    assert [id for id in WAYMO_TEMPLATES if id not in TEMPLATES] == ["SC-7", "SC-8", "SC-9"]


def test_all_are_asked_and_others_are_none_of_them() -> None:
    assert selected(None, WAYMO_TEMPLATES) == selected("all", WAYMO_TEMPLATES) == tuple(WAYMO_TEMPLATES)
    with pytest.raises(InputError, match="the template 'SU-2' is asked of scenes with annotated boxes alone"):
        selected("SU-2", WAYMO_TEMPLATES)


def test_the_horizon_stands_in_the_question() -> None:
    assert "next 10 positions of the ego vehicle, 0.5 s apart, up to 5 s ahead" in WAYMO_TEMPLATES["TRJ-5"].question
    assert "next 3 positions of the ego vehicle, 0.5 s apart, up to 1.5 s ahead" in waymo_templates(3)["TRJ-5"].question
    assert [positions_of(horizon_s) for horizon_s in (0.5, 2.5, 5.0)] == [1, 5, 10]


@pytest.mark.parametrize("horizon_s", [0.0, -1.0, 0.75, 5.5, float("nan"), float("inf")])
def test_a_horizon_off_the_grid_is_refused(horizon_s: float) -> None:
    with pytest.raises(InputError, match=r"horizon cannot be .* multiple of 0.5 s up to 5 s"):
        positions_of(horizon_s)
