from __future__ import annotations

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from numpy.typing import NDArray
from PIL import Image

from probe4d.evidence.outlines import COLOURS, Colour, Outline, draw_outlines

WIDTH, HEIGHT = 640, 360
GROUND = (90, 90, 90)
YELLOW, CYAN, PINK = COLOURS[:3]

places = st.tuples(st.integers(-50, WIDTH), st.integers(-50, HEIGHT), st.integers(1, WIDTH), st.integers(1, HEIGHT))


def drawn(*outlines: Outline, ground: Colour = GROUND) -> NDArray[np.uint8]:
    image = Image.new("RGB", (WIDTH, HEIGHT), ground)
    draw_outlines(image, outlines)
    return np.asarray(image)


def where(pixels: NDArray[np.uint8], colour: Colour) -> NDArray[np.bool_]:
    return (pixels == colour).all(axis=-1)


def tag_of(outline: Outline, *others: Outline) -> NDArray[np.bool_]:
    """What its text adds to a picture, found by leaving it out; it is drawn above the others and their tags."""
    return (drawn(*others, outline) != drawn(*others, outline._replace(text=""))).any(axis=-1)


def test_a_box_is_drawn_around_what_is_in_it() -> None:
    pixels = drawn(Outline(200, 100, 300, 180, "A", YELLOW))
    assert (pixels[101:180, 201:300] == GROUND).all()
    around = where(pixels, YELLOW)
    assert around[140, [199, 301]].all()
    assert around[[99, 181], 250].all()


@pytest.mark.parametrize("ground", [(0, 0, 0), (255, 255, 255), YELLOW, GROUND])
def test_a_box_stands_out_from_any_ground(ground: Colour) -> None:
    across = drawn(Outline(200, 100, 300, 180, "", YELLOW), ground=ground)[140, 190:200].astype(int)
    assert np.abs(np.diff(across.sum(axis=1))).max() > 300, "from one pixel to the next it is lighter or darker by far"


@given(st.lists(places, min_size=1, max_size=5))
@example([(0, 0, WIDTH, HEIGHT)])
@example([(-50, -50, 10, 10)])
def test_tags_and_outlines_are_whole_and_inside_the_image(several: list[tuple[int, int, int, int]]) -> None:
    """The outline and the tag that come last have all sides and full size, wherever they and others lie."""
    alone = int(where(drawn(Outline(300, 150, 340, 190, "M", PINK)), PINK).sum())
    without = int(where(drawn(Outline(300, 150, 340, 190, "", PINK)), PINK).sum())
    *others, last = (Outline(x, y, x + w, y + h, "M", CYAN) for x, y, w, h in several)
    last = last._replace(colour=PINK)
    bare = where(drawn(*(other._replace(text="") for other in others), last._replace(text="")), PINK)
    assert bare.any(axis=0).sum() >= 2
    assert bare.any(axis=1).sum() >= 2
    tag = tag_of(last, *others)
    rows, columns = np.flatnonzero(tag.any(axis=1)), np.flatnonzero(tag.any(axis=0))
    within = np.s_[rows[0] : rows[-1] + 1, columns[0] : columns[-1] + 1]
    assert where(drawn(*others, last), PINK)[within].sum() >= alone - without


def test_tags_of_boxes_that_lie_on_one_another_do_not() -> None:
    same = [Outline(280, 150, 330, 190, letter, colour) for letter, colour in zip("ABC", COLOURS, strict=False)]
    together = drawn(*same)
    for outline in same:
        tag = int(tag_of(outline).sum())
        filled = where(together, outline.colour)
        ring = where(drawn(outline._replace(text="")), outline.colour)
        assert (filled & ~ring).sum() > 0.5 * tag, f"the tag of {outline.text} is whole beside the others"


def test_a_tag_leaves_its_own_box_free_where_there_is_room() -> None:
    assert not tag_of(Outline(200, 100, 300, 180, "A"))[100:181, 200:301].any()
    filling = tag_of(Outline(0, 0, WIDTH, HEIGHT, "A"))
    assert filling.any()
    assert not filling[HEIGHT // 2 :, :].any(), "in a box as large as the image it stands in a corner at the top"


def test_a_tag_keeps_off_other_boxes() -> None:
    low, high = Outline(200, 150, 300, 200, "A"), Outline(180, 60, 320, 145)
    assert not tag_of(low, high)[60:146, 180:321].any()


def test_the_letters_differ_and_grow_with_the_picture() -> None:
    outline = Outline(200, 100, 300, 180, "A")
    assert (drawn(outline) != drawn(outline._replace(text="B"))).any()
    large = Image.new("RGB", (4 * WIDTH, 4 * HEIGHT), GROUND)
    draw_outlines(large, [Outline(800, 400, 1200, 720, "A")])
    pixels = where(np.asarray(large), YELLOW)
    assert pixels[:400].any(axis=1).sum() > 3 * where(drawn(outline), YELLOW)[:100].any(axis=1).sum()
