"""What a run put before its model, worded anew: a run keeps answers and digests, and no prompts."""

from __future__ import annotations

from functools import partial
from typing import Any

from probe4d.benchmarks.benchmark import Benchmark
from probe4d.benchmarks.question import Question
from probe4d.benchmarks.suite import Prompt
from probe4d.benchmarks.suites import answers_elsewhere, before_letters, suite_prompt
from probe4d.errors import InputError
from probe4d.runs.exhibits import Exhibit, exhibits
from probe4d.runs.requests import to_be_worded
from probe4d.runs.run import Run
from probe4d.runs.selection import selected_of
from probe4d.runs.settings import Variant, recorded_setting
from probe4d.scenes.tables import Scenes
from probe4d.wording import counted

__all__ = ["PromptsSent"]


class PromptsSent:
    """The prompts of a run.

    Args:
        run: The run.
        benchmark: The benchmark that it answers.
        scenes: The scenes that its pictures were taken from; null where there were none, or they are not at hand.
    """

    def __init__(self, run: Run, benchmark: Benchmark, scenes: Scenes | None) -> None:
        self._setting = recorded_setting(run.record.setting)
        self._word = _word(benchmark.record.suite, self._setting.wording)
        self._of = _exhibits(run, benchmark, scenes)

    def text(self, question: Question, row: dict[str, Any]) -> str:
        """The text, with the lines that list the pictures; or as much of the question as is known.

        Args:
            question: The question.
            row: Its answer, columns of `ANSWER_SCHEMA`.
        """
        exhibit = self._of.get(question.id, Exhibit())
        if self._word is not None:
            try:
                variant = Variant(row["variant"], rotation=row["rotation"] or 0)
                return exhibit.preamble + self._word(to_be_worded(question, variant, self._setting))
            except InputError:  # a release keeps its text back
                pass
        return question.question or ""

    def pictures(self, question: Question, row: dict[str, Any]) -> str | None:
        """What is to be said in the place of the pictures that stood before the text; null where there were none."""
        exhibit = self._of.get(question.id)
        if exhibit is None and row["evidence"] is None:
            return None
        frames = len(exhibit.pictures if exhibit is not None else row["evidence_frames"] or ())
        words = [f"{counted(frames, 'picture') if frames else 'pictures'}, not in this log"]
        if row["evidence"] is not None:
            words.append(f"SHA-256 over their digests {row['evidence']}")
        if exhibit is None:
            words.append("nor are the lines that list them")
        return f"[{'; '.join(words)}]"


def _word(suite: str, wording: str) -> Prompt | None:
    """How prompts were worded; null where the suite does not know how, as with imports."""
    try:
        return suite_prompt(suite, wording)
    except InputError:
        return None


def _exhibits(run: Run, benchmark: Benchmark, scenes: Scenes | None) -> dict[str, Exhibit]:
    plan = run.record.evidence
    if plan is None or plan.kind == "none" or scenes is None:
        return {}
    questions = benchmark.records(selected_of(benchmark, run.record.selection)["id"])
    told = partial(answers_elsewhere, benchmark)
    before = before_letters(benchmark.record)
    return exhibits(questions, plan, scenes, elsewhere=told, before_letters=before).of
