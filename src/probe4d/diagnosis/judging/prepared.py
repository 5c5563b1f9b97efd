"""A judging before it is asked: which answers are judged, and the request for each."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import NamedTuple

import msgspec
import polars as pl

from probe4d.benchmarks.benchmark import Benchmark
from probe4d.benchmarks.question import Question
from probe4d.benchmarks.quoting import quoted
from probe4d.diagnosis.judging.candidates import candidates_of
from probe4d.diagnosis.judging.plan import JudgePlan, evidence_shown_by
from probe4d.diagnosis.judging.prompts import judge_prompt
from probe4d.diagnosis.judging.rubrics import Rubric, rubric_named
from probe4d.errors import InputError
from probe4d.evidence.rendering import Renderer
from probe4d.models.asking import Finished
from probe4d.models.generation import refuse_keys
from probe4d.models.request import Request
from probe4d.runs.evidence_plan import EvidencePlan
from probe4d.runs.exhibits import Exhibits, exhibits
from probe4d.runs.plan import RunPlan
from probe4d.runs.prepared import Prepared, prepare
from probe4d.runs.requests import rendered, request_key
from probe4d.runs.run import Run
from probe4d.scenes.tables import Scenes

__all__ = ["Candidate", "PreparedJudging", "prepare_judging"]


class Candidate(NamedTuple):
    """An answer that is judged, by the key of its request."""

    key: str
    question: Question
    variant: str | None
    answer: str
    digest: str


@dataclass(frozen=True)
class PreparedJudging:
    """A judging that could be asked.

    Attributes:
        plan: How answers are judged.
        rubric: By what they are scored.
        evidence: What the judge is shown.
        candidates: The answers that are judged, by the key of their request, in benchmark order.
        shown: What is shown with each question, and which cannot be shown.
        pictured: The questions as a run would ask them with this evidence; null where nothing is shown.
    """

    plan: JudgePlan
    rubric: Rubric
    evidence: EvidencePlan
    candidates: dict[str, Candidate]
    shown: Exhibits
    pictured: Prepared | None

    def requests(
        self, candidates: Iterable[Candidate], *, renderer: Renderer | None = None
    ) -> Iterator[Request | Finished]:
        """A request for each answer, its pictures rendered ahead of the calls; without a renderer it has none.

        An answer whose pictures cannot be shown comes as finished with its failure.
        """
        left_out = {one.question: one.detail or one.reason for one in self.shown.left_out}
        asked = []
        for one in candidates:
            if (reason := left_out.get(one.question.id)) is None:
                asked.append((one, self.shown.of[one.question.id].pictures))
            else:
                yield Finished(Request(key=one.key, text=""), None, f"its evidence cannot be shown: {reason}")
        for one, images in rendered(asked, renderer):
            request = Request(key=one.key, text=self._text(one), seed=self.plan.generation.seed)
            if isinstance(images, InputError):
                yield Finished(request, None, str(images))
            else:
                yield msgspec.structs.replace(request, images=images)

    def _text(self, one: Candidate) -> str:
        quotation = quoted(one.answer, seed=self.plan.generation.seed or 0, key=one.key, what="ANSWER")
        return judge_prompt(one.question, quotation, self.rubric, preamble=self.shown.of[one.question.id].preamble)

    @contextmanager
    def rendering(self, *, workers: int | None = None, cache: bool = True) -> Iterator[Renderer | None]:
        """Hold a renderer of the pictures while the block runs (see `probe4d.runs.prepared.Prepared.rendering`)."""
        if self.pictured is None:
            yield None
            return
        with self.pictured.rendering(workers=workers, cache=cache) as renderer:
            yield renderer


def prepare_judging(
    benchmark: Benchmark, run: Run, plan: JudgePlan | None = None, *, scenes: Scenes | None = None
) -> PreparedJudging:
    """Work out what a judging asks, without asking it.

    Args:
        benchmark: The questions.
        run: Who answered them.
        plan: How they are judged; null judges by the usual rubric with the run's own evidence.
        scenes: The scenes that pictures are taken from.

    Raises:
        InputError: The run does not fit the benchmark or has no answer to judge, the rubric or the evidence cannot be
            had, or an option would put a key into the record.
    """
    plan = plan or JudgePlan()
    refuse_keys(plan.arguments, plan.generation)
    rubric = rubric_named(plan.rubric)
    evidence = evidence_shown_by(run) if plan.evidence is None else plan.evidence
    candidates = _candidates(benchmark, run)
    asked = {one.question.id: one.question for one in candidates.values()}
    if evidence.kind == "none":
        shown = exhibits(list(asked.values()), evidence, None)
        return PreparedJudging(plan, rubric, evidence, candidates, shown, None)
    judged = benchmark.rows(list(asked))
    pictured = prepare(Benchmark(judged, benchmark.record), RunPlan(evidence=evidence), scenes=scenes)
    return PreparedJudging(plan, rubric, evidence, candidates, pictured.shown, pictured)


def _candidates(benchmark: Benchmark, run: Run) -> dict[str, Candidate]:
    """What is judged, by the key of its request, in benchmark order."""
    rows = candidates_of(run, benchmark).filter(pl.col("unfit").is_null())
    if not rows.height:
        raise InputError(
            "holds no answer that could be judged: those to questions of the format text are empty, cut or missing.",
            path=run.path or run.name,
            remedy="Finish the run, or give another.",
        )
    questions = {question.id: question for question in benchmark.records(rows["question"])}
    found = {}
    for identity, variant, answer, answer_digest, _ in rows.iter_rows():
        key = request_key(identity, variant)
        found[key] = Candidate(key, questions[identity], variant, answer, answer_digest)
    return found
