"""The frame of every suite's audit: opened once, then scene by scene, then the benchmark as a whole."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any, ClassVar, Generic, TypeVar

import polars as pl

from probe4d.benchmarks.auditing.findings import Findings
from probe4d.benchmarks.auditing.opening import build_parameters, tables_folder
from probe4d.benchmarks.auditing.raw_tables import scene_names
from probe4d.benchmarks.auditing.record import count_findings, order_findings
from probe4d.benchmarks.benchmark import Benchmark
from probe4d.benchmarks.question import question_ids
from probe4d.benchmarks.suite import AuditFinding
from probe4d.errors import InputError
from probe4d.wording import counted

__all__ = ["SuiteAudit"]

Parameters = TypeVar("Parameters")
Scene = TypeVar("Scene")

QUESTIONS_AT_ONCE = 500_000
"""Questions that are read at a time: few enough to be held beside a scene, and not so few that files are read often."""


class SuiteAudit(ABC, Generic[Parameters, Scene]):
    """Derives a benchmark's answers again, by a path that shares no code with what builds it.

    What all suites do alike is here; a suite says which parameters decide its answers, what a scene is to it, and what
    is wrong with the questions about one. Whatever is found by `check` goes into `findings`.

    Args:
        benchmark: The benchmark.
        folder: The folder of tables that it was built from.
        parameters: The parameters of the build.

    Attributes:
        parameters_of: The struct that a suite reads the parameters of a build as; others in the record are not looked
            at.
        without_scene: Name of the check that a question fails whose scene the tables do not have; null is the
            question's own rule.
    """

    parameters_of: ClassVar[type[Any]]
    without_scene: ClassVar[str | None] = None

    def __init__(self, benchmark: Benchmark, folder: Path, parameters: Parameters) -> None:
        self.benchmark = benchmark
        self.folder = folder
        self.parameters = parameters
        self.findings = Findings(benchmark.columns("id", "rule"))

    @classmethod
    def audit(
        cls,
        benchmark: Benchmark,
        dataroot: Path | str,
        *,
        version: str | None = None,
        done: Callable[[str], None] | None = None,
    ) -> list[AuditFinding]:
        """Derive every answer of a benchmark again and check what the benchmark promises of itself.

        Args:
            benchmark: A benchmark that was built, not imported.
            dataroot: Folder of the dataset that it was built from, or the folder of tables to use inside it.
            version: Name of the folder of tables; null is the one that the benchmark was built from.
            done: Told of the id of each question that was checked.

        Returns:
            Every difference, by question in benchmark order, then those of the benchmark as a whole.

        Raises:
            InputError: The benchmark was imported, its parameters cannot be read, or the dataset's tables cannot, or
                they hold fewer than half of the scenes that it asks about.
        """
        parameters = build_parameters(benchmark, cls.parameters_of)
        folder = tables_folder(Path(dataroot), benchmark.record.source.version, version)
        there = scene_names(folder)
        _refuse_other_dataset(benchmark, folder, there)
        audit = cls(benchmark, folder, parameters)
        for identity in audit._checked():
            if done is not None:
                done(identity)
        return [
            *audit.findings.in_order(),
            *audit.between_questions(),
            *count_findings(benchmark, scenes=len(there)),
            *order_findings(benchmark),
            *audit.of_the_whole(),
        ]

    def _checked(self) -> Iterator[str]:
        """Check scene by scene, in the order in which the benchmark first asks about them; gives what was checked."""
        asked = self.benchmark.columns("id", "scene").with_row_index("place")
        by_scene = asked.group_by("scene", maintain_order=True).agg("id", pl.col("place").cast(pl.Int64))
        for questions, scene in zip(self._questions(by_scene), self.scenes(by_scene["scene"].to_list()), strict=True):
            if scene is None:
                self.check_without_scene(questions["scene"][0], questions)
            else:
                self.check(scene, questions)
            yield from questions["id"]

    def _questions(self, by_scene: pl.DataFrame) -> Iterator[pl.DataFrame]:
        """The questions about each scene as `check` takes them; of many those of some scenes are read at a time."""
        part = pl.col("id").list.len().cum_sum() // QUESTIONS_AT_ONCE
        for scenes in by_scene.with_columns(part=part).partition_by("part", maintain_order=True):
            rows = self.benchmark.rows(scenes["id"].explode()).partition_by("scene", as_dict=True, maintain_order=True)
            for name, places in scenes.select("scene", "place").iter_rows():
                there = rows[(name,)]
                yield there.with_columns(place=pl.Series(places, dtype=pl.Int64), derived_id=question_ids(there))

    @abstractmethod
    def scenes(self, names: Sequence[str]) -> Iterable[Scene | None]:
        """Read and measure scenes, one at a time where the suite can.

        Args:
            names: Their names.

        Returns:
            The scenes in that order; null for one that the tables do not have.

        Raises:
            InputError: The tables cannot be read.
        """

    @abstractmethod
    def check(self, scene: Scene, questions: pl.DataFrame) -> None:
        """Find what is wrong with the questions about a scene.

        Args:
            scene: The scene.
            questions: All of them in benchmark order, with `place`, their row in the benchmark, and `derived_id`, the
                id that their fields give them.
        """

    def check_without_scene(self, name: str, questions: pl.DataFrame) -> None:
        """Find what is wrong with questions about a scene that the tables do not have.

        Args:
            name: Name of the scene.
            questions: As for `check`.
        """
        for place in questions["place"]:
            self.findings.add(place, f"the dataset has no scene {name!r}", rule=self.without_scene)

    def between_questions(self) -> Iterable[AuditFinding]:
        """What is wrong between questions, such as links; told after what is wrong with each."""
        return ()

    def of_the_whole(self) -> Iterable[AuditFinding]:
        """What is wrong with the benchmark as a whole beside counts, fingerprint and places; told last."""
        return ()


def _refuse_other_dataset(benchmark: Benchmark, folder: Path, there: Collection[str]) -> None:
    """Refuse tables that hold fewer than half of the scenes asked about: millions of findings would say less."""
    asked = benchmark.columns("scene")["scene"].unique(maintain_order=True)
    absent = asked.filter(~asked.is_in(list(there)))
    if 2 * absent.len() > asked.len():
        what = f"lacks {absent.len():,} of the {counted(asked.len(), 'scene')} that the benchmark asks about"
        raise InputError(
            f"{what}, first {absent[0]}.",
            path=folder,
            remedy="Give the dataset, and with --version the folder of tables, that the benchmark was built from.",
        )
