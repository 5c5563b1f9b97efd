"""A report and Chromium, in which the tests of the page open it."""

from __future__ import annotations

import pytest
from report_making import PAYLOADS, diagnosed, many_questions, right_answers, scenes
from selenium import webdriver

from chromium_steps import chromium, media
from probe4d.report.page import write_report

__all__ = ["chromium", "page", "report"]


@pytest.fixture(scope="session")
def report(tmp_path_factory: pytest.TempPathFactory) -> str:
    """Address of a report on `many_questions` with two runs: `before` gives constant answers, `after` hostile ones."""
    questions = many_questions()
    right = right_answers(questions)
    runs = {
        "before": ["A" if one.format == "choice" else "No" for one in questions],
        "after": [PAYLOADS[n % len(PAYLOADS)] if n % 5 == 0 else answer for n, answer in enumerate(right)],
    }
    path = write_report(diagnosed(runs, questions), tmp_path_factory.mktemp("report"), scenes=scenes(10))
    return path.as_uri()


@pytest.fixture
def page(chromium: webdriver.Chrome, report: str) -> webdriver.Chrome:
    """The report freshly opened, at desktop width, in light."""
    chromium.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})
    media(chromium, "light")
    chromium.get("about:blank")
    for log in ("browser", "performance"):
        chromium.get_log(log)
    chromium.get(report)
    return chromium
