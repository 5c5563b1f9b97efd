"""`probe4d build`: questions whose answers follow from a dataset's geometry."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from probe4d.cli import app, output
from probe4d.wording import counted

if TYPE_CHECKING:
    from probe4d.benchmarks.benchmark import BenchmarkRecord

__all__ = ["build"]


@app.command("build")
def build(
    suite: Annotated[str, typer.Argument(metavar="SUITE", help="Suite of questions: lidar-hallu.")],
    dataroot: Annotated[Path, typer.Argument(metavar="DATAROOT", help="Folder of a dataset.")],
    out: Annotated[Path, typer.Option("--out", help="Folder of the benchmark.")],
    version: Annotated[str | None, typer.Option("--version", help="Folder of tables, such as v1.0-mini.")] = None,
    reference_channel: Annotated[
        str | None, typer.Option("--reference-channel", help="LiDAR whose times and poses key frames have.")
    ] = None,
    split: Annotated[
        str | None,
        typer.Option("--split", help="Official split, or all; left out: val of a whole trainval folder, else all."),
    ] = None,
    per_family: Annotated[int, typer.Option("--per-family", help="Questions in each family.")] = 2000,
    seed: Annotated[int, typer.Option("--seed", help="Seed of every draw.")] = 42,
    min_margin: Annotated[
        float, typer.Option("--min-margin", help="Smallest margin: degrees for position, metres for the others.")
    ] = 0.0,
    min_lidar_points: Annotated[
        int, typer.Option("--min-lidar-points", help="Fewest LiDAR returns of a box that counts.")
    ] = 1,
    annotated_sector: Annotated[
        str | None,
        typer.Option("--annotated-sector", help="Bearings that are annotated, FROM:TO in degrees, such as -45:45."),
    ] = None,
    events: Annotated[
        Path | None, typer.Option("--events", help="B4DL's time_grounding.json, to take events from.")
    ] = None,
    distractors: Annotated[
        str, typer.Option("--distractors", help="Lengths of wrong intervals: matched or published.")
    ] = "matched",
    workers: Annotated[int, typer.Option("--workers", help="Processes that measure scenes.")] = 1,
    as_json: Annotated[bool, typer.Option("--json", help="Print the benchmark's record as JSON.")] = False,
) -> None:
    """Build a benchmark from a dataset."""
    import msgspec

    from probe4d.benchmarks.splits import select_split
    from probe4d.benchmarks.suites import build as build_suite
    from probe4d.scenes.opening import open_scenes

    scenes = open_scenes(dataroot, version=version, reference_channel=reference_channel)
    used, _ = select_split(scenes, split)
    before = _lying_in(out)
    with output.progress("Measuring scenes", len(used.names)) as done:
        benchmark = build_suite(
            suite,
            scenes,
            out,
            split=split,
            per_family=per_family,
            seed=seed,
            min_margin=min_margin,
            min_lidar_points=min_lidar_points,
            annotated_sector=annotated_sector,
            events=events,
            distractors=distractors,
            workers=workers,
            done=done,
        )
    record = benchmark.record
    if before is not None and not _is_repeated(before, record):
        output.note(
            f"replaced another benchmark in {out}: {before.suite} from {before.source.title}, "
            f"split {before.source.split}, fingerprint {before.fingerprint}"
        )
    if as_json:
        print(msgspec.json.format(msgspec.json.encode(record), indent=2).decode())
        return
    print(f"split {record.source.split}: {counted(record.source.scenes, 'scene')} of {record.source.title}")
    for family, formats in record.counts.items():
        words = ", ".join(f"{n:,} {kind}" for kind, n in sorted(formats.items()))
        print(f"{family}: {words}")
    print(f"{counted(benchmark.table.height, 'question')}, fingerprint {record.fingerprint}, in {out}")
    for shortfall in record.shortfalls:
        output.note(f"short: {shortfall}")
    for reason, n in record.exclusions.items():
        output.note(f"left out: {n:,} × {reason}")


def _lying_in(out: Path) -> BenchmarkRecord | None:
    """Record of the benchmark that a build is about to replace; null if there is none, or none that can be read."""
    from probe4d.benchmarks.benchmark import read_record
    from probe4d.errors import InputError

    try:
        return read_record(out)
    except InputError:
        return None


def _is_repeated(before: BenchmarkRecord, now: BenchmarkRecord) -> bool:
    """Whether a build gave again what was there: the same questions, of the same dataset by the same parameters."""
    return (before.fingerprint, before.source, before.parameters) == (now.fingerprint, now.source, now.parameters)
