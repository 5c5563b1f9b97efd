"""`probe4d render`, as a user types it."""

from __future__ import annotations

import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
from PIL import Image

from probe4d.benchmarks.benchmark import Benchmark
from probe4d.runs.run import Answer, RunRecord, write_run

Command = Callable[..., "subprocess.CompletedProcess[str]"]
SMALL = ("--size", "320x240", "--frames", "4-6")


def test_a_scene_is_rendered_with_questions_and_answers(
    here: Command, simulated: Path, built: Benchmark, tmp_path: Path
) -> None:
    asked = built.table.filter(scene="sim-0001")["id"].to_list()
    record = RunRecord(model="m\u202e", benchmark=built.fingerprint)
    write_run(tmp_path / "run", record, [Answer(question=one, text="\x1b[31mNo") for one in asked])
    done = here("render", simulated, "sim-0001", "--benchmark", built.path, "--run", tmp_path / "run", *SMALL,
                "--questions", 1, "--out", tmp_path / "video.gif")  # fmt: skip
    assert (done.returncode, done.stdout) == (0, f"{tmp_path / 'video.gif'}\n"), done.stderr
    assert "3 pictures, 2 a second, with 1 question\n" in done.stderr
    assert "What is shown falls under the licence of the dataset: CC0" in done.stderr
    with Image.open(tmp_path / "video.gif") as image:
        assert (image.n_frames, image.size) == (3, (320, 240))  # type: ignore[attr-defined]  # of animations


def test_what_is_missing_is_told_by_reason_and_key_frames(here: Command, simulated: Path, tmp_path: Path) -> None:
    data = tmp_path / "data"
    (data / "samples").mkdir(parents=True)
    for name in ("v1.0-sim", "maps"):
        (data / name).symlink_to(simulated / name)
    done = here("render", data, "sim-0001", "--size", "320x240", "--out", tmp_path / "video.webp")
    assert done.returncode == 0
    told = "Left blank:\n  40 × LIDAR_TOP cannot be read (No such file or directory): key frames 0 to 39\n"
    assert told in done.stderr
    done = here("render", data, "sim-0001", *SMALL, "--rrd", tmp_path / "scene.rrd")
    assert (done.returncode, done.stdout) == (0, f"{tmp_path / 'scene.rrd'}\n")
    assert "3 × LIDAR_TOP cannot be read (No such file or directory): key frames 4 to 6" in done.stderr


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ((), "There is nothing to make. Give --out FILE, --rrd FILE or --rerun."),
        (("--out", "a.gif", "--frames", "5"), "--frames FIRST-LAST takes two whole numbers, not '5'. Such as 12-24."),
        (("--out", "a.gif", "--size", "axb"), "--size WIDTHxHEIGHT takes two whole numbers, not 'axb'"),
        (("--out", "a.gif", "--frames", "38-40"), "has key frames 0 to 39, not 38 to 40"),
        (
            (
                "--out",
                "a.avi",
            ),
            "ends in '.avi', and a video is .mp4, .gif or .webp.",
        ),
        (("--out", "a.mp4", "--size", "641x480"), "both sides must be even. Take 642x480."),
        (("--out", "a.gif", "--view", "cameras"), "has no camera images to show: it has no cameras."),
        (("--out", "a.gif", "--questions", "2"), "Questions and answers are shown of a benchmark"),
        (("--out", "a.gif", "--questions", "2", "--question", "ab"), "Give one of the two."),
        (("--rrd", "a.rrd", "--question", "ab"), "Questions and answers stand beside a video."),
        (
            (
                "--rrd",
                "a.gif",
            ),
            "Name it so that it ends in .rrd.",
        ),
        (("--out", "a.gif", "--view", "below"), "--view"),
        (("--out", "a.gif", "--fps", "1e9"), "0.1 to 60 key frames a second"),
    ],
)
def test_what_cannot_be_is_one_sentence(
    arguments: tuple[str, ...], said: str, here: Command, simulated: Path, tmp_path: Path
) -> None:
    done = here("render", simulated, "sim-0001", *arguments, cwd=tmp_path)
    assert (done.returncode, done.stdout) == (2, "")
    assert said in done.stderr
    assert "Traceback" not in done.stderr
    assert list(tmp_path.iterdir()) == []


def test_without_a_screen_the_viewer_is_not_started(
    here: Command, simulated: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("DISPLAY", "WAYLAND_DISPLAY", "WAYLAND_SOCKET"):
        monkeypatch.delenv(name, raising=False)
    done = here("render", simulated, "sim-0001", "--rerun")
    assert done.returncode == 1
    assert "needs a screen, and there is none here. Write a recording (--rrd FILE)" in done.stderr
