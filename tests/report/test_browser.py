"""Which questions a page holds, and that what it holds is right, small and harmless."""

from __future__ import annotations

import json
import random

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from report_making import diagnosed, many_questions, question, right_answers, scenes

from probe4d.report import browser as browser_module
from probe4d.report import replies as replies_module
from probe4d.report.browser import Browser, browser, chosen, script_safe

QUESTIONS = many_questions()
RIGHT = right_answers(QUESTIONS)
WRONG = set(range(0, len(QUESTIONS), 3))
REPLIES = [("maybe " + "long " * 2000 if number in WRONG else answer) for number, answer in enumerate(RIGHT)]
DIAGNOSIS = diagnosed({"model": REPLIES}, QUESTIONS)


def packed(made: Browser) -> dict[str, object]:
    return json.loads(made.data)  # type: ignore[no-any-return]


def test_wrong_ones_come_first_then_the_rest_evenly() -> None:
    table, why = chosen(DIAGNOSIS, len(WRONG) + 20)
    wrong = {QUESTIONS[number].id for number in WRONG}
    assert wrong <= set(table["id"])
    assert table.height == len(WRONG) + 20
    assert f"{len(WRONG)} of the {len(WRONG)} that a run got wrong" in why
    rest = table.filter(~pl.col("id").is_in(list(wrong)))
    of = DIAGNOSIS.benchmark.table.filter(~pl.col("id").is_in(list(wrong)))
    for (family,), part in rest.group_by("family"):
        expected = 20 * of.filter(pl.col("family") == family).height / of.height
        assert abs(part.height - expected) <= 2.5


def test_too_many_wrong_ones_are_thinned_evenly() -> None:
    table, _ = chosen(DIAGNOSIS, 30)
    wrong = DIAGNOSIS.benchmark.table.filter(pl.col("id").is_in([QUESTIONS[number].id for number in WRONG]))
    assert set(table["id"]) <= set(wrong["id"])
    assert set(table["family"]) == set(wrong["family"])


def test_the_order_of_the_benchmark_does_not_matter() -> None:
    shuffled = list(zip(QUESTIONS, REPLIES, strict=True))
    random.Random(1).shuffle(shuffled)
    other = diagnosed({"model": [reply for _, reply in shuffled]}, [question for question, _ in shuffled])
    assert set(chosen(other, 40)[0]["id"]) == set(chosen(DIAGNOSIS, 40)[0]["id"])


def test_without_runs_the_controls_count() -> None:
    table, _ = chosen(diagnosed({}, QUESTIONS), 10)
    assert table.height == 10


def test_everything_is_said_that_is_left_out() -> None:
    made = browser(DIAGNOSIS, None, limit=25)
    assert made.shown == 25
    assert f"holds 25 of the {len(QUESTIONS)} questions" in made.notes[0]
    assert any("Pictures are left out" in note for note in made.notes)


def test_all_questions_need_no_note() -> None:
    assert not any("holds" in note for note in browser(DIAGNOSIS, scenes(10)).notes)


def test_answers_stand_beside_their_questions() -> None:
    data = packed(browser(DIAGNOSIS, None))
    ids, answers, texts = data["questions"]["id"], data["answers"][0], data["texts"]  # type: ignore[index, call-overload]
    assert ids == [one.id for one in QUESTIONS]
    for number, reply in enumerate(REPLIES):
        assert texts[answers["text"][number]].startswith(reply[:100])
        assert answers["correct"][number] == (number not in WRONG)
    assert data["runs"] == ["model", "control:fixed", "control:content"]


def test_long_replies_are_cut_and_it_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(replies_module, "TEXT_BYTES", 200)
    made = browser(DIAGNOSIS, None)
    cut = [text for text in packed(made)["texts"] if "characters in all" in text]  # type: ignore[attr-defined]
    assert cut == [("maybe " + "long " * 100)[:120] + "… (10006 characters in all)"]
    assert any("1 reply is cut after 120 characters" in note for note in made.notes)


def test_a_page_stays_below_its_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(browser_module, "BYTES", 60_000)
    made = browser(DIAGNOSIS, scenes(10))
    assert 0 < made.shown < len(QUESTIONS)
    assert len(made.data.encode()) <= 60_000


def test_names_come_with_their_words() -> None:
    sectors = [question("position", "yes-no", relation=relation) for relation in ("back-left", "closer-to")]
    data = packed(browser(diagnosed({}, sectors), None))
    assert data["words"] == {
        "back-left": "back-left",
        "closer-to": "closer to",
        "position": "position",
        "position-yes-no": "position yes no",
    }


def test_pictures_share_frames_and_grids() -> None:
    data = packed(browser(DIAGNOSIS, scenes(10)))
    pictures, frames, grids = data["pictures"], data["frames"], data["grids"]
    assert isinstance(pictures, list)
    assert all(picture is not None for picture in pictures)
    for picture in pictures:
        for panel in picture["panels"]:
            if panel["extent"] is not None:
                assert str(panel["extent"]) in grids  # type: ignore[operator]
                assert f"{picture['scene']}|{panel['frame']}" in frames  # type: ignore[operator]


def test_questions_of_other_scenes_have_no_picture() -> None:
    made = browser(DIAGNOSIS, scenes(2))
    pictures = packed(made)["pictures"]
    without = sum(picture is None for picture in pictures)  # type: ignore[attr-defined]
    assert without == sum(one.scene not in ("scene-0001", "scene-0002") for one in QUESTIONS)
    assert any(f"{without} of these questions have no picture" in note for note in made.notes)


@given(st.text() | st.sampled_from(["</script>", "<!--", "\u2028", "]]>", "&amp;"]))
def test_script_safe_keeps_the_text_and_no_markup(text: str) -> None:
    data = script_safe(json.dumps(text, ensure_ascii=False))
    assert json.loads(data) == text
    assert not set(data) & set("<>&\u2028\u2029")


def test_numbers_stand_beside_their_questions_with_their_unit() -> None:
    facts = {"unit": "metres", "distance_m": 12.0}
    asked = [
        question("distance", "number", frames=(frame,), answer="12.00", facts=facts, entities=("car",))
        for frame in range(4)
    ]
    data = packed(
        browser(
            diagnosed({"model": [*RIGHT[:6], "12.3 m", "50", "no idea", "about 13"]}, [*QUESTIONS[:6], *asked]), None
        )
    )
    place = 6
    assert data["questions"]["unit"] == [None] * place + ["metres"] * 4  # type: ignore[index, call-overload]
    own = data["answers"][0]  # type: ignore[index]
    assert own["label"][place:] == ["12.3 metres", "50.0 metres", None, "13.0 metres"]
    assert own["correct"][place:] == [1, 0, 0, 1]
    assert data["runs"][-1] == "control:median"  # type: ignore[index]


def test_numbers_that_miss_are_among_the_wrong_ones() -> None:
    facts = {"unit": "metres", "distance_m": 12.0}
    asked = [question("distance", "number", frames=(frame,), answer="12.00", facts=facts) for frame in range(8)]
    table, why = chosen(diagnosed({"model": ["12"] * 5 + ["99"] * 3}, asked), 3)
    assert set(table["id"]) == {one.id for one in asked[5:]}
    assert "3 of the 3 that a run got wrong" in why
