"""A job that a hosted model does into a folder: who is asked and how, and the folder that belongs to that alone."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import msgspec

from probe4d.models.course import Course
from probe4d.models.generation import Generation, refuse_keys
from probe4d.models.hosted import open_model
from probe4d.models.opening import Opening
from probe4d.models.request import Model
from probe4d.models.secrets import without_secrets
from probe4d.store.job_folder import hold_folder

__all__ = ["HostedModel", "hosted_job"]


class HostedModel(msgspec.Struct, frozen=True, kw_only=True):
    """A model that inspect-ai reaches, and how it is asked.

    Attributes:
        name: inspect-ai name of the model, such as `openai/gpt-5`.
        base_url: Address of the server, where it is not the provider's own.
        arguments: The provider's own arguments.
        generation: Generation options.

    Raises:
        InputError: An option is named as keys are, or a generation option holds one.
    """

    name: str
    base_url: str | None = None
    arguments: dict[str, Any] = {}
    generation: Generation = Generation()

    def __post_init__(self) -> None:
        """Refuse options that would put a key into records."""
        refuse_keys(self.arguments, self.generation)

    @property
    def parameters(self) -> dict[str, Any]:
        """What the record of a job says of server and arguments, without keys."""
        redacted: dict[str, Any] = without_secrets({"base_url": self.base_url, **self.arguments})
        return redacted

    def opened(self, course: Course) -> Model:
        """Open it (see `probe4d.models.hosted.open_model`).

        Args:
            course: Requests at once, repetitions, time.
        """
        return open_model(
            self.name,
            base_url=self.base_url,
            arguments=self.arguments,
            generation=self.generation,
            max_connections=course.connections(self.name),
            max_retries=course.max_retries,
            timeout_s=course.timeout_s,
        )


@contextmanager
def hosted_job(
    model: HostedModel,
    course: Course,
    folder: Path,
    file: str,
    record: msgspec.Struct,
    *,
    job: str,
    other: str = "another folder",
) -> Iterator[Opening]:
    """Hold the folder of a job while the block runs; a wrong model leaves no folder.

    Args:
        model: Who is asked.
        course: Requests at once, repetitions, time.
        folder: The folder, and the rest as for `probe4d.store.job_folder.hold_folder`.
        file: Name of the file in it that says what the job was asked to do.
        record: What it is asked to do now.
        job: What it is, in a word.
        other: What to take where the folder holds another job, in words.

    Yields:
        What opens the model; for a job that goes on not before it is taken, since all may have been answered.

    Raises:
        InputError: The model cannot be had, the folder holds something else or another job, or another process is at
            it.
    """
    opening = Opening(lambda: model.opened(course), at_once=not (folder / file).exists())
    with opening, hold_folder(folder, file, record, job=job, other=other):
        yield opening
