"""The page as a reader has it, in headless Chromium: opened from disk, without a request, in the dark, on a phone."""

from __future__ import annotations

import json
import re
from xml.etree import ElementTree

import pytest
from report_making import PAYLOADS, many_questions, scenes
from selenium import webdriver
from selenium.webdriver.common.by import By

from chromium_steps import choose, count, media, phone
from probe4d.report.drawing import picture_svg
from probe4d.report.picture import Pictures

pytestmark = [
    pytest.mark.browser,
    # Selenium leaves the sockets of its own driver process to the garbage collector.
    pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning"),
]

QUESTIONS = many_questions()
SVG = "{http://www.w3.org/2000/svg}"
Shape = tuple[str, str | None, tuple[float, ...]]


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
    assert count(page) == len(QUESTIONS)


def test_charts_print_values_that_do_not_collide(page: webdriver.Chrome) -> None:
    phone(page)
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


def test_a_picture_shows(page: webdriver.Chrome) -> None:
    choose(page, "family", "motion")
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
    media(page, "dark")
    dark = colours()
    assert all(light[name] != dark[name] for name in light)
    assert _luminance(light["page"]) > 0.8 > 0.2 > _luminance(dark["page"])
    for scheme in (light, dark):
        assert _contrast(scheme["text"], scheme["card"]) >= 7
        assert _contrast(scheme["chart"], scheme["card"]) >= 4.5


@pytest.mark.parametrize("opened", [False, True])
def test_a_phone_needs_no_sideways_scrolling(page: webdriver.Chrome, opened: bool) -> None:
    phone(page)
    choose(page, "family", "motion")
    if opened:
        page.execute_script("for (const part of document.querySelectorAll('details')) part.open = true")
    assert page.execute_script("return document.documentElement.scrollWidth") <= 390
    beyond = page.execute_script(
        "return [...document.querySelectorAll('section, figure, svg, select, input, #list, #detail, .wide')]"
        ".filter((one) => one.getBoundingClientRect().right > 390.5).map((one) => one.outerHTML.slice(0, 80))"
    )
    inside_tables = [one for one in beyond if not one.startswith(("<td", "<th", "<table"))]
    assert inside_tables == []


def _luminance(colour: str) -> float:
    """Relative luminance of `rgb(…)` (WCAG 2.2)."""
    parts = [float(part) / 255 for part in colour[colour.index("(") + 1 : -1].split(",")[:3]]
    linear = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def _contrast(one: str, other: str) -> float:
    """Contrast ratio of two colours (WCAG 2.2)."""
    light, dark = sorted((_luminance(one), _luminance(other)), reverse=True)
    return (light + 0.05) / (dark + 0.05)
