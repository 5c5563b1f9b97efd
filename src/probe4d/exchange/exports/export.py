"""Writes a benchmark for another harness."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from probe4d.benchmarks.benchmark import Benchmark
from probe4d.errors import InputError
from probe4d.exchange.exports import HARNESSES, Harness
from probe4d.exchange.exports.folder import collected, refuse_seeds, seal
from probe4d.exchange.exports.huggingface import write_huggingface
from probe4d.exchange.exports.inspect_task import write_inspect
from probe4d.exchange.exports.items import Exported, ExportItem
from probe4d.exchange.exports.jsonl import write_jsonl
from probe4d.exchange.exports.lm_eval import write_lm_eval
from probe4d.exchange.exports.vlmevalkit import write_vlmevalkit
from probe4d.runs.plan import RunPlan
from probe4d.runs.prepared import prepare
from probe4d.scenes.tables import Scenes
from probe4d.store.folders import refuse_full, whole_folder

__all__ = ["export"]


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
    refuse_seeds(prepared)
    if begun is not None:
        begun(len(prepared.asked))
    with whole_folder(out) as folder:
        exported = collected(benchmark, prepared, folder, workers=workers, done=done)
        match to:
            case "inspect":
                exported = write_inspect(exported, folder)
            case "lm-eval":
                exported = write_lm_eval(exported, folder)
            case "vlmevalkit":
                exported = write_vlmevalkit(exported, folder)
            case "huggingface":
                write_huggingface(exported, benchmark, folder)
            case "jsonl":
                write_jsonl(exported, folder)
        seal(exported.left_out, folder)
    return exported
