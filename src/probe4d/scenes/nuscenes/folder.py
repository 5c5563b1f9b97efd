"""Finds the folder of tables in a dataset, and its files."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from probe4d.errors import InputError

__all__ = ["TABLES", "FileState", "TableFolder", "find_tables"]

TABLES: tuple[str, ...] = (
    "attribute",
    "calibrated_sensor",
    "category",
    "ego_pose",
    "instance",
    "log",
    "sample",
    "sample_annotation",
    "sample_data",
    "scene",
    "sensor",
    "visibility",
)
"""The tables that are read."""

_OPTIONAL = frozenset({"attribute", "log", "visibility"})


class FileState(NamedTuple):
    """What tells a changed file from an unchanged one without reading it."""

    name: str
    size: int
    mtime_ns: int


@dataclass(frozen=True)
class TableFolder:
    """The tables of one version of a dataset.

    Attributes:
        root: The dataset's folder, to which its file names are relative.
        version: Name of the folder of tables inside `root`.
    """

    root: Path
    version: str

    @property
    def path(self) -> Path:
        """The folder that holds the JSON files."""
        return self.root / self.version

    def table(self, name: str) -> Path | None:
        """File of a table, or None where an optional table (attribute, log, visibility) is missing.

        Raises:
            InputError: Another table is missing.
        """
        path = self.path / f"{name}.json"
        if path.is_file():
            return path
        if name in _OPTIONAL:
            return None
        raise InputError(
            "is missing, and the dataset cannot be read without this table.", path=path, remedy="Fetch it again."
        )

    def states(self) -> list[FileState]:
        """State of every table that is read, by name.

        Raises:
            InputError: A table is missing.
        """
        paths = [path for path in map(self.table, TABLES) if path is not None]
        return [FileState(path.name, (state := path.stat()).st_size, state.st_mtime_ns) for path in paths]


def find_tables(dataroot: Path | str, version: str | None = None) -> TableFolder:
    """Find the folder of tables: a folder that holds scene.json and sample.json.

    Args:
        dataroot: The dataset's folder; the folder of tables itself will do too.
        version: Name of the folder of tables, needed only where there are several.

    Raises:
        InputError: There is no such folder, or there are several and `version` names none of them.
    """
    root = Path(dataroot)
    if not root.is_dir():
        what = "is a file, and a dataset folder was expected." if root.exists() else "does not exist."
        raise InputError(what, path=root, remedy="Name the folder that holds the tables' folder and samples/.")
    try:
        found = sorted(folder.name for folder in root.iterdir() if _holds_tables(folder))
    except OSError as error:
        raise InputError(f"cannot be read ({error.strerror}).", path=root) from error
    if version is not None:
        if version not in found and not (root / version).is_dir():
            names = ", ".join(found) or "no folder of tables"
            raise InputError(f"has no version {version!r} (found: {names}).", path=root)
        return TableFolder(root, version)
    if len(found) == 1:
        return TableFolder(root, found[0])
    if found:
        raise InputError(
            f"holds several versions: {', '.join(found)}.", path=root, remedy="Name one of them with --version."
        )
    if _holds_tables(root):
        root = root.resolve()
        return TableFolder(root.parent, root.name)
    raise InputError(
        "holds no dataset in the nuScenes schema: no folder in it has scene.json and sample.json.",
        path=root,
        remedy="Name the folder that holds the tables' folder (such as v1.0-mini) and samples/.",
    )


def _holds_tables(folder: Path) -> bool:
    return (folder / "scene.json").is_file() and (folder / "sample.json").is_file()
