"""The browser of questions in headless Chromium: filters, keyboard, addresses, and what it says of an answer."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec
import polars as pl
import pytest
from report_making import benchmark, diagnosed, many_questions, question, run
from selenium import webdriver
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys

from chromium_steps import choose, count
from probe4d.diagnosis.diagnose import diagnose
from probe4d.report.page import write_report
from probe4d.runs.evidence_plan import evidence_named
from probe4d.runs.run import Run

pytestmark = [
    pytest.mark.browser,
    # Selenium leaves the sockets of its own driver process to the garbage collector.
    pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning"),
]

QUESTIONS = many_questions()


@pytest.mark.parametrize("family", ["existence", "motion yes-no", "temporal"])
def test_family_filter(page: webdriver.Chrome, family: str) -> None:
    choose(page, "family", family)
    wanted = [one for one in QUESTIONS if family in (one.family, f"{one.family} {one.format}")]
    assert count(page) == len(wanted)


def test_filters_work_together_and_can_be_cleared(page: webdriver.Chrome) -> None:
    choose(page, "scene", "scene-0003")
    of_scene = [one for one in QUESTIONS if one.scene == "scene-0003"]
    assert count(page) == len(of_scene)
    page.find_element(By.ID, "search").send_keys("ego vehicle still")
    assert count(page) == sum(one.family == "temporal" for one in of_scene)
    page.find_element(By.CSS_SELECTOR, "button[type=reset]").click()
    until(page, lambda: count(page) == len(QUESTIONS))


def test_relation_filter(page: webdriver.Chrome) -> None:
    choose(page, "relation", "closer")
    assert count(page) == sum(one.relation == "closer" for one in QUESTIONS)


def test_outcomes_are_those_of_the_run_chosen(page: webdriver.Chrome) -> None:
    wrong = sum(one.answer != ("A" if one.format == "choice" else "No") for one in QUESTIONS)
    choose(page, "outcome", "wrong")
    assert count(page) == wrong
    choose(page, "outcome", "right")
    assert count(page) == len(QUESTIONS) - wrong
    choose(page, "run", "1")
    right = count(page)
    choose(page, "outcome", "wrong")
    wrong_after = count(page)
    choose(page, "outcome", "invalid")
    assert count(page) > 0
    assert right + wrong_after + count(page) == len(QUESTIONS)


def test_changes_can_be_found(page: webdriver.Chrome) -> None:
    choose(page, "change", "0 repaired")
    repaired = count(page)
    first = page.find_element(By.CSS_SELECTOR, "#detail table.answers").text
    assert repaired > 0
    assert "right, repaired" in first
    choose(page, "change", "0 regressed")
    assert count(page) < repaired


def test_no_match_is_said(page: webdriver.Chrome) -> None:
    page.find_element(By.ID, "search").send_keys("no such words")
    assert count(page) == 0
    assert "No question here passes all filters" in page.find_element(By.ID, "detail").text


def test_keyboard_alone_suffices(page: webdriver.Chrome) -> None:
    body = page.find_element(By.TAG_NAME, "body")
    body.send_keys("j")
    assert _selected(page) == 1
    page.switch_to.active_element.send_keys(Keys.ARROW_DOWN)
    assert _selected(page) == 2
    page.switch_to.active_element.send_keys("k")
    assert _selected(page) == 1
    page.switch_to.active_element.send_keys(Keys.END)
    assert _selected(page) == len(QUESTIONS) - 1
    page.switch_to.active_element.send_keys(Keys.HOME)
    assert _selected(page) == 0
    page.switch_to.active_element.send_keys("/")
    assert page.switch_to.active_element.get_attribute("id") == "search"
    page.switch_to.active_element.send_keys("jk")  # typing is no command
    assert page.switch_to.active_element.get_attribute("value") == "jk"
    page.switch_to.active_element.send_keys(Keys.ESCAPE)
    assert page.switch_to.active_element.get_attribute("id") == "list"


def test_enter_leads_to_the_details_and_back(page: webdriver.Chrome) -> None:
    page.find_element(By.TAG_NAME, "body").send_keys("j")
    page.switch_to.active_element.send_keys(Keys.ENTER)
    assert page.switch_to.active_element.get_attribute("id") == "detail"
    page.switch_to.active_element.send_keys(Keys.ESCAPE)
    assert page.switch_to.active_element.get_attribute("id") == "list"


def test_a_question_has_an_address(page: webdriver.Chrome, report: str) -> None:
    page.get("about:blank")
    wanted = QUESTIONS[-1]
    page.get(f"{report}#q={wanted.id}")
    assert wanted.id in page.find_element(By.ID, "detail").text


def test_a_format_that_is_not_scored_is_shown_as_such(chromium: webdriver.Chrome, tmp_path: Path) -> None:
    number = question("distance", "number", answer="12.5", text="How far is the nearest car?")
    path = write_report(diagnosed({}, [*QUESTIONS, number]), tmp_path)
    chromium.get(f"{path.as_uri()}#q={number.id}")
    assert "12.5 (reference)" in chromium.find_element(By.ID, "detail").text
    assert "– unscored" in chromium.find_element(By.CSS_SELECTOR, "#detail table.answers").text
    assert chromium.get_log("browser") == []


def test_an_answer_says_what_it_saw_and_in_which_order(chromium: webdriver.Chrome, tmp_path: Path) -> None:
    hostile = "<img src=x onerror=alert(1)>"
    options = (hostile, "car", "bus", "truck")
    asked = [question("existence", "choice", frames=(frame,), options=options, answer="B") for frame in range(3)]
    bench = benchmark(asked)
    made = run("turned", bench, ["A"] * len(asked))
    seen = made.answers.with_columns(
        variant=pl.lit("rotation-1"),
        rotation=pl.lit(1, pl.Int64),
        evidence=pl.lit("ab" * 32),
        evidence_frames=pl.lit([0, 1, 2]),
        shown_scene=pl.lit(hostile),
    )
    both = pl.concat([seen.with_columns(variant=pl.lit("rotation-0"), rotation=pl.lit(0, pl.Int64)), seen])
    plan = evidence_named("other-scene")
    record = msgspec.structs.replace(made.record, setting="permuted:2", evidence=plan)
    path = write_report(diagnose(bench, [Run("turned", record, both)]), tmp_path)
    chromium.get(f"{path.as_uri()}#q={asked[0].id}")
    rows = [row.text for row in chromium.find_elements(By.CSS_SELECTOR, "#detail table.answers tbody tr")]
    assert rows[0].split() == ["turned", "rotation-0", "A", "✗", "wrong", "A"]
    assert rows[1] == f"Shown camera pictures of another scene: key frames 0–2 of {hostile}. Evidence abababababab."
    assert rows[2].split() == ["turned", "rotation-1", "B,", "shown", "as", "A", "✓", "right", "A"]
    assert rows[3] == f"Options as shown: A. car, B. bus, C. truck, D. {hostile}."
    assert not chromium.find_elements(By.CSS_SELECTOR, "#detail img")
    assert chromium.get_log("browser") == []


def _selected(driver: webdriver.Chrome) -> int:
    return int(driver.find_element(By.CSS_SELECTOR, "#list [aria-selected=true]").get_attribute("id").split("-")[1])


def until(driver: webdriver.Chrome, true: Callable[[], Any]) -> None:
    from selenium.webdriver.support.ui import WebDriverWait

    WebDriverWait(driver, 10).until(lambda _: true())
