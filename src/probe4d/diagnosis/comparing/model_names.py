"""What the name of a model says of its family and size, so that runs of one family at several sizes stand together."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import NamedTuple

import polars as pl

from probe4d.diagnosis.controls.answerers import is_control
from probe4d.diagnosis.tables import MODELS_SCHEMA
from probe4d.errors import InputError
from probe4d.runs.run import Run

__all__ = ["ModelName", "models_table", "named_model", "size_in_words"]

_UNITS = {"b": 1e9, "m": 1e6}
_SIZE = re.compile(r"(?:^|(?<=[-_:\s(]))(?P<number>\d+(?:\.\d+)?)(?P<unit>[bm])(?=$|[-_:\s.)])", re.IGNORECASE)
"""A size stands apart. So 8x7B says none, nor does E4B (effective) or A3B (active), nor 128k, 4bit or a version."""
_ACTIVE = re.compile(r"[-_]A\d+(?:\.\d+)?B(?=$|[-_.])")
_SEPARATORS = "-_: ."


class ModelName(NamedTuple):
    """What a name says.

    Attributes:
        family: The name without provider, folder and size; null where nothing is left.
        parameters: How many parameters the model has; null where the name does not say, or says two sizes.
    """

    family: str | None
    parameters: float | None


def named_model(name: str) -> ModelName:
    """Read the family and the size in a model's name, such as `hf/Qwen/Qwen2.5-VL-7B-Instruct`.

    Billions count before millions: `7B-Instruct-1M` has 7 billion parameters, and `1M` stays in the family's name.
    """
    name = name.rstrip("/").rsplit("/", 1)[-1]
    sizes = list(_SIZE.finditer(name))
    sizes = [size for size in sizes if size["unit"] in "bB"] or sizes
    told = {float(size["number"]) * _UNITS[size["unit"].lower()] for size in sizes} - {0.0}
    if len(told) != 1:
        return ModelName(name or None, None)
    for size in reversed(sizes):
        parts = (name[: size.start()].rstrip(_SEPARATORS), name[size.end() :].lstrip(_SEPARATORS))
        name = "-".join(filter(None, parts))
    return ModelName(_ACTIVE.sub("", name) or None, told.pop())


def models_table(runs: Sequence[Run], stated: Mapping[str, str]) -> pl.DataFrame:
    """Order runs by the family and size of their models.

    Args:
        runs: The runs.
        stated: What the models of some runs are called, by the name of the run.

    Returns:
        Columns of `MODELS_SCHEMA`: families by name, whatever its case, in each from the smallest model to the
        largest, those of unknown size behind them and those of one size in the order of the runs; last what is no
        model.

    Raises:
        InputError: A name is stated for a run that is not there.
    """
    names = [run.name for run in runs]
    for name in stated:
        if name not in names:
            raise InputError(
                f"a model is named for {name!r}, which is no run.", remedy=f"There are {', '.join(names) or 'none'}."
            )
    rows = []
    spelled: dict[str, str] = {}
    for run in runs:
        model = stated.get(run.name, run.record.model)
        family, parameters = (None, None) if is_control(model) else named_model(model)
        if family is not None:
            family = spelled.setdefault(family.casefold(), family)
        rows.append((run.name, model, family, parameters))
    table = pl.DataFrame(rows, schema=MODELS_SCHEMA, orient="row")
    return table.sort(pl.col("model_family").str.to_lowercase(), "parameters", nulls_last=True, maintain_order=True)


def size_in_words(parameters: float | None) -> str:
    """A number of parameters as names have it, such as `7B`; empty where it is not known."""
    if parameters is None:
        return ""
    return f"{parameters / 1e9:g}B" if parameters >= 1e9 else f"{parameters / 1e6:g}M"
