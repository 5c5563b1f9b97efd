"""Writes a benchmark for another harness."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path

import msgspec

from probe4d.benchmarks.benchmark import CARD_FILE, Benchmark
from probe4d.errors import InputError
from probe4d.exchange.exports import HARNESSES, Harness
from probe4d.exchange.exports.huggingface import write_huggingface
from probe4d.exchange.exports.inspect_task import write_inspect
from probe4d.exchange.exports.items import Exported, ExportItem, collect
from probe4d.exchange.exports.jsonl import write_jsonl
from probe4d.exchange.exports.lm_eval import write_lm_eval
from probe4d.exchange.exports.vlmevalkit import write_vlmevalkit
from probe4d.runs.plan import RunPlan
from probe4d.runs.prepared import Prepared, prepare
from probe4d.runs.run import LEFT_OUT_FILE, LeftOut
from probe4d.scenes.tables import Scenes
from probe4d.store.files import write_bytes, write_text
from probe4d.store.folders import refuse_full, whole_folder
from probe4d.wording import most_frequent

__all__ = ["export"]

_DIGESTS_FILE = "SHA256SUMS"


def export(
    benchmark: Benchmark,
    out: Path | str,
    *,
    to: Harness,
    plan: RunPlan | None = None,
    scenes: Scenes | None = None,
    workers: int | None = None,
    begun: Callable[[int], object] | None = None,
    done: Callable[[ExportItem], object] | None = None,
) -> Exported:
    """Write a benchmark for another harness: a folder that appears whole, in which every path is relative.

    Pictures are written as files named by their digests, each once. `left_out.jsonl` lists the questions that are
    not in it, with the reason, and `SHA256SUMS` every file, as `sha256sum --check` reads it.

    Args:
        benchmark: The questions.
        out: Folder of the export, new or empty.
        to: The harness.
        plan: Setting, evidence and selection; the setting `permuted:4` writes each rotation as a line. How a model is
            reached and generates is left to the harness. Null takes every question once, with nothing shown.
        scenes: The scenes that pictures are taken from.
        workers: Threads that render pictures; null takes one for each processor.
        begun: Told how many prompts there are, before the first.
        done: Told of each prompt that was written.

    Returns:
        What the folder holds.

    Raises:
        InputError: The folder is in use, there is no such harness, or setting, selection or evidence cannot be had
            in it.
    """
    out = Path(out)
    refuse_full(out)
    if to not in HARNESSES:
        raise InputError(f"there is no export to {to!r}; there are {', '.join(HARNESSES)}.")
    prepared = prepare(benchmark, plan, scenes=scenes)
    _refuse_seeds(prepared)
    if begun is not None:
        begun(len(prepared.asked))
    with whole_folder(out) as folder:
        exported = _collected(benchmark, prepared, folder, workers=workers, done=done)
        match to:
            case "inspect":
                exported = write_inspect(exported, folder)
            case "lm-eval":
                exported = write_lm_eval(exported, folder)
            case "vlmevalkit":
                exported = write_vlmevalkit(exported, folder)
            case "huggingface":
                write_huggingface(exported, benchmark.table, folder)
            case "jsonl":
                write_jsonl(exported, folder)
        if exported.left_out:
            write_bytes(folder / LEFT_OUT_FILE, msgspec.json.Encoder().encode_lines(exported.left_out))
        write_text(folder / _DIGESTS_FILE, _digests(folder))
    return exported


def _collected(
    benchmark: Benchmark,
    prepared: Prepared,
    folder: Path,
    *,
    workers: int | None,
    done: Callable[[ExportItem], object] | None,
) -> Exported:
    items, pictures, unrendered = collect(prepared, folder, workers=workers, done=done)
    if not items:
        raise _nothing_left((*prepared.left_out, *unrendered))
    plan = prepared.plan.evidence
    card = benchmark.path / CARD_FILE if benchmark.path else None
    return Exported(
        record=benchmark.record,
        card=card.read_text(encoding="utf-8") if card and card.is_file() else "",
        setting=prepared.setting,
        evidence=plan.name,
        items=tuple(items),
        pictures=pictures,
        left_out=(*prepared.left_out, *unrendered),
    )


def _nothing_left(left_out: Sequence[LeftOut]) -> InputError:
    """The error that says why no question is left, by reason, and what it was of the first."""
    if not left_out:
        return InputError("no question can be exported (none is selected).")
    reasons = most_frequent(Counter(left.reason for left in left_out), rest="for other reasons")
    first = left_out[0]
    example = "" if first.detail is None else f", {first.question} for one: {first.detail.rstrip('.')}"
    return InputError(f"no question can be exported ({'; '.join(reasons)}{example}).")


def _refuse_seeds(prepared: Prepared) -> None:
    if any(variant.seed_offset is not None for _, variant in prepared.asked.values()):
        raise InputError(
            f"the setting {prepared.setting.name!r} asks the same prompts with other seeds, which no export can hold.",
            remedy="Export the setting default, and let the harness repeat it.",
        )


def _digests(folder: Path) -> str:
    """SHA-256 of every file in the folder, in the lines of `sha256sum`."""
    files = sorted(path for path in folder.rglob("*") if path.is_file())
    lines = (
        f"{hashlib.sha256(path.read_bytes()).hexdigest()}  {path.relative_to(folder).as_posix()}\n" for path in files
    )
    return "".join(lines)
