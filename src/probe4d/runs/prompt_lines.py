"""The prompts of a benchmark as lines of JSON, to ask a model of one's own."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import msgspec

from probe4d.benchmarks.benchmark import Benchmark
from probe4d.benchmarks.question import Evidence, Format
from probe4d.benchmarks.suites import suite_prompt
from probe4d.runs.selection import Selection, selected_of
from probe4d.store.files import whole_file

__all__ = ["PromptLine", "prompt_lines", "write_prompts"]


class PromptLine(msgspec.Struct, frozen=True, kw_only=True):
    """One line of a prompts file: what it takes to ask one question.

    Attributes:
        question: Id of the question; an answer in `answers.jsonl` names it.
        scene: Name of the scene.
        format: Form of the answer.
        frames: Key frames that the question asks about.
        prompt: The whole text.
        options: Texts of the options in the order of their letters.
        evidence: Key frames and sensor channels to be shown; no views means all.
    """

    question: str
    scene: str
    format: Format
    frames: tuple[int, ...]
    prompt: str
    options: tuple[str, ...]
    evidence: Evidence


def prompt_lines(
    benchmark: Benchmark, *, setting: str = "default", selection: Selection | None = None
) -> Iterator[PromptLine]:
    """Word the questions of a benchmark, in its order, without holding all of them where all are worded.

    Args:
        benchmark: The benchmark.
        setting: Setting of its suite, such as `default` or `anti-position`.
        selection: Which questions; null words all.

    Raises:
        InputError: The suite has no such setting, the selection cannot be had, or a question cannot be worded.
    """
    word = suite_prompt(benchmark.record.suite, setting)
    chosen = (
        benchmark.each_question() if selection is None else benchmark.records(selected_of(benchmark, selection)["id"])
    )
    for question in chosen:
        yield PromptLine(
            question=question.id,
            scene=question.scene,
            format=question.format,
            frames=question.frames,
            prompt=word(question),
            options=question.options,
            evidence=question.evidence,
        )


def write_prompts(
    benchmark: Benchmark,
    path: Path | str,
    *,
    setting: str = "default",
    selection: Selection | None = None,
    begun: Callable[[int], None] | None = None,
    done: Callable[[object], None] | None = None,
) -> int:
    """Write the prompts of a benchmark as JSON lines (see `PromptLine`), and return how many.

    Args:
        benchmark: The benchmark.
        path: The file.
        setting: Setting of its suite.
        selection: Which questions; null words all.
        begun: Told how many there are, for progress bars.
        done: Told of the id of each question that was worded.

    Raises:
        InputError: As `prompt_lines`, or the file cannot be written.
    """
    if begun is not None:
        begun(selected_of(benchmark, selection).height)
    encode = msgspec.json.Encoder().encode
    written = 0
    with whole_file(path) as temporary, open(temporary, "wb") as file:
        for line in prompt_lines(benchmark, setting=setting, selection=selection):
            file.write(encode(line) + b"\n")
            written += 1
            if done is not None:
                done(line.question)
    return written
