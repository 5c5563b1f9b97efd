"""A LiDAR language model that can be asked like any other: it looks up the features that a request names."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Collection, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import msgspec
import numpy as np
from numpy.typing import NDArray

from probe4d.errors import InputError, RunError
from probe4d.evidence.ego_text_kind import EgoText
from probe4d.models.failures import one_line
from probe4d.models.generation import Generation
from probe4d.models.lidar_lm.answering_options import (
    PREFIX,
    LidarArguments,
    LidarOptions,
    refuse_foreign,
    refuse_other_layout,
)
from probe4d.models.lidar_lm.base_model import fingerprint
from probe4d.models.lidar_lm.checkpoints.checkpoint import load_lidar_lm
from probe4d.models.lidar_lm.conversation import PLACEHOLDER, prompt_chunks
from probe4d.models.lidar_lm.decoding.contrast import label_tokens
from probe4d.models.lidar_lm.decoding.decoder import Decoded, Decoder, DecodingItem, DecodingOptions
from probe4d.models.lidar_lm.features import FeatureFolder
from probe4d.models.lidar_lm.layouts import laid_out
from probe4d.models.lidar_lm.splicing import FEATURES
from probe4d.models.local.devices import device_named
from probe4d.models.local.memory import memory_for_model, memory_to_read
from probe4d.models.request import FeatureRows, ModelFailure, Reply, Request

__all__ = ["LidarModel"]

_QUIET_S = 0.02
"""Requests are decoded together once no other has come for so long."""

_LIKELIEST = 5
"""Tokens whose logits are kept beside those of the labels."""

_USUAL_LABELS = (("Yes", "No"), ("A", "B", "C", "D"))
"""Labels that a tokenizer has to tell apart by their first token, where logits are kept."""

_SMALLER = "a checkpoint of a smaller language model"


class _Waiting(NamedTuple):
    request: Request
    reply: asyncio.Future[Reply]


class LidarModel:
    """A checkpoint and the features that it is shown; it answers as many requests together as wait for it.

    Args:
        name: `lidar-lm:` and the checkpoint's folder.
        features: The features that requests name; null where none are shown.
        options: How it is asked.
        generation: Temperature (0.05 where it is left out), most tokens (32) and nucleus; LiDAR-Hallu's otherwise.
        max_connections: Most requests under way, and so decoded together.
        arguments: What it is opened with; null takes what the checkpoint says, on an accelerator where there is one.

    Attributes:
        name: As given.
        max_connections: As given.
        ego_text: Which text about the ego vehicle it was trained with, and is to be asked with.
        features: As given.

    Raises:
        InputError: The checkpoint cannot be read, the features are not those that it was trained with, or an option
            means nothing to it.
        RunError: The memory does not suffice, of this machine or of the device.
    """

    def __init__(
        self,
        name: str,
        features: FeatureFolder | None = None,
        *,
        options: LidarOptions | None = None,
        generation: Generation | None = None,
        max_connections: int = 64,
        arguments: LidarArguments | None = None,
    ) -> None:
        options, generation = options or LidarOptions(), generation or Generation()
        refuse_foreign(generation)
        arguments = arguments or LidarArguments()
        device, checkpoint = device_named(arguments.device), Path(name.removeprefix(PREFIX))
        with memory_to_read(checkpoint, _SMALLER):
            model = load_lidar_lm(checkpoint, base=arguments.base, ego_text=arguments.ego_text).merged()
        with memory_for_model(name, device, option="-M device=cpu", smaller=_SMALLER):
            model = model.to(device).eval()
        if features is not None:
            features.refuse_other(encoder=model.encoder, width=model.feature_width)
        refuse_other_layout(model.layout, options, checkpoint)
        model.layout = options.layout or model.layout
        if options.keep_logits:
            for labels in _USUAL_LABELS:
                label_tokens(model.tokenizer, labels)
        self.name = name
        self.max_connections = max_connections
        self.ego_text: EgoText = model.ego_text
        self.features = features
        self.parameters: dict[str, Any] = {
            "checkpoint": fingerprint(model),
            "features": None if features is None else features.fingerprint,
            "layout": model.layout,
            "ego_text": model.ego_text,
            "keep_logits": options.keep_logits,
            "dtype": str(model.dtype).removeprefix("torch."),
        }
        self._model = model
        self._decoder = Decoder(model)
        self._decoding = _decoding_options(options, generation, together=max_connections)
        self._refuse_long_answers()
        self._waiting: list[_Waiting] = []
        self._open: set[asyncio.Future[Reply]] = set()
        self._answering: asyncio.Task[None] | None = None

    def check(self, keys: Collection[str], *, pictures: bool) -> None:
        """Refuse pictures, which it cannot be shown."""
        if pictures and self.features is None:
            raise InputError(
                f"{self.name} is shown LiDAR features, no pictures.",
                remedy="Give a folder of features (features=, --features), or show nothing.",
            )

    def drawing(self, *, is_contrasted: bool) -> dict[str, Any]:
        """How tokens are drawn, whoever chose it, in the names of generation options.

        Args:
            is_contrasted: Whether requests come with temporal contrast, which cuts off no tokens.

        Returns:
            sampling, temperature and max_tokens, and where tokens are cut off, top_k and top_p.
        """
        used = self._decoding
        sampling = "same" if is_contrasted else used.sampling
        cut = {"top_k": used.top_k, "top_p": used.top_p} if sampling == "released" else {}
        return {"sampling": sampling, "temperature": used.temperature, "max_tokens": used.max_new_tokens, **cut}

    def prompt_text(self, question: str, ego_text: str | None = None) -> str:
        """What the model reads before its answer, as one text, with `<video>` where feature rows lie.

        Args:
            question: The question with its options and directive.
            ego_text: How the ego vehicle moves; null where the model is not told.
        """
        return PLACEHOLDER.join(prompt_chunks(self._model.template, laid_out(self._model.layout, question, ego_text)))

    def prompt_tokens(self, request: Request) -> int:
        """Count the tokens of a request as the model reads it, without its feature rows."""
        return int((self._model.prompt(request.text, request.ego_text).ids != FEATURES).sum())

    def _refuse_long_answers(self) -> None:
        most, wanted = self._model.language_model.config.max_position_embeddings, self._decoding.max_new_tokens
        if wanted >= most:
            raise InputError(
                f"an answer of up to {wanted:,} tokens leaves no place for a question: the language model takes "
                f"{most:,} positions.",
                remedy="Lower max_tokens (--max-tokens).",
            )

    async def reply(self, request: Request) -> Reply:
        """Answer a request, together with those that come at the same time.

        Raises:
            ModelFailure: Its features are missing or do not fit, or the model fails.
            CancelledError: The model is closed meanwhile.
        """
        waiting = _Waiting(request, asyncio.get_running_loop().create_future())
        self._open.add(waiting.reply)
        waiting.reply.add_done_callback(self._open.discard)
        self._waiting.append(waiting)
        if self._answering is None or self._answering.done():
            self._answering = asyncio.create_task(self._answer_all())
        return await waiting.reply

    async def close(self) -> None:
        """Stop answering: replies that are waited for are cancelled; what is under way in another thread is let go."""
        if self._answering is not None:
            self._answering.cancel()
        self._waiting = []
        for reply in self._open:
            reply.cancel()

    async def _answer_all(self) -> None:
        while self._waiting:
            came = 0
            while came < len(self._waiting) < self.max_connections:
                came = len(self._waiting)
                await asyncio.sleep(_QUIET_S)
            together, self._waiting = self._waiting, []
            try:
                outcomes = await asyncio.to_thread(self._answered, [waiting.request for waiting in together])
            except Exception as error:  # whatever torch and transformers raise: nobody may be left waiting
                failure = ModelFailure(f"the model failed ({type(error).__name__}: {one_line(str(error))})", fatal=True)
                outcomes = [failure] * len(together)
            for waiting, outcome in zip(together, outcomes, strict=True):
                if waiting.reply.done():  # given up meanwhile
                    continue
                if isinstance(outcome, ModelFailure):
                    waiting.reply.set_exception(outcome)
                else:
                    waiting.reply.set_result(outcome)

    def _answered(self, requests: Sequence[Request]) -> list[Reply | ModelFailure]:
        outcomes: list[Reply | ModelFailure | None] = [None] * len(requests)
        items: dict[int, DecodingItem] = {}
        for place, request in enumerate(requests):
            try:
                items[place] = self._item(request)
            except InputError as error:
                outcomes[place] = ModelFailure(str(error), of_question=True)
        for place, outcome in zip(items, self._decoded(list(items.values())), strict=True):
            outcomes[place] = outcome
        return [outcome for outcome in outcomes if outcome is not None]

    def _decoded(self, items: Sequence[DecodingItem]) -> list[Reply | ModelFailure]:
        """Decode items together; where one of them cannot be, each alone, so that it is the only one to fail."""
        if not items:
            return []
        began_s = time.monotonic()
        try:
            decoded = self._decoder.generate(items, self._decoding)
        except InputError as error:
            if len(items) == 1:
                return [ModelFailure(str(error), of_question=True)]
            return [outcome for item in items for outcome in self._decoded([item])]
        except RunError as error:
            return [ModelFailure(str(error), fatal=True)] * len(items)
        seconds = (time.monotonic() - began_s) / len(items)
        return [_reply(one, seconds) for one in decoded]

    def _item(self, request: Request) -> DecodingItem:
        spliced = self._model.prompt(request.text, request.ego_text)
        return DecodingItem(
            token_ids=spliced.ids.tolist(),
            rows=None if request.features is None else self._rows(request.features),
            contrast=request.contrast,
            seed=request.seed,
            labels=request.labels,
        )

    def _rows(self, named: FeatureRows) -> NDArray[np.float32]:
        if self.features is None:
            raise InputError("there are no features to show.", remedy="Give a folder of features (--features).")
        return self.features.rows(named.scene, named.frames)


def _decoding_options(options: LidarOptions, generation: Generation, *, together: int) -> DecodingOptions:
    usual = DecodingOptions(
        sampling=options.sampling or "released",
        keep_logits=_LIKELIEST if options.keep_logits else None,
        batch_rows=2 * together,  # both branches of as many questions as can wait
    )
    given = {
        "temperature": generation.temperature,
        "top_p": generation.top_p,
        "max_new_tokens": generation.max_tokens,
    }
    return msgspec.structs.replace(usual, **{name: value for name, value in given.items() if value is not None})


def _reply(decoded: Decoded, seconds: float) -> Reply:
    return Reply(
        text=decoded.text,
        finish_reason=decoded.finish_reason,
        tokens=len(decoded.token_ids),
        input_tokens=decoded.prompt_tokens,
        seconds=seconds,
        first_logits=decoded.first_logits,
    )
