"""Questions that are decoded together, both branches of temporal contrast in one batch."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import cast

import numpy as np
import torch
from torch import Tensor, nn

from probe4d.models.lidar_lm.decoding.contrast import contrasted, kept_logits, label_tokens
from probe4d.models.lidar_lm.decoding.items import DecodingItem, DecodingModel, DecodingOptions, FinishReason
from probe4d.models.lidar_lm.decoding.key_value_cache import KeyValueCache, SharedPrefix
from probe4d.models.lidar_lm.decoding.sampling import next_tokens
from probe4d.models.lidar_lm.decoding.sequences import Numbers, parts_alike, shared_length, shared_runs
from probe4d.models.request import KeptLogit

__all__ = ["Answering", "DecodingBatch"]

_READ_AT_ONCE = 2048
"""Most tokens of prompts that go through the model at once, where it is more than one row."""


@dataclass
class Answering:
    """A question under way.

    Attributes:
        item: The question.
        clean: Its prompt with the frames in order (see `sequences`).
        shuffled: Its prompt with the frames shuffled; null where it has one branch.
        scene: Names its feature rows; null where it shows none.
        generator: Draws its tokens.
        tokens: Tokens of the answer so far.
        finish_reason: What ended the answer; null while it goes on.
        first_logits: Logits of the first token, where they are kept.
    """

    item: DecodingItem
    clean: Numbers
    shuffled: Numbers | None
    scene: bytes | None
    generator: torch.Generator
    tokens: list[int] = field(default_factory=list)
    finish_reason: FinishReason | None = None
    first_logits: tuple[KeptLogit, ...] = ()


class DecodingBatch:
    """Questions that are answered together.

    Rows are first those with the frames in order, one a question, then the shuffled ones of the questions that have
    any. Both rows of a question get the same tokens.

    Args:
        model: The model, attending by `key_value_cache.decoding_attention`.
        questions: The questions; those of one scene are neighbours.
        embedded_rows: (rows, hidden) embeddings of the feature rows that their sequences number.
        options: How they are decoded.
    """

    def __init__(
        self,
        model: DecodingModel,
        questions: Sequence[Answering],
        embedded_rows: Tensor,
        options: DecodingOptions,
    ) -> None:
        self.model, self.questions, self.embedded_rows, self.options = model, list(questions), embedded_rows, options
        self.embedding = cast(nn.Embedding, model.language_model.get_input_embeddings())
        self.device = embedded_rows.device
        self.end = model.tokenizer.eos_token_id if options.stop_at_eos else None

    def answer(self) -> None:
        """Generate until all questions are answered."""
        branches = [
            *((question.clean, question.scene) for question in self.questions),
            *((question.shuffled, None) for question in self.questions if question.shuffled is not None),
        ]
        sequences = [sequence for sequence, _ in branches]
        cache, logits = self._read(sequences, [scene for _, scene in branches])
        if self.options.keep_logits is not None:
            self._keep_logits(logits, self.options.keep_logits)
        position = np.array([len(sequence) for sequence in sequences])
        while going_on := self._append(logits):
            if len(going_on) < len(position):
                cache.keep(going_on)
                position = position[going_on]
            logits = self._forward(cache, [np.array(question.tokens[-1:]) for question in self._of_rows()], position)
            position = position + 1

    def _of_rows(self) -> list[Answering]:
        """The question of each row."""
        return [*self.questions, *(question for question in self.questions if question.shuffled is not None)]

    def _read(self, sequences: Sequence[Numbers], scenes: Sequence[bytes | None]) -> tuple[KeyValueCache, Tensor]:
        """Read prompts, shared beginnings once; give the cache of their rows and the logits after each."""
        everyone = shared_length(sequences) if len(sequences) > 1 else 0
        shared: list[SharedPrefix] = []
        if everyone:
            cache, _ = self._read_anew([sequences[0][:everyone]], np.zeros(1, dtype=np.int64))
            shared.append(cache.shares(0, start=0, stop=len(sequences)))
        runs = shared_runs(sequences, scenes, beyond=everyone)
        begun = np.full(len(sequences), everyone)
        if runs:
            beginnings = [sequences[run.start][everyone : run.length] for run in runs]
            before = [SharedPrefix(prefix.keys, prefix.values, 0, len(runs)) for prefix in shared]
            cache, _ = self._read_anew(beginnings, np.full(len(runs), everyone), shared=before)
            for row, run in enumerate(runs):
                shared.append(cache.shares(row, start=run.start, stop=run.stop))
                begun[run.start : run.stop] = run.length
        rest = [sequence[start:] for sequence, start in zip(sequences, begun, strict=True)]
        return self._read_anew(rest, begun, room=self.options.max_new_tokens, shared=shared)

    def _read_anew(
        self, sequences: Sequence[Numbers], position: Numbers, room: int = 0, shared: Sequence[SharedPrefix] = ()
    ) -> tuple[KeyValueCache, Tensor]:
        """Read what rows begin with after what they share, a part of the rows at a time; see `_forward`."""
        lengths = [len(sequence) for sequence in sequences]
        cache = KeyValueCache.empty(
            self.model.language_model, rows=len(sequences), capacity=max(lengths) + room, shared=shared
        )
        logits = [
            self._forward(cache.part(start, stop), sequences[start:stop], position[start:stop])
            for start, stop in parts_alike(lengths, _READ_AT_ONCE)
        ]
        return cache, torch.cat(logits)

    def _forward(self, cache: KeyValueCache, added: Sequence[Numbers], position: Numbers) -> Tensor:
        """Read further numbers of each row.

        Args:
            cache: Of what was read.
            added: What each row reads.
            position: Position of the first of them in each row.

        Returns:
            (rows, vocabulary) logits after the last of each row, in float32.
        """
        counts = np.array([len(numbers) for numbers in added])
        ends = np.cumsum(counts)
        positions = np.arange(ends[-1]) + np.repeat(position - (ends - counts), counts)
        logits: Tensor = self.model.language_model(
            inputs_embeds=self._embedded(np.concatenate(added))[None],
            position_ids=torch.from_numpy(positions).to(self.device)[None],
            use_cache=False,
            logits_to_keep=torch.from_numpy(ends - 1).to(self.device),
            added=cache.add(counts),
        ).logits
        return logits[0].float()

    def _embedded(self, numbers: Numbers) -> Tensor:
        """Give the (numbers, hidden) embeddings of tokens and feature rows."""
        index = torch.from_numpy(numbers).to(self.device)
        row = index - len(self.embedding.weight)
        embedded: Tensor = self.embedding(index.masked_fill(row >= 0, 0))
        embedded[row >= 0] = self.embedded_rows[row[row >= 0]]
        return embedded

    def _contrasted(self, logits: Tensor) -> Tensor:
        """Give the (questions, vocabulary) logits that are sampled from."""
        chosen_from = logits[: len(self.questions)].clone()
        contrast_of = {
            place: question.item.contrast.alpha
            for place, question in enumerate(self.questions)
            if question.shuffled is not None and question.item.contrast is not None
        }
        if contrast_of:
            places, alpha = list(contrast_of), torch.tensor(list(contrast_of.values()), device=self.device)
            chosen_from[places] = contrasted(chosen_from[places], logits[len(self.questions) :], alpha)
        return chosen_from

    def _append(self, logits: Tensor) -> list[int]:
        """Give each question its next token, and take out those that are answered; list the rows that go on."""
        cuts = [self.options.sampling == "released" and question.item.contrast is None for question in self.questions]
        generators = [question.generator for question in self.questions]
        tokens = next_tokens(self._contrasted(logits), self.options, generators, cuts)
        for question, token in zip(self.questions, tokens, strict=True):
            if token == self.end:
                question.finish_reason = "stop"
                continue
            question.tokens.append(token)
            if len(question.tokens) == self.options.max_new_tokens:
                question.finish_reason = "max_tokens"
        going_on = [row for row, question in enumerate(self._of_rows()) if question.finish_reason is None]
        self.questions = [question for question in self.questions if question.finish_reason is None]
        return going_on

    def _keep_logits(self, logits: Tensor, likeliest: int) -> None:
        """Keep what the branches of each question say of its first token."""
        chosen_from = self._contrasted(logits)
        shuffled = iter(logits[len(self.questions) :])
        tokens_of: dict[tuple[str, ...], dict[str, int]] = {}
        for place, question in enumerate(self.questions):
            labels = tuple(question.item.labels)
            if labels not in tokens_of:
                tokens_of[labels] = label_tokens(self.model.tokenizer, labels)
            question.first_logits = kept_logits(
                logits[place],
                None if question.shuffled is None else next(shuffled),
                chosen_from[place],
                tokens_of[labels],
                self.model.tokenizer,
                likeliest,
            )
