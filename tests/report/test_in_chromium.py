"""The page as a reader has it, in headless Chromium: opened from disk, without a request, by keyboard, on a phone."""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import msgspec
import polars as pl
import pytest
from report_making import benchmark, diagnosed, many_questions, question, right_answers, run, scenes
from selenium import webdriver
from selenium.webdriver.chrome.service import Service
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys
from test_page import PAYLOADS

from probe4d.diagnosis.diagnose import diagnose
from probe4d.report.drawing import picture_svg
from probe4d.report.page import write_report
from probe4d.report.picture import Pictures
from probe4d.runs.evidence_plan import evidence_named
from probe4d.runs.run import Run

pytestmark = [
    pytest.mark.browser,
    # Selenium leaves the sockets of its own driver process to the garbage collector.
    pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning"),
]

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
QUESTIONS = many_questions()
SVG = "{http://www.w3.org/2000/svg}"
Shape = tuple[str, str | None, tuple[float, ...]]


@pytest.fixture(scope="module")
def report(tmp_path_factory: pytest.TempPathFactory) -> str:
    right = right_answers(QUESTIONS)
    runs = {
        "before": ["A" if one.format == "choice" else "No" for one in QUESTIONS],
        "after": [PAYLOADS[n % len(PAYLOADS)] if n % 5 == 0 else answer for n, answer in enumerate(right)],
    }
    path = write_report(diagnosed(runs, QUESTIONS), tmp_path_factory.mktemp("report"), scenes=scenes(10))
    return path.as_uri()


@pytest.fixture(scope="module")
def chromium(tmp_path_factory: pytest.TempPathFactory) -> Iterator[webdriver.Chrome]:
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
    _media(chromium, "light")
    chromium.get("about:blank")
    for log in ("browser", "performance"):
        chromium.get_log(log)
    chromium.get(report)
    return chromium


def _media(driver: webdriver.Chrome, scheme: str) -> None:
    features = [{"name": "prefers-color-scheme", "value": scheme}]
    driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": features})


def _phone(driver: webdriver.Chrome) -> None:
    metrics = {"width": 390, "height": 844, "deviceScaleFactor": 2, "mobile": True}
    driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", metrics)


def _choose(driver: webdriver.Chrome, name: str, value: str) -> None:
    """Choose an option of a filter by its value, as a reader does."""
    driver.find_element(By.CSS_SELECTOR, f"#{name} option[value='{value}']").click()


def _count(driver: webdriver.Chrome) -> int:
    return int(driver.find_element(By.ID, "count").text.split()[0].replace(",", ""))


def _requests(driver: webdriver.Chrome) -> list[str]:
    events = [json.loads(entry["message"])["message"] for entry in driver.get_log("performance")]
    sent = [event["params"]["request"]["url"] for event in events if event["method"] == "Network.requestWillBeSent"]
    return [url for url in sent if not url.startswith("data:")]


def _visit_all(driver: webdriver.Chrome) -> int:
    """Press j until the end and return how many questions were shown on the way."""
    return driver.execute_script(  # type: ignore[no-any-return]
        "const list = document.getElementById('list'), seen = new Set();"
        "for (let n = 0; n < arguments[0]; n += 1) {"
        "  seen.add(document.querySelector('#detail .meta').textContent);"
        "  list.dispatchEvent(new KeyboardEvent('keydown', { key: 'j', bubbles: true }));"
        "}"
        "return seen.size;",
        len(QUESTIONS),
    )


def test_opens_without_console_error_or_request(page: webdriver.Chrome, report: str) -> None:
    assert _visit_all(page) == len(QUESTIONS)
    assert page.get_log("browser") == []
    assert _requests(page) == [report]
    assert _count(page) == len(QUESTIONS)


def test_charts_print_values_that_do_not_collide(page: webdriver.Chrome) -> None:
    _phone(page)
    for details in page.find_elements(By.CSS_SELECTOR, "details"):
        page.execute_script("arguments[0].open = true", details)
    texts, colliding = page.execute_script(
        "const texts = [], colliding = [];"
        "for (const chart of document.querySelectorAll('svg.chart')) {"
        "  const drawn = [...chart.querySelectorAll('text')].filter((one) => one.textContent.trim());"
        "  texts.push(...drawn.map((one) => one.textContent));"
        "  const boxes = drawn.map((one) => one.getBoundingClientRect());"
        "  boxes.forEach((a, i) => boxes.slice(i + 1).forEach((b, j) => {"
        "    const apart = a.right <= b.left || b.right <= a.left || a.bottom <= b.top + 3 || b.bottom <= a.top + 3;"
        "    if (!apart) colliding.push(`${drawn[i].textContent} | ${drawn[i + 1 + j].textContent}`);"
        "  }));"
        "}"
        "return [texts, colliding];"
    )
    assert len(texts) > 50
    assert not [text for text in texts if re.search(r"undefined|NaN|null", text)]
    assert colliding == []


def test_hostile_replies_stay_text(page: webdriver.Chrome) -> None:
    page.execute_script("window.alert = () => { window.attacked = true; }")
    shown: set[str] = set()
    for number in range(0, len(QUESTIONS), 5):
        page.execute_script(f"location.hash = '#q={QUESTIONS[number].id}'")
        cell = page.find_element(By.CSS_SELECTOR, "#detail tr:nth-child(2) td.reply")
        assert not cell.find_elements(By.CSS_SELECTOR, "*")
        shown.add(cell.get_property("textContent"))
    assert PAYLOADS[0] in shown
    assert PAYLOADS[1] in shown
    assert not page.execute_script("return window.attacked === true")
    assert page.get_log("browser") == []


@pytest.mark.parametrize("family", ["existence", "motion yes-no", "temporal"])
def test_family_filter(page: webdriver.Chrome, family: str) -> None:
    _choose(page, "family", family)
    wanted = [one for one in QUESTIONS if family in (one.family, f"{one.family} {one.format}")]
    assert _count(page) == len(wanted)


def test_filters_work_together_and_can_be_cleared(page: webdriver.Chrome) -> None:
    _choose(page, "scene", "scene-0003")
    of_scene = [one for one in QUESTIONS if one.scene == "scene-0003"]
    assert _count(page) == len(of_scene)
    page.find_element(By.ID, "search").send_keys("ego vehicle still")
    assert _count(page) == sum(one.family == "temporal" for one in of_scene)
    page.find_element(By.CSS_SELECTOR, "button[type=reset]").click()
    _until(page, lambda: _count(page) == len(QUESTIONS))


def test_relation_filter(page: webdriver.Chrome) -> None:
    _choose(page, "relation", "closer")
    assert _count(page) == sum(one.relation == "closer" for one in QUESTIONS)


def test_outcomes_are_those_of_the_run_chosen(page: webdriver.Chrome) -> None:
    wrong = sum(one.answer != ("A" if one.format == "choice" else "No") for one in QUESTIONS)
    _choose(page, "outcome", "wrong")
    assert _count(page) == wrong
    _choose(page, "outcome", "right")
    assert _count(page) == len(QUESTIONS) - wrong
    _choose(page, "run", "1")
    right = _count(page)
    _choose(page, "outcome", "wrong")
    wrong_after = _count(page)
    _choose(page, "outcome", "invalid")
    assert _count(page) > 0
    assert right + wrong_after + _count(page) == len(QUESTIONS)


def test_changes_can_be_found(page: webdriver.Chrome) -> None:
    _choose(page, "change", "0 repaired")
    repaired = _count(page)
    first = page.find_element(By.CSS_SELECTOR, "#detail table.answers").text
    assert repaired > 0
    assert "right, repaired" in first
    _choose(page, "change", "0 regressed")
    assert _count(page) < repaired


def test_no_match_is_said(page: webdriver.Chrome) -> None:
    page.find_element(By.ID, "search").send_keys("no such words")
    assert _count(page) == 0
    assert "No question here passes all filters" in page.find_element(By.ID, "detail").text


def test_a_picture_shows(page: webdriver.Chrome) -> None:
    _choose(page, "family", "motion")
    panels = page.find_elements(By.CSS_SELECTOR, "#detail svg.panel")
    assert len(panels) == 2
    for panel in panels:
        assert panel.size["width"] > 250
        assert panel.find_elements(By.CSS_SELECTOR, "path.box.target")
        assert panel.find_elements(By.CSS_SELECTOR, "path.track")
        assert len(panel.find_elements(By.CSS_SELECTOR, "rect.faint")) == 3
    assert [label.text for label in page.find_elements(By.CSS_SELECTOR, "#detail svg text.target")] == [
        "car 16.5 m",
        "car 4.0 m",
    ]
    box = panels[0].find_element(By.CSS_SELECTOR, "path.box.target")
    assert box.value_of_css_property("stroke") != "none"


def _shapes_of_svg(svg: str) -> list[list[Shape]]:
    """Class, path and transform of the paths and boxes of each panel of a stand-alone picture."""
    panels = [node for node in ElementTree.fromstring(svg).iter(f"{SVG}svg") if node.get("class") == "panel"]
    return [
        [
            (str(node.get("class")), node.get("d"), _numbers(node.get("transform")))
            for node in panel.iter()
            if node.tag in (f"{SVG}path", f"{SVG}rect") and node.get("class")
        ]
        for panel in panels
    ]


def _numbers(transform: str | None) -> tuple[float, ...]:
    return tuple(round(float(number), 6) for number in re.findall(r"-?[\d.]+(?:e-?\d+)?", transform or ""))


@pytest.mark.parametrize("template", sorted({one.template for one in QUESTIONS}))
def test_the_page_draws_what_the_file_draws(page: webdriver.Chrome, report: str, template: str) -> None:
    asked = next(one for one in QUESTIONS if one.template == template)
    page.get("about:blank")
    page.get(f"{report}#q={asked.id}")
    drawn = page.execute_script(
        "return [...document.querySelectorAll('#detail svg.panel')].map((panel) =>"
        " [...panel.querySelectorAll('path, rect')].map((node) =>"
        "  ['class', 'd', 'transform'].map((name) => node.getAttribute(name))));"
    )
    svg = picture_svg(asked, Pictures(scenes(10), [asked.scene]))
    assert svg is not None
    expected = _shapes_of_svg(svg)
    assert sum(map(len, expected)) > 5
    assert [[(kind, d, _numbers(transform)) for kind, d, transform in panel] for panel in drawn] == expected


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


def test_dark_follows_the_reader(page: webdriver.Chrome) -> None:
    def colours() -> dict[str, str]:
        names: dict[str, tuple[str, str]] = {
            "page": ("body", "background-color"),
            "text": ("body", "color"),
            "card": ("section", "background-color"),
            "chart": ("svg.chart text", "fill"),
            "panel": ("svg.panel", "background-color"),
        }
        return {
            name: page.find_element(By.CSS_SELECTOR, selector).value_of_css_property(key)
            for name, (selector, key) in names.items()
        }

    light = colours()
    _media(page, "dark")
    dark = colours()
    assert all(light[name] != dark[name] for name in light)
    assert _luminance(light["page"]) > 0.8 > 0.2 > _luminance(dark["page"])
    for scheme in (light, dark):
        assert _contrast(scheme["text"], scheme["card"]) >= 7
        assert _contrast(scheme["chart"], scheme["card"]) >= 4.5


@pytest.mark.parametrize("opened", [False, True])
def test_a_phone_needs_no_sideways_scrolling(page: webdriver.Chrome, opened: bool) -> None:
    _phone(page)
    _choose(page, "family", "motion")
    if opened:
        page.execute_script("for (const part of document.querySelectorAll('details')) part.open = true")
    assert page.execute_script("return document.documentElement.scrollWidth") <= 390
    beyond = page.execute_script(
        "return [...document.querySelectorAll('section, figure, svg, select, input, #list, #detail, .wide')]"
        ".filter((one) => one.getBoundingClientRect().right > 390.5).map((one) => one.outerHTML.slice(0, 80))"
    )
    inside_tables = [one for one in beyond if not one.startswith(("<td", "<th", "<table"))]
    assert inside_tables == []


def _selected(driver: webdriver.Chrome) -> int:
    return int(driver.find_element(By.CSS_SELECTOR, "#list [aria-selected=true]").get_attribute("id").split("-")[1])


def _until(driver: webdriver.Chrome, true: Callable[[], Any]) -> None:
    from selenium.webdriver.support.ui import WebDriverWait

    WebDriverWait(driver, 10).until(lambda _: true())


def _luminance(colour: str) -> float:
    """Relative luminance of `rgb(…)` (WCAG 2.2)."""
    parts = [float(part) / 255 for part in colour[colour.index("(") + 1 : -1].split(",")[:3]]
    linear = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def _contrast(one: str, other: str) -> float:
    """Contrast ratio of two colours (WCAG 2.2)."""
    light, dark = sorted((_luminance(one), _luminance(other)), reverse=True)
    return (light + 0.05) / (dark + 0.05)
