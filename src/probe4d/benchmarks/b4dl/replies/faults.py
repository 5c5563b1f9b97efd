"""What can be wrong with a generated pair, and what is found wrong with one."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Literal, NamedTuple

from probe4d.benchmarks.b4dl.replies.answer_forms import canonical_answer
from probe4d.benchmarks.b4dl.replies.frames_named import frames_named, interval_alone, intervals_in
from probe4d.benchmarks.b4dl.tasks import DESCRIBE
from probe4d.benchmarks.quoting import with_visible_characters

__all__ = ["EXAMPLE", "FAULTS", "Fault", "fault_of"]

FAULTS: Mapping[str, str] = {
    "no-reply": "there was no reply",
    "refusal": "the reply, or an answer in it, refuses or says that it cannot be told",
    "no-pairs": "the reply holds no pairs in a form that can be read",
    "cut": "the reply was cut within this pair, at its limit or by a filter",
    "broken": "an object of the reply is no valid JSON",
    "too-wide": "a row of the reply’s table has more cells than its header",
    "no-answer": "a question without an answer",
    "no-question": "an answer without a question",
    "echo": "repeats the form that pairs were to have",
    "statement": "the question asks nothing",
    "unseen": "holds characters that cannot be seen",
    "frame": "names a frame outside the sequence",
    "yes-no": "the answer is not Yes or No alone",
    "class": "the answer is neither Yes or No nor one class of the list",
    "kind": "the answer does not fit what the question asks for",
    "interval": "the answer is not one range of frames",
    "reversed": "the range of the answer ends before it starts",
    "told": "the question names the range that is its answer",
    "only-interval": "the answer is only a range of frames, which is another task",
    "describe": f"the question is not “{DESCRIBE}”",
    "source": "speaks of the descriptions or the ground truth that it was made from",
    "duplicate-question": "the question was asked before",
    "duplicate-answer": "the description was given before",
}
"""Kinds of faults and what they mean, in the order in which they are looked for."""

EXAMPLE = ("What is the question?", "The answer is the answer.")
"""The pair by which a prompt shows the form of pairs, and which small models repeat."""

_PLACEHOLDER = re.compile(
    r"\W{0,5}(?:your |the |insert |next )?(?:question|answer)s?(?: here| text)?\W{0,5}", re.IGNORECASE
)

_REFUSES = re.compile(
    r"\b(?:i'?m sorry|i am sorry|as an ai|i (?:cannot|can't|can not|am unable|am not able)"
    r"|(?:cannot|can't|can not|could not|couldn't|impossible to|unable to|not possible to) (?:be )?"
    r"(?:determined?|told|tell|answer(?:ed)?|known?|inferred|infer|confirm(?:ed)?)"
    r"|not (?:specified|mentioned|provided|stated|enough information)|insufficient information|n/a)\b",
    re.IGNORECASE,
)
_SOURCE = re.compile(
    r"\bdescriptions?\b|\bground[- ]truth\b|\bannotations?\b|\b(?:the|these|camera) images?\b|\bin the text\b"
    r"|\[\[\[|\b[0-9a-f]{16}\b",  # what encloses a quoted text
    re.IGNORECASE,
)
_SOURCE_ALLOWED = re.compile(r"\bdescription of the scene\b", re.IGNORECASE)
"""The name of the first part of a description, which models repeat."""
_UNREADABLE = "\ufffd"
_ASKS_WHICH = re.compile(r"\b(?:which|what|who)\b", re.IGNORECASE)
_ASKS_WHETHER = re.compile(
    r"\b(?:is|are|was|were|do|does|did|has|have|had|can|could|will|would)(?:n't)?\s", re.IGNORECASE
)
_ASKS = re.compile(
    r"(?:^|[,:] )(?:please )?(?:(?:which|what|who|when|where|why|how|in which|at which|during which)\b"
    r"|(?:is|are|was|were|do|does|did|has|have|had|can|could|will|would)(?:n't)?\b"
    r"|(?:describe|explain|name|list|identify|summari[sz]e|compare|give|tell|state|specify|outline|discuss|analy[sz]e"
    r"|determine|indicate|provide|count|find|locate)\b)",
    re.IGNORECASE,
)
_DESCRIBING = re.compile(r"(?:please )?describe (?:the|this) (?:4d )?lidar[- ]?sequence", re.IGNORECASE)


class Fault(NamedTuple):
    """Something wrong with a reply or a pair.

    Attributes:
        kind: One of `FAULTS`.
        what: What is wrong, as a sentence.
        question: The question, where there is one.
        answer: The answer, where there is one.
    """

    kind: str
    what: str
    question: str | None = None
    answer: str | None = None


def fault_of(task: str, question: str, answer: str, start: int, end: int) -> Fault | None:
    """The first thing that is wrong with a pair, by itself; null where nothing is.

    Args:
        task: One of `TASKS`.
        question: The question, one line.
        answer: The answer, one line.
        start: First key frame of the sequence.
        end: Its last.
    """
    found = _of_any(question, answer, start, end) or _BY_TASK[task](question, answer)
    return None if found is None else Fault(found[0], found[1], question, answer)


def _is_describing(question: str) -> bool:
    """Whether a question is the fixed one of descriptions, however it is spelt."""
    return _DESCRIBING.fullmatch(question.strip(" .?!:\"'")) is not None


_Found = tuple[str, str] | None


def _of_any(question: str, answer: str, start: int, end: int) -> _Found:
    both = f"{question}\n{answer}"
    if (
        question == EXAMPLE[0]
        or answer == EXAMPLE[1]
        or _PLACEHOLDER.fullmatch(question)
        or _PLACEHOLDER.fullmatch(answer)
    ):
        return "echo", "It repeats the form that pairs were to have."
    if "?" not in question and not _ASKS.search(question):
        return "statement", "The question asks nothing."
    if _UNREADABLE in both or with_visible_characters(both) != both:
        return "unseen", "It holds characters that cannot be seen."
    outside = sorted(frame for frame in frames_named(both) if not start <= frame <= end)
    if outside:
        return "frame", f"It names frame {outside[0]:03d}; the sequence has frames {start:03d} to {end:03d}."
    if _REFUSES.search(answer):
        return "refusal", "The answer says that it cannot be told."
    if told := _SOURCE.search(_SOURCE_ALLOWED.sub(" ", both) if _is_describing(question) else both):
        return "source", f"It speaks of what it was made from ({told[0]})."
    return None


def _existence(question: str, answer: str) -> _Found:
    said = canonical_answer("existence", answer)
    if said is not None and said.kind == "yes-no":
        return _whether(question)
    if said is None:
        return "class", "The answer is neither Yes or No nor one class of the list."
    if _asked(question) == "whether":
        return "kind", "The question asks whether something is so, and the answer is a class."
    return None


def _binary(question: str, answer: str) -> _Found:
    if canonical_answer("binary", answer) is None:
        return "yes-no", "The answer is not Yes or No alone."
    return _whether(question)


def _whether(question: str) -> _Found:
    if _asked(question) == "which":
        return "kind", "The question asks which or what, and the answer is Yes or No."
    return None


def _asked(question: str) -> Literal["which", "whether"] | None:
    """What a question asks first: `Is there a car, which stops?` asks whether; null where no word tells."""
    which, whether = _ASKS_WHICH.search(question), _ASKS_WHETHER.search(question)
    if which is not None and (whether is None or which.start() < whether.start()):
        return "which"
    return None if whether is None else "whether"


def _time_grounding(question: str, answer: str) -> _Found:
    said = canonical_answer("time-grounding", answer)
    if said is None or (interval := said.interval) is None:
        return "interval", "The answer is not one range of frames, such as “from frame 000 to frame 000”."
    if interval[0] > interval[1]:
        return "reversed", f"Its range ends at frame {interval[1]:03d}, before it starts at {interval[0]:03d}."
    if interval in intervals_in(question):
        return "told", "The question names the range that is its answer."
    return None


def _description(question: str, _answer: str) -> _Found:
    return None if _is_describing(question) else ("describe", f"The question is not “{DESCRIBE}”")


def _temporal_understanding(_question: str, answer: str) -> _Found:
    return None if interval_alone(answer) is None else ("only-interval", "The answer is only a range of frames.")


def _anything(_question: str, _answer: str) -> _Found:
    return None


_BY_TASK = {
    "existence": _existence,
    "binary": _binary,
    "time-grounding": _time_grounding,
    "description": _description,
    "temporal-understanding": _temporal_understanding,
    "comprehensive": _anything,
}
