"""Which scenes evidence can be taken from: those of a dataset, of a folder of features, or of both."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
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
        name_of: Name of a question's scene; null where it is none of them.
        keyframes: Number of key frames by scene.
        where: Where they are known from, for messages.
    """

    name_of: Callable[[Question], str | None]
    keyframes: Mapping[str, int]
    where: str

    @property
    def lengths(self) -> pl.DataFrame:
        """Columns `scene` and `keyframes`."""
        return pl.DataFrame(
            {"scene": list(self.keyframes), "keyframes": list(self.keyframes.values())},
            schema={"scene": pl.String(), "keyframes": pl.Int64()},
        )


def known_scenes(scenes: Scenes | None, features: FeatureFolder | None) -> KnownScenes:
    """Find the scenes that evidence can be taken from.

    Args:
        scenes: Scenes of a dataset.
        features: Features that are shown; null where pictures are.

    Raises:
        InputError: There are neither, or features of a scene have another number of key frames than the dataset has.
    """
    if features is None:
        if scenes is None:
            raise InputError(
                "what is shown is taken from the dataset that the benchmark was built from.",
                remedy="Give the dataset (scenes=, --data), or show nothing (the evidence none).",
            )
        return KnownScenes(SceneNames(scenes).of, _keyframes(scenes), str(scenes.root / scenes.version))
    held = {scene: features.frames(scene) for scene in features.scenes}
    where = f"the features in {features.path}"
    if scenes is None:
        return KnownScenes(lambda question: question.scene if question.scene in held else None, held, where)
    keyframes = _keyframes(scenes)
    features.refuse_other(frames={scene: count for scene, count in keyframes.items() if scene in held})
    names = SceneNames(scenes)

    def name_of(question: Question) -> str | None:
        name = names.of(question)
        return name if name in held else None

    return KnownScenes(name_of, {scene: count for scene, count in keyframes.items() if scene in held}, where)


def _keyframes(scenes: Scenes) -> dict[str, int]:
    return dict(scenes.scenes.select("scene", "keyframes").iter_rows())
