"""A headless Chromium, and what a reader does with a page in it, as steps of tests."""

from __future__ import annotations

import shutil
from collections.abc import Iterator

import pytest
from selenium import webdriver
from selenium.webdriver.chrome.service import Service
from selenium.webdriver.common.by import By

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


def media(driver: webdriver.Chrome, scheme: str) -> None:
    """Let the reader prefer a colour scheme."""
    features = [{"name": "prefers-color-scheme", "value": scheme}]
    driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": features})


def phone(driver: webdriver.Chrome) -> None:
    """Show the page on a phone of 390 pixels."""
    metrics = {"width": 390, "height": 844, "deviceScaleFactor": 2, "mobile": True}
    driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", metrics)


def choose(driver: webdriver.Chrome, name: str, value: str) -> None:
    """Choose an option of a filter by its value, as a reader does."""
    driver.find_element(By.CSS_SELECTOR, f"#{name} option[value='{value}']").click()


def count(driver: webdriver.Chrome) -> int:
    """How many questions pass the filters, as the page says."""
    return int(driver.find_element(By.ID, "count").text.split()[0].replace(",", ""))
