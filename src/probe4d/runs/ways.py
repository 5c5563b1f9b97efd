"""In which variants a setting asks the questions of a table, as columns."""

from __future__ import annotations

import polars as pl

from probe4d.runs.settings import Setting

__all__ = ["OPTION_COUNT", "ways_of_shapes"]

OPTION_COUNT = pl.col("options").list.len().alias("size")
"""Number of options of a question, which with its format says how it is asked."""


def ways_of_shapes(setting: Setting, questions: pl.DataFrame) -> pl.DataFrame:
    """How a setting asks questions of each format and number of options.

    Args:
        setting: The setting.
        questions: Columns format and options.

    Returns:
        Columns format, size (number of options), variant (null where a question is asked once), rotation and place
        (of the variant among those of the question, from 0), a row for each variant, in order.
    """
    rows = [
        (format, size, variant.name, variant.rotation, place)
        for format, size in questions.select("format", OPTION_COUNT).unique(maintain_order=True).iter_rows()
        for place, variant in enumerate(setting.variants_of(format, size))
    ]
    columns = {"format": pl.String, "size": pl.UInt32, "variant": pl.String, "rotation": pl.Int64, "place": pl.Int64}
    return pl.DataFrame(rows, schema=columns, orient="row")
