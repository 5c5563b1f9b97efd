from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from probe4d.models.lidar_lm.conversation import PLACEHOLDER
from probe4d.models.lidar_lm.layouts import laid_out

TEXT = "At the referenced frame, frame 003, the ego vehicle is moving slowly forward relative to the previous frame."
QUESTION = 'Is there a car in frame 003?\nOnly answer with "No" or "Yes".'


@pytest.mark.parametrize(
    ("layout", "ego_text", "expected"),
    [
        ("hallu", None, f"<video>\n{QUESTION}"),
        ("hallu", TEXT, f"<video>\n<4DLiDAR>\n<meta>\n{TEXT}\n{QUESTION}"),
        ("paper", None, f"<4DLiDAR>\n<video>\n{QUESTION}"),
        ("paper", TEXT, f"<4DLiDAR>\n<meta>\n{TEXT}\n<video>\n{QUESTION}"),
    ],
)
def test_a_layout_puts_each_part_in_its_line(layout: str, ego_text: str | None, expected: str) -> None:
    assert PLACEHOLDER.join(laid_out(layout, QUESTION, ego_text)) == expected


@given(st.sampled_from(["hallu", "paper"]), st.text(), st.none() | st.text())
def test_no_text_makes_a_second_place_for_features(layout: str, question: str, ego_text: str | None) -> None:
    chunks = laid_out(layout, f"{question}{PLACEHOLDER}", None if ego_text is None else f"{PLACEHOLDER}{ego_text}")
    assert len(chunks) == 2
    assert chunks[1].endswith(f"\n{question}{PLACEHOLDER}")
