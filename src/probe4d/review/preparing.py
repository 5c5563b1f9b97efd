"""What a model is asked of references, before it is asked, and what that would come to."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import msgspec
import polars as pl

from probe4d.benchmarks.benchmark import Benchmark
from probe4d.benchmarks.question import Question, is_free_text, questions_from
from probe4d.errors import InputError
from probe4d.evidence.rendering import Renderer
from probe4d.models.asking import Finished
from probe4d.models.generation import Generation, refuse_keys
from probe4d.models.request import Request
from probe4d.models.tokens import TextTokens, tokens_by_length
from probe4d.review.proposal_replies import proposal_prompt
from probe4d.review.sheet import SHOWN
from probe4d.runs.dry_run import DryRun, dry_requests, some_of
from probe4d.runs.evidence_plan import EvidencePlan
from probe4d.runs.plan import RunPlan
from probe4d.runs.prepared import Prepared, prepare
from probe4d.runs.requests import rendered
from probe4d.scenes.tables import Scenes

__all__ = ["OF_PROPOSALS", "PreparedProposals", "dry_proposals", "prepare_proposals"]

OF_PROPOSALS = Generation(temperature=0.0, seed=42, max_tokens=4096)
"""How a model generates proposals where nothing else is said."""


@dataclass(frozen=True)
class PreparedProposals:
    """References that a model could be asked to check.

    Attributes:
        questions: The open questions whose references they are, in benchmark order.
        pictured: The same as a run would ask them with this evidence.
        evidence: What the model is shown.
        generation: How it generates; the seed draws the delimiters of the quoted references, too.
    """

    questions: list[Question]
    pictured: Prepared
    evidence: EvidencePlan
    generation: Generation

    def requests(
        self, questions: Sequence[Question], *, renderer: Renderer | None = None
    ) -> Iterator[Request | Finished]:
        """A request for each question, its pictures rendered ahead of the calls; without a renderer it has none.

        A question whose pictures cannot be shown comes as finished with its failure.
        """
        left_out = {one.question: one.detail or one.reason for one in self.pictured.left_out}
        shown, seed = self.pictured.shown.of, self.generation.seed
        asked = []
        for question in questions:
            if (reason := left_out.get(question.id)) is None:
                asked.append((question, shown[question.id].pictures))
            else:
                yield Finished(Request(key=question.id, text=""), None, f"its evidence cannot be shown: {reason}")
        for question, images in rendered(asked, renderer):
            text = proposal_prompt(question, seed=seed or 0, preamble=shown[question.id].preamble)
            request = Request(key=question.id, text=text, seed=seed)
            if isinstance(images, InputError):
                yield Finished(request, None, str(images))
            else:
                yield msgspec.structs.replace(request, images=images)


def prepare_proposals(
    benchmark: Benchmark,
    *,
    scenes: Scenes | None = None,
    but: Collection[str] = (),
    evidence: EvidencePlan = SHOWN,
    generation: Generation = OF_PROPOSALS,
    arguments: Mapping[str, Any] | None = None,
) -> PreparedProposals:
    """Work out what a model is asked of references, without asking it.

    Args:
        benchmark: The questions.
        scenes: The scenes that pictures are taken from; without them the model sees none.
        but: Ids of questions that are left out, such as those that people scored.
        evidence: What the model is shown, where scenes are given.
        generation: How it generates.
        arguments: The provider's own arguments.

    Raises:
        InputError: There is no open question, the evidence cannot be had, or an option would put a key into the record.
    """
    refuse_keys(arguments or {}, generation)
    asked = benchmark.columns("id", "format", "options").filter(is_free_text() & ~pl.col("id").is_in(list(but)))["id"]
    if asked.is_empty():
        raise InputError(
            "holds no open question whose reference is to be checked.",
            path=benchmark.path,
            remedy="Give a benchmark with questions of the format text that nobody scored.",
        )
    rows = benchmark.rows(asked)
    questions = questions_from(rows, path=benchmark.file)
    shown = evidence if scenes is not None else EvidencePlan()
    pictured = prepare(Benchmark(rows, benchmark.record), RunPlan(evidence=shown), scenes=scenes)
    return PreparedProposals(questions, pictured, shown, generation)


def dry_proposals(prepared: PreparedProposals, *, model: str, count_tokens: TextTokens = tokens_by_length) -> DryRun:
    """Look at what a model would be asked: nothing is sent, no model opened, no key needed, no file written.

    Args:
        prepared: The references.
        model: inspect-ai name of the model that would be asked; its provider decides what pictures cost.
        count_tokens: Counts the tokens of texts.

    Returns:
        As of a run, whose setting is the check of references.
    """
    asked = [one for one in prepared.requests(prepared.questions) if isinstance(one, Request)]
    by_id = {question.id: question for question in prepared.questions}
    sent = [by_id[request.key] for request in asked]
    with prepared.pictured.rendering(cache=False) as renderer:
        looked_at = list(prepared.requests(some_of(sent), renderer=renderer))
    return dry_requests(
        asked,
        looked_at,
        model=model,
        setting="references checked",
        families=[question.family for question in sent],
        left_out=prepared.pictured.left_out,
        shown=[picture for question in sent for picture in prepared.pictured.shown.of[question.id].pictures],
        generation=prepared.generation,
        count_tokens=count_tokens,
    )
