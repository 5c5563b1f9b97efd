"""What builds are asked for: the same of every suite where they mean the same, on the command line as in Python."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import fields
from inspect import signature
from pathlib import Path
from typing import Any

import msgspec
import pytest

from probe4d.benchmarks.benchmark import SourceDataset
from probe4d.benchmarks.building import BuildParameters, recorded
from probe4d.benchmarks.suites import SUITES, build
from probe4d.cli import build_b4dl, build_lidar_hallu, build_spatial_qa, build_stride
from probe4d.cli.build import Building
from probe4d.cli.object_filters import ObjectFilters
from probe4d.errors import InputError
from probe4d.exchange.b4dl_release.importing import import_b4dl
from probe4d.exchange.lidar_hallu_release import import_lidar_hallu
from probe4d.scenes.tables import Scenes

HAS_TO_BE_GIVEN: dict[str, dict[str, Any]] = {
    "lidar-hallu": {},
    "spatial-qa": {"refer": "marker"},
    "stride": {},
    "b4dl": {"generator": None},
}
"""What a build of each suite cannot do without."""

OPTIONS: dict[str, dict[str, Any]] = {
    "lidar-hallu": vars(build_lidar_hallu.Asked()),
    "spatial-qa": {
        **vars(build_spatial_qa.Asked()),
        "min_visibility": ObjectFilters().min_visibility,
        "unknown_visibility": ObjectFilters().unknown_visibility,
        "min_side_px": ObjectFilters().min_side,
        "graphs": signature(build_spatial_qa.build_spatial_qa).parameters["graphs"].default,
    },
    "stride": vars(build_stride.Asked()),
    "b4dl": build_b4dl.Parts().parameters,
}
"""Parameters that a command without options gives the build of a suite."""

MADE_BY_THE_COMMAND = {
    "lidar-hallu": set(),
    "spatial-qa": set(),
    "stride": {"verbalizer"},
    "b4dl": {"generator", "begun"},
}
"""Parameters that are no values: who writes, opened of several options, and who is told how it goes on."""

suites = pytest.mark.parametrize("suite", SUITES)


def defaults_of(suite: str) -> dict[str, Any]:
    """What a build of a suite takes for each parameter that is left out."""
    kind: Any = SUITES[suite].parameters
    return {field.name: field.default for field in msgspec.structs.fields(kind)}


@suites
def test_a_command_without_options_asks_for_what_a_build_does_without_parameters(suite: str) -> None:
    taken = defaults_of(suite)
    assert {name: taken[name] for name in OPTIONS[suite]} == OPTIONS[suite]
    of_every_suite = {field.name: field.default for field in fields(Building) if field.name in taken}
    assert {name: taken[name] for name in of_every_suite} == of_every_suite
    assert {*of_every_suite} == {"split", "seed", "workers"}


@suites
def test_every_parameter_of_a_build_can_be_asked_for_by_an_option(suite: str) -> None:
    of_every_suite = {field.name for field in fields(Building)} | {"done"}
    assert {*defaults_of(suite)} - of_every_suite - MADE_BY_THE_COMMAND[suite] == {*OPTIONS[suite]}


@suites
@pytest.mark.parametrize(
    ("wrong", "told"),
    [
        ({"seed": -1}, r"the seed is -1; it must lie between 0 and 2\*\*63 - 1"),
        ({"seed": 1 << 63}, "the seed is 9223372036854775808"),
        ({"workers": 0}, "the number of workers must be at least 1, not 0"),
    ],
)
def test_every_suite_refuses_what_none_takes(suite: str, wrong: dict[str, Any], told: str, scenes: Scenes) -> None:
    with pytest.raises(InputError, match=told):
        build(suite, scenes, **HAS_TO_BE_GIVEN[suite], **wrong)


@suites
def test_a_folder_of_other_things_is_refused_before_anything_is_measured(
    suite: str, scenes: Scenes, tmp_path: Path
) -> None:
    (tmp_path / "notes.txt").write_text("kept")
    measured: list[str] = []
    with pytest.raises(InputError, match="is not empty and holds no benchmark"):
        build(suite, scenes, tmp_path, **HAS_TO_BE_GIVEN[suite], done=measured.append)
    assert not measured
    assert [*tmp_path.iterdir()] == [tmp_path / "notes.txt"]


@pytest.mark.parametrize("import_release", [import_b4dl, import_lidar_hallu])
def test_an_import_refuses_a_folder_of_other_things_before_it_reads_the_release(
    import_release: Callable[[Path, Path], object], tmp_path: Path
) -> None:
    (tmp_path / "notes.txt").write_text("kept")
    with pytest.raises(InputError, match="is not empty and holds no benchmark") as refused:
        import_release(tmp_path / "no such release", tmp_path)
    assert refused.value.path == tmp_path


@suites
def test_a_parameter_that_no_build_of_the_suite_has_is_named(suite: str, scenes: Scenes) -> None:
    with pytest.raises(TypeError, match="per_familly"):
        build(suite, scenes, **HAS_TO_BE_GIVEN[suite], per_familly=3)


def test_a_record_holds_what_decides_in_the_order_of_the_file() -> None:
    asked = BuildParameters(split="val", seed=3, done=print)
    assert [*recorded(asked, ["reference_channel", "split"], reference_channel="LIDAR_TOP").items()] == [
        ("reference_channel", "LIDAR_TOP"),
        ("split", "val"),
    ]
    source = SourceDataset(name="made", version="v", fingerprint=None, licence="none", split="all", scenes=2)
    assert recorded(asked, ["seed", "source"], source=source) == {"seed": 3, "source": msgspec.structs.asdict(source)}
