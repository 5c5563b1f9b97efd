"""Crops to caption, and a captioning in a process that can be killed."""

from __future__ import annotations

import os
from pathlib import Path

import polars as pl
from PIL import Image

from probe4d.models.course import Course
from probe4d.runs.captioning import Captioned, Captioner, write_captions_of

__all__ = ["MODEL", "caption", "crops_in"]

MODEL = "openai-api/fake/model"


def crops_in(root: Path, categories: list[str]) -> pl.DataFrame:
    """A crop for each category, whose track is its place; images are made beside."""
    root.mkdir(parents=True, exist_ok=True)
    for number, name in enumerate(("front.jpg", "back.jpg")):
        Image.new("RGB", (64, 48), (40 + 100 * number, 80, 120)).save(root / name)
    count = len(categories)
    return pl.DataFrame(
        {
            "track": [f"track-{n:03d}" for n in range(count)],
            "category": categories,
            "file": [("front.jpg", "back.jpg")[n % 2] for n in range(count)],
            "left_px": [n % 30 for n in range(count)],
            "top_px": [4] * count,
            "right_px": [n % 30 + 20 for n in range(count)],
            "bottom_px": [40] * count,
        }
    )


def caption(root: Path, categories: list[str], out: Path, base_url: str, max_connections: int = 4) -> Captioned:
    """Caption such crops at a scripted server."""
    os.environ["FAKE_API_KEY"] = "fake-key-that-no-file-may-hold"
    captioner = Captioner(name=MODEL, base_url=base_url)
    course = Course(max_connections=max_connections, max_retries=1, timeout_s=20)
    return write_captions_of(crops_in(root, categories), root, out, captioner, course=course)
