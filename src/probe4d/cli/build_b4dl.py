"""`probe4d build b4dl`: question-answer pairs that a model writes about sequences, held against geometry."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from probe4d.cli import arguments as reading
from probe4d.cli import ask_options as options
from probe4d.cli import output
from probe4d.cli.build import Building, Dataroot, build, replies_folder
from probe4d.cli.groups import with_groups

if TYPE_CHECKING:
    from probe4d.benchmarks.generating import Stage
    from probe4d.models.course import Course
    from probe4d.models.generation import Generation
    from probe4d.runs.generating import HostedGenerator, Usage
    from probe4d.scenes.tables import Scenes

__all__ = ["build_b4dl"]


def _model(*names: str, **option: Any) -> Any:
    return typer.Option(*names, rich_help_panel="The model", **option)


def _part(*names: str, **option: Any) -> Any:
    return typer.Option(*names, rich_help_panel="Which questions, and what the model is told", **option)


@dataclass(frozen=True)
class Generating:
    """Who writes descriptions and pairs, and how; the fields are options of the command line."""

    model: Annotated[
        str,
        _model("--model", "-m", metavar="PROVIDER/NAME", help="inspect-ai name of a model that sees pictures."),
    ]
    generated: Annotated[
        Path | None,
        _model(
            "--generated",
            metavar="DIR",
            help="Folder of its replies; the same command goes on where it stopped. Left out: --out with -generated.",
        ),
    ] = None
    base_url: options.BaseUrl = None
    arguments: Annotated[
        list[str] | None,
        _model("-M", metavar="KEY=VALUE", help="An argument of the provider's own; repeatable."),
    ] = None
    temperature: options.Temperature = None
    top_p: options.TopP = None
    max_tokens: Annotated[
        int | None,
        _model("--max-tokens", metavar="N", help="Most tokens of a reply, thoughts among them. Left out: 4096."),
    ] = None
    model_seed: Annotated[
        int | None,
        _model(
            "--model-seed",
            metavar="N",
            help="Seed of the model (--seed is that of the sequences). Left out: as the provider has it.",
        ),
    ] = None
    reasoning_effort: options.ReasoningEffort = None
    image_detail: options.ImageDetail = None
    extra_body: options.ExtraBody = None
    max_connections: Annotated[
        int | None, _model("--max-connections", metavar="N", help="Requests under way at once. Left out: 10.")
    ] = None
    max_retries: options.MaxRetries = 5
    timeout: options.Timeout = 600
    allow_missing: Annotated[
        bool,
        _model("--allow-missing", help="Build without what got no reply, and count it as short."),
    ] = False
    dry_run: Annotated[
        bool,
        _model("--dry-run", help="Send nothing: count calls, pictures and tokens, and print a prompt of each stage."),
    ] = False

    def folder(self, out: Path) -> Path:
        """Folder of the replies for a benchmark.

        Raises:
            InputError: It is the benchmark's own, or inside.
        """
        return replies_folder(self.generated, out, option="--generated")

    @property
    def generation(self) -> Generation:
        """How it generates."""
        from probe4d.models.generation import Generation
        from probe4d.runs.generating import USUAL_GENERATION

        return Generation(
            temperature=self.temperature,
            top_p=self.top_p,
            max_tokens=USUAL_GENERATION.max_tokens if self.max_tokens is None else self.max_tokens,
            seed=self.model_seed,
            reasoning_effort=self.reasoning_effort,
            image_detail=self.image_detail,
            extra_body={} if self.extra_body is None else reading.json_object(self.extra_body, option="--extra-body"),
        )

    @property
    def course(self) -> Course:
        """How fast it is asked."""
        from probe4d.models.course import Course

        return Course(max_connections=self.max_connections, max_retries=self.max_retries, timeout_s=self.timeout)

    def opened(self, scenes: Scenes, out: Path, stages: _Stages) -> HostedGenerator:
        """The generator that is asked for."""
        from probe4d.runs.generating import HostedGenerator

        return HostedGenerator(
            self.model,
            self.folder(out),
            root=scenes.root,
            dataset=scenes.fingerprint,
            base_url=self.base_url,
            arguments=reading.key_values(self.arguments or (), option="-M"),
            generation=self.generation,
            course=self.course,
            allow_missing=self.allow_missing,
            begun=stages.begun,
            done=stages.done,
        )


class _Stages:
    """Shows how one stage after another goes on, those of the model and those of measuring."""

    def __init__(self) -> None:
        self._stack = ExitStack()
        self._shown: output.Progress | None = None

    def begun(self, stage: str, total: int, before: int = 0) -> None:
        """A stage begins: the bar of the one before gives way to its own."""
        self._stack.close()
        self._shown = self._stack.enter_context(output.progress(_WORDS[stage], total))
        self._shown.expect(total, before)

    def done(self, item: object = None) -> None:
        """Count one more reply, or scene."""
        if self._shown is not None:
            self._shown(item)

    @contextmanager
    def shown(self) -> Iterator[Mapping[str, Any]]:
        """Take away the last bar at the end; give the parameters of a build that tell of measuring."""
        with self._stack:
            yield {"begun": self.begun, "done": self.done}


_WORDS = {
    "annotations": "Measuring annotations",
    "contexts": "Having pictures described",
    "context-repairs": "Asking again for descriptions that were cut off",
    "pairs": "Having pairs written",
    "repairs": "Asking again for missing pairs",
    "verdicts": "Holding answers against geometry",
}
"""What is done in each stage, of the model and of measuring."""


@dataclass(frozen=True)
class Parts:
    """Which sequences, which tasks, and what the model is told; the fields are options of the command line."""

    tasks: Annotated[
        str, _part("--tasks", metavar="NAMES", help="Of these tasks only, with commas, such as existence,binary.")
    ] = "all"
    sequences_per_scene: Annotated[
        int, _part("--sequences-per-scene", metavar="N", help="Sequences drawn of a scene.")
    ] = 6
    released_windows: Annotated[
        bool, _part("--released-windows", help="The six fixed windows of five frames of the released code.")
    ] = False
    no_annotations: Annotated[
        bool, _part("--no-annotations", help="Leave what annotations say out of the prompts (Table 4).")
    ] = False
    annotated_sector: Annotated[
        str | None,
        _part(
            "--annotated-sector",
            metavar="FROM:TO",
            help="Bearings that are annotated, in degrees, such as -45:45 of KITTI: then what has no box may be there.",
        ),
    ] = None
    grounded: Annotated[
        Literal["keep", "drop", "correct"],
        _part("--grounded", help="What becomes of answers that geometry contradicts."),
    ] = "keep"
    image_side: Annotated[
        int, _part("--image-side", metavar="PIXELS", help="Longest side of a picture that is sent.")
    ] = 1024

    @property
    def parameters(self) -> dict[str, Any]:
        """The same as a build takes it."""
        return {
            "tasks": None if self.tasks == "all" else tuple(name.strip() for name in self.tasks.split(",")),
            "sequences_per_scene": self.sequences_per_scene,
            "windows": "released" if self.released_windows else "drawn",
            "annotations": not self.no_annotations,
            "annotated_sector": self.annotated_sector,
            "grounded": self.grounded,
            "longest_side_px": self.image_side,
        }


@build.command("b4dl")
@with_groups
def build_b4dl(dataroot: Dataroot, *, building: Building, generating: Generating, parts: Parts) -> None:
    """Have a model write questions about sequences of 3 to 10 key frames, in six tasks, and check what can be checked.

    It describes the camera images of each sequence, then writes question-answer pairs from the descriptions and from
    what annotations say; answers that boxes and poses can decide are held against them. What was answered is never
    lost: the same command goes on where it stopped. Keys come from the environment, or from .env in the working
    directory.
    """
    reading.read_environment()
    if generating.dry_run:
        _print_dry(dataroot, building, generating, parts)
        return
    scenes = building.opened(dataroot)
    _note_sector(scenes, building, parts)
    stages = _Stages()
    generator = generating.opened(scenes, building.out, stages)
    folder = generating.folder(building.out)
    try:
        building.built("b4dl", scenes, shown=stages.shown(), generator=generator, **parts.parameters)
    except KeyboardInterrupt:
        output.fail(f"stopped; what was answered is kept in {folder}, and the same command goes on.")
        raise typer.Exit(130) from None
    _note_verdicts(building.out)
    _note_usage(generator.usage, folder)


def _note_sector(scenes: Scenes, building: Building, parts: Parts) -> None:
    """Say that what has no box is taken as absent, where boxes seem to lie ahead alone."""
    from probe4d.benchmarks.annotated_sector import annotated_behind
    from probe4d.benchmarks.splits import select_split

    if parts.annotated_sector is None and not annotated_behind(select_split(scenes, building.split)[0]):
        output.note(
            "no box lies behind the ego vehicle; where the dataset is annotated ahead alone, say so, or true answers "
            "about the rest are held to be wrong (--annotated-sector FROM:TO, such as -45:45)"
        )


def _note_usage(usage: Usage, folder: Path) -> None:
    """Say what the replies came to."""
    from probe4d.wording import counted

    tokens = f", {usage.input_tokens:,} tokens in, {usage.tokens:,} out" if usage.input_tokens else ""
    output.note(f"made of {counted(usage.replies, 'text')} of the model{tokens}, kept in {folder}")


def _note_verdicts(out: Path) -> None:
    """Say what geometry says of the answers that were written."""
    from probe4d.benchmarks.b4dl.build import verdicts_in
    from probe4d.wording import counted, in_percent

    counts = verdicts_in(out)
    decided = counts["supported"] + counts["contradicted"]
    share = f", {in_percent(counts['contradicted'] / decided)} % of the decidable ones" if decided else ""
    output.note(
        f"geometry supports {counted(counts['supported'], 'answer')} and contradicts {counts['contradicted']:,}{share}"
        f"; {counts['undecided']:,} it does not decide"
    )


def _print_dry(dataroot: Path, building: Building, generating: Generating, parts: Parts) -> None:
    """Print what each stage would come to, and a prompt of each."""
    import msgspec

    from probe4d.benchmarks.b4dl.generation.planning import DESCRIPTION_TOKENS, planned_prompts
    from probe4d.benchmarks.b4dl.wanted import Wanted
    from probe4d.cli.ask_printing import print_dry_run
    from probe4d.runs.dry_generation import dry_stage

    scenes = building.opened(dataroot)
    _note_sector(scenes, building, parts)
    wanted = Wanted(split=building.split, seed=building.seed, workers=building.workers, **parts.parameters)
    generator = generating.opened(scenes, building.out, _Stages())
    planned = planned_prompts(scenes, wanted, kept=generator.kept)
    for stage, of_stage in planned.prompts.items():
        if stage == "context-repairs" and not of_stage and not planned.kept[stage]:
            continue  # nothing that was described is known to have been cut off
        seen = dry_stage(stage, of_stage, scenes.root, model=generating.model, generation=generating.generation)
        counted_by = "4 bytes a token"
        if described := DESCRIPTION_TOKENS * planned.not_yet_described(stage):
            seen = msgspec.structs.replace(seen, text_tokens=seen.text_tokens + described)
            counted_by += f", a description taken as {DESCRIPTION_TOKENS}"
        n_kept = planned.kept[stage]
        kept = f"; {n_kept:,} more {'is' if n_kept == 1 else 'are'} answered and kept" if n_kept else ""
        print_dry_run(seen, counted_by=counted_by, heading=f"{_HEADINGS[stage]}{kept}:", asked="prompts")
    output.note_left_out(planned.missing)


_HEADINGS: dict[Stage, str] = {
    "contexts": "Nothing was sent. Descriptions of pictures would come to",
    "context-repairs": "\nAsking again for descriptions that were cut off would come to",
    "pairs": "\nPairs of these descriptions would come to",
    "repairs": "\nAsking again for missing pairs would come to this at most, where no pair of any reply can be taken",
}
