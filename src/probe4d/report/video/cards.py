"""Questions and answers in words beside a picture."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import NamedTuple

from PIL import Image

from probe4d.evidence.lettering import letter, line_px
from probe4d.report.video.colours import INK, MUTED, PAPER, RIGHT, RING, Colour
from probe4d.report.video.exchanges import Exchange
from probe4d.report.video.words import cut_to, plain, wrapped

__all__ = ["Cards"]

_ANSWER: Colour = (255, 196, 120)
_ASKED_NOW: Colour = (92, 160, 255)
_LONGEST_NAME = 40


class _Block(NamedTuple):
    lines: list[str]
    colour: Colour


class Cards:
    """Draws the questions that stand beside a key frame, each in its place.

    Args:
        exchanges: All questions of the video.
        size_px: Width and height of the column.
        letters_px: Size of the letters.
        model: What the model is called; no character of it steers a display.
    """

    def __init__(
        self, exchanges: Sequence[Exchange], size_px: tuple[int, int], letters_px: int, model: str | None
    ) -> None:
        self._exchanges = exchanges
        self._slots = 1 + max((exchange.slot for exchange in exchanges), default=0)
        self._size_px = size_px
        self._letters_px = letters_px
        self._model = plain(model or "Model")[:_LONGEST_NAME]
        self._card = lru_cache(maxsize=64)(self._drawn)

    def draw(self, frame: int) -> Image.Image:
        """The column beside a key frame, RGB."""
        image = Image.new("RGB", self._size_px, PAPER)
        height = self._size_px[1] // self._slots
        for exchange in self._exchanges:
            if exchange.shown[0] <= frame <= exchange.shown[1]:
                is_now = exchange.asked[0] <= frame <= exchange.asked[1]
                image.paste(self._card(exchange, is_now, height), (0, exchange.slot * height))
        return image

    def _drawn(self, exchange: Exchange, is_now: bool, height: int) -> Image.Image:
        """One card; a bright bar at its side says that the key frame is one of those asked about."""
        width, size_px = self._size_px[0], self._letters_px
        card = Image.new("RGB", (width, height), PAPER)
        inset, step = size_px, line_px(size_px)
        card.paste(_ASKED_NOW if is_now else RING, (inset // 2, inset // 2, inset // 2 + 3, height - inset // 2))
        left, right = 2 * inset - 3, width - inset
        blocks = self._blocks(exchange, right - left, (height - inset) // step)
        top = inset // 2
        for block in blocks:
            for line in block.lines:
                letter(card, line, (left, top, right, top + step), fill=block.colour, size_px=size_px)
                top += step
        return card

    def _blocks(self, exchange: Exchange, width: int, room: int) -> list[_Block]:
        """The parts of a card, the longest cut until all have room."""
        texts = [(exchange.about, MUTED), (exchange.question, INK)]
        texts += [(option, INK) for option in exchange.options]
        texts.append((f"Reference: {exchange.reference}", RIGHT))
        if exchange.answer is not None:
            texts.append((f"{self._model}: {exchange.answer or '(empty)'}", _ANSWER))
        blocks = [_Block(wrapped(text, width, self._letters_px), colour) for text, colour in texts]
        most = [len(block.lines) for block in blocks]
        while sum(most) > room and max(most) > 1:
            most[most.index(max(most))] -= 1
        for option in reversed(range(2, 2 + len(exchange.options))):  # of very many the last have no room
            most[option] -= min(most[option], max(0, sum(most) - room))
        return [
            _Block(cut_to(block.lines, limit, width, self._letters_px), block.colour)
            for block, limit in zip(blocks, most, strict=True)
        ]
