"""How the release of B4DL words answers (Sec. 3.3): what models are trained to say, and what its files hold."""

from __future__ import annotations

from collections.abc import Sequence

from probe4d.benchmarks.question import Question

__all__ = ["answer_as_released", "spoken_answer"]


def answer_as_released(kind: str, options: Sequence[str], answer: str) -> str:
    """An answer in the words of the release: `Yes.`, `TRUCK.`, `from frame 003 to frame 009.`, or a text as it is.

    Args:
        kind: Format of the question.
        options: Its options; those of a text are the classes that its answer is one of.
        answer: As `Question.answer` is written.
    """
    match kind:
        case "yes-no":
            return f"{answer}."
        case "interval":
            start, end = answer.split("-")
            return f"from frame {int(start):03d} to frame {int(end):03d}."
        case "text" if options:
            return f"{answer.upper()}."
    return answer


def spoken_answer(question: Question) -> str:
    """What a model is trained to say to a question: its reference in the words of the release."""
    return answer_as_released(question.format, question.options, question.answer)
