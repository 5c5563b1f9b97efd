"""Finds the files of a B4DL release: which layout it has, and what each file's name says of its rows."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import pairwise
from pathlib import Path
from typing import Literal, NamedTuple

from probe4d.benchmarks.b4dl.tasks import TASKS
from probe4d.errors import InputError
from probe4d.exchange.b4dl_release.layout_names import LAYOUTS, Layout
from probe4d.wording import listed

__all__ = ["SEQUENCES_PER_FILE", "STAGES", "Found", "Group", "ReleasedFile", "find_release"]

Group = Literal["simple", "complex"]

STAGES: dict[str, Group] = {"stage2": "simple", "stage3": "complex"}
"""Files of training rows, which are groups of tasks and no stages of training."""

SEQUENCES_PER_FILE = 10

_TASK_OF = {task.released: task.name for task in TASKS.values()}
_CHUNK = re.compile(r"generated_([a-z_]+)_dataset_(\d+)_(\d+)\.json")
_NESTED = "nuScenes-B4DL"


class ReleasedFile(NamedTuple):
    """A file of rows, and what its name and folder say of them; null where they do not.

    Attributes:
        path: The file.
        task: Name of their task.
        group: Group of their tasks.
        split: `train` or `test`.
    """

    path: Path
    task: str | None = None
    group: Group | None = None
    split: Literal["train", "test"] | None = None


class Found(NamedTuple):
    """What a release folder holds.

    Attributes:
        layout: The layout that is read.
        files: Its files, in the order of their rows.
        metadata: Folders in which metadata may lie.
        notes: What is missing or not read, as sentences.
    """

    layout: Layout
    files: tuple[ReleasedFile, ...]
    metadata: tuple[Path, ...]
    notes: tuple[str, ...]


def find_release(release: Path, layout: Layout | None = None) -> Found:
    """Find the files of a release.

    Args:
        release: The release, a folder of it, or one of its files.
        layout: The layout to read; null takes the first of `LAYOUTS` that is there.

    Raises:
        InputError: There is no such folder, it holds no file of the release, or none of that layout.
    """
    if release.is_file():
        files = {kind: found for kind in LAYOUTS if (found := list(_named(kind, release)))}
    elif release.is_dir():
        files = {kind: found for kind in LAYOUTS if (found := _files(release, kind))}
    else:
        raise InputError("is no folder and no file.", path=release, remedy="Give the folder of the release.")
    if not files:
        raise InputError(
            "holds none of the release's files.",
            path=release,
            remedy="Expected are such as dataset/test/existence.json, dataset/train/stage2.json, "
            "generated_dataset/existence/generated_existence_dataset_0_9.json, merged_dataset.json or "
            "preprocessed_dataset.json.",
        )
    chosen = layout or next(iter(files))
    if chosen not in files:
        raise InputError(f"holds no file of the layout {chosen}, but of {listed(list(files))}.", path=release)
    others = [kind for kind in files if kind != chosen]
    notes = [f"The layout {chosen} was read, and {listed(others)} was not (--layout)."] if others else []
    notes += _gaps(files[chosen]) if chosen == "generated" else []
    base = release.parent if release.is_file() else release
    nested = [base / _NESTED] if (base / _NESTED).is_dir() else []
    around = [*nested, base, *list(base.resolve().parents)[:2]]
    metadata = tuple(folder for root in around for folder in (root / "metadata", root) if folder.is_dir())
    return Found(chosen, tuple(files[chosen]), metadata, tuple(notes))


def _files(release: Path, layout: Layout) -> list[ReleasedFile]:
    """The files of a layout, from the first folder that holds any; each of its folders may be given itself."""
    roots = [release, release / _NESTED]
    match layout:
        case "generated":
            groups = [[root / "generated_dataset", root] for root in roots]
            nests = [[[*(folder / task for task in _TASK_OF), folder] for folder in group] for group in groups]
            choices = [folders for nest in nests for folders in nest]
        case "huggingface":
            folders = [folder for root in roots for folder in (root / "dataset", root)]
            choices = [[folder / "train", folder / "test", folder] for folder in folders]
        case _:
            choices = [[folder] for root in roots for folder in (root / f"{layout}_dataset", root)]
    for folders in choices:
        if found := [file for folder in folders if folder.is_dir() for file in _in(folder, layout)]:
            return found
    return []


def _in(folder: Path, layout: Layout) -> Iterator[ReleasedFile]:
    """Files of a layout in one folder: chunks by their numbers, others in the order of the tasks."""
    names = [*STAGES, *_TASK_OF]
    paths = [path for path in folder.iterdir() if path.suffix == ".json"]
    for path in sorted(paths, key=lambda path: (_numbers(path), names.index(path.stem) if path.stem in names else -1)):
        yield from _named(layout, path)


def _named(layout: Layout, path: Path) -> Iterator[ReleasedFile]:
    """The file, if its name is one of that layout."""
    match layout:
        case "generated":
            named = _CHUNK.fullmatch(path.name)
            if named and named[1] not in _TASK_OF:
                raise InputError(
                    f"names the unknown task {named[1]!r}; known are {', '.join(_TASK_OF)}.",
                    path=path,
                    remedy="Rename or remove it.",
                )
            if named:
                yield ReleasedFile(path, task=_TASK_OF[named[1]], group=TASKS[_TASK_OF[named[1]]].group)
        case "huggingface":
            if path.name in {f"{stage}.json" for stage in STAGES}:
                yield ReleasedFile(path, group=STAGES[path.stem], split="train")
            elif path.suffix == ".json" and path.stem in _TASK_OF:
                name = _TASK_OF[path.stem]
                yield ReleasedFile(path, task=name, group=TASKS[name].group, split="test")
        case _:
            if path.name == f"{layout}_dataset.json":
                yield ReleasedFile(path)


def _numbers(path: Path) -> tuple[int, int]:
    """First and last sequence of a chunk by its name, as numbers: `20_29` comes before `100_109`."""
    named = _CHUNK.fullmatch(path.name)
    return (int(named[2]), int(named[3])) if named else (-1, -1)


def _gaps(files: Sequence[ReleasedFile]) -> Iterator[str]:
    """Sentences on sequences of which a task has no chunk, though there are chunks of others or behind them.

    Raises:
        InputError: Two chunks of a task hold one sequence, or one is named after none.
    """
    held: dict[str, list[tuple[int, int]]] = {}
    for file in files:
        first, last = _numbers(file.path)
        if last < first:
            raise InputError(f"is named after the sequences {first} to {last}.", path=file.path, remedy="Rename it.")
        of_task = held.setdefault(file.task or "", [])
        if again := [max(first, start) for start, end in of_task if start <= last and first <= end]:
            raise InputError(
                f"holds the sequence {min(again)}, which another file of its task holds, too.",
                path=file.path,
                remedy="Keep one of the two.",
            )
        of_task.append((first, last))
    behind = max(end for of_task in held.values() for _, end in of_task) + 1
    for task, of_task in held.items():
        starts_and_ends = pairwise([(-1, -1), *sorted(of_task), (behind, behind)])
        missing = [f"{end + 1} to {start - 1}" for (_, end), (start, _) in starts_and_ends if end + 1 < start]
        if missing:
            yield f"Of the task {task} there are no files of the sequences {listed(missing)}."
