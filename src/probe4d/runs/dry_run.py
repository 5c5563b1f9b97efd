"""What asking would come to: calls, pictures, estimated tokens, and one request as it would be sent."""

from __future__ import annotations

import io
from collections import Counter
from collections.abc import Hashable, Iterable, Sequence
from statistics import fmean
from typing import TypeVar

import msgspec
from PIL import Image as PillowImage

from probe4d.evidence.image import Image
from probe4d.models.asking import Finished
from probe4d.models.generation import Generation, ImageDetail
from probe4d.models.request import FeatureRows, Request
from probe4d.models.tokens import TextTokens, image_tokens, tokens_by_length
from probe4d.runs.lidar_requests import FeatureReader
from probe4d.runs.prepared import Prepared
from probe4d.runs.requests import hints_of
from probe4d.runs.run import LeftOut

__all__ = [
    "DryRun",
    "ExampleRequest",
    "FeatureEstimate",
    "PictureEstimate",
    "PictureFacts",
    "dry_requests",
    "dry_run",
    "some_of",
]

Item = TypeVar("Item")

_LOOKED_AT = 8
"""Requests whose pictures are rendered, spread evenly over the run."""


class PictureFacts(msgspec.Struct, frozen=True, kw_only=True):
    """One picture as it would be sent; sizes in pixels, `digest` is the SHA-256 of its bytes."""

    width_px: int
    height_px: int
    media_type: str
    bytes: int
    digest: str


class ExampleRequest(msgspec.Struct, frozen=True, kw_only=True):
    """A whole request: the pictures come before the text, the system message before both.

    Attributes:
        key: Question, and variant where there is one.
        model: inspect-ai name of the model.
        system: System message.
        pictures: In the order shown.
        features: LiDAR features shown; null without.
        ego_text: How the ego vehicle moves, where a LiDAR language model is told.
        text: Text of the user's message.
        options: Generation options, those that are set.
    """

    key: str
    model: str
    system: str | None
    pictures: tuple[PictureFacts, ...]
    features: FeatureRows | None = None
    ego_text: str | None = None
    text: str
    options: dict[str, object]


class PictureEstimate(msgspec.Struct, frozen=True, kw_only=True):
    """The pictures of a run.

    Attributes:
        shown: Pictures over all calls.
        distinct: Of these, different ones; each is rendered once.
        rendered: Pictures that were rendered for this estimate.
        sizes: Their sizes as WIDTHxHEIGHT, pixels, the most frequent first.
        bytes_each: Mean size of a file, bytes; null if none could be rendered.
        tokens: Tokens of all, by the provider's documented rule; null where none is known.
    """

    shown: int
    distinct: int
    rendered: int
    sizes: tuple[str, ...]
    bytes_each: float | None
    tokens: int | None


class FeatureEstimate(msgspec.Struct, frozen=True, kw_only=True):
    """The LiDAR features of a run, and what a LiDAR language model reads around them.

    Attributes:
        rows: Feature rows over all calls, each of which takes the place of a token.
        scenes: Different scenes shown.
        layout: Prompt layout that the model is asked in.
        ego_text: Which text about the ego vehicle it is asked with.
    """

    rows: int
    scenes: int
    layout: str
    ego_text: str


class DryRun(msgspec.Struct, frozen=True, kw_only=True):
    """What a run would come to; token figures are estimates.

    Attributes:
        model: inspect-ai name of the model.
        setting: Name of the setting.
        questions: Questions asked, by family.
        calls: Requests, one for each question and variant.
        left_out: Selected questions that would not be asked, by reason.
        failures: What kept pictures of the requests looked at from being rendered.
        text_tokens: Tokens of all texts, system messages included.
        pictures: The pictures; null where none is shown.
        features: What a LiDAR language model is shown; null for other models.
        reply_tokens: Most tokens of all replies; null without a limit.
        example: The first request; null where there is none.
    """

    model: str
    setting: str
    questions: dict[str, int]
    calls: int
    left_out: dict[str, int]
    failures: tuple[str, ...]
    text_tokens: int
    pictures: PictureEstimate | None
    features: FeatureEstimate | None = None
    reply_tokens: int | None
    example: ExampleRequest | None


def dry_requests(
    asked: Sequence[Request],
    looked_at: Sequence[Request | Finished],
    *,
    model: str,
    setting: str,
    families: Iterable[str],
    left_out: Iterable[LeftOut],
    shown: Sequence[Hashable],
    generation: Generation,
    count_tokens: TextTokens,
) -> DryRun:
    """What requests come to that ask a model about answers or references, and not the questions of a run.

    Args:
        asked: All requests, without pictures.
        looked_at: Some of them, with their pictures rendered.
        model: inspect-ai name of the model that would be asked.
        setting: What it is asked, in words.
        families: The family of the question of each request.
        left_out: What would not be asked.
        shown: The pictures of all requests.
        generation: How the model generates.
        count_tokens: Counts the tokens of texts.
    """
    requests = [one for one in looked_at if isinstance(one, Request)]
    limit = generation.max_tokens
    return DryRun(
        model=model,
        setting=setting,
        questions=dict(Counter(families)),
        calls=len(asked),
        left_out=dict(Counter(one.reason for one in left_out).most_common()),
        failures=tuple(dict.fromkeys(one.failure or "" for one in looked_at if isinstance(one, Finished))),
        text_tokens=count_tokens([request.text for request in asked]),
        pictures=_picture_estimate(shown, requests, model, detail=generation.image_detail),
        reply_tokens=None if limit is None else limit * len(asked),
        example=_example_request(generation, requests[0], model) if requests else None,
    )


def dry_run(
    prepared: Prepared,
    *,
    model: str,
    reader: FeatureReader | None = None,
    count_tokens: TextTokens = tokens_by_length,
) -> DryRun:
    """Look at a run without asking: nothing is sent, no model opened, no key needed, no file written.

    Args:
        prepared: The run (see `probe4d.runs.prepared.prepare`).
        model: inspect-ai name of the model that would be asked; its provider decides what pictures cost.
        reader: The LiDAR language model that would be asked, which counts its tokens itself; null for other models.
        count_tokens: Counts the tokens of texts.
    """
    keys = list(prepared.asked)
    asked = [request for request in prepared.requests(keys) if isinstance(request, Request)]
    generation = prepared.plan.generation
    system = generation.system
    with prepared.rendering(cache=False) as renderer:
        looked_at = list(prepared.requests(some_of(keys), renderer=renderer))
    requests = [one for one in looked_at if isinstance(one, Request)]
    shown = [picture for question, _ in prepared.asked.values() for picture in prepared.shown.of[question.id].pictures]
    families = Counter(question.family for question in {key[0]: one[0] for key, one in prepared.asked.items()}.values())
    if reader is None:
        limit = generation.max_tokens or hints_of(prepared.setting, generation).get("max_tokens")
        text_tokens = count_tokens([one.text for one in asked])
    else:
        limit = reader.drawing(is_contrasted=prepared.setting.contrast is not None)["max_tokens"]
        text_tokens = sum(map(reader.prompt_tokens, asked))
    return DryRun(
        model=model,
        setting=prepared.setting.name,
        questions=dict(families),
        calls=len(keys),
        left_out=dict(Counter(one.reason for one in prepared.left_out).most_common()),
        failures=tuple(dict.fromkeys(one.failure or "" for one in looked_at if isinstance(one, Finished))),
        text_tokens=text_tokens + (0 if system is None else count_tokens([system]) * len(keys)),
        pictures=_picture_estimate(shown, requests, model, detail=generation.image_detail),
        features=None if reader is None else _features(asked, reader),
        reply_tokens=None if limit is None else limit * len(keys),
        example=_example_request(generation, requests[0], model) if requests else None,
    )


def some_of(items: Sequence[Item]) -> Sequence[Item]:
    """The first of some items and others spread evenly, as many as are looked at closely."""
    return items[:: max(1, -(-len(items) // _LOOKED_AT))]


def _picture_estimate(
    shown: Sequence[Hashable], requests: Sequence[Request], model: str, *, detail: ImageDetail | None
) -> PictureEstimate | None:
    """What pictures come to; null where there are none.

    Args:
        shown: Those of all calls.
        requests: Some of the calls, with their pictures rendered.
        model: inspect-ai name of the model, whose provider decides what pictures cost.
        detail: Detail at which they are read.
    """
    if not shown:
        return None
    facts = list({image.digest: _facts(image) for request in requests for image in request.images}.values())
    sizes = Counter(f"{one.width_px}x{one.height_px}" for one in facts)
    tokens = [image_tokens(model, one.width_px, one.height_px, detail=detail) for one in facts]
    known = [n for n in tokens if n is not None]
    return PictureEstimate(
        shown=len(shown),
        distinct=len(set(shown)),
        rendered=len(facts),
        sizes=tuple(size for size, _ in sizes.most_common()),
        bytes_each=fmean(one.bytes for one in facts) if facts else None,
        tokens=round(fmean(known) * len(shown)) if known else None,
    )


def _features(asked: Sequence[Request], reader: FeatureReader) -> FeatureEstimate:
    shown = [request.features for request in asked if request.features is not None]
    return FeatureEstimate(
        rows=sum(len(features.frames) for features in shown),
        scenes=len({features.scene for features in shown}),
        layout=reader.parameters["layout"],
        ego_text=reader.ego_text,
    )


def _facts(image: Image) -> PictureFacts:
    with PillowImage.open(io.BytesIO(image.content)) as opened:
        width_px, height_px = opened.size
    return PictureFacts(
        width_px=width_px,
        height_px=height_px,
        media_type=image.media_type,
        bytes=len(image.content),
        digest=image.digest,
    )


def _example_request(generation: Generation, request: Request, model: str) -> ExampleRequest:
    """A request in full, as it would be sent to a model."""
    options = {
        name: value
        for name, value in msgspec.structs.asdict(_options(generation, request)).items()
        if name != "system" and value not in (None, {})
    }
    return ExampleRequest(
        key=request.key,
        model=model,
        system=generation.system,
        pictures=tuple(map(_facts, request.images)),
        features=request.features,
        ego_text=request.ego_text,
        text=request.text,
        options=options,
    )


def _options(generation: Generation, request: Request) -> Generation:
    """The options of one request: its hints hold where the user gave nothing, its seed always."""
    return msgspec.structs.replace(generation, **{**request.hints, "seed": request.seed})
