"""Trainings in processes of their own, which die as told: `python training_lives.py FOLDER`.

One process imports all that is needed and forks every life from itself, since importing takes longer than living.
"""

from __future__ import annotations

import os
import signal
import socket
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import accelerate  # noqa: F401 - a training imports it, and so would every life

sys.path.insert(0, str(Path(__file__).parent))
from training_making import Ground, make_ground

from probe4d.models.lidar_lm.training import loop, stages
from probe4d.models.local import weights

OPTIONS: dict[str, Any] = {"epochs": 2, "batch": 4, "accumulation": 2, "checkpoint_every": 3, "dropout": 0.3}
"""8 steps, with checkpoints at 3, 6 and 8."""


def die() -> None:
    os.kill(os.getpid(), signal.SIGKILL)


def dies_after_step(step: int) -> Callable[[], dict[str, Any]]:
    return lambda: {"done": lambda loss: die() if loss.step == step else None}


def dies_writing_state(times: int) -> Callable[[], dict[str, Any]]:
    """Dies with a state half-written, in the last of so many checkpoints."""

    def prepared() -> dict[str, Any]:
        written = weights.save_file
        left = [times]

        def save_file(tensors: Any, path: Path, **rest: Any) -> None:
            written(tensors, path, **rest)
            left[0] -= 1
            if left[0] == 0:
                os.truncate(path, os.path.getsize(path) // 2)
                die()

        weights.save_file = save_file
        return {}

    return prepared


def dies_writing_checkpoint() -> dict[str, Any]:
    """Dies with half of the checkpoint in the folder that is to become it."""
    written = weights.save_file

    def save_file(tensors: Any, path: Path, **rest: Any) -> None:
        written(tensors, path, **rest)
        if Path(path).parent.name.startswith("..checkpoint."):
            die()

    weights.save_file = save_file
    return {}


def dies_finishing() -> dict[str, Any]:
    """Dies with the checkpoint written and half of it in its place."""
    replace = Path.replace

    def replaced(path: Path, target: Path) -> Path:
        if path.name == stages.RECORD and path.parent.name == ".checkpoint":
            die()
        return replace(path, target)

    Path.replace = replaced  # type: ignore[method-assign,assignment]
    return {}


LIVES = {
    "before-any-checkpoint": dies_after_step(2),
    "after-a-checkpoint": dies_after_step(4),
    "writing-the-state": dies_writing_state(2),
    "writing-the-checkpoint": dies_writing_checkpoint,
    "finishing": dies_finishing,
    "whole": dict,
}
"""One after the other, of the same training."""


def train(ground: Ground, out: Path, start: Path, **told: Any) -> None:
    from training_making import small

    options = small("lora", learning_rate=0.01, rank=4, alpha=8, **OPTIONS)
    stages.train_lora(ground.rows, ground.features, out, start=start, options=options, **told)


def lived(life: Callable[[], None], **environment: str) -> Callable[[], int]:
    """Begin a life; the result waits for its end and gives the signal that ended it, 0 for none."""
    process = os.fork()
    if process == 0:
        try:
            os.environ.update(environment)
            life()
        except BaseException as error:
            print(f"{type(error).__name__}: {error}", file=sys.stderr, flush=True)
            os._exit(1)
        os._exit(0)

    def end() -> int:
        status = os.waitpid(process, 0)[1]
        if os.WIFEXITED(status) and os.WEXITSTATUS(status) != 0:
            raise SystemExit(f"a life ended with exit code {os.WEXITSTATUS(status)}")
        return os.WTERMSIG(status) if os.WIFSIGNALED(status) else 0

    return end


def on_devices(count: int, life: Callable[[], None]) -> None:
    """Live on several devices at once, as `accelerate launch --cpu` has it."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = str(probe.getsockname()[1])
    shared = {"WORLD_SIZE": str(count), "MASTER_ADDR": "127.0.0.1", "MASTER_PORT": port, "GLOO_SOCKET_IFNAME": "lo"}
    shared |= {"ACCELERATE_USE_CPU": "1", "LOCAL_WORLD_SIZE": str(count)}
    ends = [lived(life, RANK=str(rank), LOCAL_RANK=str(rank), **shared) for rank in range(count)]
    for end in ends:
        if end():
            raise SystemExit("a device died")


def draw_nothing(losses: object, path: Path, *, title: str) -> None:
    """Stands for the picture, which takes longer than the training; other tests look at it."""
    path.write_text(title)


def main(folder: Path) -> None:
    loop.draw_losses = draw_nothing
    ground = make_ground(folder)
    start = folder / "projector"
    lived(lambda: ground.projector(start) and None)()
    lived(lambda: train(ground, folder / "never-killed", start))()
    for name, life in LIVES.items():
        end = lived(lambda life=life: train(ground, folder / "killed", start, **life()))
        print(name, end(), flush=True)
    odd = Ground(ground.base, ground.path, ground.rows[:17])
    lived(lambda: odd.lora(folder / "one-device", start, epochs=2, batch=4, accumulation=2, dropout=0.0) and None)()
    on_devices(
        2, lambda: odd.lora(folder / "two-devices", start, epochs=2, batch=2, accumulation=2, dropout=0.0) and None
    )


if __name__ == "__main__":
    main(Path(sys.argv[1]))
