"""Reads what options hold beyond a word or a number: KEY=VALUE, JSON, @FILE, and the environment's own file."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from probe4d.errors import InputError

if TYPE_CHECKING:
    from probe4d.benchmarks.benchmark import Benchmark
    from probe4d.models.presets import Preset
    from probe4d.runs.evidence_plan import EvidencePlan, EvidenceView, Span
    from probe4d.runs.selection import Selection
    from probe4d.scenes.tables import Scenes

__all__ = [
    "evidence_plan",
    "json_object",
    "key_values",
    "read_environment",
    "scenes_shown",
    "selection",
    "text_or_file",
]


def key_values(pairs: Sequence[str], *, option: str) -> dict[str, Any]:
    """Read pairs KEY=VALUE; a value in JSON is what it says, any other is text.

    Raises:
        InputError: A pair has no `=` or no key, or a key comes twice.
    """
    import msgspec

    found: dict[str, Any] = {}
    for pair in pairs:
        key, equals, text = pair.partition("=")
        if not equals or not key.isidentifier():  # not repeated in the message, since it may hold a key
            raise InputError(f"{option} takes KEY=VALUE with a word for KEY.", remedy=f"Such as {option} device=cpu.")
        if key in found:
            raise InputError(f"{option} {key} is given twice.")
        try:
            found[key] = msgspec.json.decode(text)
        except (msgspec.DecodeError, RecursionError):
            found[key] = text
    return found


def json_object(text: str, *, option: str) -> dict[str, Any]:
    """Read a JSON object.

    Raises:
        InputError: The text is none.
    """
    import msgspec

    try:
        return msgspec.json.decode(text, type=dict[str, Any])
    except (msgspec.DecodeError, RecursionError) as error:
        raise InputError(
            f"{option} takes a JSON object ({error}).", remedy=f"Such as {option} '{{\"top_k\": 1}}'."
        ) from error


def text_or_file(text: str, *, option: str) -> str:
    """A text as it stands or, behind `@`, the content of a file in UTF-8.

    Raises:
        InputError: The file cannot be read.
    """
    if not text.startswith("@"):
        return text
    path = Path(text[1:])
    try:
        return path.read_text(encoding="utf-8")
    except OSError as error:
        raise InputError(
            f"cannot be read ({error.strerror}).", path=path, remedy=f"{option} @FILE takes a text file."
        ) from error
    except UnicodeDecodeError as error:
        raise InputError("is no text in UTF-8.", path=path, remedy=f"{option} @FILE takes a text file.") from error


def read_environment() -> None:
    """Take what `.env` in the working directory sets, keys among it, into the environment; what is set stays.

    Raises:
        InputError: The file is there and cannot be read.
    """
    path = Path.cwd() / ".env"
    if not path.is_file():
        return
    try:
        from dotenv import load_dotenv
    except ImportError:  # comes with the extra `models`; without it there is no model that takes a key
        return
    try:
        load_dotenv(path, override=False)
    except (OSError, UnicodeDecodeError) as error:
        raise InputError("cannot be read as text in UTF-8.", path=path) from error


def evidence_plan(
    name: str,
    *,
    usual_view: EvidenceView = "cameras",
    span: Span | None,
    seed: int,
    max_frames: int | None,
    max_side_px: int | None,
    clip_side_px: int | None,
    jpeg_quality: int | None,
    preset: Preset | None = None,
) -> EvidencePlan:
    """What is shown; an option that is null is that of the preset or, where it has none, the usual one.

    Raises:
        InputError: There is no such evidence, or an option has a value that it cannot have.
    """
    from probe4d.evidence.pictures import PictureOptions
    from probe4d.runs.evidence_plan import evidence_named

    of_preset = {} if preset is None else preset.shown
    given = _given(max_frames=max_frames, max_side_px=max_side_px, clip_side_px=clip_side_px, jpeg_quality=jpeg_quality)
    pictures = {**of_preset, **given}
    return evidence_named(
        name,
        usual_view=usual_view,
        span=span,
        max_frames=pictures.pop("max_frames", None),
        seed=seed,
        pictures=PictureOptions(**pictures),
    )


def _given(**options: int | None) -> dict[str, int]:
    return {name: value for name, value in options.items() if value is not None}


def selection(families: Sequence[str] | None, *, sample: int | None, seed: int, limit: int | None) -> Selection | None:
    """The part of a benchmark that is asked; null where it is all, so that the seed of no sample changes no record."""
    from probe4d.runs.selection import Selection

    part = Selection(families=tuple(families or ()), sample=sample, limit=limit, seed=seed)
    return None if part == Selection(seed=seed) else part


def scenes_shown(benchmark: Benchmark, plan: EvidencePlan, data: Path | None, version: str | None) -> Scenes | None:
    """The scenes that evidence, or a text about the ego vehicle, is taken from; null without a dataset folder.

    Raises:
        InputError: There are pictures to show and no dataset folder, or it cannot be opened.
    """
    from probe4d.benchmarks.source import open_source

    if data is None and plan.view in (None, "lidar"):  # features may do without their dataset
        return None
    if data is None:
        raise InputError("showing evidence needs the dataset.", remedy="Give its folder with --data DATAROOT.")
    scenes, _ = open_source(benchmark, data, version=version)  # other tables are refused, not warned of
    return scenes
