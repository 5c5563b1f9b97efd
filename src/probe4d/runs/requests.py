"""Turns what is asked, and what it shows, into a model's requests; pictures are rendered ahead of the calls."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple, TypeVar

import msgspec

from probe4d.benchmarks.question import Question
from probe4d.benchmarks.suite import Prompt
from probe4d.errors import InputError
from probe4d.evidence.image import Image
from probe4d.evidence.pictures import Picture
from probe4d.evidence.rendering import Renderer
from probe4d.models.asking import Finished
from probe4d.models.generation import Generation
from probe4d.models.request import Request
from probe4d.runs.exhibits import Exhibits
from probe4d.runs.lidar_requests import LidarRequests
from probe4d.runs.run import LeftOut
from probe4d.runs.settings import Setting, Variant

__all__ = [
    "Asked",
    "Worded",
    "evidence_digest",
    "hints_of",
    "rendered",
    "request_key",
    "requests_of",
    "to_be_worded",
    "wordable",
]

Item = TypeVar("Item")

Asked = tuple[Question, Variant]
"""A question in one of the ways in which it is asked."""


class Worded(NamedTuple):
    """Questions that a prompt can word.

    Attributes:
        questions: In the order given.
        left_out: Those that it cannot word, with the reason.
        digest: SHA-256 over the texts in the order given, each in the first of its variants, 64 hexadecimal digits;
            it changes with the wording of any of them, and not with what is shown.
    """

    questions: list[Question]
    left_out: list[LeftOut]
    digest: str


def wordable(questions: Iterable[Question], word: Prompt, setting: Setting) -> Worded:
    """Part the questions that a prompt can word from those that it cannot, with the reason.

    A release may keep the text of a question back, and a setting may need what a question does not hold.
    """
    worded: list[Question] = []
    left_out: list[LeftOut] = []
    texts = hashlib.sha256()
    for question in questions:
        try:
            text = word(to_be_worded(question, setting.variants(question)[0], setting))
        except InputError as error:
            left_out.append(LeftOut(question=question.id, reason=error.what, detail=str(error)))
        else:
            worded.append(question)
            texts.update(text.encode("utf-8", "surrogatepass") + b"\0")
    return Worded(worded, left_out, texts.hexdigest())


def hints_of(setting: Setting, generation: Generation) -> Mapping[str, Any]:
    """The generation options that a setting gives, where those of the user leave the choice."""
    return {name: value for name, value in setting.hints.items() if getattr(generation, name, None) is None}


def to_be_worded(question: Question, variant: Variant, setting: Setting) -> Question:
    """A question with its options in a variant's order.

    Only for the wording: `answer` and `features` keep the benchmark's order. Where a setting rotates options, a
    fixed prompt, which holds them in one order, is given up in every variant, so that they differ in nothing else.
    """
    if not any(other.rotation for other in setting.variants(question)):
        return question
    return msgspec.structs.replace(question, options=variant.shown(question.options), prompt=None)


def request_key(question: str, variant: str | None) -> str:
    """Name of a request: the question's id, and the variant's name where there is one."""
    return question if variant is None else f"{question}/{variant}"


def evidence_digest(images: Sequence[Image]) -> str | None:
    """SHA-256 over the digests of pictures in the order shown, 64 hexadecimal digits; null without pictures."""
    if not images:
        return None
    return hashlib.sha256("".join(f"{image.digest}\n" for image in images).encode()).hexdigest()


def requests_of(
    asked: Iterable[Asked],
    shown: Exhibits,
    *,
    word: Prompt,
    setting: Setting,
    generation: Generation,
    renderer: Renderer | None,
    lidar: LidarRequests | None = None,
) -> Iterator[Request | Finished]:
    """Prepare requests one after another, in order.

    Args:
        asked: What is asked.
        shown: What each question shows.
        word: Words a question under the setting.
        setting: Its hints hold where the generation options leave a choice.
        generation: Generation options; a variant's offset is added to the seed.
        renderer: Renders the pictures; null where none are shown.
        lidar: Completes the requests for a LiDAR language model; null for other models.

    Yields:
        A request, or the request as finished with its failure where a picture cannot be rendered.

    Raises:
        InputError: A question cannot be worded (see `wordable`).
    """
    hints = hints_of(setting, generation)
    pictured = (((question, variant), shown.of[question.id].pictures) for question, variant in asked)
    for (question, variant), images in rendered(pictured, renderer):
        failure = str(images) if isinstance(images, InputError) else None
        request = Request(
            key=request_key(question.id, variant.name),
            text=shown.of[question.id].preamble + word(to_be_worded(question, variant, setting)),
            images=() if isinstance(images, InputError) else images,
            seed=generation.seed if variant.seed_offset is None else (generation.seed or 0) + variant.seed_offset,
            hints=hints,
        )
        if lidar is not None:
            request = lidar.completed(request, question, variant, shown.of[question.id])
        yield request if failure is None else Finished(request, None, failure)


def rendered(
    items: Iterable[tuple[Item, tuple[Picture, ...]]], renderer: Renderer | None
) -> Iterator[tuple[Item, tuple[Image, ...] | InputError]]:
    """Each item with its images in order, or with what is wrong with the first that cannot be rendered.

    Without a renderer items come without images.
    """
    return ((item, ()) for item, _ in items) if renderer is None else renderer.ahead(items)
