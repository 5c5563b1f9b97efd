"""What a reader does with a page in Chromium, as steps of tests."""

from __future__ import annotations

from selenium import webdriver
from selenium.webdriver.common.by import By


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
