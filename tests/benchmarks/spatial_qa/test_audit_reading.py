"""A question's text is read back as it was worded, by a copy of the printed texts that knows nothing of the wording."""

from __future__ import annotations

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from probe4d.benchmarks.spatial_qa.audit.expected import EXPECTED
from probe4d.benchmarks.spatial_qa.reading import OPTIONS, PRINTED, Asked, names_objects, read_stem
from probe4d.benchmarks.spatial_qa.templates import TEMPLATES, stem

WORDS = st.text("abc xyz?-", min_size=1, max_size=30)
DRAWN = {"spot_length_m": 5.2, "spot_width_m": 2.0, "clearance_m": 0.3, "vehicle_width_m": 3.0}


def worded(template: str, first: str, second: str) -> str:
    row = {"refer": first, "refer_1": first, "refer_2": second, "channel": "CAM_FRONT", **DRAWN}
    return pl.DataFrame([row]).select(stem(TEMPLATES[template])).item()


def test_knows_every_template_and_its_form() -> None:
    assert list(PRINTED) == list(EXPECTED) == list(TEMPLATES)
    for name, template in TEMPLATES.items():
        expected = EXPECTED[name]
        assert (expected.family, expected.format) == (template.level, template.format)
        assert (expected.rule, expected.relation) == (template.rule, template.relation)
        assert expected.options == OPTIONS.get(name, 0) == template.options


@pytest.mark.parametrize("template", TEMPLATES)
def test_reads_what_was_worded(template: str) -> None:
    asked = read_stem(template, worded(template, "the white car", "the tall bus"))
    assert asked is not None
    assert asked.words == ("the white car", "the tall bus")[: EXPECTED[template].entities]
    assert asked.camera == ("CAM_FRONT" if "{camera}" in PRINTED[template] else None)
    assert asked.numbers == {name: number for name, number in DRAWN.items() if f"{{{name}}}" in PRINTED[template]}


@pytest.mark.parametrize("template", TEMPLATES)
@given(first=WORDS, second=WORDS)
def test_finds_any_words_in_what_was_worded(template: str, first: str, second: str) -> None:
    text = worded(template, first, second)
    words = (first, second)[: EXPECTED[template].entities]
    assert read_stem(template, text) is not None
    assert names_objects(template, text, words)
    if words:
        assert not names_objects(template, text, ("the lorry", *words[1:]))


@pytest.mark.parametrize("template", TEMPLATES)
def test_reads_no_other_text(template: str) -> None:
    text = worded(template, "the white car", "the tall bus")
    assert read_stem(template, f"{text} ") is None
    assert read_stem(template, text.replace("the white car", "")) == (
        None if "the white car" in text else Asked((), None, {})
    )
    others = {
        other: read.words for other in TEMPLATES if other != template and (read := read_stem(other, text)) is not None
    }
    # Where two texts differ by what stands for an object alone, the words for it tell them apart.
    assert all("the ego vehicle" in words for words in others.values()), others
