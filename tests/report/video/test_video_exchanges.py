"""Which questions stand beside a video, while which key frames, and what a model said to them."""

from __future__ import annotations

from pathlib import Path

import msgspec
import numpy as np
import pytest

from making import benchmark_of, legible_alone, question, run_of
from picture_making import SCENE
from probe4d.benchmarks.question import Question
from probe4d.errors import InputError
from probe4d.report.video.cards import Block, Cards, shortened
from probe4d.report.video.exchanges import Exchange, exchanges_of
from probe4d.report.video.options import VideoOptions
from probe4d.report.video.render import render_video
from probe4d.report.video.words import wrapped
from probe4d.scenes.tables import Scenes
from video_making import drawn, filmed

FRAMES = 60


@pytest.fixture(scope="module")
def scenes(tmp_path_factory: pytest.TempPathFactory) -> Scenes:
    return filmed(tmp_path_factory.mktemp("filmed"), frames=FRAMES)


def asked(number: int, *frames: int, **fields: object) -> Question:
    return question(number, scene=SCENE, keyframes=FRAMES, frames=frames, **fields)


def chosen(scenes: Scenes, questions: list[Question], **options: object) -> list[Exchange]:
    given = {"span": (0, FRAMES - 1), "fps": 2.0} | options
    return exchanges_of(benchmark_of(questions), scenes, SCENE, **given)  # type: ignore[arg-type]


def test_a_question_stands_beside_its_key_frames_and_long_enough_to_be_read(scenes: Scenes) -> None:
    cases = {
        (20, 22, 24, 26, 28, 30, 32, 34): (20, 34),
        (20,): (20, 29),  # five seconds
        (59,): (50, 59),  # which end with the video
        (): (0, 59),
    }
    for frames, shown in cases.items():
        (exchange,) = chosen(scenes, [asked(1, *frames)])
        assert exchange.shown == shown
    (exchange,) = chosen(scenes, [asked(1, 10, 30)], span=(15, 20))
    assert (exchange.asked, exchange.shown) == ((10, 30), (15, 20))
    (exchange,) = chosen(scenes, [asked(1, 20)], fps=10.0)
    assert exchange.shown == (10, 59)


def test_no_more_than_two_stand_beside_a_key_frame_and_never_in_one_place(scenes: Scenes) -> None:
    questions = [asked(n, n % FRAMES, family=f"family {n % 3}") for n in range(120)]
    exchanges = chosen(scenes, questions)
    for frame in range(FRAMES):
        slots = [one.slot for one in exchanges if one.shown[0] <= frame <= one.shown[1]]
        assert len(slots) == len(set(slots)) <= 2
    assert {one.about.split(",")[0] for one in exchanges} == {"family 0", "family 1", "family 2"}
    assert exchanges == chosen(scenes, questions[::-1]), "whatever their order"
    assert exchanges[:3] == chosen(scenes, questions, limit=3)


def test_cards_have_the_numbers_of_their_places_where_several_stand_at_once() -> None:
    def picture(*slots: int) -> np.ndarray:
        return np.array(Cards([exchange_of(slot=slot) for slot in slots], (400, 300), 16, None).draw(0))

    alone, both = picture(0), picture(0, 1)
    assert (alone[:60] != both[:60]).any(), "a number before its family"
    assert (both[:60] == picture(0, 1)[:60]).all()


def test_named_questions_are_shown_in_that_order(scenes: Scenes) -> None:
    questions = [asked(n, 5) for n in range(9)]
    ids = [one.id for one in questions]
    exchanges = chosen(scenes, questions, ids=[ids[3], ids[1], ids[3], ids[7], ids[0]])
    assert [(one.question, one.slot) for one in exchanges] == [
        ("Question 3?", 0),
        ("Question 1?", 1),
        ("Question 7?", 2),
        ("Question 0?", 3),
    ]
    with pytest.raises(InputError, match="More than 4 of these questions are about one moment"):
        chosen(scenes, questions, ids=ids[:5])


def test_what_is_not_about_this_scene_is_refused(scenes: Scenes) -> None:
    elsewhere = question(1, scene="elsewhere", frames=(3,))
    beyond = asked(2, 3, 99)
    for questions in ([elsewhere], [beyond], [elsewhere, beyond]):
        with pytest.raises(InputError, match="asks nothing about key frames 0 to 59 of scene-1"):
            chosen(scenes, questions)
    here = asked(3, 3)
    with pytest.raises(InputError, match=r"asks question 0{15}1 about other key frames"):
        chosen(scenes, [elsewhere, here], ids=[elsewhere.id, here.id])
    with pytest.raises(InputError, match=r"asks question 0{15}3 about other key frames"):
        chosen(scenes, [here, asked(4, 50)], ids=[here.id, asked(4).id], span=(40, 59))
    with pytest.raises(InputError, match="holds no question 'ffff'"):
        chosen(scenes, [here], ids=["ffff"])
    with pytest.raises(InputError, match="at least 1, not 0"):
        chosen(scenes, [here], limit=0)


def test_a_released_record_is_found_by_its_scene_token(scenes: Scenes) -> None:
    released = question(1, scene="token of the release", frames=(3,), facts={"scene_token": SCENE}, question=None)
    (exchange,) = chosen(scenes, [released])
    assert exchange.question == "(question text not released)"


def test_no_question_about_another_scene_is_read_of_what_was_built(scenes: Scenes, tmp_path: Path) -> None:
    here, elsewhere = asked(1, 3), question(2, scene="elsewhere", frames=(3,))
    source = msgspec.structs.replace(benchmark_of([here]).record.source, fingerprint="f" * 64)
    built = benchmark_of([here, elsewhere], source=source)
    stored = legible_alone(built, [here.id], tmp_path / "bench", "scene")
    (exchange,) = exchanges_of(stored, scenes, SCENE, span=(0, FRAMES - 1), fps=2.0)
    assert exchange.asks == here


def test_answers_are_those_of_the_run(scenes: Scenes) -> None:
    questions = [asked(n, 20 * n) for n in range(3)]
    benchmark = benchmark_of(questions)
    rows = [
        {"question": questions[0].id, "variant": "2", "text": "second"},
        {"question": questions[0].id, "variant": "1", "text": "first"},
        {"question": questions[1].id, "error": "out of quota"},
    ]
    run = run_of("model", benchmark, rows)
    given = exchanges_of(benchmark, scenes, SCENE, span=(0, FRAMES - 1), fps=2.0, run=run)
    said = {one.question: one.answer for one in given}
    assert said == {"Question 0?": "first", "Question 1?": "(failed: out of quota)", "Question 2?": "(no answer)"}
    with pytest.raises(InputError, match="answers another benchmark"):
        chosen(scenes, [asked(9, 3)], run=run)


def exchange_of(**fields: object) -> Exchange:
    values = {
        "asks": question(),
        "asked": (0, 1),
        "shown": (0, 3),
        "slot": 0,
        "about": "existence",
        "question": "Is a car there?",
        "options": (),
        "reference": "Yes",
        "answer": None,
    }
    return Exchange(**values | fields)  # type: ignore[arg-type]


def test_words_that_steer_a_display_do_not_change_the_picture_beside_them() -> None:
    """The reply takes as much room as it has, whatever it says, and the reference stays in its place."""
    letters = 16
    rows = {}
    for answer in ("No.", "No." * 3000, "No. " * 3000, "\n" * 50 + "No.", "\u202eNo.\x1b[2J\x00", "\u200b" * 900, ""):
        cards = Cards([exchange_of(answer=answer)], (400, 300), letters, "model \u202e\x07")
        picture = np.array(cards.draw(0))
        assert picture.shape == (300, 400, 3)
        rows[answer] = picture[:80]
        assert (picture[:, -letters + 2 :] == picture[0, -1]).all(), "nothing reaches the border"
    first = next(iter(rows.values()))
    assert all((other == first).all() for other in rows.values())


def test_the_longest_part_of_a_card_is_cut_and_the_reference_is_never() -> None:
    texts = [
        "existence",
        "Why? " * 400,
        *("word " * 60 for _ in range(26)),
        "Reference: It is so.",
        "model: " + "No. " * 400,
    ]
    blocks = [Block(wrapped(text, 360, 16), (0, 0, 0), 1 < number < 28) for number, text in enumerate(texts)]
    for room in (11, 30, 40):
        short = shortened(blocks, room, 360, 16)
        assert sum(len(block.lines) for block in short) == room
        assert short[-2].lines == ["Reference: It is so."]
        assert short[1].lines[-1].endswith("…")
        assert short[-1].lines[0].startswith("model: No.")
    assert shortened(blocks[:1], 3, 360, 16) == blocks[:1]


def test_a_long_answer_has_the_room_that_a_short_one_leaves() -> None:
    long = exchange_of(answer="It goes on and on. " * 100)
    short = exchange_of(slot=1, question="Is it there, too?")
    column = np.array(Cards([long, short], (400, 480), 16, None).draw(0))
    bar = (column[:, 8] != column[0, 0]).any(axis=1)
    ends = np.flatnonzero(np.diff(bar.astype(int)))
    first, second = ends[1] - ends[0], ends[3] - ends[2]
    assert first > 3 * second
    assert 440 < ends[3] < 480, "all of the column is used"


def test_beside_other_key_frames_there_are_no_words(scenes: Scenes, tmp_path: Path) -> None:
    benchmark = benchmark_of([asked(1, 0)])
    options = VideoOptions(size_px=(640, 360), frames=(0, 11), fps=2)
    rendered = render_video(scenes, SCENE, tmp_path / "drawn", options, benchmark=benchmark)
    assert rendered.questions == 1
    columns = [picture[40:-40, 422:] for picture in drawn(tmp_path / "drawn")]
    plain = [(column == column[0, 0]).all() for column in columns]
    assert plain == [False] * 10 + [True] * 2
    assert not (columns[0] == columns[1]).all(), "the bar at its side says which key frame it is about"
    assert (columns[1] == columns[2]).all()
