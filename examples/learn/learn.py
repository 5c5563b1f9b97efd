"""Does a LiDAR language model learn to look, and does the protocol see it? A tiny one, from simulated scenes alone.

Run with `make learn`. Every stage is a command of Probe4D but one, the training of `end_to_end.py`. What is finished
stays: a run that was broken off goes on when it is repeated.
"""

from __future__ import annotations

import argparse
import resource
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import NamedTuple

import msgspec
import torch
from end_to_end import Course, train
from figures import CONTENT, run_names, write_figures
from questions import all_prompts, key_frames
from tiny_model import tiny_encoder, tiny_language_model
from tokenizer import phrase_tokenizer

from probe4d.evidence.point_clouds import PointClouds
from probe4d.models.lidar_lm.checkpoint import save
from probe4d.models.lidar_lm.encoder import save_encoder
from probe4d.models.lidar_lm.loss_log import Loss, draw_losses, read_losses
from probe4d.scenes.opening import open_scenes

FAMILIES = ("existence", "position")
TRAINED = "trained.json"


class Trained(msgspec.Struct, frozen=True, kw_only=True):
    """What a training took.

    Attributes:
        seed: Its seed.
        steps: Its steps.
        key_frames: Key frames shown, repetitions counted.
        rows: Questions answered, repetitions counted.
        encoder_weights: Number of weights of the encoder.
        language_weights: Number of weights of projector and language model.
        cpu_minutes: Processor time.
        minutes: Time on the clock.
        threads: Threads that it was given.
    """

    seed: int
    steps: int
    key_frames: int
    rows: int
    encoder_weights: int
    language_weights: int
    cpu_minutes: float
    minutes: float
    threads: int


class Sizes(NamedTuple):
    """How much of everything."""

    training_scenes: int
    scenes: int
    questions: int
    course: Course


def main() -> None:
    """Simulate, build, train, encode, ask, diagnose, for every seed; then write the figures."""
    given = _arguments()
    out: Path = given.out
    course = Course(steps=given.steps, frames=8, encoder_rate=2e-3, language_rate=1e-3, seed=0)
    sizes = Sizes(given.training_scenes, given.scenes, given.questions, course)
    torch.set_num_threads(given.threads)
    _prepare(out, sizes)
    for seed in given.seeds:
        _learn(out, seed, sizes)
        _ask(out, seed)
    _diagnose(out, given.seeds)
    if not write_figures(out, given.seeds, given.figures):
        sys.exit("Not every seed learnt to look: see the figures in bold.")


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", type=Path, default=Path("build/learn"), help="where everything goes")
    parser.add_argument("--figures", type=Path, default=Path(__file__).parent / "figures", help="where figures go")
    parser.add_argument("--seeds", type=int, nargs="+", default=[1, 2, 3], help="seeds of training")
    parser.add_argument("--threads", type=int, default=2, help="threads of training")
    parser.add_argument("--training-scenes", type=int, default=240)
    parser.add_argument("--scenes", type=int, default=60, help="scenes that are asked about")
    parser.add_argument("--questions", type=int, default=2_800, help="of each family, half of them yes-no")
    parser.add_argument("--steps", type=int, default=800, help="steps of a training, of 8 key frames each")
    return parser.parse_args()


def _prepare(out: Path, sizes: Sizes) -> None:
    """Simulate scenes to learn from and others to be asked about, and build questions about these."""
    for scenes, count, seed in (("training-scenes", sizes.training_scenes, 901), ("scenes", sizes.scenes, 902)):
        _probe4d("simulate", out / scenes, "--scenes", count, "--seed", seed, "--no-cameras", "--workers", 2)
    if not (out / "bench").exists():
        _probe4d("build", "lidar-hallu", out / "scenes", "--out", out / "bench", "--per-family", sizes.questions)


def _learn(out: Path, seed: int, sizes: Sizes) -> None:
    """Train encoder and language model with a seed, if that was not done before."""
    folder = out / f"seed-{seed}"
    if (folder / TRAINED).exists():
        return
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    scenes = open_scenes(out / "training-scenes")
    frames = key_frames(scenes)
    prompts = all_prompts(max(shown.frame for shown in frames) + 1)
    torch.manual_seed(seed)
    encoder = tiny_encoder()
    model = tiny_language_model(phrase_tokenizer(prompts, ("Yes", "No")))
    course = sizes.course._replace(seed=seed)
    began, cpu_before = time.monotonic(), _cpu_seconds()
    train(model, encoder, frames, PointClouds(scenes), course, folder, done=_told(course))
    minutes, cpu_minutes = (time.monotonic() - began) / 60, (_cpu_seconds() - cpu_before) / 60
    losses = read_losses(folder)
    draw_losses(losses, folder / "losses.png", title=f"seed {seed}")
    save_encoder(encoder, folder / "encoder")
    model.encoder = encoder.fingerprint
    save(model, folder / "checkpoint")
    trained = Trained(
        seed=seed,
        steps=course.steps,
        key_frames=course.steps * course.frames,
        rows=sum(loss.rows for loss in losses),
        encoder_weights=sum(weight.numel() for weight in encoder.parameters()),
        language_weights=sum(weight.numel() for weight in model.parameters()),
        cpu_minutes=round(cpu_minutes, 1),
        minutes=round(minutes, 1),
        threads=torch.get_num_threads(),
    )
    (folder / TRAINED).write_bytes(msgspec.json.format(msgspec.json.encode(trained)) + b"\n")


def _ask(out: Path, seed: int) -> None:
    """Encode the scenes that are asked about, and ask the model of a seed with its features and without."""
    folder = out / f"seed-{seed}"
    seen, blind = run_names(seed)
    features = folder / "features"
    _probe4d("encode", out / "scenes", "--encoder", folder / "encoder", "--out", features)
    asked = ("--model", f"lidar-lm:{folder / 'checkpoint'}", "--temperature", 0, "--max-tokens", 4)
    families = [option for family in FAMILIES for option in ("--family", family)]
    shown = ("--features", features, "--data", out / "scenes", "--evidence", "lidar", "--evidence-span", "question")
    _probe4d("ask", out / "bench", *asked, *families, *shown, "--out", out / seen)
    _probe4d("ask", out / "bench", *asked, *families, "--evidence", "none", "--out", out / blind)


def _diagnose(out: Path, seeds: Sequence[int]) -> None:
    names = [name for seed in seeds for name in run_names(seed)]
    against = [option for seed in seeds for option in ("--compare", f"{run_names(seed)[0]}:{CONTENT}")]
    _probe4d(
        "diagnose",
        out / "bench",
        *(out / name for name in names),
        *against,
        "--data",
        out / "scenes",
        "--out",
        out / "report",
    )


def _told(course: Course) -> Callable[[Loss], None]:
    recent: list[float] = []

    def done(loss: Loss) -> None:
        recent.append(loss.loss)
        if loss.step % 50 == 0 or loss.step == course.steps:
            print(f"step {loss.step} of {course.steps}: loss {sum(recent) / len(recent):.3f}", flush=True)
            recent.clear()

    return done


def _cpu_seconds() -> float:
    used = resource.getrusage(resource.RUSAGE_SELF)
    return used.ru_utime + used.ru_stime


def _probe4d(*words: object) -> None:
    """Run a command of Probe4D, shown as one would type it."""
    given = [str(word) for word in words]
    print("$ probe4d", *given, flush=True)
    subprocess.run([sys.executable, "-m", "probe4d", *given], check=True)  # noqa: S603  (our own command)


if __name__ == "__main__":
    main()
