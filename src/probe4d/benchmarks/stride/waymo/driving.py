"""What a converted WOD-E2E folder says of driving beside the tables of nuScenes (see docs/waymo.md)."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

import polars as pl

from probe4d.errors import InputError
from probe4d.origins import WAYMO_VERSIONS
from probe4d.scenes.tables import Scenes
from probe4d.scenes.wod_e2e.driving import DRIVING_SCHEMA, STATES_SCHEMA

__all__ = ["Driving", "is_end_to_end", "read_driving"]

_AGAIN = "Convert it again with `probe4d convert wod-e2e`."


class Driving(NamedTuple):
    """The two tables of a converted folder.

    Attributes:
        frames: Columns of `DRIVING_SCHEMA`, a row a key frame.
        states: Columns of `STATES_SCHEMA`, a row a state.
    """

    frames: pl.DataFrame
    states: pl.DataFrame

    def of(self, scenes: Scenes) -> Driving:
        """The rows of some scenes."""
        names = pl.Series("scene", scenes.names, dtype=pl.String).implode()
        return Driving(*(table.filter(pl.col("scene").is_in(names)) for table in self))


def is_end_to_end(scenes: Scenes) -> bool:
    """Whether scenes are of converted WOD-E2E data."""
    return scenes.version == WAYMO_VERSIONS["end-to-end"]


def read_driving(scenes: Scenes) -> Driving:
    """Read both tables.

    Args:
        scenes: Scenes of a converted folder; rows of others are left out.

    Raises:
        InputError: A table is missing or cannot be read, or one of its columns is missing or of another type.
    """
    folder = scenes.root / scenes.version
    frames = _read(folder / "driving.parquet", DRIVING_SCHEMA)
    return Driving(frames, _read(folder / "ego_states.parquet", STATES_SCHEMA)).of(scenes)


def _read(path: Path, schema: dict[str, pl.DataType]) -> pl.DataFrame:
    try:
        table = pl.read_parquet(path, glob=False)
    except (pl.exceptions.PolarsError, pl.exceptions.PanicException, OSError) as error:
        raise InputError(f"cannot be read ({error}).", path=path, remedy=_AGAIN) from error
    for name, kind in schema.items():
        if table.schema.get(name) != kind:
            found = "is missing" if name not in table.columns else f"is of type {table.schema[name]}, not {kind}"
            raise InputError(f"the column {name!r} {found}.", path=path, remedy=_AGAIN)
    return table.select(list(schema))
