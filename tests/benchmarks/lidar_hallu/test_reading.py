from __future__ import annotations

import pytest

from probe4d.benchmarks.annotated_sector import AnnotatedSector
from probe4d.benchmarks.lidar_hallu.reading import about_frames, read_interval, read_stem
from probe4d.benchmarks.lidar_hallu.templates import full_text, within


def test_reads_stems_back() -> None:
    confined = "Consider only objects whose center has a bearing between -45 and 45.5 degrees from it (x). "
    asked = read_stem("position-yes-no", f"{confined}In frame 004, is the nearest traffic cone at the back-left "
                      "position relative to the ego vehicle?")  # fmt: skip
    assert asked is not None
    assert (asked.frames, asked.label, asked.relation) == ((4,), "traffic cone", "back-left")
    assert asked.annotated_deg == (-45.0, 45.5)
    event = read_stem("temporal-choice", "During which frames is there a bus within 20 meters of the ego vehicle?")
    assert event is not None
    assert (event.event, event.label, event.detail) == ("class-near", "bus", "20")
    told = read_stem("temporal-choice", "When does the car in frame 003 turn?")
    assert told is not None
    assert told.event is None
    assert read_stem("distance-choice", "Which class is closest?") is None
    assert read_interval("from frame 003 to frame 011") == (3, 11)
    for wrong in ("from frame 11 to frame 3", "frames 3 to 11", "from frame 003 to frame 011."):
        with pytest.raises(ValueError, match="the option"):
            read_interval(wrong)


@pytest.mark.parametrize("annotated", ["-45:45.5", "-180:180", "135:-135", "-0.0001:20.1234567"])
def test_reads_back_the_range_that_templates_word(annotated: str) -> None:
    sector = AnnotatedSector.parse(annotated)
    stem = within(sector, "In frame 004, which object class is closest to the ego vehicle?")
    asked = read_stem("distance-choice", stem)
    assert asked is not None
    assert (asked.frames, asked.annotated_deg) == ((4,), tuple(sector))
    options = ("car", "bus", "truck", "barrier")
    assert about_frames(stem, options) == full_text(stem.split("). ")[1], options)
