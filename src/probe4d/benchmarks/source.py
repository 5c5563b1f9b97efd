"""The dataset that a benchmark was built from, opened again, and the scenes of its questions there."""

from __future__ import annotations

from pathlib import Path

from probe4d.benchmarks.benchmark import Benchmark, SourceDataset
from probe4d.benchmarks.question import Question
from probe4d.scenes.opening import open_scenes
from probe4d.scenes.tables import Scenes

__all__ = ["SceneNames", "is_released", "open_source", "source_of"]


class SceneNames:
    """Finds scenes of a dataset by their name or token.

    Args:
        scenes: The scenes.
    """

    def __init__(self, scenes: Scenes) -> None:
        self._name_of: dict[str, str] = dict(scenes.scenes.select("token", "scene").iter_rows())
        self._name_of |= {name: name for name in scenes.names}

    def named(self, name: object) -> str | None:
        """Name of the scene with this name or token; null without."""
        return self._name_of.get(name) if isinstance(name, str) else None

    def of(self, question: Question) -> str | None:
        """Name of a question's scene, found by what the question calls it or by the token in its facts."""
        return self.named(question.scene) or self.named(question.facts.get("scene_token"))


def is_released(benchmark: Benchmark) -> bool:
    """Whether a benchmark is imported from a release, which may call scenes otherwise than the dataset does.

    Then no dataset was measured, and its facts say what the release does: of the scene its token, and the split.
    """
    return benchmark.record.source.fingerprint is None


def open_source(
    benchmark: Benchmark, dataroot: Path | str, *, version: str | None = None
) -> tuple[Scenes, tuple[str, ...]]:
    """Open a benchmark's dataset with the tables and the reference LiDAR that it was built with.

    Args:
        benchmark: The benchmark.
        dataroot: Folder of the dataset.
        version: Name of the folder of tables; left out: the one that the benchmark was built from, or, for
            imported records, which were built elsewhere, the only one there is.

    Returns:
        The scenes, and sentences that warn where the tables are not those that the answers were measured in.

    Raises:
        InputError: As `open_scenes`.
    """
    source = benchmark.record.source
    built_here = not is_released(benchmark)
    scenes = open_scenes(
        dataroot,
        version=version or (source.version if built_here else None),
        reference_channel=benchmark.record.parameters.get("reference_channel") if built_here else None,
    )
    if built_here and scenes.fingerprint != source.fingerprint:
        return scenes, (f"The tables in {dataroot} are not those that the answers were measured in.",)
    return scenes, ()


def source_of(used: Scenes, split: str) -> SourceDataset:
    """Describe the scenes that a benchmark is built from.

    Args:
        used: These scenes.
        split: Their split, in words.
    """
    return SourceDataset(
        name=used.adapter,
        version=used.version,
        fingerprint=used.fingerprint,
        licence=used.licence,
        split=split,
        scenes=used.scenes.height,
    )
