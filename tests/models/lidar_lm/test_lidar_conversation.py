from __future__ import annotations

import pytest

from probe4d.errors import InputError
from probe4d.models.lidar_lm.conversation import PLACEHOLDER, TEMPLATES, prompt_chunks, reply_text
from probe4d.models.lidar_lm.layouts import laid_out

SYSTEM = (
    "A chat between a curious user and an artificial intelligence assistant. The assistant gives helpful, detailed, "
    "and polite answers to the user's questions."
)


def rendered(template: str, human: tuple[str, ...], answer: str | None = None) -> str:
    text = PLACEHOLDER.join(prompt_chunks(template, human))
    return text if answer is None else text + reply_text(template, answer)


def test_v1_is_rendered_as_released() -> None:
    human = laid_out("hallu", "Is there a car?")
    assert rendered("v1", human) == f"{SYSTEM} USER: <video>\nIs there a car? ASSISTANT:"
    assert rendered("v1", human, "Yes.") == f"{SYSTEM} USER: <video>\nIs there a car? ASSISTANT: Yes."
    assert TEMPLATES["v1"].ends_turn


def test_plain_drops_the_question_and_ends_with_a_line() -> None:
    for human in (laid_out("hallu", "Is there a car?"), laid_out("paper", "Where?", "it turns"), ("no features",)):
        assert rendered("plain", human, "A car.") == "<video>\nA car.\n"
    assert not TEMPLATES["plain"].ends_turn


def test_chunks_are_kept_apart_however_many_there_are() -> None:
    assert prompt_chunks("v1", ("a", "b", "c")) == (f"{SYSTEM} USER: a", "b", "c ASSISTANT:")
    assert prompt_chunks("v1", ("a",)) == (f"{SYSTEM} USER: a ASSISTANT:",)


@pytest.mark.parametrize("template", ["v1", "plain"])
def test_space_around_an_answer_is_left_out(template: str) -> None:
    assert reply_text(template, "\n Yes,\n it is. \t") == reply_text(template, "Yes,\n it is.")


@pytest.mark.parametrize("template", ["v1", "plain"])
@pytest.mark.parametrize("answer", ["", "  \n"])
def test_nothing_is_no_answer(template: str, answer: str) -> None:
    with pytest.raises(InputError, match=r"an answer is empty; there is nothing to learn\."):
        reply_text(template, answer)
