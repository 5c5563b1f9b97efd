"""Has pictures described: a prompt for each group of views, and one more, for a shorter text, where a reply was cut."""

from __future__ import annotations

from collections.abc import Sequence

import polars as pl

from probe4d.benchmarks.b4dl.generation.context_prompts import shorter_prompt
from probe4d.benchmarks.b4dl.replies.faults import Fault
from probe4d.benchmarks.b4dl.replies.reading import ReadDescription, read_description
from probe4d.benchmarks.generating import Generated, Generator, Prompt, Stage
from probe4d.wording import uncapitalized

__all__ = ["DESCRIPTIONS_SCHEMA", "described"]

DESCRIPTIONS_SCHEMA: dict[str, pl.DataType] = {
    "sequence": pl.String(),
    "group": pl.String(),  # of views: front or rear, left or right
    "stage": pl.String(),  # of the reply that counts: contexts or context-repairs
    "text": pl.String(),  # null where there is none that can be used
    "fault": pl.String(),  # why not, a sentence
}
"""Descriptions of sequences, a row a prompt for one."""

_ONCE_MORE = "The description was cut at its limit; asked for once more, and shorter, {}"


def described(prompts: Sequence[Prompt], generator: Generator) -> pl.DataFrame:
    """Have groups of views described; what was cut at its limit is asked for once more, and shorter.

    Args:
        prompts: Prompts with keys `<sequence>/<group>`.
        generator: Who replies.

    Returns:
        Columns of `DESCRIPTIONS_SCHEMA`, a row a prompt, in their order.

    Raises:
        InputError: The generator cannot be asked this.
        RunError: The generator has not all replies yet.
    """
    first = _read("contexts", prompts, generator)
    cut = [shorter_prompt(prompt) for prompt in prompts if _is_cut(first[prompt.key])]
    second = _read("context-repairs", cut, generator) if cut else {}
    rows = []
    for prompt in prompts:
        sequence, _, group = prompt.key.rpartition("/")
        again = second.get(prompt.key)
        if again is None:
            stage, read = "contexts", first[prompt.key]
            why = None if read.fault is None else read.fault.what
        else:
            stage, read = "context-repairs", again
            why = None if read.fault is None else _once_more(read.fault)
        rows.append((sequence, group, stage, read.text, why))
    return pl.DataFrame(rows, schema=DESCRIPTIONS_SCHEMA, orient="row")


def _read(stage: Stage, prompts: Sequence[Prompt], generator: Generator) -> dict[str, ReadDescription]:
    replies = generator.replies(stage, prompts)
    return {prompt.key: _of_reply(replies[prompt.key], generator) for prompt in prompts}


def _of_reply(reply: Generated, generator: Generator) -> ReadDescription:
    """What a reply came to; where there is none, with what the provider said."""
    read = read_description(reply.text, reply.finish_reason, redacted=generator.redacted)
    if read.fault is None or reply.failure is None:
        return read
    what = f"{read.fault.what.removesuffix('.')} ({reply.failure})."
    return ReadDescription(None, read.fault._replace(what=what))


def _is_cut(read: ReadDescription) -> bool:
    return read.fault is not None and read.fault.kind == "cut"


def _once_more(fault: Fault) -> str:
    """Why a description that was cut is none even after it was asked for once more."""
    return _ONCE_MORE.format("it was cut again." if fault.kind == "cut" else uncapitalized(fault.what))
