"""Questions and answers in words beside a picture."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import NamedTuple

from PIL import Image

from probe4d.evidence.lettering import letter, line_px
from probe4d.report.video.colours import INK, MUTED, PAPER, RIGHT, RING, Colour
from probe4d.report.video.exchanges import Exchange, is_numbered
from probe4d.report.video.words import cut_to, plain, wrapped

__all__ = ["Block", "Cards", "shortened"]

_ANSWER: Colour = (255, 196, 120)
_ASKED_NOW: Colour = (92, 160, 255)
_LONGEST_NAME = 40


class Block(NamedTuple):
    """A part of a card.

    Attributes:
        lines: Its lines, no wider than the card.
        colour: Of its letters.
        may_go: Whether it is left out where even a line of each part has no room.
    """

    lines: list[str]
    colour: Colour
    may_go: bool = False


class Cards:
    """Draws the questions that stand beside a key frame, each in its place, as high in all of the video.

    Args:
        exchanges: All questions of the video.
        size_px: Width and height of the column.
        letters_px: Size of the letters.
        model: What the model is called; no character of it steers a display.
    """

    def __init__(
        self, exchanges: Sequence[Exchange], size_px: tuple[int, int], letters_px: int, model: str | None
    ) -> None:
        self._size_px = size_px
        self._letters_px = letters_px
        self._inset_px = letters_px
        self._width = size_px[0] - 3 * self._inset_px
        name = plain(model or "Model")[:_LONGEST_NAME]
        numbered = is_numbered(exchanges)
        self._cards = [(one, self._blocks(one, name, f"{one.slot + 1}. " * numbered)) for one in exchanges]
        needs = [0] * (1 + max((exchange.slot for exchange in exchanges), default=0))
        for exchange, blocks in self._cards:
            needs[exchange.slot] = max(needs[exchange.slot], sum(len(block.lines) for block in blocks))
        self._rooms = _shared(needs, (size_px[1] - len(needs) * self._inset_px) // line_px(letters_px))
        heights = [room * line_px(letters_px) + self._inset_px for room in self._rooms]
        self._tops = [sum(heights[:slot]) for slot in range(len(heights))]
        self._card = lru_cache(maxsize=64)(self._drawn)

    def draw(self, frame: int) -> Image.Image:
        """The column beside a key frame, RGB."""
        image = Image.new("RGB", self._size_px, PAPER)
        for number, (exchange, _) in enumerate(self._cards):
            if exchange.shown[0] <= frame <= exchange.shown[1]:
                is_now = exchange.asked[0] <= frame <= exchange.asked[1]
                image.paste(self._card(number, is_now), (0, self._tops[exchange.slot]))
        return image

    def _drawn(self, number: int, is_now: bool) -> Image.Image:
        """One card; a bright bar at its side says that the key frame is one of those asked about."""
        exchange, blocks = self._cards[number]
        size_px, inset, step = self._letters_px, self._inset_px, line_px(self._letters_px)
        blocks = shortened(blocks, self._rooms[exchange.slot], self._width, size_px)
        height = inset + step * sum(len(block.lines) for block in blocks)
        card = Image.new("RGB", (self._size_px[0], height), PAPER)
        card.paste(_ASKED_NOW if is_now else RING, (inset // 2, inset // 2, inset // 2 + 3, height - inset // 2))
        left, top = 2 * inset - 3, inset // 2
        for block in blocks:
            for line in block.lines:
                box = (left, top, self._size_px[0] - inset, top + step)
                letter(card, line, box, fill=block.colour, size_px=size_px)
                top += step
        return card

    def _blocks(self, exchange: Exchange, model: str, number: str) -> list[Block]:
        texts = [(f"{number}{exchange.about}", MUTED, False), (exchange.question, INK, False)]
        texts += [(option, INK, True) for option in exchange.options]
        texts.append((f"Reference: {exchange.reference}", RIGHT, False))
        if exchange.answer is not None:
            texts.append((f"{model}: {exchange.answer or '(empty)'}", _ANSWER, False))
        return [Block(wrapped(text, self._width, self._letters_px), colour, may_go) for text, colour, may_go in texts]


def shortened(blocks: Sequence[Block], room: int, width: int, size_px: int) -> list[Block]:
    """The parts of a card in so many lines: the longest cut first, then the last of those that may go left out."""
    most = [len(block.lines) for block in blocks]
    while sum(most) > room and max(most) > 1:
        most[most.index(max(most))] -= 1
    for number in reversed(range(len(blocks))):
        if blocks[number].may_go:
            most[number] -= min(most[number], max(0, sum(most) - room))
    return [
        block._replace(lines=cut_to(block.lines, limit, width, size_px))
        for block, limit in zip(blocks, most, strict=True)
    ]


def _shared(needs: Sequence[int], room: int) -> list[int]:
    """Lines of each place: what it needs or, where that is too much for all, what small ones leave in equal parts."""
    given = [0] * len(needs)
    ascending = sorted(range(len(needs)), key=lambda place: needs[place])
    for number, place in enumerate(ascending):
        given[place] = min(needs[place], (room - sum(given)) // (len(needs) - number))
    return given
