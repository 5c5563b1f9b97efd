"""The loop of a training: steps, gradients, losses and checkpoints, for whatever a `Learner` trains."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import torch
from torch import Tensor, nn

from probe4d.errors import RunError
from probe4d.models.lidar_lm.training.learner import Batch, Learner
from probe4d.models.lidar_lm.training.loss_log import (
    LOSSES_FILE,
    PICTURE_FILE,
    Loss,
    append_loss,
    draw_losses,
    losses_up_to,
)
from probe4d.models.lidar_lm.training.options import TrainingOptions
from probe4d.models.lidar_lm.training.order import EpochOrder, seed_of, warmed_up
from probe4d.models.lidar_lm.training.rows import TrainingRow
from probe4d.models.lidar_lm.training.state import TrainingState
from probe4d.models.local.memory import memory_for_model, memory_that_suffices
from probe4d.wording import listed

if TYPE_CHECKING:
    from accelerate import Accelerator

__all__ = ["fit"]

_Number = TypeVar("_Number", int, float)
_DTYPES = {"bf16": torch.bfloat16, "fp16": torch.float16}
_LEAST_SCALE = 1.0  # of fp16; with less, gradients overflow whatever the scale


def fit(
    learner: Learner,
    rows: Sequence[TrainingRow],
    options: TrainingOptions,
    folder: Path,
    *,
    devices: Accelerator,
    title: str,
    begun: Callable[[int, int], object] | None = None,
    done: Callable[[Loss], object] | None = None,
) -> None:
    """Train what of a learner requires gradients, or go on with a training that was killed.

    A training that was killed and repeated ends with the weights and losses of one that was not, on the same kind and
    number of devices. Several devices are used where the process was started by `accelerate launch`; a step's loss
    is the mean over the tokens of all answers in it, however it is split.

    Args:
        learner: What is trained; it is changed in place, and its trained parameters are kept in float32.
        rows: What it learns from.
        options: How.
        folder: Holds the state, the log and the picture of the losses.
        devices: What it runs on.
        title: Title of the picture.
        begun: Told the number of steps, and how many of them were done before.
        done: Told of each step, on the first device.

    Raises:
        InputError: A row is too long, its features cannot be used, or the folder holds the state of another training.
        RunError: A loss or a gradient is not finite, or the memory does not suffice.
    """
    with _in_training(learner, options):
        _Fitting(devices, learner, rows, options, folder, title).run(begun, done)


class _Fitting:
    def __init__(
        self,
        devices: Accelerator,
        learner: Learner,
        rows: Sequence[TrainingRow],
        options: TrainingOptions,
        folder: Path,
        title: str,
    ) -> None:
        self._devices = devices
        self._device = devices.device
        self._rows, self._options, self._folder, self._title = rows, options, folder, title
        a_step = options.batch * options.accumulation * devices.num_processes
        self._order = EpochOrder(len(rows), a_step, epochs=options.epochs, seed=options.seed, purpose="rows")
        with memory_for_model("the model", self._device, option="ACCELERATE_USE_CPU=1", smaller="a smaller base"):
            self._learner = learner.to(self._device)
            self._parameters = _in_float32(learner)
            self._module: nn.Module = devices.prepare_model(learner)
        self._state = TrainingState(learner, self._optimizer(), self._scaler())

    def run(self, begun: Callable[[int, int], object] | None, done: Callable[[Loss], object] | None) -> None:
        self._state.load(self._folder)
        losses = losses_up_to(self._folder, self._state.step) if self._is_first else []
        if begun is not None:
            begun(self._order.steps, self._state.step)
        while self._state.step < self._order.steps:
            loss = self._step(self._state.step + 1)
            self._state.step = loss.step
            if not self._is_first:
                continue
            losses.append(loss)
            append_loss(self._folder, loss)
            self._checkpoint(losses)
            if done is not None:
                done(loss)
        self._devices.wait_for_everyone()

    @property
    def _is_first(self) -> bool:
        return bool(self._devices.is_main_process)

    def _optimizer(self) -> torch.optim.AdamW:
        options = self._options
        return torch.optim.AdamW(
            self._parameters,
            lr=options.learning_rate,
            betas=(options.adam_beta1, options.adam_beta2),
            eps=options.adam_epsilon,
            weight_decay=options.weight_decay,
        )

    def _scaler(self) -> torch.amp.GradScaler:
        return torch.amp.GradScaler(self._device.type, enabled=self._options.precision == "fp16")

    def _checkpoint(self, losses: Sequence[Loss]) -> None:
        if self._state.step % self._options.checkpoint_every == 0 or self._state.step == self._order.steps:
            self._state.save(self._folder)
            draw_losses(losses, self._folder / PICTURE_FILE, title=self._title)

    def _step(self, step: int) -> Loss:
        """Take a step; on return all devices hold the same weights."""
        began = time.monotonic()
        indices = self._order.items_of(step)
        batches, own_tokens = self._share(indices)
        tokens = self._sum(own_tokens)
        learning_rate = warmed_up(step, self._order.steps, self._options)
        for group in self._state.optimizer.param_groups:
            group["lr"] = learning_rate
        with self._random_of(step), memory_that_suffices(_out_of_memory(self._options)):
            loss = self._gradients(step, batches, weight=1 / tokens if own_tokens else 0.0)
            norm = self._move(step)
        return Loss(
            step=step,
            epoch=self._order.epoch_after(step),
            loss=loss,
            gradient_norm=norm,
            learning_rate=learning_rate,
            rows=len(indices),
            tokens=tokens,
            seconds=time.monotonic() - began,
        )

    def _share(self, indices: Sequence[int]) -> tuple[list[Batch], int]:
        """This device's part of a step, and how many tokens are learnt from it.

        A device for which no row is left goes along with one that counts nothing, since the others wait for it.
        """
        own = indices[self._devices.process_index :: self._devices.num_processes]
        if not own:
            return [self._learner.batch([self._rows[indices[0]]])], 0
        size = self._options.batch
        batches = [
            self._learner.batch([self._rows[index] for index in own[start : start + size]])
            for start in range(0, len(own), size)
        ]
        return batches, sum(batch.answer_tokens for batch in batches)

    def _gradients(self, step: int, batches: Sequence[Batch], weight: float) -> float:
        """Add up the gradients of a step, and give its mean loss over all devices.

        Args:
            step: The step.
            batches: This device's part of it.
            weight: Of a token in the mean; 0 where nothing counts.
        """
        losses = []
        for batch in batches:
            is_last = batch is batches[-1]
            with nullcontext() if is_last else self._devices.no_sync(self._module):
                with self._autocast():
                    loss: Tensor = self._module(batch) * weight
                # The gradients of devices are averaged, and are to be summed.
                self._state.scaler.scale(loss * self._devices.num_processes).backward()
            losses.append(loss.detach())
        mean = self._sum(torch.stack(losses).sum().item())
        if not math.isfinite(mean):
            raise self._not_finite(step, batches, losses)
        return mean

    def _move(self, step: int) -> float | None:
        """Change the weights, and give the length of the gradient; null where fp16 overflowed and they stay."""
        scaler, optimizer = self._state.scaler, self._state.optimizer
        scaler.unscale_(optimizer)
        norm = float(nn.utils.clip_grad_norm_(self._parameters, self._options.max_gradient_norm))
        overflowed = not math.isfinite(norm)
        if overflowed and (not scaler.is_enabled() or scaler.get_scale() < _LEAST_SCALE):
            raise RunError(f"the gradient is {norm} at step {step} of {self._order.steps}. {self._advice()}")
        scaler.step(optimizer)
        scaler.update()
        optimizer.zero_grad(set_to_none=True)
        return None if overflowed else norm

    @contextmanager
    def _random_of(self, step: int) -> Iterator[None]:
        """Draw the random numbers of a step, such as those of dropout, from a seed of its own."""
        devices = [self._device] if self._device.type == "cuda" else []
        with torch.random.fork_rng(devices=devices):
            torch.manual_seed(seed_of(self._options.seed, "step", step, self._devices.process_index))
            yield

    def _autocast(self) -> torch.autocast:
        dtype = _DTYPES.get(self._options.precision)
        return torch.autocast(self._device.type, dtype=dtype, enabled=dtype is not None)

    def _sum(self, value: _Number) -> _Number:
        """The sum over all devices."""
        if self._devices.num_processes == 1:
            return value
        total: Tensor = self._devices.reduce(torch.tensor(value, dtype=torch.float64, device=self._device))
        return type(value)(total.item())

    def _not_finite(self, step: int, batches: Sequence[Batch], losses: Sequence[Tensor]) -> RunError:
        """The error that says where a loss is not finite: in which step, and on which rows."""
        where = f"at step {step} of {self._order.steps}"
        for batch, loss in zip(batches, losses, strict=True):
            if not math.isfinite(loss.item()):
                row = batch.rows[0]
                where += f", in a batch of {len(batch.rows)} rows of which the first is of scene {row.scene!r} "
                where += f"({row.prompt[:60]!r})"
                return RunError(f"the loss is {loss.item()} {where}. {self._advice()}")
        return RunError(f"the loss is not finite {where}, on another device. {self._advice()}")

    def _advice(self) -> str:
        kept = self._state.step - self._state.step % self._options.checkpoint_every
        precision = "" if self._options.precision != "fp16" else ", or train in bf16 or fp32 (--precision)"
        return (
            f"Lower the learning rate (--learning-rate){precision}, or look at these rows; the losses are in "
            f"{self._folder / LOSSES_FILE}, and the last checkpoint is that of step {kept}."
        )


@contextmanager
def _in_training(learner: Learner, options: TrainingOptions) -> Iterator[None]:
    """Let dropout act and, where asked, keep few activations, while the block runs."""
    language_model: Any = learner.model.language_model
    learner.train()
    if options.gradient_checkpointing:
        language_model.activation_checkpointing_enable({"use_reentrant": False})
    try:
        yield
    finally:
        if options.gradient_checkpointing:
            language_model.activation_checkpointing_disable()
        learner.eval()


def _in_float32(learner: Learner) -> list[nn.Parameter]:
    """The parameters that are trained, turned into float32: small steps are lost in fewer bits."""
    parameters = [parameter for parameter in learner.parameters() if parameter.requires_grad]
    for parameter in parameters:
        parameter.data = parameter.data.float()
    return parameters


def _out_of_memory(options: TrainingOptions) -> str:
    remedies = []
    if options.batch > 1:
        half = max(1, options.batch // 2)
        remedies.append(
            f"lower --batch from {options.batch} to {half} and raise --accumulation to "
            f"{math.ceil(options.batch * options.accumulation / half)}, which learns the same"
        )
    if not options.gradient_checkpointing:
        remedies.append("train with --recompute")
    if options.precision == "fp32":
        remedies.append("train in bf16 (--precision bf16)")
    if options.rank is not None and options.rank > 8:
        remedies.append("lower --rank")
    remedies.append("take a smaller language model")
    return (
        f"the memory does not suffice for a batch of {options.batch}: {listed(remedies, 'or')}. "
        "Each is another training, in another folder."
    )
