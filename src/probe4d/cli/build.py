"""`probe4d build`: questions whose answers follow from a dataset's geometry, a command a suite."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from probe4d.cli import app, output
from probe4d.errors import InputError
from probe4d.wording import counted

if TYPE_CHECKING:
    from probe4d.benchmarks.benchmark import BenchmarkRecord
    from probe4d.scenes.tables import Scenes

__all__ = ["Building", "Dataroot", "build", "replies_folder"]

build = typer.Typer(help="Build a benchmark from a dataset.", no_args_is_help=True)
app.add_typer(build, name="build")

_OF_WHAT_WAS_GIVEN = ("rows of the dataset: ", "labels: ")
"""Beginnings of reasons that tell of faults in what users gave, which are seen however few they are."""

Dataroot = Annotated[Path, typer.Argument(metavar="DATAROOT", help="Folder of a dataset.")]


@dataclass(frozen=True)
class Building:
    """What is built from, by what draw, and where to; the fields are options of every suite."""

    out: Annotated[Path, typer.Option("--out", "-o", help="Folder of the benchmark.")]
    version: Annotated[str | None, typer.Option("--version", help="Folder of tables, such as v1.0-mini.")] = None
    reference_channel: Annotated[
        str | None, typer.Option("--reference-channel", help="LiDAR whose times and poses key frames have.")
    ] = None
    split: Annotated[
        str | None,
        typer.Option("--split", help="Official split, or all; left out: val of a whole trainval folder, else all."),
    ] = None
    seed: Annotated[int, typer.Option("--seed", help="Seed of every draw.")] = 42
    workers: Annotated[int, typer.Option("--workers", help="Processes that measure scenes.")] = 1
    as_json: Annotated[bool, typer.Option("--json", help="Print the benchmark's record as JSON.")] = False

    def build(self, suite: str, dataroot: Path, **parameters: Any) -> None:
        """Build a benchmark and print what it is.

        Args:
            suite: Name of the suite.
            dataroot: Folder of the dataset.
            parameters: Parameters of the suite beside these options.
        """
        from probe4d.benchmarks.splits import select_split

        scenes = self.opened(dataroot)
        used, _ = select_split(scenes, self.split)
        self.built(suite, scenes, shown=_measuring(len(used.names)), **parameters)

    def opened(self, dataroot: Path) -> Scenes:
        """The scenes of the dataset, those of all splits, once the benchmark is known to have a place."""
        from probe4d.benchmarks.benchmark import refuse_taken
        from probe4d.scenes.opening import open_scenes

        refuse_taken(self.out)
        return open_scenes(dataroot, version=self.version, reference_channel=self.reference_channel)

    def built(
        self, suite: str, scenes: Scenes, *, shown: AbstractContextManager[Mapping[str, Any]], **parameters: Any
    ) -> None:
        """Build a benchmark of scenes and print what it is.

        Args:
            suite: Name of the suite.
            scenes: The scenes.
            shown: Shows how the build goes on; gives the parameters of the suite that tell it.
            parameters: Other parameters of the suite beside these options.
        """
        from probe4d.benchmarks.suites import build as build_suite

        before = _lying_in(self.out)
        with shown as telling:
            record = build_suite(
                suite,
                scenes,
                self.out,
                split=self.split,
                seed=self.seed,
                workers=self.workers,
                **telling,
                **parameters,
            ).record
        if before is not None and not _is_repeated(before, record):
            output.note(
                f"replaced another benchmark in {self.out}: {before.suite} from {before.source.title}, "
                f"split {before.source.split}, fingerprint {before.fingerprint}"
            )
        _print_record(record, self.out, as_json=self.as_json)


def replies_folder(given: Path | None, out: Path, *, option: str) -> Path:
    """Folder of what a model replies for a benchmark; left out, that beside it, with the option's name at its end.

    Args:
        given: What the command names.
        out: Folder of the benchmark.
        option: The option, such as `--generated`.

    Raises:
        InputError: It is the benchmark's own, or inside: a build puts a whole new folder in the place of the
            benchmark's.
    """
    whole = out.resolve()
    folder = given or whole.with_name(f"{whole.name}-{option.removeprefix('--')}")
    if whole in (folder.resolve(), *folder.resolve().parents):
        raise InputError(
            "is the benchmark's folder, which replies cannot lie in.",
            path=out,
            remedy=f"Leave out {option}, or name a folder elsewhere.",
        )
    return folder


@contextmanager
def _measuring(scenes: int) -> Iterator[Mapping[str, Any]]:
    """Show how many scenes were measured."""
    with output.progress("Measuring scenes", scenes) as done:
        yield {"done": done}


def _print_record(record: BenchmarkRecord, out: Path, *, as_json: bool) -> None:
    from probe4d.benchmarks.benchmark import CARD_FILE

    if as_json:
        import msgspec

        print(msgspec.json.format(msgspec.json.encode(record), indent=2).decode())
        return
    print(f"split {record.source.split}: {counted(record.source.scenes, 'scene')} of {record.source.title}")
    for family, formats in record.counts.items():
        words = ", ".join(f"{n:,} {kind}" for kind, n in sorted(formats.items()))
        print(f"{family}: {words}")
    print(f"{counted(record.questions, 'question')}, fingerprint {record.fingerprint}, in {out}")
    card = out / CARD_FILE
    for shortfall in record.shortfalls[: output.MOST_NOTES]:
        output.note(f"short: {shortfall}")
    if more := record.shortfalls[output.MOST_NOTES :]:
        output.note(f"short: {len(more):,} more (all are in {card})")
    of_given = {reason: n for reason, n in record.exclusions.items() if reason.startswith(_OF_WHAT_WAS_GIVEN)}
    output.note_left_out(of_given, where=card)
    output.note_left_out({reason: n for reason, n in record.exclusions.items() if reason not in of_given}, where=card)


def _lying_in(out: Path) -> BenchmarkRecord | None:
    """Record of the benchmark that a build is about to replace; null if there is none, or none that can be read."""
    from probe4d.benchmarks.benchmark import read_record

    try:
        return read_record(out)
    except InputError:
        return None


def _is_repeated(before: BenchmarkRecord, now: BenchmarkRecord) -> bool:
    """Whether a build gave again what was there: the same questions, of the same dataset by the same parameters."""
    return (before.fingerprint, before.source, before.parameters) == (now.fingerprint, now.source, now.parameters)
