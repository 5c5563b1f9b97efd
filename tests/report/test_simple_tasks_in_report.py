"""Intervals of key frames and words of a vocabulary, in verdict, charts, tables, and the browser of questions."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from selenium import webdriver
from selenium.webdriver.common.by import By

import making
from making import with_id_of_content
from probe4d.benchmarks.question import Question
from probe4d.cli.diagnosis_tables import tables_of_intervals
from probe4d.diagnosis.diagnose import diagnose
from probe4d.diagnosis.overview import overlaps
from probe4d.diagnosis.tables import Diagnosis
from probe4d.report.browser import browser
from probe4d.report.describing import description
from probe4d.report.lookup import Lookup, percent, points
from probe4d.report.page import write_report
from probe4d.report.sections import sections
from probe4d.report.verdict import verdicts

CLASSES = tuple(f"class {place}" for place in range(30))  # more than there are letters


def asked(place: int) -> Question:
    """By turns a question for an interval, whose windows begin anywhere, and one for a word."""
    start = 3 * (place % 7)
    about = {"suite": "b4dl", "scene": f"s{place % 12:02d}", "frames": (start, start + 8), "context": "9"}
    if place % 2:
        about |= {"format": "text", "template": "existence-class", "options": CLASSES, "answer": CLASSES[place % 3]}
    else:
        about |= {"format": "interval", "family": "time-grounding", "template": "time-grounding"}
        about |= {"answer": f"{start + 2}-{start + 5}" if place % 3 else f"{start}-{start + 8}"}
    return with_id_of_content(making.question(place, question=f"What of {place}?", **about))


QUESTIONS = [asked(place) for place in range(120)]
BENCHMARK = making.benchmark_of(QUESTIONS)


@pytest.fixture(scope="module")
def diagnosis() -> Diagnosis:
    def prior(one: Question) -> str:
        return "from frame 000 to frame 008" if one.format == "interval" else "class 1"

    runs = [
        making.run_of("knows", BENCHMARK, [{"question": one.id, "text": f"frames {one.answer}."} for one in QUESTIONS]),
        making.run_of("prior", BENCHMARK, [{"question": one.id, "text": prior(one)} for one in QUESTIONS]),
    ]
    return diagnose(BENCHMARK, runs)


def test_the_chart_and_rows_are_those_of_the_figures(diagnosis: Diagnosis) -> None:
    (section,) = (one for one in sections(diagnosis) if one.anchor == "intervals")
    assert [chart.title for chart in section.charts] == ["Time grounding: mIoU"]
    names = ["knows", "prior", "control:fixed", "control:content"]
    assert [row[:2] for row in section.table.rows] == [("Time grounding", name) for name in names]
    lookup, columns = Lookup.of(diagnosis), [column.name for column in section.table.columns]
    for row in section.table.rows:
        assert len(row) == len(columns)
        for place, metric in ((2, "miou_inclusive"), (4, "recall_0.3_inclusive"), (7, "miou_half_open")):
            figure = lookup.get(row[1], f"interval_{metric}", "time-grounding", "interval")
            assert figure is not None
            assert row[place] == percent(figure.value)


def test_the_verdict_holds_intervals_against_the_frequent_ones(diagnosis: Diagnosis) -> None:
    said = {one.run: one.statements for one in verdicts(diagnosis)}
    (good,) = (one for one in said["knows"] if "intervals overlap" in one.text)
    (bad,) = (one for one in said["prior"] if "intervals overlap" in one.text)
    assert (good.tone, bad.tone) == ("good", "bad")
    assert "Its 60 intervals overlap the truth by 100.0" in good.text
    assert "Without the scene" in bad.text


def test_a_comparison_tells_the_change_in_overlap(diagnosis: Diagnosis) -> None:
    (section,) = (one for one in sections(diagnosis) if one.anchor == "changes")
    (row,) = (row for row in section.table.rows if row[1] == "Time grounding interval questions")
    change = Lookup.of(diagnosis).get("prior vs knows", "interval_miou_inclusive_change", "time-grounding", "interval")
    assert change is not None
    assert row[2:6] == ("", "", "", points(change.value))


def test_a_terminal_shows_both_conventions(diagnosis: Diagnosis) -> None:
    (table,) = tables_of_intervals(overlaps(diagnosis), 200)
    figures = list(table.columns[1].cells)
    assert figures[:3] == ["mIoU inclusive, %", "mIoU half-open, %", "R@0.3 inclusive, %"]
    assert next(iter(table.columns[2].cells)) == "100.0"
    assert overlaps(diagnosis)["family"].unique().to_list() == ["time-grounding"]


def test_rows_of_the_browser_tell_the_overlap(diagnosis: Diagnosis) -> None:
    data = json.loads(browser(diagnosis, None).data)
    answers = dict(zip(data["runs"], data["answers"], strict=True))
    first, word = answers["knows"], answers["prior"]
    assert first["label"][0] == "frames 0 to 8, IoU 1.0"
    assert first["correct"][0] is None
    assert (word["label"][1], word["correct"][1]) == ("class 1", 1)


def test_a_question_is_described_without_letters() -> None:
    told = description(QUESTIONS[1], None)
    assert "one of" in told
    assert "class 0, class 1" in told
    assert "reference" in told
    assert "frames 0 to 8" in description(QUESTIONS[0], None)


@pytest.mark.browser
@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
def test_the_browser_shows_the_vocabulary(chromium: webdriver.Chrome, diagnosis: Diagnosis, tmp_path: Path) -> None:
    page = write_report(diagnosis, tmp_path).as_uri()
    chromium.get(f"{page}#q={QUESTIONS[1].id}")
    listed = [one.text for one in chromium.find_elements(By.CSS_SELECTOR, "#detail .options li")]
    assert listed == [f"one of: {', '.join(CLASSES)}", "class 1 (reference)"]
    chromium.get("about:blank")
    chromium.get(f"{page}#q={QUESTIONS[0].id}")
    listed = [one.text for one in chromium.find_elements(By.CSS_SELECTOR, "#detail .options li")]
    assert listed == ["frames 0 to 8 (reference)"]
    assert not [one for one in chromium.get_log("browser") if one["level"] == "SEVERE"]
