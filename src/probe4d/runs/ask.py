"""Asks a model the questions of a benchmark, so that nothing that was answered is ever lost."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from probe4d.benchmarks.benchmark import Benchmark
from probe4d.benchmarks.question import Question, questions_from
from probe4d.benchmarks.suites import suite_prompt
from probe4d.models.asking import Finished, ask_all
from probe4d.models.generation import Generation
from probe4d.models.hosted import open_model
from probe4d.models.request import Reply, Request
from probe4d.runs.evidence_plan import EvidencePlan
from probe4d.runs.exhibits import Exhibits, exhibits
from probe4d.runs.journal import RunJournal, open_journal
from probe4d.runs.run import Answer, AnswerError, Run, RunRecord, read_run
from probe4d.runs.selection import Selection, selected
from probe4d.runs.settings import Setting, Variant, setting_named
from probe4d.scenes.tables import Scenes
from probe4d.version import __version__

__all__ = ["ask"]

Key = tuple[str, str | None]


def ask(
    benchmark: Benchmark,
    out: Path | str,
    *,
    model: str,
    setting: str = "default",
    evidence: EvidencePlan | None = None,
    scenes: Scenes | None = None,
    selection: Selection | None = None,
    generation: Generation | None = None,
    base_url: str | None = None,
    model_arguments: Mapping[str, Any] | None = None,
    max_connections: int = 10,
    done: Callable[[Answer | AnswerError], None] | None = None,
) -> Run:
    """Ask a model, or go on asking it where an earlier call stopped.

    Args:
        benchmark: The questions.
        out: Run folder; one that holds the same run, unfinished, is continued.
        model: inspect-ai name of the model, such as `openai/gpt-5`.
        setting: Name of a setting, such as `default` or `permuted:4`.
        evidence: What is shown; null shows nothing.
        scenes: The scenes that evidence is taken from.
        selection: Which questions; null asks all.
        generation: Generation options.
        base_url: Address of the server, where it is not the provider's own.
        model_arguments: The provider's own arguments.
        max_connections: Most requests under way at once.
        done: Told of each answer and error once it is on disk.

    Raises:
        InputError: The model, setting or evidence cannot be had, or the folder holds another run.
        RunError: Asking came to an end before all was asked; what was answered is kept.
    """
    out = Path(out)
    generation, evidence = generation or Generation(), evidence or EvidencePlan()
    how = setting_named(setting)
    questions = questions_from(selected(benchmark.table, selection))
    shown = exhibits(questions, evidence, scenes)
    record = RunRecord(
        model=model,
        setting=how.name,
        parameters={"base_url": base_url, **(model_arguments or {})},
        generation=generation,
        evidence=evidence,
        selection=selection,
        benchmark=benchmark.fingerprint,
        versions={"probe4d": __version__},
    )
    asked = _asked(questions, how, shown)
    with open_journal(out, record) as journal:
        journal.leave_out(shown.left_out)
        hosted = open_model(
            model,
            base_url=base_url,
            arguments=model_arguments,
            generation=generation,
            max_connections=max_connections,
        )
        word = suite_prompt(benchmark.record.suite, how.wording)
        remaining = {key: one for key, one in asked.items() if key not in journal.answered}
        requests = _requests(remaining, word, shown, generation.seed, how)
        ask_all(hosted, requests, _Writer(journal, remaining, done))
        places = {key: place for place, key in enumerate(asked)}
        journal.finish(places.__getitem__)
    return read_run(out)


def _asked(questions: Sequence[Question], setting: Setting, shown: Exhibits) -> dict[Key, tuple[Question, Variant]]:
    return {
        (question.id, variant.name): (question, variant)
        for question in questions
        if question.id in shown.of
        for variant in setting.variants(question)
    }


def _requests(
    asked: Mapping[Key, tuple[Question, Variant]],
    word: Callable[[Question], str],
    shown: Exhibits,
    seed: int | None,
    setting: Setting,
) -> Iterator[Request]:
    for (identity, name), (question, variant) in asked.items():
        exhibit = shown.of[identity]
        yield Request(
            key=identity if name is None else f"{identity}/{name}",
            text=exhibit.preamble + word(question),
            seed=seed if variant.seed_offset is None else (seed or 0) + variant.seed_offset,
            hints=setting.hints,
        )


class _Writer:
    """Turns finished requests into lines of the run."""

    def __init__(
        self,
        journal: RunJournal,
        asked: Mapping[Key, tuple[Question, Variant]],
        done: Callable[[Answer | AnswerError], None] | None,
    ) -> None:
        self._journal = journal
        self._asked = {key[0] if key[1] is None else "/".join(map(str, key)): one for key, one in asked.items()}
        self._done = done

    def put(self, finished: Sequence[Finished]) -> None:
        """Write them down and return when they are on disk."""
        answers: list[Answer] = []
        errors: list[AnswerError] = []
        for request, reply, failure in finished:
            question, variant = self._asked[request.key]
            if reply is None:
                errors.append(AnswerError(question=question.id, variant=variant.name, error=failure or ""))
            else:
                answers.append(_answer(question, variant, request, reply))
        self._journal.put(answers, errors)
        lines: list[Answer | AnswerError] = [*answers, *errors]
        for line in lines:
            if self._done is not None:
                self._done(line)


def _answer(question: Question, variant: Variant, request: Request, reply: Reply) -> Answer:
    return Answer(
        question=question.id,
        variant=variant.name,
        text=reply.text,
        reasoning=reply.reasoning,
        finish_reason=reply.finish_reason,
        rotation=variant.rotation,
        model=reply.model,
        seed=request.seed,
        tokens=reply.tokens,
        input_tokens=reply.input_tokens,
        seconds=reply.seconds,
    )
