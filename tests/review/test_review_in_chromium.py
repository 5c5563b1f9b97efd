"""The review sheet as people have it, in headless Chromium: filled in, saved, applied; hostile texts stay text."""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from review_making import HOSTILE, SECRET, identity, review_benchmark
from selenium import webdriver
from selenium.webdriver.common.by import By

import probe4d
from chromium_steps import phone
from judge_making import run_on_disk
from probe4d.benchmarks.benchmark import Benchmark, read_benchmark
from probe4d.review.decisions import Proposal
from probe4d.runs.evidence_plan import evidence_named

pytestmark = [
    pytest.mark.browser,
    # Selenium leaves the sockets of its own driver process to the garbage collector.
    pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning"),
]

MODEL_ANSWER = f"The model says so. {HOSTILE}"
Saved = Callable[[], dict[str, Any]]


@pytest.fixture(scope="module")
def bench(tmp_path_factory: pytest.TempPathFactory) -> Benchmark:
    return review_benchmark(tmp_path_factory.mktemp("review") / "bench")


@pytest.fixture(scope="module")
def sheet(bench: Benchmark, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("sheet")
    said = [MODEL_ANSWER if kind == "text" else "A" for kind in bench.table["format"]]
    run = run_on_disk(bench, folder / "gpt", said)
    proposals = {identity(28): Proposal(verdict="inconsistent", reason="wrong-risk", text=f"It is safe. {HOSTILE}")}
    return probe4d.write_review_sheet(
        bench, folder / "sheet.html", answers=run, per_template=4, proposals=proposals
    ).path


@pytest.fixture(scope="module")
def ask(bench: Benchmark, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return probe4d.write_review_sheet(bench, tmp_path_factory.mktemp("ask") / "ask.html", mode="answer").path


@pytest.fixture
def saved(chromium: webdriver.Chrome, tmp_path: Path) -> Saved:
    """Press the button and give what was saved, with its path under `path`."""
    folder = tmp_path / "saved"
    folder.mkdir()
    chromium.execute_cdp_cmd("Browser.setDownloadBehavior", {"behavior": "allow", "downloadPath": str(folder)})

    def press() -> dict[str, Any]:
        for file in folder.iterdir():
            file.unlink()
        chromium.find_element(By.ID, "save").click()
        for _ in range(200):
            if files := [file for file in folder.iterdir() if file.suffix == ".json"]:
                return {**json.loads(files[0].read_text()), "path": files[0]}
            time.sleep(0.05)
        raise AssertionError("nothing was saved within ten seconds")

    return press


def opened(driver: webdriver.Chrome, page: Path, *, anew: bool = True) -> webdriver.Chrome:
    driver.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})
    driver.get(page.as_uri())
    if anew:
        driver.execute_script("localStorage.clear()")
        driver.get(page.as_uri())
    driver.execute_script("window.alert = () => { window.attacked = true; }")
    driver.get_log("browser")
    return driver


def press(driver: webdriver.Chrome, key: str) -> None:
    driver.find_element(By.ID, "list").send_keys(key)


def go_to(driver: webdriver.Chrome, place: int) -> None:
    """Select a question as a click does."""
    driver.execute_script(
        "const items = JSON.parse(document.getElementById('data').textContent).items;"
        "document.getElementById(`item-${items.findIndex((one) => one.id === arguments[0])}`).click();",
        identity(place),
    )


def field(driver: webdriver.Chrome, selector: str, text: str) -> None:
    found = driver.find_element(By.CSS_SELECTOR, selector)
    found.clear()
    found.send_keys(text)


def _data(page: Path) -> Any:
    start = '<script type="application/json" id="data">'
    return json.loads(page.read_text().split(start, 1)[1].split("</script>", 1)[0])


def asked(page: Path) -> list[str]:
    return _data(page)["decisions"]["asked"]  # type: ignore[no-any-return]


def test_a_sheet_is_filled_in_by_keys_saved_and_applied(
    chromium: webdriver.Chrome, bench: Benchmark, sheet: Path, saved: Saved, tmp_path: Path
) -> None:
    page = opened(chromium, sheet)
    field(page, "#reviewer", "Ada")
    for _ in range(4):  # SP-2, kept
        press(page, "y")
        press(page, "j")
    press(page, "n")  # SP-3, rejected; the reason has the focus
    page.switch_to.active_element.send_keys("the frames")
    page.find_element(By.CSS_SELECTOR, "#verdict textarea").send_keys("yes, no: keys are no commands here")
    first = next(place for place in range(24, 28) if identity(place) in asked(sheet))
    go_to(page, first)
    press(page, "y")
    field(page, "#score", "8")
    assert "Below 10 write the new reference" in page.find_element(By.CSS_SELECTOR, ".needed").text
    field(page, "#detail fieldset:nth-of-type(2) textarea", "It turns left.")
    assert page.find_element(By.CSS_SELECTOR, ".needed").text == ""
    go_to(page, 28)
    page.find_element(By.CSS_SELECTOR, "#proposal input[value='take']").click()
    found = saved()
    assert (found["reviewer"], found["mode"], found["benchmark"]) == ("Ada", "review", bench.fingerprint)
    rejected = found["items"][asked(sheet)[4]]
    assert (rejected["verdict"], rejected["reason"]) == ("reject", "not-in-frames")
    assert rejected["note"] == "yes, no: keys are no commands here"

    applied = probe4d.apply_review(bench, found["path"], tmp_path / "out")
    assert [one.name for one in applied.templates if one.is_removed] == ["SP-3"]
    answers = {one.id: one for one in read_benchmark(tmp_path / "out").questions}
    assert answers[identity(first)].answer == "It turns left."
    told = answers[identity(first)].facts["reference_review"]
    assert (told["source"], told["score"], told["answer_of"]) == ("corrected answer", 8, "gpt (made)")
    assert answers[identity(28)].answer == f"It is safe. {HOSTILE}"
    assert page.get_log("browser") == []

    opened(page, sheet, anew=False)  # the browser kept everything
    progress = f"7 of {len(asked(sheet))} decided"
    assert page.find_element(By.ID, "progress").text == progress
    again = saved()
    assert {name: again[name] for name in ("items", "templates", "reviewer")} == {
        name: found[name] for name in ("items", "templates", "reviewer")
    }
    page.execute_script("localStorage.clear()")
    opened(page, sheet)
    page.find_element(By.ID, "load").send_keys(str(again["path"]))
    for _ in range(100):
        if page.find_element(By.ID, "progress").text == progress:
            break
        time.sleep(0.05)
    assert page.find_element(By.ID, "reviewer").get_attribute("value") == "Ada"


def test_hostile_texts_stay_text(chromium: webdriver.Chrome, sheet: Path) -> None:
    page = opened(chromium, sheet)
    seen = ""
    for _ in asked(sheet):
        seen += page.find_element(By.ID, "detail").get_attribute("textContent") or ""
        press(page, "j")
    assert seen.count(HOSTILE) > 15
    assert MODEL_ANSWER in seen
    assert page.execute_script("return [window.attacked ?? null, document.querySelectorAll('img, iframe').length]") == [
        None,
        0,
    ]
    assert page.get_log("browser") == []


def test_a_file_of_another_sheet_is_not_taken(chromium: webdriver.Chrome, sheet: Path, tmp_path: Path) -> None:
    page = opened(chromium, sheet)
    for content, said in (('{"sheet": "other"}', "holds decisions on another sheet"), ("nothing", "no decisions")):
        file = tmp_path / "other.json"
        file.write_text(content)
        page.find_element(By.ID, "load").send_keys(str(file))
        for _ in range(100):
            if said in page.find_element(By.ID, "told").text:
                break
            time.sleep(0.05)
        assert said in page.find_element(By.ID, "told").text


def test_people_answer_without_seeing_references(
    chromium: webdriver.Chrome, bench: Benchmark, ask: Path, saved: Saved, tmp_path: Path
) -> None:
    assert SECRET not in ask.read_text()
    held = {name for item in _data(ask)["items"] for name in item}
    assert {"reference", "measured", "answer"}.isdisjoint(held)
    page = opened(chromium, ask)
    for key in ("b", "j", "a", "j"):
        press(page, key)
    page.find_element(By.CSS_SELECTOR, "#answer input[value='I cannot tell.']").click()
    field(page, "#reviewer", "Grace")
    run = probe4d.write_human_run(bench, saved()["path"], tmp_path / "human")
    order = asked(ask)[:3]
    assert dict(run.answers.select("question", "text").iter_rows()) == dict(
        zip(order, ("B", "A", "I cannot tell."), strict=True)
    )
    assert len(run.left_out) == bench.table.height - 3


def test_frames_are_turned_by_keys_and_fit_a_phone(
    chromium: webdriver.Chrome, built: Benchmark, scenes: probe4d.Scenes, tmp_path: Path
) -> None:
    written = probe4d.write_review_sheet(
        built, tmp_path / "seen.html", scenes=scenes, per_template=1, evidence=evidence_named("birds-eye")
    )
    assert written.pictures > 5
    assert written.unpictured == {}
    page = opened(chromium, written.path)
    while len(page.find_elements(By.CSS_SELECTOR, ".strip button")) < 2:
        press(page, "j")
    shown = [page.find_element(By.CSS_SELECTOR, "img.large").get_attribute("alt")]
    for key in ("[", "]", "["):
        press(page, key)
        shown.append(page.find_element(By.CSS_SELECTOR, "img.large").get_attribute("alt"))
    assert shown[0] == shown[2] != shown[1] == shown[3]
    assert page.execute_script("return document.querySelector('img.large').naturalWidth") > 200
    phone(page)
    assert page.execute_script("return document.documentElement.scrollWidth") <= 390
    assert page.get_log("browser") == []


def test_pictures_are_compressed_until_they_fit_and_missing_ones_are_told(
    built: Benchmark, scenes: probe4d.Scenes, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("probe4d.review.pictures.BYTES", 60_000)
    written = probe4d.write_review_sheet(
        built, tmp_path / "small.html", scenes=scenes, per_template=1, evidence=evidence_named("birds-eye")
    )
    held = _data(written.path)["pictures"]
    assert 0 < sum(map(len, held)) <= 60_000
    assert len(held) == written.pictures == len(set(held))
    without_cameras = probe4d.write_review_sheet(built, tmp_path / "unseen.html", scenes=scenes, per_template=1)
    assert without_cameras.pictures == 0
    assert len(without_cameras.unpictured) == without_cameras.questions
    assert all(item["problem"] for item in _data(without_cameras.path)["items"])
