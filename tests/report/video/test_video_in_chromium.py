"""An MP4 plays in a browser, in the colours that were drawn."""

from __future__ import annotations

from io import BytesIO
from pathlib import Path

import numpy as np
import pytest
from PIL import Image
from selenium import webdriver
from selenium.webdriver.common.by import By
from selenium.webdriver.support.wait import WebDriverWait

from picture_making import SCENE
from probe4d.report.video.options import VideoOptions
from probe4d.report.video.render import render_video
from video_making import drawn, filmed

SIZE = (640, 360)
PAGE = (
    f'<body style="margin:0"><video muted preload="auto" width="{SIZE[0]}" height="{SIZE[1]}" src="video.mp4"></video>'
)


@pytest.mark.browser
def test_an_mp4_plays_in_the_colours_that_were_drawn(chromium: webdriver.Chrome, tmp_path: Path) -> None:
    scenes = filmed(tmp_path / "data")
    options = VideoOptions(view="cameras", size_px=SIZE, fps=2)
    for name in ("video.mp4", "drawn"):
        render_video(scenes, SCENE, tmp_path / name, options)
    (tmp_path / "page.html").write_text(PAGE)
    chromium.get((tmp_path / "page.html").as_uri())
    video = chromium.find_element(By.TAG_NAME, "video")
    WebDriverWait(chromium, 30).until(
        lambda driver: driver.execute_script("return arguments[0].readyState > 3 || arguments[0].error", video)
    )
    assert chromium.execute_script("return arguments[0].error", video) is None
    assert chromium.execute_script("return [arguments[0].videoWidth, arguments[0].videoHeight]", video) == [*SIZE]
    assert chromium.execute_script("return arguments[0].duration", video) == pytest.approx(2.0, abs=0.01)
    chromium.execute_script("arguments[0].currentTime = 1.25", video)
    WebDriverWait(chromium, 30).until(lambda driver: not driver.execute_script("return arguments[0].seeking", video))
    chromium.execute_async_script("requestAnimationFrame(() => requestAnimationFrame(arguments[0]))")
    shown = np.array(Image.open(BytesIO(video.screenshot_as_png)).convert("RGB"))
    difference = np.abs(shown.astype(int) - drawn(tmp_path / "drawn")[2])
    assert difference.mean() < 4
    assert np.percentile(difference, 90) < 12, "of a matrix of other colours all of an image would be off"
