"""Opening a model before anything is written, so that a wrong name leaves no folder; closing one that nobody asks."""

from __future__ import annotations

from collections.abc import Callable
from types import TracebackType

from probe4d.models.asking import close_model
from probe4d.models.request import Model

__all__ = ["Opening", "opening_of"]


class Opening:
    """Opens a model when it is taken, or at the beginning of the block.

    Args:
        opened: Opens it.
        at_once: Whether it is opened when the block begins; not for a model of the caller, which nobody else may close.
    """

    def __init__(self, opened: Callable[[], Model], *, at_once: bool) -> None:
        self._opened = opened
        self._at_once = at_once
        self._waiting: Model | None = None

    def __enter__(self) -> Opening:
        if self._at_once:
            self._waiting = self._opened()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        if self._waiting is not None:
            close_model(self._waiting)

    def take(self) -> Model:
        """Give the model to who asks it, and thereby closes it; another one each time."""
        model, self._waiting = self._waiting or self._opened(), None
        return model


def opening_of(model: str | Model, opened: Callable[[str], Model], *, at_once: bool = True) -> Opening:
    """What opens a model by its name; one that is a model already is taken as it is.

    Args:
        model: Name, or model.
        opened: Opens a model by its name.
        at_once: See `Opening`; of account for names alone.
    """
    if isinstance(model, str):
        return Opening(lambda: opened(model), at_once=at_once)
    return Opening(lambda: model, at_once=False)
