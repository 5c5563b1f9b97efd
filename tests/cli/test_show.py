"""`probe4d show`, as a user runs it."""

from __future__ import annotations

import subprocess
from collections.abc import Callable
from pathlib import Path

import msgspec
import pytest
from PIL import Image

from probe4d.benchmarks.benchmark import Benchmark, BenchmarkRecord, write_benchmark
from probe4d.benchmarks.fingerprints import fingerprint
from probe4d.benchmarks.question import to_table
from probe4d.benchmarks.suites import build
from probe4d.report.drawing import write_picture
from probe4d.scenes.opening import open_scenes

Command = Callable[..., subprocess.CompletedProcess[str]]


def test_prints_the_facts_and_draws_the_picture(
    command: Command, built: Benchmark, simulated: Path, tmp_path: Path
) -> None:
    motion = next(one for one in built.questions if one.family == "motion")
    done = command("show", built.path, motion.id, "--data", simulated, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    for expected in (
        motion.question,
        "reference",
        "margin",
        "distance delta",
        "box ",
        'Only answer with "No" or "Yes".',
    ):
        assert str(expected) in done.stdout
    assert done.stdout.splitlines()[-1] == f"{motion.id}.png"
    with Image.open(tmp_path / f"{motion.id}.png") as image:
        assert image.format == "PNG"
        assert image.width > image.height / 2


def test_setting_and_out(here: Command, built: Benchmark, simulated: Path, tmp_path: Path) -> None:
    choice = next(one for one in built.questions if one.family == "distance")
    out = tmp_path / "a" / "picture.png"
    done = here("show", built.path, choice.id, "--data", simulated, "--out", out, "--setting", "anti-position")
    assert done.returncode == 0, done.stderr
    assert "Do not favor any option based on its position" in done.stdout
    assert out.is_file()


def test_without_data_it_says_so(here: Command, built: Benchmark, tmp_path: Path) -> None:
    done = here("show", built.path, built.questions[0].id[:12], cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert built.questions[0].id in done.stdout
    assert "--data DATAROOT" in done.stderr
    assert list(tmp_path.iterdir()) == []


@pytest.mark.real_data
@pytest.mark.parametrize(
    ("dataset", "parameters", "templates"),
    [
        ("nuscenes_mini", {}, 7),
        ("kitti_0001_nuscenes_format", {"annotated_sector": (-40.0, 40.0)}, 4),
    ],
)
def test_every_template_can_be_shown_on_real_scenes(
    real_data: Callable[[str], Path], tmp_path: Path, dataset: str, parameters: dict[str, object], templates: int
) -> None:
    scenes = open_scenes(real_data(dataset))
    questions = {one.template: one for one in build("lidar-hallu", scenes, per_family=8, **parameters).questions}
    assert len(questions) == templates
    for template, one in questions.items():
        with Image.open(write_picture(one, scenes, tmp_path / f"{template}.png")) as image:
            assert image.width >= 800


@pytest.mark.parametrize(
    ("arguments", "named"),
    [
        (["no-such-id"], "holds no question 'no-such-id'"),
        ([""], "question ids begin with ''"),
        (["ID", "--setting", "loud"], "no setting 'loud'"),
        (["ID", "--data", "EMPTY"], "EMPTY"),
    ],
)
def test_wrong_input_is_named_in_one_line(
    here: Command, built: Benchmark, tmp_path: Path, arguments: list[str], named: str
) -> None:
    (tmp_path / "EMPTY").mkdir()
    given = [built.questions[0].id if word == "ID" else word for word in arguments]
    done = here("show", built.path, *given, cwd=tmp_path)
    assert done.returncode == 2
    assert named in done.stderr
    assert "Traceback" not in done.stderr
    assert len(done.stderr.strip().splitlines()) == 1


def test_another_dataset_is_refused(here: Command, built: Benchmark, simulated: Path, tmp_path: Path) -> None:
    elsewhere = [msgspec.structs.replace(one, scene="elsewhere") for one in built.questions]
    table = to_table(elsewhere)
    record: BenchmarkRecord = msgspec.structs.replace(built.record, fingerprint=fingerprint(table))
    write_benchmark(Benchmark(table, record), tmp_path / "benchmark", card="")
    done = here("show", tmp_path / "benchmark", elsewhere[0].id, "--data", simulated, cwd=tmp_path)
    assert done.returncode == 2
    assert "dataset that the benchmark was built from" in done.stderr


def test_a_dataset_of_the_same_names_is_refused(here: Command, built: Benchmark, tmp_path: Path) -> None:
    other = tmp_path / "other"
    simulated = here("simulate", other, "--scenes", "2", "--seed", "77", "--no-cameras")
    assert simulated.returncode == 0, simulated.stderr
    motion = next(one for one in built.questions if one.family == "motion" and one.scene in open_scenes(other).names)
    done = here("show", built.path, motion.id, "--data", other, "--out", tmp_path / "x.png")
    assert done.returncode == 2
    assert "holds none of the records it was measured from" in done.stderr
    assert not (tmp_path / "x.png").exists()


def test_text_from_data_cannot_steer_the_terminal(here: Command, built: Benchmark, tmp_path: Path) -> None:
    hostile = [
        msgspec.structs.replace(one, question="\x1b[2J\x07\u202e" + str(one.question)) for one in built.questions
    ]
    table = to_table(hostile)
    record: BenchmarkRecord = msgspec.structs.replace(built.record, fingerprint=fingerprint(table))
    write_benchmark(Benchmark(table, record), tmp_path / "benchmark", card="")
    done = here("show", tmp_path / "benchmark", hostile[0].id, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert not {"\x1b", "\x07", "\u202e"} & set(done.stdout)
