"""Decoding of a LiDAR language model: questions in batches, shared beginnings once, temporal contrast in one batch."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from hashlib import blake2b
from typing import cast

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from probe4d.errors import InputError
from probe4d.models.lidar_lm.decoding.batch import Answering, DecodingBatch
from probe4d.models.lidar_lm.decoding.items import Decoded, DecodingItem, DecodingModel, DecodingOptions
from probe4d.models.lidar_lm.decoding.key_value_cache import decoding_attention
from probe4d.models.lidar_lm.decoding.sampling import generator_of
from probe4d.models.lidar_lm.decoding.sequences import Numbers
from probe4d.models.lidar_lm.splicing import FEATURES
from probe4d.models.local.memory import memory_that_suffices
from probe4d.models.request import Contrast

__all__ = ["Decoded", "Decoder", "DecodingItem", "DecodingModel", "DecodingOptions"]


class Decoder:
    """Answers questions with a LiDAR language model.

    Questions of one call may be of any number of scenes. What all rows of a batch begin with is computed once, and so
    is what the questions of one scene begin with: system text and feature rows. The shuffled branches share the text
    before their rows. Every branch has a cache of its own for the rest.

    A shuffled branch that cannot change an answer (alpha is 0, or the order is that of the frames) is computed only
    where its logits are kept.

    Args:
        model: The model; it is as it was after each call.
    """

    def __init__(self, model: DecodingModel) -> None:
        self.model = model

    def generate(self, items: Sequence[DecodingItem], options: DecodingOptions) -> list[Decoded]:
        """Answer questions.

        Args:
            items: The questions, in any order.
            options: How they are decoded.

        Returns:
            The answers, in the order of the questions.

        Raises:
            InputError: Feature rows do not fit the projector or the prompt, a prompt is longer than the model takes,
                or a contrast's order is none of the rows.
            RunError: Memory runs out, or the model's logits are not finite.
        """
        with torch.inference_mode(), decoding_attention(self.model.language_model):
            too_much = (
                f"memory ran out while {options.batch_rows} rows were decoded at once (a question with temporal "
                "contrast takes two). Ask fewer questions together (max_connections, --max-connections; "
                "batch_rows in Python), or show fewer frames."
            )
            with memory_that_suffices(too_much):
                under_way, embedded_rows = self._begin(items, options)
                for batch in _batches(under_way, options.batch_rows):
                    DecodingBatch(self.model, batch, embedded_rows, options).answer()
        return [self._decoded(answering) for answering in under_way]

    def _begin(self, items: Sequence[DecodingItem], options: DecodingOptions) -> tuple[list[Answering], Tensor]:
        """Write items as numbers (see `sequences`); give them with the (rows, hidden) embeddings of feature rows."""
        embedding = cast(nn.Embedding, self.model.language_model.get_input_embeddings()).weight
        embedded = [embedding.new_empty((0, embedding.shape[1]))]
        numbered: dict[bytes, Numbers] = {}
        next_number = len(embedding)
        under_way = []
        for item in items:
            self._refuse(item)
            scene, numbers = None, np.zeros(0, dtype=np.int64)
            if item.rows is not None and len(item.rows):
                scene = blake2b(item.rows.tobytes(), digest_size=16).digest()
                if scene not in numbered:
                    numbered[scene] = np.arange(next_number, next_number + len(item.rows))
                    embedded.append(self._project(item.rows).to(embedding))
                    next_number += len(item.rows)
                numbers = numbered[scene]
            clean, shuffled = _with_rows(item.token_ids, numbers), None
            self._refuse_length(clean, options)
            if item.contrast is not None and (options.keep_logits is not None or _matters(item.contrast)):
                shuffled = _with_rows(item.token_ids, numbers[list(item.contrast.order)])
            under_way.append(Answering(item, clean, shuffled, scene, generator_of(item.seed)))
        return under_way, torch.cat(embedded)

    def _project(self, rows: NDArray[np.float32]) -> Tensor:
        weight = self.model.projector.weight
        projected: Tensor = self.model.projector(torch.tensor(rows, dtype=weight.dtype, device=weight.device))
        return projected

    def _refuse(self, item: DecodingItem) -> None:
        """See that a prompt has a place for its rows, and that rows and contrast fit."""
        rows = item.rows
        if rows is None:
            if item.contrast is not None:
                raise InputError("temporal contrast needs feature rows, and a prompt shows none.")
            return
        places, width = sum(token == FEATURES for token in item.token_ids), self.model.projector.in_features
        if places != 1:
            raise InputError(f"a prompt must have one place for its feature rows, and has {places}.")
        if rows.ndim != 2 or rows.shape[1] != width:
            raise InputError(
                f"LiDAR features have the shape {rows.shape}; the projector takes rows of {width}.",
                remedy="Give the features that this model was trained with.",
            )
        if item.contrast is not None and sorted(item.contrast.order) != list(range(len(rows))):
            raise InputError(f"the order of a shuffled branch must hold each of its {len(rows)} feature rows once.")

    def _refuse_length(self, sequence: Numbers, options: DecodingOptions) -> None:
        most = self.model.language_model.config.max_position_embeddings
        if len(sequence) + options.max_new_tokens > most:
            raise InputError(
                f"a prompt with its feature rows has {len(sequence):,} positions and its answer up to "
                f"{options.max_new_tokens:,}; the language model takes {most:,}.",
                remedy="Shorten the question or the answer, or show fewer frames.",
            )

    def _decoded(self, answering: Answering) -> Decoded:
        text = str(self.model.tokenizer.decode(answering.tokens, skip_special_tokens=True))
        return Decoded(
            text=text.strip(),
            token_ids=tuple(answering.tokens),
            finish_reason=answering.finish_reason or "max_tokens",
            prompt_tokens=len(answering.clean),
            first_logits=answering.first_logits,
        )


def _matters(contrast: Contrast) -> bool:
    """Whether a shuffled branch can change an answer."""
    return contrast.alpha != 0 and list(contrast.order) != sorted(contrast.order)


def _with_rows(token_ids: Sequence[int], rows: Numbers) -> Numbers:
    """Put the numbers of feature rows into their place in a prompt, if it has one."""
    tokens = np.asarray(token_ids, dtype=np.int64)
    place = np.flatnonzero(tokens == FEATURES)
    return np.concatenate([tokens[: place[0]], rows, tokens[place[0] + 1 :]]) if len(place) else tokens


def _batches(items: Sequence[Answering], rows: int) -> Iterator[list[Answering]]:
    """Cut items into batches of at most so many rows, or one item; those of one scene come together, by length."""
    batch: list[Answering] = []
    taken = 0
    for item in sorted(items, key=lambda item: (item.scene or b"", len(item.clean))):
        wanted = 1 if item.shuffled is None else 2
        if batch and taken + wanted > rows:
            yield batch
            batch, taken = [], 0
        batch.append(item)
        taken += wanted
    if batch:
        yield batch
