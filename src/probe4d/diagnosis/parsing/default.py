"""The default parser: finds where a reply names an option, and whether it settles on exactly one.

A mention is a label (letter, Yes, No) or an option's text. Each is weighed by what stands next to it; none is preferred
for the letter it is. The one exception is forced by English: "A" before a plain word is an article and "I" before one
a pronoun, so that neither counts for or against anything.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from typing import TypeVar

from probe4d.benchmarks.question import LETTERS
from probe4d.diagnosis.parsing import doubts, language, refusals
from probe4d.diagnosis.parsing.cues import NEAR, Cues
from probe4d.diagnosis.parsing.menu import Menu, canonical, menu_of
from probe4d.diagnosis.parsing.normalise import answer_part, containers, unmarked, visible
from probe4d.diagnosis.parsing.parsed import Parsed, unread

__all__ = ["parse_choice", "parse_yes_no"]

_BARE_LETTER = re.compile(r"\s*[(\[\"']?([A-Za-z]|[A-Z]{2})[)\]\"']?[.:!]?\s*")
_LABELLED_TEXT = re.compile(r"\s*[(\[]?([A-Z])[)\].:]{1,2}\s+([^\n]{1,80}?)[.\s]*")
_BARE_YES_NO = re.compile(r"\s*(yes|no)[.!]?\s*", re.IGNORECASE)
_LISTED_YES_NO = re.compile(r"\b(?:yes|no)\W{0,3}\b(?:and|or|nor)\W{0,3}$", re.IGNORECASE)
_NO_WAY = re.compile(r"\s+way\W*$", re.IGNORECASE)
_WORDS = re.compile(r"\s+(?:[\w-]+\s+){0,3}")
_YES_NO = {"yes": 0, "yeah": 0, "yep": 0, "yup": 0, "no": 1, "nope": 1, "nah": 1}
_FIRST_HITS, _LAST_HITS = 100, 300  # of the places that name an option; what lies between them settles nothing


_Hit = TypeVar("_Hit")


@dataclass(slots=True)
class _Mention:
    """A place where the reply names an option.

    Attributes:
        start: First character.
        end: Character after the last.
        option: Index of the option; null where two options share the text.
        is_label: A label, not an option's text.
        standing: `alone` (a label by itself), `spoken` (part of a sentence that gives it), `weak` (mere presence).
        declared: The words before it announce the answer.
        final: They announce the final answer.
        negated: The reply denies it.
        asked: The reply asks about it.
    """

    start: int
    end: int
    option: int | None
    is_label: bool
    standing: str
    declared: bool = False
    final: bool = False
    negated: bool = False
    asked: bool = False


def parse_choice(text: str, options: Sequence[str], cut: bool) -> Parsed:
    """Read the reply to a choice question; see `probe4d.diagnosis.parsing.parse`."""
    bare = _BARE_LETTER.fullmatch(text) if len(text) < 16 else None
    if bare and bare[1].upper() in tuple(LETTERS[: len(options)]):
        return Parsed("valid", bare[1].upper())
    menu = menu_of(options, letters=True)
    if bare:
        named = menu.marks.get(bare[1].upper())
        return unread(text, cut) if named is None else Parsed("valid", menu.labels[named])
    labelled = _LABELLED_TEXT.fullmatch(text) if len(text) < 100 else None
    if labelled:
        named = menu.texts.get(canonical(labelled[2]))
        if named is not None and menu.labels[named] == labelled[1]:
            return Parsed("valid", labelled[1])
    return _parse(text, menu, cut)


def parse_yes_no(text: str, options: Sequence[str], cut: bool) -> Parsed:
    """Read the reply to a yes-no question; see `probe4d.diagnosis.parsing.parse`."""
    bare = _BARE_YES_NO.fullmatch(text) if len(text) < 16 else None
    return Parsed("valid", bare[1].capitalize()) if bare else _parse(text, menu_of((), letters=False), cut)


def _parse(text: str, menu: Menu, cut: bool) -> Parsed:
    reply, thought_left_open = answer_part(visible(text))
    cut = cut or thought_left_open
    contents = containers(reply)
    if contents:
        readings = {_read(unmarked(content), menu, cut=False) for content in contents}
        return readings.pop() if len(readings) == 1 else Parsed("ambiguous")
    return _read(unmarked(reply), menu, cut)


def _read(reply: str, menu: Menu, cut: bool) -> Parsed:
    cues = Cues(reply)
    mentions = _mentions(reply, menu, cues)

    @cache
    def hedged() -> bool:
        return refusals.refuses(_blank(reply, mentions))

    if menu.is_yes_no and not any(mention.declared for mention in mentions) and refusals.unable(cues.folded):
        return unread(reply, cut) if cut else Parsed("refused")
    option = _settled(reply, mentions, cues, cut=cut, hedged=hedged, yes_no=menu.is_yes_no)
    if option is not None:
        return Parsed("valid", menu.labels[option])
    if not cut and hedged():
        return Parsed("refused")
    return unread(reply, cut)


def _blank(reply: str, mentions: list[_Mention]) -> str:
    """Hide the options' texts, which may themselves read like a refusal ("none of the above")."""
    parts, last = [], 0
    for mention in mentions:
        if not mention.is_label and mention.start >= last:
            parts += [reply[last : mention.start], "\u25a1"]
            last = mention.end
    parts.append(reply[last:])
    return "".join(parts)


def _mentions(reply: str, menu: Menu, cues: Cues) -> list[_Mention]:
    texts = _first_and_last(menu.text_mentions(reply, cues.folded))
    texts = [hit for hit in texts if not language.other_sense(reply, cues.folded[hit[0] : hit[1]], hit[0], hit[1])]
    found = [_Mention(start, end, option, False, "spoken") for start, end, option in texts]
    inside = [(start, end) for start, end, _ in texts if end - start > 1]
    place = 0
    for hit in _first_and_last(list(menu.label.finditer(reply))):
        while place < len(inside) and inside[place][1] <= hit.start():
            place += 1
        if place < len(inside) and inside[place][0] <= hit.start():
            continue  # the "A" of an option that reads "plan A"
        text_follows = place < len(inside) and _WORDS.fullmatch(reply, hit.end(), inside[place][0]) is not None
        standing = _standing(reply, hit, menu, cues, text_follows=text_follows)
        if standing is not None:
            option = _YES_NO[hit[1].lower()] if menu.is_yes_no else menu.option_named(hit[1])
            found.append(_Mention(hit.start(), hit.end(), option, True, standing))
    found += [
        _Mention(hit.start(1), hit.end(1), int(hit[1]) - 1, True, "spoken")
        for hit in _first_and_last(language.numbered_options(reply, cues.folded))
        if not menu.is_yes_no and 1 <= int(hit[1]) <= len(menu.labels)
    ]
    if menu.is_yes_no:
        found += [
            _Mention(start, end, _YES_NO[label], True, "alone")
            for start, end, label in refusals.foreign_yes_no(cues.folded)
        ]
    found.sort(key=lambda mention: (mention.start, mention.end))
    for mention in found:
        _weigh(mention, reply, cues, yes_no=menu.is_yes_no)
    for before, after in itertools.pairwise(found):
        if language.LIKEWISE.match(reply[after.end : after.end + NEAR]):
            after.negated = after.negated or before.negated
        if language.joined(reply[before.end : after.start]):
            after.declared = after.declared or before.declared
            after.final = after.final or before.final
            after.negated = after.negated or before.negated
    together = False
    for after, before in itertools.pairwise(reversed(found)):  # "A and B are correct" says it of both
        together = (together and after.negated) or doubts.denied_together(reply[after.end : after.end + NEAR])
        if (after.declared or after.negated) and language.joined(reply[before.end : after.start]):
            before.declared = before.declared or after.declared
            before.negated = before.negated or (after.negated and together)
        else:
            together = False
    return _without_lists(found, reply, menu)


def _first_and_last(hits: list[_Hit]) -> list[_Hit]:
    """Bound the work on replies that repeat themselves without end."""
    return hits if len(hits) <= _FIRST_HITS + _LAST_HITS else hits[:_FIRST_HITS] + hits[-_LAST_HITS:]


def _weigh(mention: _Mention, reply: str, cues: Cues, *, yes_no: bool) -> None:
    """Judge a mention by the words beside it."""
    left = reply[max(0, mention.start - NEAR) : mention.start]
    right = reply[mention.end : mention.end + NEAR]
    before = cues.before(mention.start)
    mention.negated = doubts.denied(left, right, before.negations, yes_no=yes_no)
    mention.asked = cues.asks and doubts.QUESTIONED.match(right) is not None
    if (
        mention.asked
        or doubts.merely_possible(left, right, before.negations)
        or (
            cues.conditions
            and (doubts.hangs_on_condition(left, before.conditions) or doubts.IF_FOLLOWS.match(right) is not None)
        )
    ):
        mention.standing = "weak"
    if mention.negated and doubts.all_others_wrong(left, right):
        mention.negated, mention.declared = False, True
        return
    if mention.standing != "weak":
        mention.final = language.announces_final(left, before.announcements)
        mention.declared = (
            mention.final
            or language.announces(left, before.announcements)
            or language.concludes(left, right, before.announcements)
            or language.CONFIRMED.match(right) is not None
        )


def _standing(reply: str, hit: re.Match[str], menu: Menu, cues: Cues, *, text_follows: bool) -> str | None:
    """Say how a label stands; null where it is none (an article, a pronoun, a lower-case letter in prose)."""
    left, right = reply[max(0, hit.start() - NEAR) : hit.start()], reply[hit.end() : hit.end() + NEAR]
    if menu.is_yes_no and doubts.COUNTED.match(right):
        return None  # "No. 5"
    ended = language.ENDS.match(right) is not None or (menu.is_yes_no and _NO_WAY.match(right) is not None)
    if menu.is_yes_no and not ended and _LISTED_YES_NO.search(left):
        return "weak"
    if not menu.is_yes_no and hit[1].islower():
        if language.LABEL_SHAPE.match(right) and language.OPENS_LOWER.search(left):
            return "alone"
        if not ended or language.LOWER_LIST.match(right):
            return None
        announced = language.announces(left, cues.before(hit.start()).announcements) or language.names_option(left)
        return "alone" if announced else None
    opened = language.opens(left)
    if ended and (opened or menu.is_yes_no):
        return "alone"
    if (ended or language.FOLLOWS_LABEL.match(right)) and (opened or language.leads_to_label(left)):
        return "spoken"
    if language.names_option(left) or language.CONFIRMED.match(right):
        return "spoken"
    if hit[1].upper() in menu.marks and language.names_object(left):
        return "spoken"
    if hit[1] in ("A", "I") and language.article(hit[1], left, right, text_follows=text_follows):
        return None
    if ended and language.announces(left, cues.before(hit.start()).announcements):
        return "spoken"
    if menu.is_yes_no and not ended and not doubts.spoken_for(right):
        return None  # "no" before a noun
    return "weak"


def _without_lists(found: list[_Mention], reply: str, menu: Menu) -> list[_Mention]:
    """Leave out lists of all options ("the options are A, B, C and D"), which choose none."""
    if not found or len(menu.labels) < 3:
        return found
    kept: list[_Mention] = []
    group: list[_Mention] = []
    for mention, following in zip(found, [*found[1:], None], strict=True):
        group.append(mention)
        if following is None or not language.joined(reply[mention.end : following.start]):
            if len({member.option for member in group}) < len(menu.labels):
                kept += group
            group = []
    return kept


def _settled(
    reply: str, mentions: list[_Mention], cues: Cues, *, cut: bool, hedged: Callable[[], bool], yes_no: bool
) -> int | None:
    """Return the one option that the reply settles on, or null; `hedged` says whether it declines to choose."""
    mentions, withdrawn = _after_correction(reply, mentions, cues, yes_no=yes_no)
    if withdrawn:
        return None
    positive = [mention for mention in mentions if not mention.negated]
    chosen = _announced(reply, positive, cut)
    if not chosen:
        if cut or all(mention.standing == "weak" for mention in positive) or hedged():
            return None
        given = max(mention.start for mention in positive if not mention.asked)
        chosen = [mention for mention in positive if not mention.asked or mention.start > given]
    options = {mention.option for mention in chosen}
    if len(options) != 1:
        return None
    option = options.pop()
    denied = {mention.option for mention in mentions if mention.negated}
    if option is None or option in denied or _contradicted(reply, chosen, positive):
        return None
    if _rivalled(reply, chosen[-1], positive):
        return None
    return option


def _announced(reply: str, positive: list[_Mention], cut: bool) -> list[_Mention]:
    """Return the mentions that count before all others: announced as the answer, or a label that opens the reply."""
    finals = [mention for mention in positive if mention.final]
    declared = finals or [mention for mention in positive if mention.declared]
    if cut:  # the last word may be half a word
        declared = [
            m
            for m in declared
            if (reply[m.end :].strip() or (m.is_label and reply[m.start].isupper()))
            and not language.ENDS_IN_ALTERNATIVE.match(reply[m.end : m.end + NEAR])
        ]
    labels = [mention for mention in positive if mention.is_label and mention.standing == "alone"]
    if not finals and labels and not reply[: labels[0].start].strip(" \t\n([\"'"):
        leading = labels[0]
        others = [m for m in labels[1:] if m.option != leading.option and not m.declared]
        listed = language.joined(reply[leading.end : positive[1].start]) if len(positive) > 1 else False
        if others and not declared:
            return [leading, *others]
        if not others and not listed:
            return [leading, *declared]
    return declared


def _contradicted(reply: str, chosen: list[_Mention], positive: list[_Mention]) -> bool:
    """Say whether a label stands right beside another option's text ("B. car" where B is truck).

    In "B. The car is far, the truck is near" the text beside the label only starts the explanation.
    """
    named_in_text = {mention.option for mention in positive if not mention.is_label}
    ids = {id(mention) for mention in chosen}
    for before, after in itertools.pairwise(positive):
        if before.is_label == after.is_label or before.option == after.option:
            continue
        if before.option is None or after.option is None:
            continue  # a text that two options share: the label says which
        label = before if before.is_label else after
        gap = reply[before.end : after.start]
        if id(label) in ids:
            explained = before.is_label and label.option in named_in_text and language.starts_sentence(gap)
            if language.beside(gap) and not explained:
                return True
        elif id(before) in ids and language.IN_BRACKETS.fullmatch(gap):
            return True
    return False


def _rivalled(reply: str, last: _Mention, positive: list[_Mention]) -> bool:
    """Say whether another label is given, asked about or spoken for after the last mention that was chosen."""
    return any(
        mention.asked
        or doubts.rivals(reply[max(0, mention.start - NEAR) : mention.start], reply[mention.end : mention.end + NEAR])
        for mention in positive
        if mention.start > last.start and mention.is_label and mention.option != last.option
    )


def _after_correction(reply: str, mentions: list[_Mention], cues: Cues, *, yes_no: bool) -> tuple[list[_Mention], bool]:
    """Leave out what a later "wait, actually" takes back; say whether it takes back without giving anything new."""
    given = [m.start for m in mentions if not m.negated and (m.declared or (m.is_label and m.standing != "weak"))]
    found = list(doubts.CORRECTION.finditer(reply)) if cues.corrects else []
    withdrawals = list(doubts.WITHDRAWAL.finditer(reply)) if given and cues.withdraws else []
    found += withdrawals
    if not yes_no and cues.says_no:
        starts = set(given)
        found += [hit for hit in doubts.NO_RATHER.finditer(reply) if hit.end() in starts]
    if not found or not mentions:
        return mentions, False
    before_last = [hit.end() for hit in found if given and hit.end() <= given[-1]]
    if before_last:
        mentions = [mention for mention in mentions if mention.start >= max(before_last)]
    after = [hit for hit in found if hit.start() >= mentions[-1].end]
    return mentions, any(hit in withdrawals or doubts.TAKES_BACK.match(hit[0]) for hit in after)
