"""Where a dataset is simulated: a hidden folder inside its own, whose content moves into place when it is complete.

Until then whatever the dataset's folder holds stays as it is. Each step of the move can be repeated, so that a
kill in the middle of it loses nothing: the next call completes it.
"""

from __future__ import annotations

import os
import shutil
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

import msgspec

from probe4d.errors import InputError
from probe4d.origins import SIMULATED_VERSION
from probe4d.scenes.nuscenes_writing.scene_records import RECORDS
from probe4d.store.files import write_bytes, write_text
from probe4d.store.folders import refuse_full
from probe4d.store.hashing import digest
from probe4d.version import __version__

__all__ = ["VERSION", "Settings", "Stage", "claimed", "open_stage"]

VERSION = SIMULATED_VERSION
_MARKER = "simulation.json"
_README = "README.md"
_GENERATOR = "probe4d simulate"
_PREFIX = ".probe4d-simulate-"
_README_TEXT = """\
# Simulated street scenes

Simulated by Probe4D (`probe4d simulate`): no real place, vehicle or person is shown. The tables in `{version}/`
follow the nuScenes v1.0 schema; `samples/` holds the sensor files.

To the extent possible under law, whoever made this dataset has waived all rights to it: CC0 1.0 Universal,
https://creativecommons.org/publicdomain/zero/1.0/
"""


class Settings(msgspec.Struct, frozen=True, kw_only=True):
    """What decides the bytes of a simulated dataset; kept in it as `simulation.json`.

    Attributes:
        generator: Who wrote it.
        version: Version of Probe4D.
        scenes: Number of scenes.
        seed: Seed.
        cameras: Whether there are images.
    """

    generator: str = _GENERATOR
    version: str = "unknown"
    scenes: int
    seed: int
    cameras: bool

    def continues(self, earlier: Settings) -> bool:
        """Whether all of an earlier dataset is part of this one: a scene does not depend on how many follow."""
        return self.scenes >= earlier.scenes and self == msgspec.structs.replace(earlier, scenes=self.scenes)

    def words(self) -> str:
        """The settings as options of the command line."""
        words = f"--scenes {self.scenes} --seed {self.seed} {'--cameras' if self.cameras else '--no-cameras'}"
        return words if self.version == __version__ else f"{words} (Probe4D {self.version})"


@dataclass(frozen=True)
class Stage:
    """A dataset in the making.

    Attributes:
        out: Folder of the dataset.
        folder: The hidden folder in it, laid out like the dataset.
        settings: What is simulated.
        first: Number of scenes that `out` already holds, as a finished dataset of the same settings.
    """

    out: Path
    folder: Path
    settings: Settings
    first: int

    def present_rows(self, table: str) -> bytes:
        """Encoded rows of the scenes that `out` already holds.

        Raises:
            InputError: The table was changed since it was written.
        """
        if not self.first:
            return b""
        path = self.out / VERSION / f"{table}.json"
        try:
            content = path.read_bytes()
        except OSError:
            content = b""
        if not (content.startswith(b"[\n{") and content.endswith(b"}\n]\n")):
            raise InputError(
                "is not as it was simulated, so no scenes can be added.", path=path, remedy="Choose another folder."
            )
        return content[2:-3]

    def put_in_place(self) -> None:
        """Move the complete dataset to `out`, add it to the scenes there, or let it replace another one."""
        shutil.rmtree(self.folder / RECORDS, ignore_errors=True)
        tables = self.out / VERSION
        if not self.first:
            # Tables first: a folder with tables is a dataset that is complete.
            self._retire(tables)
        for name in ("maps", "samples"):
            if (self.folder / name).exists():
                if not self.first:
                    self._retire(self.out / name)
                _merge(self.folder / name, self.out / name)
        self._retire(tables)
        new = self.folder / "new"
        write_text(new / _README, _README_TEXT.format(version=VERSION))
        _write_settings(new, self.settings)
        for name in (_README, _MARKER):
            (new / name).replace(self.out / name)
        (self.folder / VERSION).rename(tables)
        shutil.rmtree(self.folder)

    def _retire(self, path: Path) -> None:
        if path.exists():
            path.rename(Path(tempfile.mkdtemp(dir=self.folder)) / path.name)


@contextmanager
def claimed(out: Path) -> Iterator[None]:
    """Make a folder, and keep other calls out of it during the block, where system and disk have such locks.

    Raises:
        InputError: Another call works in the folder, or it cannot be made.
    """
    try:
        out.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise _unusable(out, error) from error
    if sys.platform == "win32":  # cannot lock folders
        yield
        return
    import fcntl

    try:
        folder = os.open(out, os.O_RDONLY)
    except OSError as error:
        raise _unusable(out, error) from error
    try:
        with suppress(OSError):  # of a disk that has no locks
            try:
                fcntl.flock(folder, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError as error:
                what = "is being written to by another simulation."
                raise InputError(what, path=out, remedy="Wait for its end, or choose another folder.") from error
        yield
    finally:
        os.close(folder)


def open_stage(out: Path, wanted: Settings, *, replace: bool) -> Stage | None:
    """Make the hidden folder, or find it with what an earlier call left in it.

    Args:
        out: Folder of the dataset.
        wanted: What is to be simulated.
        replace: Whether a dataset of other settings, finished or not, is to be given up.

    Returns:
        The stage, or None where `out` already holds the dataset.

    Raises:
        InputError: `out` holds something else, or a dataset of other settings, or cannot be written to.
    """
    try:
        for folder in out.glob(f"{_PREFIX}*"):
            _settle(out, folder)
        stages = {folder: settings for folder in out.glob(f"{_PREFIX}*") if (settings := _read_settings(folder))}
        if _read_settings(out) is None:
            refuse_full(
                out,
                "is not empty and holds no simulated dataset; nothing was written.",
                ignored=lambda entry: entry.name.startswith(_PREFIX),
            )
        finished = _finished(out)
        if finished == wanted:
            return None
        _refuse_others(out, wanted, [finished] if finished else [], list(stages.values()), replace=replace)
        for folder, settings in stages.items():
            if not wanted.continues(settings):
                shutil.rmtree(folder)
        key = digest(msgspec.to_builtins(msgspec.structs.replace(wanted, scenes=0)))[:16]
        stage = out / f"{_PREFIX}{key}"
        stage.mkdir(exist_ok=True)
        _write_settings(stage, wanted)
    except OSError as error:
        raise _unusable(out, error) from error
    return Stage(out, stage, wanted, _scenes_to_keep(finished, wanted))


def _settle(out: Path, folder: Path) -> None:
    """Complete the move that a kill interrupted, or remove what one left after it or before anything was begun."""
    settings = _read_settings(folder)
    if settings is None or (settings == _finished(out) and not (folder / VERSION).exists()):
        shutil.rmtree(folder)
    elif (folder / VERSION).exists():
        Stage(out, folder, settings, _scenes_to_keep(_finished(out), settings)).put_in_place()


def _refuse_others(
    out: Path, wanted: Settings, finished: list[Settings], unfinished: list[Settings], *, replace: bool
) -> None:
    for state, held in (("a finished", finished), ("an unfinished", unfinished)):
        for settings in held:
            if not replace and not wanted.continues(settings):
                raise InputError(
                    f"holds {state} dataset simulated with {settings.words()}, not {wanted.words()};"
                    " nothing was written.",
                    path=out,
                    remedy="Choose another folder, or add --replace (`replace=True`) to give that one up.",
                )


def _unusable(out: Path, error: OSError) -> InputError:
    remedy = "Choose a folder you may write to."
    return InputError(f"cannot be used as a folder ({error.strerror}).", path=out, remedy=remedy)


def _scenes_to_keep(finished: Settings | None, wanted: Settings) -> int:
    return finished.scenes if finished and wanted.continues(finished) else 0


def _finished(out: Path) -> Settings | None:
    return _read_settings(out) if (out / VERSION).is_dir() else None


def _read_settings(folder: Path) -> Settings | None:
    try:
        settings = msgspec.json.decode((folder / _MARKER).read_bytes(), type=Settings)
    except (FileNotFoundError, NotADirectoryError, msgspec.DecodeError):
        return None
    return settings if settings.generator == _GENERATOR else None


def _write_settings(folder: Path, settings: Settings) -> None:
    write_bytes(folder / _MARKER, msgspec.json.format(msgspec.json.encode(settings)) + b"\n")


def _merge(source: Path, target: Path) -> None:
    """Move a folder's files to the same places below `target`."""
    if not target.exists():
        source.rename(target)
        return
    for path in sorted(source.iterdir()):
        if path.is_dir():
            _merge(path, target / path.name)
        else:
            path.replace(target / path.name)
    source.rmdir()
