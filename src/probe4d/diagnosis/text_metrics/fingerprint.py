"""What a value of a text metric was computed with; values of different fingerprints are not compared."""

from __future__ import annotations

from collections.abc import Mapping
from importlib.metadata import version

import msgspec
import polars as pl

from probe4d.errors import InputError

__all__ = ["Fingerprint", "fingerprint_of", "fingerprints_table", "refuse_unlike"]


class Fingerprint(msgspec.Struct, frozen=True, kw_only=True):
    """How a value came about, as far as another way could give another value.

    Attributes:
        metric: Name of the metric.
        library: Package that computes it.
        version: Version of the package.
        options: Everything else that decides, by name.
    """

    metric: str
    library: str
    version: str
    options: Mapping[str, str]

    def __str__(self) -> str:
        options = "".join(f"; {name} {value}" for name, value in self.options.items())
        return f"{self.metric}: {self.library} {self.version}{options}"


def fingerprint_of(metric: str, library: str, options: Mapping[str, object]) -> Fingerprint:
    """The fingerprint of a metric, with the version of its library that is installed.

    Args:
        metric: Name of the metric.
        library: Name of the package.
        options: Everything else that decides, by name.
    """
    told = {name: str(value) for name, value in options.items()}
    return Fingerprint(metric=metric, library=library, version=version(library), options=told)


def fingerprints_table(fingerprints: Mapping[str, Fingerprint]) -> pl.DataFrame:
    """Columns metric, library, version, options and fingerprint (all in one), a row for each metric.

    Args:
        fingerprints: By the name of the metric in the tables that its values stand in.
    """
    rows = [
        (
            name,
            one.library,
            one.version,
            "; ".join(f"{option} {value}" for option, value in one.options.items()),
            str(one),
        )
        for name, one in fingerprints.items()
    ]
    columns = ("metric", "library", "version", "options", "fingerprint")
    return pl.DataFrame(rows, schema=dict.fromkeys(columns, pl.String), orient="row")


def refuse_unlike(fingerprints: Mapping[str, Fingerprint]) -> None:
    """See that values that are to be compared were computed alike.

    Args:
        fingerprints: Of one metric, by the run that they belong to, at least one.

    Raises:
        InputError: Two of them differ; names the runs and what differs.
    """
    (first, expected), *others = fingerprints.items()
    for run, found in others:
        if found != expected:
            raise InputError(
                f"{expected.metric} of {first!r} and of {run!r} was computed in two ways, and is not compared: "
                f"{expected} against {found}.",
                remedy="Compute both with the same packages and options.",
            )
