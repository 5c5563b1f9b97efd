"""A scripted model that writes B4DL's texts: it sees nothing and guesses, unless a prompt tells it the ground truth."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence

from probe4d.benchmarks.b4dl.replies.answer_forms import classes_named
from probe4d.benchmarks.b4dl.tasks import DESCRIBE, TASKS, VOCABULARY
from probe4d.benchmarks.generating import Generated, Prompt, Stage
from probe4d.benchmarks.sampling import arranged, unit_interval

__all__ = ["ScriptedWriter"]

_SAID = re.compile(r"\b((?:An?|The) [^.]+?),? from frame (\d{3}) to frame (\d{3})\.")
_RANGE = re.compile(r"frames? (\d{3}) to (?:frame )?(\d{3})")
_TRUTH = "GROUND TRUTH"
_SIDES = {"ahead": "behind", "behind": "ahead", "on the left": "on the right", "on the right": "on the left"}
_GUESSED = tuple(
    f"A {name} {side} {event}"
    for name in ("car", "truck", "bus", "pedestrian", "bicycle")
    for side in _SIDES
    for event in ("approaches the ego vehicle", "moves away from the ego vehicle", "stays where it is")
)

Sentence = tuple[str, str, str]
"""What is so, and the first and last frame of it, three digits each."""


class ScriptedWriter:
    """Writes descriptions that are guesses, and pairs from the ground truth of a prompt, or else from its guesses."""

    name = "scripted-writer"

    def replies(self, stage: Stage, prompts: Sequence[Prompt]) -> Mapping[str, Generated]:
        """What became of each prompt, by its key."""
        write = _description if stage == "contexts" else _pairs
        return {prompt.key: Generated(text=write(prompt), finish_reason="stop") for prompt in prompts}

    def redacted(self, text: str) -> str:
        """The text: a script knows no keys."""
        return text


def _description(prompt: Prompt) -> str:
    """Sentences drawn by the prompt's key, as of somebody who saw something."""
    start, end = map(int, next(_RANGE.finditer(prompt.text)).groups())
    lines = []
    for guess in arranged(_GUESSED, seed=0, family="guess", key=prompt.key)[:10]:
        key = f"{prompt.key}/{guess}"
        first = start + int(unit_interval(0, "first", key) * (end - start))
        last = first + 1 + int(unit_interval(0, "last", key) * (end - first))
        lines.append(f"{guess} from frame {first:03d} to frame {last:03d}.")
    return "\n".join(lines)


def _pairs(prompt: Prompt) -> str:
    task = prompt.key.rpartition("/")[2]
    told = prompt.text.split(_TRUTH, 1)[-1] if _TRUTH in prompt.text else prompt.text
    sentences = list(dict.fromkeys(match.groups() for match in _SAID.finditer(told)))
    ordered = [sentences[int(place)] for place in arranged(_places(sentences), seed=0, family=task, key=prompt.key)]
    found = dict.fromkeys(_of_task(task, ordered, next(_RANGE.finditer(prompt.text)).groups()))
    return "\n".join(f"Q: {question}\nA: {answer}" for question, answer in list(found)[: TASKS[task].pairs])


def _places(sentences: Sequence[Sentence]) -> list[str]:
    return [str(place) for place in range(len(sentences))]


def _of_task(task: str, sentences: Sequence[Sentence], window: Sequence[str]) -> Iterator[tuple[str, str]]:
    """Questions and answers that sentences give, without end of what they do not."""
    start, end = window
    match task:
        case "existence":
            named = classes_named(" ".join(said for said, _, _ in sentences))
            for name in [one for pair in zip(named, _absent(named), strict=False) for one in pair]:
                yield f"Is any {name} present from frame {start} to frame {end}?", "Yes." if name in named else "No."
        case "binary":
            for said, first, last in sentences:
                yield f"Is this right: {_small(said)} from frame {first} to frame {last}?", "Yes."
                if turned := _turned(said):
                    yield f"Is this right: {_small(turned)} from frame {first} to frame {last}?", "No."
        case "time-grounding":
            for said, first, last in sentences:
                yield f"When is this so: {_small(said)}?", f"from frame {first} to frame {last}"
        case "description":
            for place in range(len(sentences)):
                parts = [sentences[(place + step) % len(sentences)] for step in range(min(3, len(sentences)))]
                yield DESCRIBE, " ".join(map(_sentence, parts))
        case _:
            for said, first, last in sentences:
                yield f"What changes from frame {first} to frame {last} {_hint(said)}?", _sentence((said, first, last))


def _absent(named: Sequence[str]) -> list[str]:
    return [name for name in VOCABULARY if name not in named]


def _turned(said: str) -> str | None:
    """The same on the other side; null where it names none."""
    side = _side(said)
    return None if side is None else said.replace(side, _SIDES[side], 1)


def _side(said: str) -> str | None:
    return next((side for side in _SIDES if side in said), None)


def _hint(said: str) -> str:
    named, side = classes_named(said), _side(said)
    return f"with a {named[0]}{f' {side}' if side else ''}" if named else "with the ego vehicle"


def _sentence(sentence: Sentence) -> str:
    said, first, last = sentence
    return f"{said} from frame {first} to frame {last}."


def _small(said: str) -> str:
    return said[0].lower() + said[1:]
