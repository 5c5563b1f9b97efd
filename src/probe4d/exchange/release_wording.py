"""Takes a released LiDAR-Hallu text apart: stem, options, directive, and the layout of a recorded prompt.

The released prediction records hold the wording only, so whatever the benchmark needs to know of a question
(class, sector, predicate, frames, candidate intervals) is taken from there.
"""

from __future__ import annotations

from typing import NamedTuple

from probe4d.benchmarks.lidar_hallu.reading import ANTI_POSITION, CHOICE, YES_NO, Asked, read_stem

__all__ = ["Prompt", "Wording", "read_prompt", "read_wording"]

PLAIN_LAYOUT = "<video>\n"
EGO_LAYOUT = "<video>\n<4DLiDAR>\n<meta>\n"


class Wording(NamedTuple):
    """What a question's text says.

    Attributes:
        text: The text, without the anti-position sentence.
        stem: The text without options and directive.
        options: Texts of the options in order; empty for a yes-no question.
        anti_position: Whether the directive carries the anti-position sentence.
        asked: What the stem asks.
    """

    text: str
    stem: str
    options: tuple[str, ...]
    anti_position: bool
    asked: Asked


class Prompt(NamedTuple):
    """A recorded prompt: its layout (`plain` or `ego`) and the ego-motion text of the latter."""

    layout: str
    ego_motion: str | None


def read_wording(template: str, text: str) -> Wording:
    """Read a question's whole text: stem, options, directive.

    Args:
        template: Template of the question, such as `position-choice`.
        text: The question with options and directive.

    Raises:
        ValueError: The text is not worded as the release words this template.
    """
    is_choice = template.endswith("-choice")
    plain = text.removesuffix(f" {ANTI_POSITION}") if is_choice else text
    *lines, directive = plain.split("\n")
    expected = CHOICE if is_choice else YES_NO
    if directive != expected:
        raise ValueError(f"the question does not end in the line {expected!r}")
    options: tuple[str, ...] = ()
    if is_choice:
        found = [line.partition(". ") for line in lines[-4:]]
        if [letter for letter, _, _ in found] != list("ABCD"):
            raise ValueError("the question does not have four options A to D, a line each")
        options = tuple(option for _, _, option in found)
        lines = lines[:-4]
    stem = "\n".join(lines)
    asked = read_stem(template, stem) if stem else None
    if asked is None:
        raise ValueError(f"{stem!r} is not how a question of template {template} is worded")
    return Wording(plain, stem, options, plain != text, asked)


def read_prompt(prompt: str | None, text: str) -> Prompt:
    """Tell the layout of a recorded prompt; without one it is plain.

    Args:
        prompt: The prompt as recorded, with the placeholders of the LiDAR model.
        text: The question with options and directive.

    Raises:
        ValueError: The prompt is not made of the placeholders, the ego-motion text and this question.
    """
    if prompt is None or prompt == PLAIN_LAYOUT + text:
        return Prompt("plain", None)
    if prompt.startswith(EGO_LAYOUT) and prompt.endswith("\n" + text):
        ego_motion = prompt[len(EGO_LAYOUT) : -len(text) - 1]
        if ego_motion:
            return Prompt("ego", ego_motion)
    raise ValueError("the prompt is neither the plain nor the ego layout of this question")
