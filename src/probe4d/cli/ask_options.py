"""The options of `probe4d ask`, in the panels of its help."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any, get_args

import typer

from probe4d.models import generation
from probe4d.models.lidar_lm import answering_options, layouts
from probe4d.runs import evidence_plan
from probe4d.wording import listed


def _model(*names: str, **option: Any) -> Any:
    return typer.Option(*names, rich_help_panel="The model", **option)


def _part(*names: str, **option: Any) -> Any:
    return typer.Option(*names, rich_help_panel="Which questions, and how they are put", **option)


def _lidar(*names: str, **option: Any) -> Any:
    return typer.Option(*names, rich_help_panel="A LiDAR language model", **option)


def _evidence(*names: str, **option: Any) -> Any:
    return typer.Option(*names, rich_help_panel="What is shown with them", **option)


def _generation(*names: str, **option: Any) -> Any:
    return typer.Option(*names, rich_help_panel="How it generates: left out, as the provider has it", **option)


def _course(*names: str, **option: Any) -> Any:
    return typer.Option(*names, rich_help_panel="The course of the run", **option)


def _one_of(choices: Any) -> str:
    """The values of a `Literal` in words."""
    return f"{listed(get_args(choices), 'or')}."


def _list_presets(wanted: bool) -> None:
    if wanted:
        from probe4d.cli.ask_printing import print_presets

        print_presets()
        raise typer.Exit


Bench = Annotated[Path, typer.Argument(metavar="BENCH", help="Folder of a benchmark.")]

Model = Annotated[
    str | None,
    _model(
        "--model",
        "-m",
        metavar="PROVIDER/NAME",
        help="inspect-ai name, such as openai/gpt-5.5 or vllm/Qwen/Qwen3.6-27B; lidar-lm:CHECKPOINT; or control:fixed, "
        "control:content, control:median.",
    ),
]
Preset = Annotated[
    str | None, _model("--preset", metavar="NAME", help="A paper's model and options; your own stand before them.")
]
ListPresets = Annotated[
    bool, _model("--list-presets", help="Print the presets and leave.", callback=_list_presets, is_eager=True)
]
BaseUrl = Annotated[
    str | None, _model("--base-url", metavar="URL", help="Address of a server, if not the provider's own.")
]
Arguments = Annotated[
    list[str] | None,
    _model(
        "-M",
        metavar="KEY=VALUE",
        help="An argument of the provider's own; repeatable. Of lidar-lm: base=DIR, device=NAME, ego_text=NAME.",
    ),
]

FitControls = Annotated[
    Path | None,
    _model(
        "--fit-controls",
        metavar="BENCH",
        help="Benchmark that a control learns from. Left out: the one it is asked, but for the question's scene.",
    ),
]

SettingName = Annotated[
    str,
    _part(
        "--setting",
        metavar="NAME",
        help="default, anti-position, ego, explicit-threshold, chain-of-thought, released, permuted:N, repeat:N, "
        "tscd:ALPHA or tscd-identity.",
    ),
]
Families = Annotated[list[str] | None, _part("--family", metavar="NAME", help="Of this family only; repeatable.")]
Sample = Annotated[
    int | None, _part("--sample", metavar="N", help="N questions, drawn in proportion to families and formats.")
]
SampleSeed = Annotated[int, _part("--sample-seed", metavar="N", help="Seed of the sample.")]
Limit = Annotated[int | None, _part("--limit", metavar="N", help="The first N questions only.")]

Evidence = Annotated[
    str | None,
    _evidence(
        "--evidence",
        metavar="NAME",
        help="none, cameras, birds-eye or one-camera; black, shuffled or other-scene (of cameras; of others: "
        "black:one-camera); lidar for a LiDAR language model. Left out: none, or lidar.",
    ),
]
Data = Annotated[
    Path | None, _evidence("--data", metavar="DATAROOT", help="Dataset that the benchmark was built from.")
]
Version = Annotated[
    str | None, _evidence("--version", metavar="NAME", help="Its folder of tables, if not that of the benchmark.")
]
Span = Annotated[
    evidence_plan.Span | None,
    _evidence(
        "--evidence-span", help="The question's frames, or its whole scene. Left out: of pictures question, else scene."
    ),
]
EvidenceSeed = Annotated[
    int, _evidence("--evidence-seed", metavar="N", help="Seed of wrong orders and of other scenes.")
]
MaxFrames = Annotated[
    int | None,
    _evidence("--max-frames", metavar="N", help="Most frames; more are thinned evenly. Left out: 16 pictures."),
]
MaxSide = Annotated[
    int | None, _evidence("--max-side", metavar="PIXELS", help="Longest side of a picture. Left out: 1024.")
]
ClipSide = Annotated[
    int | None,
    _evidence("--clip-side", metavar="PIXELS", help="The same where more than 5 frames are shown. Left out: no other."),
]
JpegQuality = Annotated[int | None, _evidence("--jpeg-quality", metavar="N", help="1 to 95. Left out: 85.")]
Workers = Annotated[
    int | None,
    _evidence("--workers", metavar="N", help="Threads that render pictures. Left out: one a processor."),
]

Features = Annotated[
    Path | None, _lidar("--features", metavar="FEATURES", help="Its features, as `probe4d encode` writes them.")
]
Sampling = Annotated[
    answering_options.Sampling | None,
    _lidar(
        "--sampling",
        help="released: cut off at top-k 50 and top-p 0.6; same: drawn from all tokens. Left out: released, and same "
        "with temporal contrast.",
    ),
]
KeepLogits = Annotated[bool, _lidar("--keep-logits", help="Keep the logits of each answer's first token.")]
PromptLayout = Annotated[
    layouts.Layout | None, _lidar("--layout", help="Another prompt layout than it was trained in; needs --force.")
]
Force = Annotated[bool, _lidar("--force", help="Ask it in another layout all the same.")]

Temperature = Annotated[float | None, _generation("--temperature", metavar="T", help="0 to 2.")]
TopP = Annotated[float | None, _generation("--top-p", metavar="P", help="Nucleus of sampling, up to 1.")]
MaxTokens = Annotated[int | None, _generation("--max-tokens", metavar="N", help="Most tokens of a reply.")]
Seed = Annotated[int | None, _generation("--seed", metavar="N", help="Seed; repeat:N counts up from it.")]
ReasoningEffort = Annotated[
    generation.ReasoningEffort | None,
    _generation("--reasoning-effort", metavar="LEVEL", help=_one_of(generation.ReasoningEffort)),
]
ImageDetail = Annotated[
    generation.ImageDetail | None,
    _generation("--image-detail", metavar="LEVEL", help=_one_of(generation.ImageDetail)),
]
System = Annotated[str | None, _generation("--system", metavar="TEXT", help="System message, or @FILE that holds it.")]
ExtraBody = Annotated[str | None, _generation("--extra-body", metavar="JSON", help="Further fields of each request.")]

Out = Annotated[
    Path | None,
    _course("--out", "-o", metavar="RUN", help="Run folder; the same command goes on where it stopped."),
]
DryRun = Annotated[
    bool, _course("--dry-run", help="Send nothing: count calls, pictures and tokens, and print one request.")
]
Tokenizer = Annotated[
    Path | None,
    _course("--tokenizer", metavar="FILE", help="tokenizer.json for a dry run's count. Left out: 4 bytes a token."),
]
MaxConnections = Annotated[
    int | None,
    _course("--max-connections", metavar="N", help="Requests under way at once. Left out: 10; of lidar-lm 64."),
]
MaxRetries = Annotated[
    int, _course("--max-retries", metavar="N", help="Repetitions after passing faults, such as 429 and 503.")
]
Timeout = Annotated[int, _course("--timeout", metavar="SECONDS", help="For a request with its repetitions.")]
AsJson = Annotated[bool, _course("--json", help="Print the outcome as JSON.")]
