"""The controls as models that can be asked, so that what they answer lies on disk as any other run."""

from __future__ import annotations

from collections.abc import Collection, Mapping

from probe4d.benchmarks.benchmark import Benchmark
from probe4d.benchmarks.question import LETTERS
from probe4d.diagnosis.controls import CONTENT, FIXED, content_control, fixed_control
from probe4d.diagnosis.sheet import label_of, make_sheet
from probe4d.errors import InputError
from probe4d.models.request import ModelFailure, Reply, Request
from probe4d.runs.requests import request_key
from probe4d.runs.settings import setting_named

__all__ = ["ControlModel", "control_model"]

_CONTROLS = {FIXED: fixed_control, CONTENT: content_control}


class ControlModel:
    """A control that answers requests; see `probe4d.models.request.Model` and `Foresighted`.

    Args:
        name: Name of the control.
        setting: Name of the setting that it was made for.
        replies: What it answers to each request of the benchmark in that setting; null where it has no answer.
    """

    max_connections = 64

    def __init__(self, name: str, setting: str, replies: Mapping[str, str | None]) -> None:
        self.name = name
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
            raise ModelFailure(f"{self.name} answers yes-no and choice questions only")
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


def control_model(benchmark: Benchmark, name: str, *, setting: str = "default") -> ControlModel:
    """Make a control a model for `probe4d.ask`.

    `control:fixed` gives the first letter, or No, whatever is shown; `control:content` chooses an option by its
    text (see `probe4d.diagnosis.controls`), and so follows it where a setting rotates the options.

    Args:
        benchmark: The questions; all of them, for `control:content` learns from the other scenes.
        name: `control:fixed` or `control:content`.
        setting: Setting that the control will be asked in.

    Raises:
        InputError: There is no such control, or no question that it answers.
    """
    if name not in _CONTROLS:
        raise InputError(f"there is no control {name!r}.", remedy=f"There are {' and '.join(_CONTROLS)}.")
    how, sheet = setting_named(setting), make_sheet(benchmark)
    labels = dict(zip(sheet.questions["id"], _CONTROLS[name](sheet), strict=True))
    replies: dict[str, str | None] = {}
    for question in benchmark.questions:
        code = labels.get(question.id)
        answer = None if code is None else label_of(int(code), question.format) or LETTERS[0]
        for variant in how.variants(question):
            text = answer
            if answer is not None and name == CONTENT:
                text = variant.letter_shown(answer, len(question.options))
            replies[request_key(question.id, variant.name)] = text
    return ControlModel(name, how.name, replies)
