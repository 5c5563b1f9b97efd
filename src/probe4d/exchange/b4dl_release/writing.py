"""Writes a benchmark in the layouts of B4DL's release: files a split, and chunks of ten sequences a task."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import msgspec

from probe4d.benchmarks.b4dl.tasks import SUITE_NAME, TASKS
from probe4d.benchmarks.benchmark import Benchmark
from probe4d.errors import InputError
from probe4d.exchange.b4dl_release.layouts import SEQUENCES_PER_FILE, STAGES
from probe4d.exchange.b4dl_release.metadata import SCENES_FILE, SEQUENCES_FILE
from probe4d.exchange.b4dl_release.scene_records import Recorded, scene_records, sequence_records
from probe4d.exchange.b4dl_release.tasks import UNKNOWN
from probe4d.exchange.b4dl_release.written_rows import WrittenRow, WrittenRows, rows_of
from probe4d.exchange.exports.folder import seal
from probe4d.runs.run import LeftOut
from probe4d.runs.selection import Selection, selected_of
from probe4d.scenes.tables import Scenes
from probe4d.store.files import write_bytes, write_text
from probe4d.store.folders import refuse_full, whole_folder
from probe4d.wording import counted

__all__ = ["WrittenRelease", "export_b4dl"]

_STAGES = {group: stage for stage, group in STAGES.items()}
_STAGE_OF: dict[str, str] = {
    **{task.name: _STAGES[task.group] for task in TASKS.values()},
    **{f"{UNKNOWN}-{group}": stage for group, stage in _STAGES.items()},
}
"""Files of training rows by family."""


@dataclass(frozen=True)
class WrittenRelease:
    """What was written.

    Attributes:
        rows: Number of rows of the layout of Hugging Face.
        chunks: Number of chunks of the layout of the pipeline.
        left_out: Questions that are in neither, and why.
        notes: What the reader should know, as sentences.
    """

    rows: int
    chunks: int
    left_out: tuple[LeftOut, ...]
    notes: tuple[str, ...]


def export_b4dl(
    benchmark: Benchmark, out: Path | str, *, scenes: Scenes | None = None, selection: Selection | None = None
) -> WrittenRelease:
    """Write a benchmark of the suite `b4dl` as the release has its data: a folder that appears whole.

    `dataset/` and `generated_dataset/` hold the same questions, the latter those whose sequence is known;
    `metadata/` what is known of scenes and sequences. `probe4d.exchange.b4dl_release.importing` reads either back.

    Args:
        benchmark: The questions.
        out: The folder, new or empty.
        scenes: The scenes that it was built from, for tokens, ids and files; imported questions may do without.
        selection: Which questions; null takes all.

    Raises:
        InputError: The folder is in use, the benchmark is of another suite, tokens are needed and not known, a
            sequence shows a key frame that its scene does not have, or no question is left.
    """
    out = Path(out)
    refuse_full(out)
    if benchmark.record.suite != SUITE_NAME:
        raise InputError(
            f"is of the suite {benchmark.record.suite}, and B4DL's release holds questions of its own six tasks.",
            path=benchmark.path,
            remedy="Export it to jsonl or huggingface.",
        )
    written = rows_of(benchmark.rows(selected_of(benchmark, selection)["id"]), benchmark.record, scenes)
    flat, unplaced = _flat_files(written)
    if not flat:
        raise InputError("no question can be written.", path=benchmark.path)
    chunks = _chunks(written)
    recorded = Recorded(written, scenes)
    left_out = (*written.left_out, *unplaced)
    with whole_folder(out) as folder:
        for name, rows in (flat | chunks).items():
            _write(folder / name, rows)
        _write(folder / "metadata" / SCENES_FILE, scene_records(written, recorded))
        _write(folder / "metadata" / SEQUENCES_FILE, sequence_records(written, recorded))
        write_text(folder / "README.md", _readme(benchmark, written))
        seal(left_out, folder)
    return WrittenRelease(sum(map(len, flat.values())), len(chunks), left_out, tuple(_notes(written)))


def _flat_files(written: WrittenRows) -> tuple[dict[str, list[dict[str, Any]]], list[LeftOut]]:
    """Rows of the layout of Hugging Face by file, and questions that none of its files can hold."""
    files: dict[str, list[dict[str, Any]]] = {}
    left_out: list[LeftOut] = []
    for row in written.rows:
        scene = written.scenes[row.scene]
        if scene.split == "train" and row.family in _STAGE_OF:
            name = f"dataset/train/{_STAGE_OF[row.family]}.json"
        elif scene.split != "train" and row.family in TASKS:
            name = f"dataset/test/{TASKS[row.family].released}.json"
        else:
            left_out.append(LeftOut(question=row.identity, reason="its task is not known, and so its file is not"))
            continue
        record = {"split": scene.split, "scene_token": scene.token, "scene_id": scene.scene_id}
        record |= {"human_annotation": scene.description, "question": row.question, "answer": row.answer}
        files.setdefault(name, []).append({key: value for key, value in record.items() if value is not None})
    return files, left_out


def _chunks(written: WrittenRows) -> dict[str, list[dict[str, Any]]]:
    """Rows of the layout of the pipeline by file, in the order of the sequences."""
    places = {key: place for place, key in enumerate(written.sequences)}
    known = [row for row in written.rows if row.sequence is not None and row.family in TASKS]
    files: dict[str, list[dict[str, Any]]] = {}
    for row in sorted(known, key=lambda row: places[row.sequence or ""]):
        first = places[row.sequence or ""] // SEQUENCES_PER_FILE * SEQUENCES_PER_FILE
        task = TASKS[row.family].released
        name = f"generated_dataset/{task}/generated_{task}_dataset_{first}_{first + SEQUENCES_PER_FILE - 1}.json"
        files.setdefault(name, []).append(_generated(row, written))
    return files


def _generated(row: WrittenRow, written: WrittenRows) -> dict[str, Any]:
    scene, sequence = written.scenes[row.scene], written.sequences[row.sequence or ""]
    record: dict[str, Any] = {"scene_id": scene.scene_id, "scene_token": scene.token}
    record |= {"sequence_id": sequence.sequence_id, "start_index": sequence.indices[0]}
    turns = [{"from": "human", "value": row.question}, {"from": "gpt", "value": row.answer}]
    record |= {"end_index": sequence.indices[-1], "conversations": turns}
    return {key: value for key, value in record.items() if value is not None}


def _write(file: Path, records: Iterable[Mapping[str, Any]]) -> None:
    write_bytes(file, msgspec.json.format(msgspec.json.encode(list(records)), indent=2) + b"\n")


def _notes(written: WrittenRows) -> list[str]:
    notes = []
    if written.without_split:
        notes.append(f"Of {counted(written.without_split, 'scene')} no official split is known: they count as test.")
    if lacking := sum(row.sequence is None for row in written.rows):
        notes.append(f"Of {counted(lacking, 'question')} the sequence is not known: they are in dataset/ alone.")
    return notes


def _readme(benchmark: Benchmark, written: WrittenRows) -> str:
    source = benchmark.record.source
    notes = "".join(f"\n- {note}" for note in _notes(written))
    return f"""# B4DL's layouts

{counted(len(written.rows), "question")} about {counted(len(written.scenes), "scene")}. `dataset/` holds them as the \
release on Hugging Face does, `generated_dataset/` as its pipeline writes them, in chunks of {SEQUENCES_PER_FILE} \
sequences a task; `metadata/` what is known of scenes and sequences. `probe4d import b4dl` reads them back.

Ids that the release did not give follow from a hash of tokens.

- Suite {benchmark.record.suite}, version {benchmark.record.version}; benchmark fingerprint {benchmark.fingerprint}
- Dataset: {source.title}, split `{source.split}`
- Licence of the source, which binds the questions too: {source.licence}{notes}
"""
