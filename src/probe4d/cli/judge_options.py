"""The options of `probe4d judge run`; `probe4d review audit` takes those of the model and of its pace, too."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated

import typer

from probe4d.cli import arguments as reading
from probe4d.cli import ask_options as options

if TYPE_CHECKING:
    from probe4d.diagnosis.judging.plan import JudgePlan
    from probe4d.models.course import Course
    from probe4d.models.generation import Generation
    from probe4d.runs.evidence_plan import EvidencePlan
    from probe4d.runs.run import Run

__all__ = ["Checker", "Judging", "Pace"]


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

    def refuse_unfit(self, checker: Checker) -> None:
        """Refuse options that mean nothing, whatever the run that is judged says of itself."""
        from probe4d.diagnosis.judging.rubrics import rubric_named
        from probe4d.runs.evidence_plan import EvidencePlan

        rubric_named(self.plan(EvidencePlan(), checker).rubric)

    def shown(self, run: Run) -> EvidencePlan:
        """What the judge is shown with the answers of a run."""
        from probe4d.diagnosis.judging.plan import evidence_shown_by
        from probe4d.runs.evidence_plan import true_evidence_named

        if self.evidence == "own":
            return evidence_shown_by(run, max_frames=self.max_frames)
        return true_evidence_named(self.evidence, viewers="a judge is", others=("own",), max_frames=self.max_frames)

    def plan(self, shown: EvidencePlan, checker: Checker) -> JudgePlan:
        """How answers are judged with that, by a model."""
        from probe4d.diagnosis.judging.plan import JudgePlan

        return JudgePlan(
            rubric=self.rubric,
            evidence=shown,
            generation=checker.generation,
            base_url=checker.base_url,
            arguments=checker.given,
        )


@dataclass(frozen=True)
class Checker:
    """Which model checks answers or references, at temperature 0; the fields are options of the command line."""

    model: Annotated[str, typer.Option("--model", "-m", metavar="PROVIDER/NAME", help="inspect-ai name of the model.")]
    base_url: options.BaseUrl = None
    arguments: Annotated[
        list[str] | None,
        typer.Option("-M", metavar="KEY=VALUE", help="An argument of the provider's own; repeatable."),
    ] = None
    max_tokens: Annotated[
        int, typer.Option("--max-tokens", metavar="N", help="Most tokens of a reply, thoughts among them.")
    ] = 4096
    seed: Annotated[
        int, typer.Option("--seed", metavar="N", help="Seed of the model, and of the delimiters of what it checks.")
    ] = 42
    reasoning_effort: options.ReasoningEffort = None
    image_detail: options.ImageDetail = None
    extra_body: options.ExtraBody = None

    @property
    def given(self) -> dict[str, object]:
        """The provider's own arguments."""
        return reading.key_values(self.arguments or (), option="-M")

    @property
    def generation(self) -> Generation:
        """How it generates."""
        from probe4d.models.generation import Generation

        return Generation(
            temperature=0.0,
            seed=self.seed,
            max_tokens=self.max_tokens,
            reasoning_effort=self.reasoning_effort,
            image_detail=self.image_detail,
            extra_body={} if self.extra_body is None else reading.json_object(self.extra_body, option="--extra-body"),
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
        from probe4d.models.course import Course

        return Course(
            max_connections=self.max_connections,
            max_retries=self.max_retries,
            timeout_s=self.timeout,
            workers=self.workers,
        )
