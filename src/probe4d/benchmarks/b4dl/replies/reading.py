"""Reads what a model replied: descriptions of a sequence, and the pairs of a task with what is wrong with them."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Sequence
from typing import NamedTuple

from probe4d.benchmarks.b4dl.replies.faults import FAULTS, Fault, fault_of
from probe4d.benchmarks.b4dl.replies.reply_text import RawPair, raw_reply, without_thoughts
from probe4d.benchmarks.b4dl.tasks import DESCRIBE, TASKS
from probe4d.benchmarks.finish_reasons import CUT_REASONS, FILTER_REASONS, REFUSAL_REASONS
from probe4d.benchmarks.quoting import with_visible_characters
from probe4d.wording import whole_characters

__all__ = ["ReadDescription", "ReadPairs", "read_description", "read_pairs"]

_REFUSAL_BEGINS = re.compile(
    r"\W{0,5}(?:i'?m sorry|i am sorry|sorry,|i can(?:no|')t|i can not|i am unable|i'm unable|as an ai)", re.IGNORECASE
)
_NO_WORD = re.compile(r"[\W_]+")
_TWICE_ASKED = ("duplicate-question", "The question was asked before.")
_TWICE_ANSWERED = ("duplicate-answer", "The description was given before.")


class ReadPairs(NamedTuple):
    """What a reply came to.

    Attributes:
        pairs: Question and answer of the pairs that can be taken, as many as were asked for at most.
        faults: What cannot be taken, and why, in the order of the reply.
        missing: How many pairs fewer than asked for there are.
        extra: Pairs without a fault beyond those asked for, which are not taken.
    """

    pairs: list[tuple[str, str]]
    faults: list[Fault]
    missing: int
    extra: int = 0


class ReadDescription(NamedTuple):
    """A description, or why there is none.

    Attributes:
        text: The description in one paragraph; null where there is none.
        fault: Why there is none.
    """

    text: str | None
    fault: Fault | None = None


def read_description(
    text: str | None, finish_reason: str | None, *, redacted: Callable[[str], str] = str
) -> ReadDescription:
    """Read a reply to a context prompt.

    Args:
        text: The reply as it came; null where there is none.
        finish_reason: Why generation ended.
        redacted: Takes keys out of what was read.
    """
    if text is None:
        return ReadDescription(None, _whole("no-reply"))
    said = redacted(" ".join(with_visible_characters(whole_characters(without_thoughts(text))).split()))
    reason = (finish_reason or "").lower()
    if reason in REFUSAL_REASONS | FILTER_REASONS or _REFUSAL_BEGINS.match(said):
        return ReadDescription(None, _whole("refusal"))
    if reason in CUT_REASONS:
        return ReadDescription(None, Fault("cut", "The description was cut at its limit."))
    if not said:
        return ReadDescription(None, _whole("no-reply"))
    return ReadDescription(said)


def read_pairs(
    task: str,
    text: str | None,
    finish_reason: str | None,
    start: int,
    end: int,
    *,
    wanted: int | None = None,
    taken: Sequence[tuple[str, str]] = (),
    redacted: Callable[[str], str] = str,
) -> ReadPairs:
    """Read the pairs of a reply, and say of every other thing in it why it is not taken.

    Args:
        task: One of `TASKS`.
        text: The reply as it came; null where there is none.
        finish_reason: Why generation ended; of a reply that was cut, at its limit or by a filter, the pair at its end
            is not taken.
        start: First key frame of the sequence.
        end: Its last.
        wanted: Pairs that were asked for; null takes those of the task.
        taken: Pairs of an earlier reply, which this one may not repeat.
        redacted: Takes keys out of what was read: in JSON, and between marks of emphasis, they go unseen before.
    """
    wanted = TASKS[task].pairs if wanted is None else wanted
    if text is None:
        return ReadPairs([], [_whole("no-reply")], wanted)
    reason = (finish_reason or "").lower()
    said = without_thoughts(text)
    if reason in REFUSAL_REASONS:
        return ReadPairs([], [_whole("refusal")], wanted)
    found = raw_reply(said)
    raw = [_writable(pair, redacted) for pair in found.pairs]
    faults = [_whole("broken")] * found.broken + [_whole("too-wide")] * found.too_wide
    is_cut = reason in CUT_REASONS | FILTER_REASONS
    if is_cut and not found.is_closed and raw:
        faults.append(_cut(raw.pop()))
    elif found.is_open or (reason in CUT_REASONS and not raw):
        faults.append(_cut(RawPair(None, None)))
    elif not raw and not faults:
        is_refusal = reason in FILTER_REASONS or _REFUSAL_BEGINS.match(said)
        faults.append(_whole("refusal" if is_refusal else "no-pairs"))
    good, bad = _checked(task, raw, start, end, taken)
    pairs = good[:wanted]
    return ReadPairs(pairs, [*bad, *faults], wanted - len(pairs), len(good) - len(pairs))


def _writable(pair: RawPair, redacted: Callable[[str], str]) -> RawPair:
    """A pair as it may be written: without keys, in characters that UTF-8 can hold."""
    return RawPair(*(None if text is None else redacted(whole_characters(text)) for text in pair))


def _checked(
    task: str, raw: Sequence[RawPair], start: int, end: int, taken: Sequence[tuple[str, str]]
) -> tuple[list[tuple[str, str]], list[Fault]]:
    """Good pairs and faults; of descriptions, whose question is always one, no answer is to be given twice."""
    tells_apart, twice = (1, _TWICE_ANSWERED) if task == "description" else (0, _TWICE_ASKED)
    said = {_folded(pair[tells_apart]) for pair in taken}
    good, faults = [], []
    for question, answer in raw:
        if question is None or not _has_words(question):
            faults.append(Fault("no-question", "The answer has no question.", question, answer))
        elif answer is None or not _has_words(answer):
            faults.append(Fault("no-answer", "The question has no answer.", question, answer))
        elif fault := fault_of(task, question, answer, start, end):
            faults.append(fault)
        elif (folded := _folded((question, answer)[tells_apart])) in said:
            faults.append(Fault(*twice, question, answer))
        else:
            said.add(folded)
            good.append((DESCRIBE if task == "description" else question, answer))
    return good, faults


def _has_words(text: str) -> bool:
    return any(map(str.isalnum, text))


def _folded(text: str) -> str:
    """Letters, digits and single spaces: what two texts that say the same in the same words share."""
    return _NO_WORD.sub(" ", unicodedata.normalize("NFKC", text).casefold()).strip()


def _cut(pair: RawPair) -> Fault:
    return Fault("cut", "The reply was cut within this pair.", pair.question, pair.answer)


def _whole(kind: str) -> Fault:
    """A fault of a reply as a whole."""
    words = FAULTS[kind]
    return Fault(kind, f"{words[:1].upper()}{words[1:]}.")
