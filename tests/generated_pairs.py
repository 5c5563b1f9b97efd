"""What a model might write about a sequence: pairs of each task without a fault, and a generator that replies them."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import polars as pl
from fake_server import digest_of

from probe4d.benchmarks.b4dl.tasks import DESCRIBE, TASKS, VOCABULARY
from probe4d.benchmarks.generating import Generated, Prompt, Stage

__all__ = ["DESCRIPTION", "KINDS", "Scripted", "build_b4dl", "pairs_of", "script_of", "worded", "writer_of_kinds"]

MODEL = "openai-api/fake/m"

DESCRIPTION = "[1] A car is ahead. [2] It moves away. [3] Pedestrians stand at the roadside."

Pair = tuple[str, str]

KINDS = {
    "existence": "good",
    "binary": "sloppy",
    "time-grounding": "cut",
    "description": "prose",
    "temporal-understanding": "good",
    "comprehensive": "numbered",
}
"""How the writer of kinds replies about each task."""


def pairs_of(task: str, start: int, end: int, *, count: int | None = None, first: int = 0) -> list[Pair]:
    """Pairs without a fault, as many as the task wants unless told otherwise, from the one of number `first` on."""
    count = TASKS[task].pairs if count is None else count
    during = f"from frame {start:03d} to frame {end:03d}"
    pairs = []
    for number in range(first, first + count):
        kind, times = VOCABULARY[number % len(VOCABULARY)], number // len(VOCABULARY)
        of = f"{('', 'second ', 'third ')[times]}{kind}"
        yes_no = ("Yes.", "No.")[number % 2]
        pairs.append(
            {
                "existence": (f"Is there a {of} in frame {start:03d}?", yes_no),
                "binary": (f"Does the {of} move {during}?", yes_no),
                "time-grounding": (f"When does the {of} stand still?", f"{during}."),
                "description": (DESCRIBE, f"The {of} stands still {during}."),
                "temporal-understanding": (f"How does the {of} move?", f"It moves away {during}."),
                "comprehensive": (f"Where is the {of}?", f"It is ahead of the ego vehicle {during}."),
            }[task]
        )
    return pairs


def worded(pairs: Sequence[Pair]) -> str:
    """A reply that holds pairs as prompts ask for them."""
    return "\n\n".join(f"Q: {question}\nA: {answer}" for question, answer in pairs)


class Scripted:
    """Replies by a rule, and keeps what it was asked.

    Args:
        rule: Gives what becomes of a prompt of a stage; a text is a reply that ended by itself.

    Attributes:
        asked: Prompts by stage, in the order asked.
        said: What became of each text.
    """

    name = "scripted"

    def __init__(self, rule: Callable[[Stage, Prompt], Generated | str]) -> None:
        self.asked: dict[Stage, list[Prompt]] = {}
        self.said: dict[str, Generated] = {}
        self._rule = rule

    def replies(self, stage: Stage, prompts: Sequence[Prompt]) -> dict[str, Generated]:
        """Reply to all."""
        self.asked.setdefault(stage, []).extend(prompts)
        replied = {}
        for prompt in prompts:
            reply = self._rule(stage, prompt)
            whole = Generated(text=reply, finish_reason="stop") if isinstance(reply, str) else reply
            replied[prompt.key] = self.said[prompt.text] = whole
        return replied

    def redacted(self, text: str) -> str:
        """What is read of its replies, without the one key that it may say."""
        return text.replace("key-that-no-file-may-hold", "[redacted]")


def writer_of_kinds(sequences: pl.DataFrame) -> Scripted:
    """Replies about each task in the way of `KINDS`.

    Of a sequence it writes 5 pairs on existence; 10 binary ones, after a first reply with a wrong answer, a frame
    outside and a question twice; 4 of time, in two replies that are cut off; no description; 5 of temporal
    understanding; 10 comprehensive ones, bold and numbered, and one more.
    """
    bounds = {name: (start, end) for name, start, end in sequences.select("sequence", "start", "end").iter_rows()}

    def rule(stage: Stage, prompt: Prompt) -> Generated | str:
        sequence, _, task = prompt.key.rpartition("/")
        if stage == "contexts":
            return DESCRIPTION
        start, end = bounds[sequence]
        good = pairs_of(task, start, end)
        again = stage == "repairs"
        match KINDS[task]:
            case "sloppy" if again:
                return "Of course! " + worded(pairs_of(task, start, end, count=3, first=7))
            case "sloppy":
                wrong = [("Does a car move?", "Perhaps."), (f"Does a car stop in frame {end + 9}?", "No."), good[0]]
                return "Sure, here they are:\n" + worded([*good[:7], *wrong])
            case "cut":
                whole = pairs_of(task, start, end, count=1, first=3) if again else good[:3]
                return Generated(text=f"{worded(whole)}\n\nQ: When does the tru", finish_reason="length")
            case "prose":
                return "The sequence shows a street with parked cars."
            case "numbered":
                more = [*good, *pairs_of(task, start, end, count=1, first=10)]
                return "\n".join(f"**Q{n}:** {q}\n**A{n}:** {a}" for n, (q, a) in enumerate(more, start=1))
            case _:
                return worded(good)

    return Scripted(rule)


def script_of(scripted: Scripted) -> dict[str, Any]:
    """The script of a server that replies to each text that a generator was asked as that did."""
    steps = {}
    for text, reply in scripted.said.items():
        message = {"role": "assistant", "content": reply.text}
        choice = {"index": 0, "finish_reason": reply.finish_reason, "message": message}
        steps[digest_of(text)] = [{"change": {"choices": [choice]}}]
    return {"steps_of": steps}


def build_b4dl(data: Path, out: Path, base_url: str, max_connections: int = 4, **parameters: Any) -> None:
    """Build by a server's model, with the replies beside `out`, in a process that may be killed."""
    from probe4d.benchmarks.suites import build
    from probe4d.models.course import Course
    from probe4d.runs.generating import HostedGenerator
    from probe4d.scenes.opening import open_scenes

    os.environ["FAKE_API_KEY"] = "fake-key-that-no-file-may-hold"
    scenes = open_scenes(data)
    generator = HostedGenerator(
        MODEL,
        out.with_name(f"{out.name}-generated"),
        root=scenes.root,
        dataset=scenes.fingerprint,
        base_url=base_url,
        course=Course(max_connections=max_connections, max_retries=1, timeout_s=20),
    )
    build("b4dl", scenes, out, generator=generator, **parameters)
