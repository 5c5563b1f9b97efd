"""Generated pairs -> what geometry says of each: supported, contradicted, or undecided."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from typing import Any, NamedTuple

import msgspec
import polars as pl

from probe4d.benchmarks.b4dl.claims.claim import Claim, Joined
from probe4d.benchmarks.b4dl.claims.deciding import Completeness, Decision, decide, span_of
from probe4d.benchmarks.b4dl.claims.grounding import ground, grounded_answer
from probe4d.benchmarks.b4dl.claims.joint import decide_joined
from probe4d.benchmarks.b4dl.claims.layout import Layout, layouts_of
from probe4d.benchmarks.b4dl.claims.reading import Read, Unread, read_pair
from probe4d.benchmarks.b4dl.claims.vocabulary import meaning_of
from probe4d.benchmarks.b4dl.pairs import PAIRS_SCHEMA, VERDICTS_SCHEMA
from probe4d.benchmarks.b4dl.replies.answer_forms import canonical_answer
from probe4d.benchmarks.b4dl.sequences import SEQUENCES_SCHEMA
from probe4d.benchmarks.b4dl.tasks import VOCABULARY
from probe4d.errors import InputError
from probe4d.scenes.classes import CLASSES, classes_told
from probe4d.scenes.tables import Scenes

__all__ = ["verdicts_of"]

_READ_TASKS = ("existence", "binary", "time-grounding", "temporal-understanding")
_MOST_READ = 1 << 16


class _Sequence(NamedTuple):
    scene: str
    first: int
    last: int


class _Verdict(NamedTuple):
    verdict: str
    claim: str | None
    why: str
    facts: str
    correct: str | None


def verdicts_of(
    pairs: pl.DataFrame, sequences: pl.DataFrame, scenes: Scenes, *, all_around: bool = True
) -> pl.DataFrame:
    """Hold generated pairs against the annotations (B4DL, Sec. 3.3, leaves them unchecked).

    A pair is supported or contradicted where what it says is surely so or surely not; a true statement is not accused
    for what annotations leave out, for words that may mean more than one thing, nor for what lies near a line. See
    `docs/b4dl-grounding.md` for what is read and where the lines are.

    Args:
        pairs: Columns of `PAIRS_SCHEMA`.
        sequences: Columns of `SEQUENCES_SCHEMA`: the sequences that the pairs are about.
        scenes: The scenes of the sequences; frames are their key-frame indices.
        all_around: Whether the annotations cover all around the ego vehicle. Where they do not, nothing is known to be
            absent.

    Returns:
        Columns of `VERDICTS_SCHEMA`, a row a pair in their order.

    Raises:
        InputError: A pair is about a sequence that is not among `sequences`, or a sequence is of a scene that is not
            among `scenes` or has frames beyond its end.
    """
    known = _sequences(sequences, scenes)
    missing = set(pairs["sequence"]) - set(known)
    if missing:
        raise InputError(
            f"the pairs are about the sequence {min(missing)!r}, which is not among the sequences.",
            remedy="Give the sequences that the pairs were generated from.",
        )
    verdicts: list[_Verdict | None] = [None] * len(pairs)
    completeness = Completeness(all_around, classes_told(scenes.version))
    of_scene = _by_scene(pairs, known)
    for layout in layouts_of(scenes.select(sorted(of_scene))) if of_scene else ():
        judge = _Judge(layout, completeness)
        for row, (sequence, task, _, question, answer) in of_scene[layout.scene]:
            verdicts[row] = judge.verdict(known[sequence], task, question, answer)
    return (
        pairs.select("sequence", "task", "number")
        .hstack(pl.DataFrame(verdicts, schema={name: VERDICTS_SCHEMA[name] for name in _Verdict._fields}, orient="row"))
        .select(*VERDICTS_SCHEMA)
    )


def _sequences(sequences: pl.DataFrame, scenes: Scenes) -> dict[str, _Sequence]:
    frames = dict(scenes.scenes.select("scene", "keyframes").iter_rows())
    known = {}
    for scene, sequence, _, start, end in sequences.select(*SEQUENCES_SCHEMA).iter_rows():
        if scene not in frames:
            raise InputError(f"the sequence {sequence!r} is of the scene {scene!r}, which is not among the scenes.")
        if not 0 <= start <= end < frames[scene]:
            raise InputError(
                f"the sequence {sequence!r} has frames {start} to {end}, and its scene has 0 to {frames[scene] - 1}."
            )
        known[sequence] = _Sequence(scene, start, end)
    return known


def _by_scene(pairs: pl.DataFrame, known: Mapping[str, _Sequence]) -> dict[str, list[tuple[int, tuple[Any, ...]]]]:
    of_scene: dict[str, list[tuple[int, tuple[Any, ...]]]] = {}
    for row, pair in enumerate(pairs.select(*PAIRS_SCHEMA).iter_rows()):
        of_scene.setdefault(known[pair[0]].scene, []).append((row, pair))
    return of_scene


@lru_cache(_MOST_READ)
def _read(task: str, question: str, answer: str) -> Read | Unread:
    return read_pair(question, canonical_answer(task, answer))


class _Judge:
    """Decides the claims about one scene, each once."""

    def __init__(self, layout: Layout, completeness: Completeness) -> None:
        self._layout = layout
        self._completeness = completeness
        self._decided: dict[tuple[Claim, int, int], Decision] = {}

    def verdict(self, sequence: _Sequence, task: str, question: str, answer: str) -> _Verdict:
        if task not in _READ_TASKS:
            return _undecided("Free text is not read.")
        read = _read(task, question, answer)
        if isinstance(read, Unread):
            return _undecided(read.why)
        claim, window = read.claim, (sequence.first, sequence.last)
        if any(not window[0] <= first <= last <= window[1] for first, last in _frames_named(claim)):
            return _undecided(f"The question asks about frames outside of {window[0]} to {window[1]}.", claim)
        if isinstance(claim, Joined):
            return _of_yes_or_no(claim, decide_joined(claim, lambda one: self._decide(one, window)), read, answer)
        if read.interval is not None:
            return self._of_interval(claim, read.interval, window, answer)
        decision = self._decide(claim, window)
        if decision.holds is None:
            return _told("undecided", claim, decision, None)
        if read.answer_class:
            verdict = "supported" if decision.holds else "contradicted"
            return _told(verdict, claim, decision, answer if decision.holds else self._class(claim, window, answer))
        return _of_yes_or_no(claim, decision, read, answer)

    def _decide(self, claim: Claim, window: tuple[int, int]) -> Decision:
        key = (claim, *window)
        if key not in self._decided:
            self._decided[key] = decide(self._layout, claim, span_of(claim, window), self._completeness)
        return self._decided[key]

    def _of_interval(self, claim: Claim, interval: tuple[int, int], window: tuple[int, int], answer: str) -> _Verdict:
        grounded = ground(self._layout, claim, interval, window, self._completeness)
        correct = None
        if grounded.holds is False:
            found = grounded_answer(self._layout, claim, window, self._completeness)
            correct = None if found is None else _in_form(f"from frame {found[0]:03d} to frame {found[1]:03d}", answer)
        elif grounded.holds:
            correct = answer
        verdict = {True: "supported", False: "contradicted", None: "undecided"}[grounded.holds]
        return _told(verdict, claim, grounded, correct)

    def _class(self, claim: Claim, window: tuple[int, int], answer: str) -> str | None:
        """The one class of which the same surely can be said; null where there are none or several."""
        if claim.narrowed:
            return None
        fitting = [
            name
            for name in CLASSES
            if name in VOCABULARY
            and self._decide(msgspec.structs.replace(claim, subject=meaning_of(name)), window).holds
        ]
        return _in_form(fitting[0], answer) if len(fitting) == 1 else None


def _frames_named(claim: Claim | Joined) -> list[tuple[int, int]]:
    claims = [claim] if isinstance(claim, Claim) else [one for clause in claim.clauses for one in clause.readings]
    return [one.frames for one in claims if one.frames is not None]


def _of_yes_or_no(claim: Claim | Joined, decision: Decision, read: Read, answer: str) -> _Verdict:
    if decision.holds is None:
        return _told("undecided", claim, decision, None)
    verdict = "supported" if decision.holds == read.yes else "contradicted"
    return _told(verdict, claim, decision, _in_form("Yes" if decision.holds else "No", answer))


def _undecided(why: str, claim: Claim | Joined | None = None) -> _Verdict:
    return _Verdict("undecided", None if claim is None else claim.kind, why, "{}", None)


def _told(verdict: str, claim: Claim | Joined, decision: Decision, correct: str | None) -> _Verdict:
    facts = msgspec.json.encode(decision.facts).decode()
    return _Verdict(verdict, claim.kind, decision.why, facts, correct)


def _in_form(text: str, answer: str) -> str:
    """A text in the form of an answer: its case, and its full stop or none."""
    bare = answer.strip().rstrip(".")
    if bare.isupper():
        text = text.upper()
    elif bare.islower():
        text = text.lower()
    elif bare[:1].isupper():
        text = text[:1].upper() + text[1:]
    return f"{text}." if answer.strip().endswith(".") else text
