"""What every export does: refuses what it cannot hold, collects the prompts, and seals its folder."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path

import msgspec

from probe4d.benchmarks.benchmark import CARD_FILE, Benchmark
from probe4d.errors import InputError
from probe4d.exchange.exports.items import Exported, ExportItem, collect
from probe4d.runs.prepared import Prepared
from probe4d.runs.run import LEFT_OUT_FILE, LeftOut
from probe4d.store.files import write_bytes, write_text
from probe4d.store.hashing import file_digest
from probe4d.wording import most_frequent

__all__ = ["collected", "refuse_seeds", "seal"]

_DIGESTS_FILE = "SHA256SUMS"


def refuse_seeds(prepared: Prepared) -> None:
    """Refuse a setting whose variants differ in nothing that an export writes.

    Raises:
        InputError: It is one.
    """
    if any(variant.seed_offset is not None for _, variant in prepared.asked.values()):
        raise InputError(
            f"the setting {prepared.setting.name!r} asks the same prompts with other seeds, which no export can hold.",
            remedy="Export the setting default, and let the harness repeat it.",
        )


def collected(
    benchmark: Benchmark,
    prepared: Prepared,
    folder: Path,
    *,
    workers: int | None = None,
    done: Callable[[ExportItem], object] | None = None,
) -> Exported:
    """Word all prompts and write their pictures (see `collect`).

    Raises:
        InputError: No question is left.
    """
    items, pictures, unrendered = collect(prepared, folder, workers=workers, done=done)
    if not items:
        raise _nothing_left((*prepared.left_out, *unrendered))
    card = benchmark.path / CARD_FILE if benchmark.path else None
    return Exported(
        record=benchmark.record,
        card=card.read_text(encoding="utf-8") if card and card.is_file() else "",
        setting=prepared.setting,
        evidence=prepared.plan.evidence.name,
        items=tuple(items),
        pictures=pictures,
        left_out=(*prepared.left_out, *unrendered),
    )


def seal(left_out: Sequence[LeftOut], folder: Path) -> None:
    """Write what was left out, and last the digests of all files."""
    if left_out:
        write_bytes(folder / LEFT_OUT_FILE, msgspec.json.Encoder().encode_lines(left_out))
    write_text(folder / _DIGESTS_FILE, _digests(folder))


def _nothing_left(left_out: Sequence[LeftOut]) -> InputError:
    """The error that says why no question is left, by reason, and what it was of the first."""
    if not left_out:
        return InputError("no question can be exported (none is selected).")
    reasons = most_frequent(Counter(left.reason for left in left_out), rest="for other reasons")
    first = left_out[0]
    example = "" if first.detail is None else f", {first.question} for one: {first.detail.rstrip('.')}"
    return InputError(f"no question can be exported ({'; '.join(reasons)}{example}).")


def _digests(folder: Path) -> str:
    """SHA-256 of every file in the folder, in the lines of `sha256sum`."""
    files = sorted(path for path in folder.rglob("*") if path.is_file())
    lines = (f"{file_digest(path)}  {path.relative_to(folder).as_posix()}\n" for path in files)
    return "".join(lines)
