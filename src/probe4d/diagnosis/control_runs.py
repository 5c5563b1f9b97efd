"""The controls as models that can be asked, so that what they answer lies on disk as any other run."""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping

import numpy as np
import numpy.typing as npt

from probe4d.benchmarks.benchmark import Benchmark
from probe4d.benchmarks.question import LETTERS
from probe4d.diagnosis.controls import CONTENT, FIXED, MEDIAN, fixed_control
from probe4d.diagnosis.fitting import control_answers
from probe4d.diagnosis.number_sheet import NumberSheet, Values, make_number_sheet
from probe4d.diagnosis.sheet import Sheet, label_of, make_sheet
from probe4d.errors import InputError
from probe4d.models.request import ModelFailure, Reply, Request
from probe4d.runs.requests import request_key
from probe4d.runs.settings import setting_named
from probe4d.wording import listed

__all__ = ["ControlModel", "control_model"]

_CONTROLS = (FIXED, CONTENT, MEDIAN)


class ControlModel:
    """A control that answers requests; see `probe4d.models.request.Model` and `Foresighted`.

    Args:
        name: Name of the control.
        setting: Name of the setting that it was made for.
        replies: What it answers to each request of the benchmark in that setting; null where it has no answer.
        made_from: What else tells it from others of its name, for the run's record.
    """

    max_connections = 64

    def __init__(
        self, name: str, setting: str, replies: Mapping[str, str | None], *, made_from: Mapping[str, str] | None = None
    ) -> None:
        self.name = name
        self.made_from = made_from or {}
        self._setting = setting
        self._replies = replies

    def check(self, keys: Collection[str], *, pictures: bool) -> None:
        """Refuse requests that the control was not made for, before any is sent.

        Raises:
            InputError: They come with pictures, or are of another benchmark or setting.
        """
        if (refusal := self._refusal(keys, pictures=pictures)) is not None:
            raise InputError(refusal)

    async def reply(self, request: Request) -> Reply:
        """Give the answer worked out for the request's question.

        Raises:
            ModelFailure: The question is of a format that controls do not answer, or is asked otherwise than in the
                setting that the control was made for, or with pictures.
        """
        if (refusal := self._refusal([request.key], pictures=bool(request.images))) is not None:
            raise ModelFailure(refusal, fatal=True)
        text = self._replies[request.key]
        if text is None:
            raise ModelFailure(f"{self.name} answers only {_answered_by(self.name)}")
        return Reply(text=text, finish_reason="stop", model=self.name)

    async def close(self) -> None:
        """Do nothing: there are no connections."""

    def _refusal(self, keys: Collection[str], *, pictures: bool) -> str | None:
        if pictures:
            return f"{self.name} looks at nothing: ask it without evidence."
        strange = next((key for key in keys if key not in self._replies), None)
        if strange is None:
            return None
        what = f"{self.name} was made for the setting {self._setting}, which does not ask {strange}."
        return f"{what} Give control_model the benchmark and setting that are asked."


def control_model(
    benchmark: Benchmark, name: str, *, setting: str = "default", fit_controls: Benchmark | None = None
) -> ControlModel:
    """Make a control a model for `probe4d.ask`.

    `control:fixed` gives the first letter, or No, whatever is shown; `control:content` chooses an option by its
    text, and so follows it where a setting rotates the options; `control:median` answers numbers alone. Numbers are
    answered with a median of other scenes: by `control:fixed` with that of the template, by the others with that of
    the template and context (see `probe4d.diagnosis.controls`). What a control does not answer fails when it is asked.

    Args:
        benchmark: The questions; all of them, for controls learn from the other scenes.
        name: `control:fixed`, `control:content` or `control:median`.
        setting: Setting that the control will be asked in.
        fit_controls: Another benchmark to learn from instead (see `probe4d.diagnosis.fitting`); the run's record
            keeps its fingerprint.

    Raises:
        InputError: There is no such control, or no question that it answers, or it learns nothing from the other
            benchmark.
    """
    if name not in _CONTROLS:
        raise InputError(f"there is no control {name!r}.", remedy=f"There are {listed(_CONTROLS)}.")
    how = setting_named(setting)
    sheet, number_sheet = make_sheet(benchmark), make_number_sheet(benchmark)
    answers = control_answers(benchmark, sheet, number_sheet, fit_controls)
    labels = {} if name == MEDIAN else _labels(sheet, fixed_control(sheet) if name == FIXED else answers.content.labels)
    numbers = _numbers(number_sheet, answers.numbers[FIXED if name == FIXED else MEDIAN])
    if not labels and not numbers:
        raise InputError(
            f"holds no question that {name} answers.",
            path=benchmark.path,
            remedy=f"Give a benchmark of {_answered_by(name)}.",
        )
    replies: dict[str, str | None] = {}
    for question in benchmark.questions:
        label, number = labels.get(question.id), numbers.get(question.id)
        for variant in how.variants(question):
            text = label
            if label is not None and name == CONTENT:
                text = variant.letter_shown(label, len(question.options))
            replies[request_key(question.id, variant.name)] = text or number
    made_from = {} if answers.learned_from is None else {"fit_controls": answers.learned_from}
    return ControlModel(name, how.name, replies, made_from=made_from)


def _answered_by(name: str) -> str:
    """The questions that a control answers, in words."""
    numbers = "questions for a number of a known unit that several scenes have"
    return numbers if name == MEDIAN else f"yes-no and choice questions and {numbers}"


def _labels(sheet: Sheet, codes: npt.NDArray[np.int8]) -> dict[str, str]:
    asked = sheet.questions.select("id", "format").iter_rows()
    return {
        identity: label_of(code, kind) or LETTERS[0]
        for (identity, kind), code in zip(asked, codes.tolist(), strict=True)
    }


def _numbers(sheet: NumberSheet, values: Values) -> dict[str, str]:
    asked = sheet.questions.select("id", "unit").iter_rows()
    return {
        identity: f"{value!r} {unit}"
        for (identity, unit), value in zip(asked, values.tolist(), strict=True)
        if not math.isnan(value)
    }
