"""Which scenes evidence can be taken from: those of a dataset, of a folder of features, or of both."""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING

import polars as pl

from probe4d.benchmarks.question import Question
from probe4d.benchmarks.source import SceneNames
from probe4d.errors import InputError
from probe4d.scenes.tables import Scenes

if TYPE_CHECKING:
    from probe4d.models.lidar_lm.features import FeatureFolder

__all__ = ["KnownScenes", "known_scenes"]


@dataclass(frozen=True)
class KnownScenes:
    """Scenes that could be shown.

    Attributes:
        names: Their names.
        name_of: Name of a question's scene; null where it is none of them.
        keyframes: Number of key frames of one of them; where there is no dataset, its file of features is read for it.
        where: Where they are known from, for messages.
    """

    names: Collection[str]
    name_of: Callable[[Question], str | None]
    keyframes: Callable[[str], int]
    where: str

    @property
    def lengths(self) -> pl.DataFrame:
        """Columns `scene` and `keyframes`, of all of them."""
        return pl.DataFrame(
            {"scene": list(self.names), "keyframes": [self.keyframes(name) for name in self.names]},
            schema={"scene": pl.String(), "keyframes": pl.Int64()},
        )


def known_scenes(scenes: Scenes | None, features: FeatureFolder | None) -> KnownScenes:
    """Find the scenes that evidence can be taken from; no file of features is opened yet.

    Args:
        scenes: Scenes of a dataset.
        features: Features that are shown; null where pictures are.

    Raises:
        InputError: There are neither.
    """
    if features is None:
        if scenes is None:
            raise InputError(
                "what is shown is taken from the dataset that the benchmark was built from.",
                remedy="Give the dataset (scenes=, --data), or show nothing (the evidence none).",
            )
        keyframes = _keyframes(scenes)
        where = str(scenes.root / scenes.version)
        return KnownScenes(keyframes.keys(), SceneNames(scenes).of, keyframes.__getitem__, where)
    held = frozenset(features.scenes)
    named = None if scenes is None else SceneNames(scenes)

    def name_of(question: Question) -> str | None:
        name = question.scene if named is None else named.of(question)
        return name if name in held else None

    where = f"the features in {features.path}"
    if scenes is None:
        return KnownScenes(sorted(held), name_of, cache(features.frames), where)
    keyframes = {scene: count for scene, count in _keyframes(scenes).items() if scene in held}
    return KnownScenes(keyframes.keys(), name_of, keyframes.__getitem__, where)


def _keyframes(scenes: Scenes) -> dict[str, int]:
    return dict(scenes.scenes.select("scene", "keyframes").iter_rows())
