"""Does a LiDAR language model learn to look, and does the protocol see it? A tiny one, from simulated scenes alone.

Run with `make learn`. Every stage is a command of Probe4D but the two trainings, since these begin with nothing. What
is finished stays: a run that was broken off goes on when it is repeated.
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import NamedTuple

import msgspec
import torch
from encoder_course import Course, train_encoder
from figures import CONTENT, TRAINED, Trained, run_names, write_figures
from questions import QUESTIONS, KeyFrames, key_frames, training_rows
from tiny_model import tiny_encoder, tiny_language_model
from tokenizer import phrase_tokenizer
from torch import nn

from probe4d import engine
from probe4d.evidence.point_clouds import PointClouds
from probe4d.models.lidar_lm.encoder import load_encoder, save_encoder
from probe4d.models.lidar_lm.features import FeatureFolder
from probe4d.models.lidar_lm.training.learner import features_on_disk
from probe4d.models.lidar_lm.training.loss_log import Loss, draw_losses, read_losses
from probe4d.models.lidar_lm.training.options import training_options
from probe4d.models.lidar_lm.training.stages import train_model
from probe4d.scenes.opening import open_scenes
from probe4d.scenes.tables import Scenes

FAMILIES = ("existence", "position")
FRAMES_OF_A_STEP = 8


class Sizes(NamedTuple):
    """How much of everything."""

    training_scenes: int
    scenes: int
    questions: int
    steps: int


def main() -> None:
    """Simulate, build, train, encode, ask, diagnose, for every seed; then write the figures."""
    given = _arguments()
    out: Path = given.out
    sizes = Sizes(given.training_scenes, given.scenes, given.questions, given.steps)
    _prepare(out, sizes)
    engine.over(partial(_learn_and_ask, out=out, sizes=sizes), given.seeds, workers=given.workers)
    _diagnose(out, given.seeds)
    if not write_figures(out, given.seeds, given.figures):
        sys.exit("Not every seed learnt to look: see the figures in bold.")


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", type=Path, default=Path("build/learn"), help="where everything goes")
    parser.add_argument("--figures", type=Path, default=Path(__file__).parent / "figures", help="where figures go")
    parser.add_argument("--seeds", type=int, nargs="+", default=[1, 2, 3], help="seeds of training")
    parser.add_argument("--workers", type=int, default=2, help="seeds at a time, each with one thread")
    parser.add_argument("--training-scenes", type=int, default=240)
    parser.add_argument("--scenes", type=int, default=60, help="scenes that are asked about")
    parser.add_argument("--questions", type=int, default=2_800, help="of each family, half of them yes-no")
    parser.add_argument("--steps", type=int, default=1_400, help="steps of the encoder, of 8 key frames each")
    return parser.parse_args()


def _prepare(out: Path, sizes: Sizes) -> None:
    """Simulate scenes to learn from and others to be asked about, and build questions about these."""
    for scenes, count, seed in (("training-scenes", sizes.training_scenes, 901), ("scenes", sizes.scenes, 902)):
        _probe4d("simulate", out / scenes, "--scenes", count, "--seed", seed, "--no-cameras", "--workers", 2)
    if not (out / "bench").exists():
        _probe4d("build", "lidar-hallu", out / "scenes", "--out", out / "bench", "--per-family", sizes.questions)


def _learn_and_ask(seed: int, *, out: Path, sizes: Sizes) -> None:
    torch.set_num_threads(1)
    _learn(out, seed, sizes)
    _ask(out, seed)


def _learn(out: Path, seed: int, sizes: Sizes) -> None:
    """Train encoder, then projector and language model, with a seed; as far as that was not done before."""
    folder = out / f"seed-{seed}"
    if (folder / TRAINED).exists():
        return
    scenes = open_scenes(out / "training-scenes")
    frames = key_frames(scenes)
    encoder_weights = learn_encoder(folder / "encoder", scenes, frames, seed, sizes.steps)
    began = time.monotonic()
    _probe4d("encode", out / "training-scenes", "--encoder", folder / "encoder", "--out", folder / "training-features")
    encoding_minutes = (time.monotonic() - began) / 60
    language_weights = learn_language(folder / "checkpoint", folder / "training-features", frames, seed)
    encoder_losses, language_losses = read_losses(folder / "encoder"), read_losses(folder / "checkpoint")
    trained = Trained(
        seed=seed,
        key_frames=sizes.steps * FRAMES_OF_A_STEP,
        encoder_answers=sum(loss.rows for loss in encoder_losses),
        encoder_weights=encoder_weights,
        encoder_minutes=_minutes(encoder_losses),
        encoding_minutes=round(encoding_minutes, 1),
        language_answers=sum(loss.rows for loss in language_losses),
        language_weights=language_weights,
        language_minutes=_minutes(language_losses),
    )
    (folder / TRAINED).write_bytes(msgspec.json.format(msgspec.json.encode(trained)) + b"\n")


def learn_encoder(folder: Path, scenes: Scenes, frames: KeyFrames, seed: int, steps: int) -> int:
    """Train an encoder, if that was not done before; the number of its weights."""
    if not (folder / "encoder.json").exists():
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
        torch.manual_seed(seed)
        encoder = tiny_encoder()
        course = Course(steps, FRAMES_OF_A_STEP, rate=3e-3, seed=seed)
        train_encoder(encoder, frames, PointClouds(scenes), course, folder, done=_told(f"seed {seed}, encoder", steps))
        draw_losses(read_losses(folder), folder / "losses.png", title=f"encoder, seed {seed}")
        save_encoder(encoder, folder)
    return _weights(load_encoder(folder))


def learn_language(folder: Path, features: Path, frames: KeyFrames, seed: int) -> int:
    """Train projector and language model on features, or go on with that; the number of their weights."""
    encoded = FeatureFolder(features)
    rows = training_rows(frames, seed)
    torch.manual_seed(seed)
    prompts = {question.prompt(frame) for question in QUESTIONS for _, frame in frames.places}
    model = tiny_language_model(phrase_tokenizer(sorted(prompts), ("Yes", "No")))
    model.encoder = encoded.record.encoder
    options = training_options(
        "projector",
        template="v1",
        precision="fp32",
        gradient_checkpointing=False,
        batch=320,
        accumulation=1,
        learning_rate=1e-3,
        warmup_ratio=0.08,
        weight_decay=0.01,
        adam_beta2=0.98,
        seed=seed,
    )
    train_model(
        model,
        features_on_disk(encoded),
        rows,
        folder,
        options,
        features=encoded.fingerprint,
        stage="projector and language model",
        done=_told(f"seed {seed}, language model", -(-len(rows) // options.batch)),
    )
    return _weights(model)


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


def _told(what: str, steps: int) -> Callable[[Loss], None]:
    recent: list[float] = []

    def done(loss: Loss) -> None:
        recent.append(loss.loss)
        if loss.step % 50 == 0 or loss.step == steps:
            print(f"{what}, step {loss.step} of {steps}: loss {sum(recent) / len(recent):.3f}", flush=True)
            recent.clear()

    return done


def _minutes(losses: Sequence[Loss]) -> float:
    return round(sum(loss.seconds for loss in losses) / 60, 1)


def _weights(module: nn.Module) -> int:
    return sum(weight.numel() for weight in module.parameters())


def _probe4d(*words: object) -> None:
    """Run a command of Probe4D, shown as one would type it."""
    given = [str(word) for word in words]
    print("$ probe4d", *given, flush=True)
    environment = os.environ | {"OMP_NUM_THREADS": "1"}
    subprocess.run([sys.executable, "-m", "probe4d", *given], check=True, env=environment)  # noqa: S603  (our own)


if __name__ == "__main__":
    main()
