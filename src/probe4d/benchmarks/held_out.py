"""Which questions nothing may be learnt from: those about scenes that models are tested on."""

from __future__ import annotations

import msgspec
import polars as pl

from probe4d.benchmarks.benchmark import Benchmark
from probe4d.benchmarks.source import SceneNames
from probe4d.scenes.splits import is_held_out
from probe4d.scenes.tables import Scenes

__all__ = ["HELD_OUT", "held_out"]

HELD_OUT = "its scene is held out for tests (val or test of nuScenes)"
"""Why a question, or a row of a release, is not learnt from."""

_TESTED = ("val", "test")
_TRAINVAL = "v1.0-trainval"


class _Facts(msgspec.Struct, frozen=True):
    split: str | None = None
    scene_token: str | None = None


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
    rows = benchmark.table.select("scene", "facts").iter_rows()
    facts = [(scene, msgspec.json.decode(text, type=_Facts)) for scene, text in rows]
    tested = {key for scene, told in facts if told.split in _TESTED for key in (scene, told.scene_token) if key}

    def is_tested(scene: str, told: _Facts) -> bool:
        name = None if names is None else names.named(scene) or names.named(told.scene_token)
        return scene in tested or told.scene_token in tested or is_held_out(name or scene, version)

    return pl.Series([is_tested(*one) for one in facts], dtype=pl.Boolean())
