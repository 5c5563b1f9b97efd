"""Asks a model for captions of objects, so that no reply is ever lost and no sentence becomes a caption.

A folder of captions holds `captioning.json` (what was asked), `replies.jsonl` (every reply as it came, with the phrase
that it holds or the reason why there is none), `errors.jsonl` (requests without a reply) and, in the end,
`captions.jsonl`, which `probe4d build spatial-qa` takes.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from io import BytesIO
from pathlib import Path
from typing import Any, NamedTuple

import msgspec
import polars as pl

from probe4d.benchmarks.captions import Caption, write_captions
from probe4d.errors import InputError
from probe4d.evidence.image import Image, image_of
from probe4d.evidence.photographs import whole_photograph
from probe4d.models.asking import Finished, ask_all
from probe4d.models.course import Course
from probe4d.models.generation import Generation
from probe4d.models.hosted_job import HostedModel, hosted_job
from probe4d.models.reply_log import ReplyLog
from probe4d.models.request import Reply, Request
from probe4d.runs.noun_phrases import noun_phrase
from probe4d.store.files import inside
from probe4d.store.hashing import digest

__all__ = ["CAPTIONS_FILE", "CaptionReply", "Captioned", "Captioner", "caption_prompt", "write_captions_of"]

CAPTIONS_FILE = "captions.jsonl"
REPLIES_FILE = "replies.jsonl"
RECORD_FILE = "captioning.json"

MOST_ATTEMPTS = 3
"""How often a model is asked for a caption of one object before it is marked as having none."""

_PROMPT = (
    "Provide a short noun phrase captioning {category} in the center of the image, such as 'black sedan with red logo' "
    "or 'man in a blue t-shirt and jeans'. The response must be a phrase only. Do NOT include full sentences or extra "
    "descriptions."
)
_AGAIN = " Your last reply was no such phrase."
_JPEG_QUALITY = 90


class Captioner(HostedModel, frozen=True, kw_only=True):
    """Who captions, and how; left out, a reply has 64 tokens at most."""

    generation: Generation = Generation(max_tokens=64)


class CaptionReply(msgspec.Struct, frozen=True, kw_only=True):
    """A line of `replies.jsonl`.

    Attributes:
        track: Instance token of the object.
        attempt: Which request for it this answered, from 1.
        text: The reply as it came.
        phrase: The noun phrase in it; null where there is none.
        fault: Why there is none.
        model: Name and version of the model as the server says.
        tokens: Tokens generated.
        seconds: Time of the call.
    """

    track: str
    attempt: int
    text: str
    phrase: str | None
    fault: str | None
    model: str | None = None
    tokens: int | None = None
    seconds: float | None = None

    @property
    def is_last(self) -> bool:
        """Whether its object is not asked for again."""
        return self.phrase is not None or self.attempt >= MOST_ATTEMPTS


class CaptionError(msgspec.Struct, frozen=True, kw_only=True):
    """A line of `errors.jsonl`: a request that got no reply, and why."""

    track: str
    error: str


class Captioned(NamedTuple):
    """What captioning came to.

    Attributes:
        captions: Captions by instance token.
        without: Tracks of which no reply held a phrase, with the fault of the last one.
        unanswered: Tracks that got no reply, with the reason; the same call asks for them again.
    """

    captions: dict[str, str]
    without: dict[str, str]
    unanswered: dict[str, str]


class _Record(msgspec.Struct, frozen=True, kw_only=True):
    model: str
    parameters: dict[str, Any]
    generation: Generation
    prompt: str
    crops: str
    version: int = 1


def caption_prompt(category: str) -> str:
    """What is asked about the crop of an object (NuScenes-SpatialQA, App. B.4).

    Args:
        category: Its category, as the dataset names it.
    """
    return _PROMPT.format(category=category)


def write_captions_of(
    crops: pl.DataFrame,
    root: Path,
    out: Path | str,
    captioner: Captioner,
    *,
    course: Course | None = None,
    begun: Callable[[int, int], object] | None = None,
    done: Callable[[CaptionReply], object] | None = None,
) -> Captioned:
    """Ask a model for a caption of each object, or go on with that where an earlier call stopped.

    A reply that is no noun phrase is asked for again, up to `MOST_ATTEMPTS` times; then the object has none.

    Args:
        crops: A row a track: track, category, file (relative to `root`), and left_px, top_px, right_px, bottom_px of
            the crop, whole pixels.
        root: The dataset's folder.
        out: Folder of the captions, new or that of the same captioning.
        captioner: Who is asked, and how.
        course: Requests at once, repetitions, time; null takes the usual ones.
        begun: Told the number of objects, and of how many captioning was done before.
        done: Told of the last reply about each object once it is on disk; never twice at once, and in another thread.

    Raises:
        InputError: The folder holds something else, or the model cannot be had.
        RunError: Asking came to an end before all was asked; what was answered is kept.
    """
    out, course = Path(out), course or Course()
    if crops.is_empty():
        raise InputError(
            "there is no object to caption.", remedy="Take a dataset with cameras, or loosen the filters (see --help)."
        )
    record = _Record(
        model=captioner.name,
        parameters=captioner.parameters,
        generation=captioner.generation,
        prompt=digest([_PROMPT, _AGAIN]),
        crops=digest(crops.rows()),
    )
    with hosted_job(captioner, course, out, RECORD_FILE, record, job="captioning") as opening:
        log = _Log(out, done)
        tracks = crops["track"].to_list()
        if begun is not None:
            begun(len(tracks), len(tracks) - len(log.unfinished(tracks)))
        for _ in range(MOST_ATTEMPTS):
            if not (unfinished := log.unfinished(tracks)):
                break
            asked = crops.filter(pl.col("track").is_in(unfinished))
            ask_all(
                opening.take(), _requests(asked, root, log, captioner.generation.seed), log, answered=bool(log.lines)
            )
        found = log.captioned(tracks)
        lines = [Caption(track=track, caption=found.captions.get(track)) for track in tracks]
        write_captions([line for line in lines if line.track not in found.unanswered], out / CAPTIONS_FILE)
    return found


class _Log(ReplyLog[CaptionReply]):
    """The replies on disk, and what of them is still to be asked."""

    def __init__(self, folder: Path, done: Callable[[CaptionReply], object] | None) -> None:
        super().__init__(
            folder,
            REPLIES_FILE,
            CaptionReply,
            key_of=lambda reply: reply.track,
            line_of=lambda request, reply: _caption_reply(request.key, self.attempts(request.key) + 1, reply),
            error_of=lambda track, failure: CaptionError(track=track, error=failure),
            done=lambda reply: done(reply) if done is not None and reply.is_last else None,
        )

    def unfinished(self, tracks: Sequence[str]) -> list[str]:
        """Tracks that are still to be asked for."""
        return [track for track in tracks if track not in self.lines or not self.lines[track].is_last]

    def attempts(self, track: str) -> int:
        """How many replies about a track there are."""
        return self.lines[track].attempt if track in self.lines else 0

    def captioned(self, tracks: Sequence[str]) -> Captioned:
        """What the replies come to."""
        unanswered = self.unfinished(tracks)
        last = [reply for track in tracks if (reply := self.lines.get(track)) is not None and reply.is_last]
        return Captioned(
            captions={reply.track: reply.phrase for reply in last if reply.phrase is not None},
            without={reply.track: reply.fault or "" for reply in last if reply.phrase is None},
            unanswered={track: self.errors.get(track, "it was not asked") for track in unanswered},
        )


def _caption_reply(track: str, attempt: int, reply: Reply) -> CaptionReply:
    phrase, fault = noun_phrase(reply.text)
    return CaptionReply(
        track=track,
        attempt=attempt,
        text=reply.text,
        phrase=phrase,
        fault=fault,
        model=reply.model,
        tokens=reply.tokens,
        seconds=reply.seconds,
    )


def _requests(crops: pl.DataFrame, root: Path, log: _Log, seed: int | None) -> Iterator[Request | Finished]:
    """A request for each crop, its picture cut as it is drawn."""
    for row in crops.iter_rows(named=True):
        before = log.attempts(row["track"])
        request = Request(
            key=row["track"],
            text=caption_prompt(row["category"]) + (_AGAIN if before else ""),
            seed=None if seed is None else seed + before,
        )
        try:
            picture = _crop(
                inside(root, row["file"]), (row["left_px"], row["top_px"], row["right_px"], row["bottom_px"])
            )
        except InputError as error:
            yield Finished(request, None, str(error))
        else:
            yield msgspec.structs.replace(request, images=(picture,))


def _crop(path: Path, box_px: tuple[int, int, int, int]) -> Image:
    content = BytesIO()
    whole_photograph(path).crop(box_px).save(content, format="JPEG", quality=_JPEG_QUALITY)
    return image_of(content.getvalue(), "image/jpeg")
