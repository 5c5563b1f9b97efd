"""Finds the folders of a LiDAR-Hallu release that belong to one run.

The release keeps runs in `data/b4dl_eval/{run}` and questions in `data/b4dl_dataset/{variant}`; a run is named
after its variant, with the decoding appended. A flat folder with the files of one run will do too.
"""

from __future__ import annotations

import re
from pathlib import Path

from probe4d.errors import InputError

__all__ = ["release_folders"]

_RUNS, _QUESTIONS = "b4dl_eval", "b4dl_dataset"
_DECODING = re.compile(r"_temporal_shuffle_cd(_alpha\d+)?")


def release_folders(release: Path) -> list[Path]:
    """Folders to look for files in, that of the run first.

    Args:
        release: A folder with the files of one run, in the release or apart from it, or the release itself.

    Raises:
        InputError: It is no folder, or the release holds several runs.
    """
    if not release.is_dir():
        raise InputError("is not a folder.", path=release, remedy="Give the folder with the release's files.")
    data = release / "data" if (release / "data").is_dir() else release
    held = data / _RUNS if (data / _RUNS).is_dir() else data / _QUESTIONS
    if held.is_dir():
        choices = sorted(folder for folder in held.iterdir() if folder.is_dir())
        if len(choices) != 1:
            raise InputError(
                f"holds {len(choices)} folders in {held.name}, and one run is imported at a time.",
                path=release,
                remedy=f"Give one of them, such as {choices[0]}." if choices else "Give the whole release.",
            )
        release = choices[0]
    folders = [release]
    if release.resolve().parent.name in (_RUNS, _QUESTIONS):
        data = release.resolve().parents[1]
        folders += [data / _QUESTIONS / _DECODING.sub("", release.name), data, data.parent]
    return [folder for folder in dict.fromkeys(folders) if folder.is_dir()]
