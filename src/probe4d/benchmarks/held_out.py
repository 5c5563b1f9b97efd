"""Which questions nothing may be learnt from: those about scenes that models are tested on."""

from __future__ import annotations

import polars as pl

from probe4d.benchmarks.benchmark import Benchmark
from probe4d.benchmarks.source import SceneNames, is_released
from probe4d.scenes.splits import is_held_out
from probe4d.scenes.tables import Scenes

__all__ = ["HELD_OUT", "held_out"]

HELD_OUT = "its scene is held out for tests (val or test of nuScenes)"
"""Why a question, or a row of a release, is not learnt from."""

_TESTED = ("val", "test")
_TRAINVAL = "v1.0-trainval"


def held_out(benchmark: Benchmark, scenes: Scenes | None = None) -> pl.Series:
    """Tell which questions of a benchmark are about scenes that are held out.

    A scene is held out if the official splits of nuScenes have it in val or test, by its name or by that which the
    dataset has for its token, or if the release that a question was imported from says so, of this question or of
    another about the same scene.

    Args:
        benchmark: The questions.
        scenes: Scenes of the dataset, which know the names of tokens; null where it is not at hand.

    Returns:
        Boolean, a value for each question in their order.
    """
    source = benchmark.record.source
    version = source.version if source.name == "nuscenes" else _TRAINVAL  # releases have the names of nuScenes
    names = None if scenes is None else SceneNames(scenes)
    told = _told(benchmark)
    of_tests = told.filter("tested").unique()
    tested = {*of_tests["scene"], *of_tests["token"].drop_nulls()}

    def is_tested(scene: str, token: str | None) -> bool:
        name = None if names is None else names.named(scene) or names.named(token)
        return scene in tested or token in tested or is_held_out(name or scene, version)

    places = told.select("scene", "token").unique()
    verdicts = pl.Series("held_out", [is_tested(*one) for one in places.iter_rows()], dtype=pl.Boolean())
    found = told.join(
        places.with_columns(verdicts), on=["scene", "token"], how="left", nulls_equal=True, maintain_order="left"
    )
    return found["held_out"]


def _told(benchmark: Benchmark) -> pl.DataFrame:
    """Of each question scene, token of its scene and whether the release has it in a split of tests; null: not said."""
    if not is_released(benchmark):
        return benchmark.columns("scene").with_columns(token=pl.lit(None, dtype=pl.String()), tested=False)
    fact = pl.col("facts").str.json_path_match
    tested = fact("$.split").is_in(_TESTED).fill_null(False)
    return benchmark.columns("scene", "facts").select("scene", token=fact("$.scene_token"), tested=tested)
