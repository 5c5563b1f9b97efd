"""What the builds of all suites share: the parameters that each of them takes, and the record of what was built."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, get_args

import msgspec
import polars as pl

from probe4d.benchmarks.benchmark import BenchmarkRecord, counts_of
from probe4d.benchmarks.fingerprints import fingerprint
from probe4d.benchmarks.sampling import refuse_wrong_seed
from probe4d.benchmarks.source import source_of
from probe4d.errors import InputError
from probe4d.scenes.tables import Scenes
from probe4d.version import __version__
from probe4d.wording import listed

__all__ = ["BuildParameters", "dropped_rows", "record_of_build", "recorded", "refuse_other", "refuse_too_few"]


class BuildParameters(msgspec.Struct, frozen=True, kw_only=True):
    """What a build is asked for, whatever the suite; each suite adds its own.

    Attributes:
        split: Official split to use, or `all`; without it `val` of a trainval folder that holds all 150 official val
            scenes, and all scenes of any other.
        seed: Seed of every draw.
        workers: Processes that measure scenes; the benchmark is the same for any number.
        done: Told of the name of each scene that was measured, for progress bars.

    Raises:
        InputError: A value cannot be used.
    """

    split: str | None = None
    seed: int = 42
    workers: int = 1
    done: Callable[[str], None] | None = None

    def __post_init__(self) -> None:
        """Refuse what no build takes."""
        refuse_wrong_seed(self.seed)
        refuse_too_few("workers", self.workers)


def refuse_too_few(what: str, number: int) -> None:
    """Refuse a number below 1.

    Args:
        what: What is counted, in words.
        number: How many.

    Raises:
        InputError: It is below 1.
    """
    if number < 1:
        raise InputError(f"the number of {what} must be at least 1, not {number}.")


def refuse_other(name: str, value: object, known: Any) -> None:
    """Refuse a value that is none of a few words.

    Args:
        name: Name of the parameter.
        value: Its value.
        known: The `Literal` of the words.

    Raises:
        InputError: It is none of them.
    """
    if value not in get_args(known):
        raise InputError(f"{name} cannot be {value!r}.", remedy=f"Give {listed(get_args(known), 'or')}.")


def recorded(asked: BuildParameters, names: Sequence[str], **instead: object) -> dict[str, Any]:
    """The parameters of a build as `benchmark.json` has them.

    Args:
        asked: What was asked for.
        names: What decides the questions, in the order of the file.
        instead: What stands there in a parameter's place, such as the digest of a file, or what was taken where nothing
            was asked for.
    """
    known = msgspec.structs.asdict(asked) | instead
    return {name: msgspec.to_builtins(known[name]) for name in names}


def dropped_rows(scenes: Scenes) -> dict[str, int]:
    """Rows of the dataset that could not be used, as the exclusions of a record name them."""
    return {f"rows of the dataset: {reason}": n for reason, n in scenes.dropped.items()}


def record_of_build(
    suite: str,
    version: str,
    questions: pl.DataFrame | pl.LazyFrame,
    *,
    seed: int,
    parameters: Mapping[str, Any],
    used: Scenes,
    split: str,
    exclusions: Mapping[str, int],
    shortfalls: Sequence[str],
) -> BenchmarkRecord:
    """The record of what was built.

    Args:
        suite: Name of the suite.
        version: Version of its rules and wording.
        questions: The questions, in the order of the benchmark.
        seed: Seed of every draw.
        parameters: The parameters, as `recorded` gives them.
        used: The scenes that it was built from.
        split: Their split, in words.
        exclusions: What was left out, by reason.
        shortfalls: What was asked for and could not be had.
    """
    return BenchmarkRecord(
        suite=suite,
        version=version,
        seed=seed,
        parameters=dict(parameters),
        counts=counts_of(questions),
        exclusions=dict(exclusions),
        shortfalls=list(shortfalls),
        source=source_of(used, split),
        fingerprint=fingerprint(questions),
        probe4d=__version__,
    )
