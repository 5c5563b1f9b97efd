"""The controls as models that can be asked, so that what they answer lies on disk as any other run."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from functools import partial

import polars as pl

from probe4d.benchmarks.benchmark import Benchmark
from probe4d.benchmarks.question import LETTERS
from probe4d.diagnosis.controls.answerers import CONTENT, FIXED, MEDIAN, refuse_unaskable
from probe4d.diagnosis.controls.fitting import control_answers
from probe4d.diagnosis.sheets.by_kind import Sheets
from probe4d.diagnosis.sheets.intervals import Codes, IntervalSheet, ends_of
from probe4d.diagnosis.sheets.labels import label_of
from probe4d.errors import InputError
from probe4d.models.request import ModelFailure, Reply, Request
from probe4d.runs.requests import request_key
from probe4d.runs.settings import Setting, setting_named

__all__ = ["ControlModel", "control_model"]

Replies = Mapping[str, str | None]
"""What a control says by the key of the request; null where it has no answer."""


class ControlModel:
    """A control that answers requests; see `probe4d.models.request.Model` and `Foresighted`.

    Args:
        name: Name of the control.
        setting: Name of the setting that it was made for.
        replies_to: Gives what it answers to requests by their keys, without those that are not of the benchmark in
            that setting. It is asked once for all that the control is told of before they come.
        made_from: What else tells it from others of its name, for the run's record.
    """

    max_connections = 64

    def __init__(
        self,
        name: str,
        setting: str,
        replies_to: Callable[[Collection[str]], Replies],
        *,
        made_from: Mapping[str, str] | None = None,
    ) -> None:
        self.name = name
        self.made_from = made_from or {}
        self._setting = setting
        self._replies_to = replies_to
        self._replies: dict[str, str | None] = {}

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
        if unknown := [key for key in keys if key not in self._replies]:
            self._replies.update(self._replies_to(unknown))
        strange = next((key for key in unknown if key not in self._replies), None)
        if strange is None:
            return None
        what = f"{self.name} was made for the setting {self._setting}, which does not ask {strange}."
        return f"{what} Give control_model the benchmark and setting that are asked."


def control_model(
    benchmark: Benchmark, name: str, *, setting: str = "default", fit_controls: Benchmark | None = None
) -> ControlModel:
    """Make a control a model for `probe4d.ask`.

    `control:fixed` gives the first letter, or No, whatever is shown; `control:content` chooses an option by its
    text, and so follows it where a setting rotates the options; words and intervals are answered with the most frequent
    of other scenes (see `probe4d.diagnosis.controls.intervals`); `control:median` answers numbers alone. Numbers are
    answered with a median of other scenes: by `control:fixed` with that of the template, by the others with that of
    the template and context (see `probe4d.diagnosis.controls.answerers`). What a control does not answer fails when
    it is asked.

    Args:
        benchmark: The questions; all of them, for controls learn from the other scenes.
        name: `control:fixed`, `control:content` or `control:median`.
        setting: Setting that the control will be asked in.
        fit_controls: Another benchmark to learn from instead (see `probe4d.diagnosis.controls.fitting`); the run's
            record keeps its fingerprint.

    Raises:
        InputError: There is no such control, or no question that it answers, or it learns nothing from the other
            benchmark.
    """
    refuse_unaskable(name)
    how = setting_named(setting)
    sheets = Sheets(benchmark)
    answers = control_answers(sheets, fit_controls)
    codes = answers.fixed if name == FIXED else answers.content.labels
    labels = sheets.labels.questions.select("id", "format", "options", code=pl.Series(codes))
    values = pl.Series(answers.numbers[FIXED if name == FIXED else MEDIAN], nan_to_null=True)
    numbers = sheets.numbers.questions.select("id", "unit", value=values).drop_nulls("value")
    said = {identity: f"{value!r} {unit}" for identity, unit, value in numbers.iter_rows()}
    if name == MEDIAN:
        labels = labels.clear()
    else:
        said |= _intervals_said(sheets.intervals, answers.intervals.codes[name])
    if labels.is_empty() and not said:
        raise InputError(
            f"holds no question that {name} answers.",
            path=benchmark.path,
            remedy=f"Give a benchmark of {_answered_by(name)}.",
        )
    made_from = {} if answers.learned_from is None else {"fit_controls": answers.learned_from}
    replies_to = partial(_replies, benchmark, labels, said, how, follows_options=name == CONTENT)
    return ControlModel(name, how.name, replies_to, made_from=made_from)


def _answered_by(name: str) -> str:
    """The questions that a control answers, in words."""
    numbers = "questions for a number of a known unit that several scenes have"
    if name == MEDIAN:
        return numbers
    return f"yes-no and choice questions, questions for a word or an interval, and {numbers}"


def _intervals_said(sheet: IntervalSheet, codes: Codes) -> dict[str, str]:
    """Answers to questions for an interval as B4DL writes them, by the ids of the questions that have one."""
    ends = zip(sheet.questions["id"], ends_of(codes).tolist(), strict=True)
    return {identity: f"from frame {first:03d} to frame {last:03d}" for identity, (first, last) in ends if first >= 0}


def _replies(
    benchmark: Benchmark,
    labels: pl.DataFrame,
    said: Mapping[str, str],
    setting: Setting,
    keys: Collection[str],
    *,
    follows_options: bool,
) -> Replies:
    """What a control answers to requests and, beside them, to the others about the same questions.

    Args:
        benchmark: The questions.
        labels: `id`, `format`, `options` and `code` of the questions that it answers with a label.
        said: What it answers to those for a number or an interval, by their ids.
        setting: Setting of the requests.
        keys: Their keys (see `request_key`).
        follows_options: Whether it means the option that its letter stands for, and not the letter.
    """
    named = pl.Series([*keys, *(key.rpartition("/")[0] for key in keys)], dtype=pl.String)
    labels = labels.filter(pl.col("id").is_in(named.implode()))
    label = {
        identity: label_of(code, kind, options) or LETTERS[0] for identity, kind, options, code in labels.iter_rows()
    }
    replies: dict[str, str | None] = {}
    for question in benchmark.records(named):
        for variant in setting.variants(question):
            text = label.get(question.id)
            if text is not None and follows_options and question.format == "choice":
                text = variant.letter_shown(text, len(question.options))
            replies[request_key(question.id, variant.name)] = text or said.get(question.id)
    return replies
