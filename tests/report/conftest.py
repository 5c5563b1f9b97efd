"""A report and Chromium, in which the tests of the page open it."""

from __future__ import annotations

import shutil
from collections.abc import Iterator

import pytest
from chromium_steps import media
from report_making import PAYLOADS, diagnosed, many_questions, right_answers, scenes
from selenium import webdriver
from selenium.webdriver.chrome.service import Service

from probe4d.report.page import write_report

CHROMIUM, DRIVER = shutil.which("chromium"), shutil.which("chromedriver")
FLAGS = (
    "--headless=new",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--window-size=1280,1000",
)


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


@pytest.fixture(scope="module")
def chromium(tmp_path_factory: pytest.TempPathFactory) -> Iterator[webdriver.Chrome]:
    """Chromium, anew for each module: what it leaves to the garbage collector is to be found by no other test."""
    if CHROMIUM is None or DRIVER is None:
        pytest.skip("chromium or chromedriver is not installed; run `make system`")
    options = webdriver.ChromeOptions()
    options.binary_location = CHROMIUM
    for flag in (*FLAGS, f"--user-data-dir={tmp_path_factory.mktemp('chromium')}"):
        options.add_argument(flag)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
    driver = webdriver.Chrome(options=options, service=Service(DRIVER))
    yield driver
    driver.quit()


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
