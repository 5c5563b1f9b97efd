"""The options of `probe4d judge run`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated

import typer

from probe4d.cli import arguments as reading
from probe4d.cli import ask_options as options

if TYPE_CHECKING:
    from probe4d.diagnosis.judging.plan import JudgePlan
    from probe4d.runs.evidence_plan import EvidencePlan
    from probe4d.runs.plan import Course
    from probe4d.runs.run import Run

__all__ = ["Judging", "Pace"]


@dataclass(frozen=True)
class Judging:
    """How answers are judged; the fields are options of the command line."""

    rubric: Annotated[
        str,
        typer.Option(
            "--rubric",
            metavar="NAME",
            help="stride (0 to 10), b4dl (0 to 100) or b4dl-without-reference (0 to 100, three aspects).",
        ),
    ] = "stride"
    evidence: Annotated[
        str,
        typer.Option(
            "--evidence",
            metavar="NAME",
            help="own: what the run showed, but true; none: the judge reads text alone; or cameras, birds-eye, "
            "one-camera.",
        ),
    ] = "own"
    max_frames: Annotated[
        int, typer.Option("--max-frames", metavar="N", help="Most frames shown; more are thinned evenly.")
    ] = 8
    base_url: options.BaseUrl = None
    arguments: Annotated[
        list[str] | None,
        typer.Option("-M", metavar="KEY=VALUE", help="An argument of the provider's own; repeatable."),
    ] = None
    max_tokens: Annotated[
        int, typer.Option("--max-tokens", metavar="N", help="Most tokens of a reply, thoughts among them.")
    ] = 4096
    seed: Annotated[
        int, typer.Option("--seed", metavar="N", help="Seed of the judge, and of the delimiters of answers.")
    ] = 42
    reasoning_effort: options.ReasoningEffort = None
    image_detail: options.ImageDetail = None
    extra_body: options.ExtraBody = None

    def shown(self, run: Run) -> EvidencePlan:
        """What the judge is shown with the answers of a run."""
        from probe4d.diagnosis.judging.plan import evidence_shown_by
        from probe4d.runs.evidence_plan import true_evidence_named

        if self.evidence == "own":
            return evidence_shown_by(run, max_frames=self.max_frames)
        return true_evidence_named(self.evidence, viewers="a judge is", others=("own",), max_frames=self.max_frames)

    def plan(self, shown: EvidencePlan) -> JudgePlan:
        """How answers are judged with that."""
        from probe4d.diagnosis.judging.plan import JudgePlan
        from probe4d.models.generation import Generation

        return JudgePlan(
            rubric=self.rubric,
            evidence=shown,
            generation=Generation(
                temperature=0.0,
                seed=self.seed,
                max_tokens=self.max_tokens,
                reasoning_effort=self.reasoning_effort,
                image_detail=self.image_detail,
                extra_body={}
                if self.extra_body is None
                else reading.json_object(self.extra_body, option="--extra-body"),
            ),
            base_url=self.base_url,
            arguments=reading.key_values(self.arguments or (), option="-M"),
        )


@dataclass(frozen=True)
class Pace:
    """How fast and how long it is asked; the fields are options of the command line."""

    max_connections: Annotated[
        int | None, typer.Option("--max-connections", metavar="N", help="Most requests at once. Left out: 10.")
    ] = None
    max_retries: options.MaxRetries = 5
    timeout: options.Timeout = 600
    workers: options.Workers = None

    @property
    def course(self) -> Course:
        """The same as asking takes it."""
        from probe4d.runs.plan import Course

        return Course(
            max_connections=self.max_connections,
            max_retries=self.max_retries,
            timeout_s=self.timeout,
            workers=self.workers,
        )
