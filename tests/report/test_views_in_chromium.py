"""Camera pictures as a reader has them, in headless Chromium: image, outlines, words, and what stands in."""

from __future__ import annotations

import io

import pytest
from PIL import Image
from report_making import PAYLOADS
from selenium import webdriver
from selenium.webdriver.common.by import By
from view_making import GREEN, view_question, view_scenes

import making
from chromium_steps import choose, count, phone
from probe4d.benchmarks.question import Question
from probe4d.diagnosis.diagnose import diagnose
from probe4d.report import browser
from probe4d.report.camera_panels import CameraPanels
from probe4d.report.page import write_report

pytestmark = [
    pytest.mark.browser,
    # Selenium leaves the sockets of its own driver process to the garbage collector.
    pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning"),
]

PAIR, OPTIONS, WITHOUT, BEYOND, NUMBER, EDGE = (
    view_question(["car", "truck"], order=0),
    view_question(["car"], ["truck", "bus"], answer="B", facts={"distances_m": [11.7, 9.5]}, order=1),
    view_question(["car"], frame=1, order=2),
    view_question(["car"], frame=2, template="shorter-in-length", relation="shorter-in-length", order=3),
    view_question(
        ["car"],
        family="direct-reasoning",
        template="length",
        format="number",
        answer="2.00",
        facts={"length_m": 2.0, "unit": "metres"},
        order=4,
    ),
    view_question(["edge", "truck"], words={"edge": "the long white trailer"}, question="At the border?", order=5),
)
HOSTILE = [
    view_question(["car"], words={"car": text}, question=f"Payload {n}?", template="left", order=6 + n)
    for n, text in enumerate(PAYLOADS)
]


@pytest.fixture(scope="module")
def address(tmp_path_factory: pytest.TempPathFactory) -> str:
    """A report that embeds the image of frame 0; that of frame 1 is missing, that of frame 2 one too many."""
    root = tmp_path_factory.mktemp("views")
    questions = [PAIR, OPTIONS, WITHOUT, BEYOND, NUMBER, EDGE, *HOSTILE]
    benchmark = making.benchmark_of(questions)
    run = making.run_of("model", benchmark, [{"question": one.id, "text": one.answer} for one in questions])
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(browser, "MOST_PHOTOGRAPHS", 1)
        patch.setattr(browser, "in_turn", lambda *_: [f"scene-a|{frame}|CAM_FRONT" for frame in (1, 0, 2)])
        scenes = view_scenes(root, frames=3, images=[0, 2])
        return write_report(diagnose(benchmark, [run]), root / "report", scenes=scenes).as_uri()


@pytest.fixture
def views(chromium: webdriver.Chrome, address: str) -> webdriver.Chrome:
    chromium.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})
    chromium.get("about:blank")
    chromium.get_log("browser")
    chromium.get(address)
    return chromium


def shown(driver: webdriver.Chrome, question: Question) -> str:
    """Follow the address of a question; the text of its details."""
    driver.execute_script("location.hash = arguments[0]", f"q={question.id}")
    driver.execute_async_script("requestAnimationFrame(() => requestAnimationFrame(arguments[0]))")
    return driver.find_element(By.ID, "detail").text


def test_the_image_lies_below_the_outlines(views: webdriver.Chrome) -> None:
    shown(views, PAIR)
    panel = views.find_element(By.CSS_SELECTOR, "#detail svg.camera")
    pixels = Image.open(io.BytesIO(panel.screenshot_as_png)).convert("RGB")
    assert pixels.getpixel((pixels.width // 5, pixels.height // 5)) == pytest.approx(GREEN, abs=4)
    width, height = views.execute_script(
        "const box = document.querySelector('#detail svg.camera image').getBoundingClientRect();"
        "return [box.width, box.height];"
    )
    assert width / height == pytest.approx(16 / 9, rel=0.01)
    assert width > 500
    colours = {colour for _, colour in pixels.getcolors(1 << 24) or []}
    assert any(blue > 200 and red < 140 for red, _, blue in colours), "no outline is drawn"
    assert len(views.find_elements(By.CSS_SELECTOR, "#detail svg.panel")) == 2


@pytest.mark.parametrize("is_phone", [False, True])
@pytest.mark.parametrize("asked", [PAIR, OPTIONS, EDGE])
def test_words_are_those_of_the_panel_and_stay_inside(views: webdriver.Chrome, asked: Question, is_phone: bool) -> None:
    if is_phone:
        phone(views)
    shown(views, asked)
    panel = CameraPanels(view_scenes(), [asked]).panel(asked)
    assert panel is not None
    words, outside = views.execute_script(
        "const panel = document.querySelector('#detail svg.camera'), box = panel.getBoundingClientRect();"
        "const texts = [...panel.querySelectorAll('text')];"
        "const beyond = (one) => { const at = one.getBoundingClientRect();"
        "  return at.left < box.left || at.right > box.right || at.top < box.top || at.bottom > box.bottom; };"
        "return [texts.map((one) => one.textContent), texts.filter(beyond).map((one) => one.textContent)];"
    )
    assert words == [label.text for label in panel.labels]
    assert outside == []


def test_the_right_option_is_told_by_its_colour(views: webdriver.Chrome) -> None:
    shown(views, OPTIONS)
    right, wrong = (
        views.find_element(By.CSS_SELECTOR, f"#detail svg.camera .box.{kind}").value_of_css_property("stroke")
        for kind in ("right", "option")
    )
    assert right != wrong


def test_a_missing_file_is_told_in_place_of_the_image(views: webdriver.Chrome) -> None:
    assert "The image samples/CAM_FRONT/scene-a-1.png is not there." in shown(views, WITHOUT)
    assert views.find_elements(By.CSS_SELECTOR, "#detail svg.camera .box.target")
    assert not views.find_elements(By.CSS_SELECTOR, "#detail image")


def test_an_image_too_many_can_be_had_by_a_command(views: webdriver.Chrome) -> None:
    assert f"probe4d show BENCH {BEYOND.id} --data DATAROOT" in shown(views, BEYOND)
    assert not views.find_elements(By.CSS_SELECTOR, "#detail image")


def test_a_number_has_its_unit_and_the_answers_of_those_who_were_asked(views: webdriver.Chrome) -> None:
    assert "2.00 metres (reference)" in shown(views, NUMBER).replace("  ", " ")
    rows = [row.text.split() for row in views.find_elements(By.CSS_SELECTOR, "#detail table.answers tbody tr")]
    assert rows[0] == ["model", "2.0", "metres", "✓", "right", "2.00"]
    assert [row[0] for row in rows] == ["model", "control:fixed", "control:median"]


def test_questions_with_an_image_and_of_a_template_can_be_found(views: webdriver.Chrome) -> None:
    choose(views, "image", "here")
    assert count(views) == len([PAIR, OPTIONS, NUMBER, EDGE, *HOSTILE])
    choose(views, "template", "length")
    assert count(views) == 1
    choose(views, "image", "")
    choose(views, "template", "shorter-in-length")
    assert count(views) == 1
    assert [option.text for option in views.find_elements(By.CSS_SELECTOR, "#relation option")] == [
        "all",
        "shorter in length",
    ]


def test_words_of_data_are_no_markup(views: webdriver.Chrome) -> None:
    for asked in HOSTILE:
        shown(views, asked)
    assert views.get_log("browser") == []
    assert not views.find_elements(By.CSS_SELECTOR, "#detail img, #detail script, #detail iframe")


def test_a_phone_needs_no_sideways_scrolling_and_words_can_be_read(views: webdriver.Chrome) -> None:
    phone(views)
    shown(views, OPTIONS)
    assert views.execute_script("return document.documentElement.scrollWidth") <= 390
    height = views.execute_script(
        "return document.querySelector('#detail svg.camera text').getBoundingClientRect().height"
    )
    assert height >= 9
