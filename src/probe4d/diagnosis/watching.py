"""Watches a run while it is asked: how many answers can be read, and who gives them."""

from __future__ import annotations

import re
from collections import Counter

import polars as pl

from probe4d.benchmarks.benchmark import Benchmark
from probe4d.benchmarks.question import INTERVAL, NUMBER, WAYPOINTS
from probe4d.diagnosis.parsing import PARSERS, State, parse
from probe4d.diagnosis.parsing.intervals import parse_interval
from probe4d.diagnosis.parsing.numbers import parse_number
from probe4d.diagnosis.parsing.waypoints import parse_waypoints
from probe4d.diagnosis.sheets.numbers import unit_of_answer
from probe4d.diagnosis.sheets.waypoints import steps_asked
from probe4d.runs.run import Answer, AnswerError
from probe4d.runs.selection import Selection, selected_of
from probe4d.runs.settings import Variant, setting_named
from probe4d.wording import counted, in_percent, listed

__all__ = ["Watch", "is_same_model"]

_FEWEST = 20
"""Answers before anything is said of how many can be read: of fewer, one alone would be more than the share below."""

_MOST_UNREAD = 0.05
"""Share of answers that cannot be read, above which it is said: a parser that fits a model reads almost all, and one
unread answer in twenty moves an accuracy by as much as papers call a difference."""

_EXAMPLES = 3
_EXAMPLE_LENGTH = 100
_LONGEST_READ = 100_000
"""Characters of a reply above which it is left to diagnosis: reading takes half a second a million, and the log of the
run, which the next requests wait for, would wait for it."""

_SNAPSHOT = re.compile(r"[-@:](?:\d{3,}(?:-\d\d)*|latest)$")


class Watch:
    """Counts what comes in, and says once what should not wait for the end of the run.

    Attributes:
        answers: Answers seen.
        failures: Failures seen, by their reason.
        states: Answers that a parser reads and that are not far longer than answers are, by what it made of them.
        tokens: Tokens generated.
        input_tokens: Tokens read.
        servers: Answers by the model that the server says gave them.
    """

    def __init__(
        self, benchmark: Benchmark, *, model: str, setting: str = "default", selection: Selection | None = None
    ) -> None:
        self.answers = 0
        self.failures: Counter[str] = Counter()
        self.states: Counter[str] = Counter()
        self.tokens = 0
        self.input_tokens = 0
        self.servers: Counter[str] = Counter()
        self._model = model
        self._setting = setting_named(setting)
        chosen = selected_of(benchmark, selection)
        numbers = benchmark.rows(chosen.filter(format=NUMBER)["id"], "id", "facts").select("id", unit_of_answer())
        steps = pl.when(pl.col("format") == WAYPOINTS).then(steps_asked())
        asked = benchmark.rows(chosen["id"], "id", "format", "options", "answer").join(numbers, on="id", how="left")
        told = asked.select("id", "format", "options", "unit", steps).iter_rows()
        self._questions = {identity: rest for identity, *rest in told}
        self._unread: list[str] = []
        self._told = False

    @property
    def valid_share(self) -> float | None:
        """Share of the answers read that name one answer of their question; null before there are any."""
        read = self.states.total()
        return self.states["valid"] / read if read else None

    def see(self, line: Answer | AnswerError) -> list[str]:
        """Count one line of the run.

        Returns:
            What has to be said now, as sentences; the texts of replies in them are shortened but not escaped.
        """
        if isinstance(line, AnswerError):
            self.failures[line.error] += 1
            return []
        self.answers += 1
        self.tokens += line.tokens or 0
        self.input_tokens += line.input_tokens or 0
        self._read(line)
        return [*self._of_servers(line.model), *self._of_reading()]

    def _read(self, answer: Answer) -> None:
        format, options, unit, steps = self._questions[answer.question]
        is_free = format == "text" and not options
        unknown = format not in (*PARSERS["default"], INTERVAL) and unit is None and steps is None
        if is_free or unknown or len(answer.text) > _LONGEST_READ:
            return
        part = self._setting.answer_part(answer.text)
        state: State
        if steps is not None:
            state = parse_waypoints(part, count=steps, finish_reason=answer.finish_reason).state
        elif format == INTERVAL:
            state = parse_interval(part, finish_reason=answer.finish_reason).state
        elif unit is not None:
            state = parse_number(part, unit=unit, finish_reason=answer.finish_reason).state
        else:
            shown = Variant(rotation=answer.rotation).shown(options)
            state = parse(part, format=format, options=shown, finish_reason=answer.finish_reason).state
        self.states[state] += 1
        if state != "valid" and len(self._unread) < _EXAMPLES:
            words = " ".join(answer.text.split())
            short = words if len(words) <= _EXAMPLE_LENGTH else f"{words[:_EXAMPLE_LENGTH]}…"
            self._unread.append(f"  {answer.question}, {format}, {state}: “{short}”")

    def _of_reading(self) -> list[str]:
        read = self.states.total()
        unread = read - self.states["valid"]
        if self._told or read < _FEWEST or unread <= _MOST_UNREAD * read:
            return []
        self._told = True
        counts = [f"{n:,} {state}" for state, n in self.states.most_common() if state != "valid"]
        advice = " A larger --max-tokens would cut fewer short." if self.states["truncated"] else ""
        first = (
            f"{unread:,} of {read:,} answers so far ({in_percent(unread / read)} %) cannot be read: {listed(counts)}."
        )
        return ["\n".join([f"{first}{advice} Some of them:", *self._unread])]

    def _of_servers(self, name: str | None) -> list[str]:
        if name is None:
            return []
        self.servers[name] += 1
        if self.servers[name] > 1:
            return []
        if len(self.servers) > 1:
            names = listed([f"{server} ({counted(n, 'answer')})" for server, n in self.servers.items()])
            return [f"The server answers as more than one model: {names}."]
        if not is_same_model(self._model, name):
            return [f"The server answers as {name}, and {self._model} was asked."]
        return []


def is_same_model(asked: str, answering: str) -> bool:
    """Whether a server's name for a model can stand for the name asked, such as a dated snapshot of it.

    Only the last part of a path counts, since servers name the same model with its owner, its folder or neither.

    Args:
        asked: inspect-ai name, with the provider and, for some, a service before the model's own name.
        answering: Name that the server gave.
    """
    wanted, given = (name.casefold().rstrip("/").split("/")[-1] for name in (asked, answering))
    return given == wanted or _SNAPSHOT.sub("", given) == wanted.removesuffix("-latest")
