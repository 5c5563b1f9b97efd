"""Answers that are waypoints, in verdict, charts, tables, and the browser of questions."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from selenium import webdriver
from selenium.webdriver.common.by import By

import making
from probe4d.diagnosis.diagnose import diagnose
from probe4d.diagnosis.tables import Diagnosis
from probe4d.report.lookup import NARROW, Lookup
from probe4d.report.page import write_report
from probe4d.report.sections import sections
from probe4d.report.sections.part import Section
from probe4d.report.verdict import verdicts
from probe4d.runs.run import LeftOut
from probe4d.wording import amount
from waypoint_making import BENCHMARK, QUESTIONS, answering, moved, unread_every

NAMES = ["near", "far", "control:stationary", "control:constant-velocity"]
FUTURE, PAST = "future-waypoints", "past-waypoints"


@pytest.fixture(scope="module")
def diagnosis() -> Diagnosis:
    far = answering("far", unread_every(3, moved(40.0)))
    return diagnose(BENCHMARK, [answering("near", moved(0.01)), far])


@pytest.fixture(scope="module")
def section(diagnosis: Diagnosis) -> Section:
    (found,) = (one for one in sections(diagnosis) if one.anchor == "waypoints")
    return found


@pytest.fixture(scope="module")
def written(diagnosis: Diagnosis, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_report(diagnosis, tmp_path_factory.mktemp("waypoints"))


def test_charts_and_rows_are_those_of_the_figures(diagnosis: Diagnosis, section: Section) -> None:
    lookup = Lookup.of(diagnosis)
    assert [chart.title for chart in section.charts][:2] == ["Future waypoints: ADE, m", "Past waypoints: ADE, m"]
    assert [row[:2] for row in section.table.rows] == [
        (title, name) for title in ("Future waypoints", "Past waypoints") for name in NAMES
    ]
    columns = [column.name for column in section.table.columns]
    for row, relation in zip(section.table.rows, [FUTURE] * 4 + [PAST] * 4, strict=True):
        told = dict(zip(columns, row, strict=True))
        for column, metric in (
            ("ADE penalised, m", "waypoint_ade_m_penalised"),
            ("FDE penalised, m", "waypoint_fde_m_penalised"),
            ("ADE valid, m", "waypoint_ade_m_valid"),
            ("FDE shared, m", "waypoint_fde_m_shared"),
        ):
            figure = lookup.get(row[1], metric, "trajectory", "waypoints", relation)
            assert figure is not None
            assert told[column] == amount(figure.value)
        assert told["n shared"] == "16"


def test_some_questions_of_each_relation_are_drawn(section: Section) -> None:
    drawn = section.charts[2:]
    told = [f"{relation}: near is 0.01{NARROW}m off" for relation in ("Future waypoints", "Past waypoints")]
    assert [chart.title.split(",")[0] for chart in drawn] == [told[0]] * 3 + [told[1]] * 3
    assert all("reference" in chart.words and "near" in chart.words for chart in drawn)
    assert [key.text for key in section.keys] == ["reference", *NAMES]


def test_a_verdict_holds_them_against_controls_that_never_look(diagnosis: Diagnosis) -> None:
    said = {one.run: list(one.statements) for one in verdicts(diagnosis)}
    future, past = said["near"]
    assert (future.tone, past.tone) == ("good", "good")
    assert future.text.startswith(f"Its future waypoints are 0.01{NARROW}m off on average over 24 questions (ADE; 95")
    assert "going straight on at the speed of the query frame gives" in future.text
    bad = said["far"][0]
    assert bad.tone == "bad"
    assert f"66.7{NARROW}% of the answers can be read; the others count as standing at the origin." in bad.text


def test_a_page_of_waypoints_alone_has_their_pictures_without_scenes(written: Path) -> None:
    page = written.read_text()
    found = re.search(r'<script type="application/json" id="data">(.*?)</script>', page, re.DOTALL)
    assert found is not None
    data: dict[str, Any] = json.loads(found[1])
    assert len(data["pictures"]) == len(QUESTIONS)
    assert all(one["panels"][0]["extent"] is not None for one in data["pictures"])
    assert {str(one["panels"][0]["extent"]) for one in data["pictures"]} == set(data["grids"])
    far = data["answers"][data["runs"].index("far")]
    assert far["label"][0] == "gives no waypoints"
    assert far["correct"][0] == 0
    near = data["answers"][data["runs"].index("near")]
    assert near["label"][0] == "ADE 0.01 m, FDE 0.01 m"
    assert set(near["correct"]) == {None}


def test_controls_stand_beside_whoever_was_asked_what_the_first_run_was_not() -> None:
    future = [{"question": one.id, "text": one.answer} for one in QUESTIONS if one.template == "TRJ-5"]
    left_out = [LeftOut(question=one.id, reason="past") for one in QUESTIONS if one.template == "TRJ-6"]
    planner = replace(making.run_of("planner", BENCHMARK, future), left_out=tuple(left_out))
    both = diagnose(BENCHMARK, [planner, answering("near", moved(0.01))])
    (found,) = (one for one in sections(both) if one.anchor == "waypoints")
    past = [row[1] for row in found.table.rows if row[0] == "Past waypoints"]
    assert past == ["near", "control:stationary", "control:constant-velocity"]
    chosen_by = [chart.title.split(" is ")[0] for chart in found.charts[2:]]
    assert chosen_by == ["Future waypoints: planner"] * 3 + ["Past waypoints: near"] * 3
    said = {one.run: [statement.text for statement in one.statements] for one in verdicts(both)}
    assert (len(said["planner"]), len(said["near"])) == (1, 2)
    assert all("standing still gives" in text for text in (*said["planner"], *said["near"]))


@pytest.mark.browser
@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
def test_the_browser_of_questions_draws_them(chromium: webdriver.Chrome, written: Path) -> None:
    chromium.get(f"{written.as_uri()}#q={QUESTIONS[4].id}")
    (panel,) = chromium.find_elements(By.CSS_SELECTOR, f"[data-picture='{QUESTIONS[4].id}'] svg.panel")
    ways = panel.find_elements(By.CSS_SELECTOR, "path.way")
    assert [way.get_attribute("class") for way in ways][-1] == "way ink"
    assert "reference" in [text.text for text in panel.find_elements(By.TAG_NAME, "text")]
    colours = {way.value_of_css_property("stroke") for way in ways}
    assert len(colours) == len(ways)
    assert "Thick: the reference" in chromium.find_element(By.CSS_SELECTOR, "#detail .legend").text
    assert chromium.find_elements(By.CSS_SELECTOR, "#waypoints svg.panel")
    assert not [one for one in chromium.get_log("browser") if one["level"] == "SEVERE"]
