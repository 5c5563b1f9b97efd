"""Models that answer by a rule: each sees what a model is sent, the text of a prompt, and returns a reply.

Those that know references have learned them by heart, prompt by prompt; where options are shown in another order
they still know which one is right.
"""

from __future__ import annotations

import hashlib
import re
from collections import Counter
from collections.abc import Callable, Iterable
from typing import NamedTuple

import msgspec
import polars as pl
from fake_server import digest_of

from probe4d.benchmarks.benchmark import Benchmark, counts_of
from probe4d.benchmarks.fingerprints import fingerprint
from probe4d.benchmarks.question import LETTERS, Question
from probe4d.benchmarks.suites import suite_prompt
from probe4d.scenes.classes import CLASSES
from probe4d.scenes.geometry import SECTORS

Answerer = Callable[[str], str]


SECTORS_LIKED = ("front", "front-left", "front-right")
SECTOR_TASTE = ("front", "front-left", "front-right", "left", "right", "back", "back-left", "back-right")


class Asked(NamedTuple):
    """What a prompt asks: its question, and its options, none for a yes-no question."""

    stem: str
    options: tuple[str, ...]


def read(prompt: str) -> Asked:
    """Take a prompt apart as a reader does."""
    found = re.search(r"^(.*)\n((?:[A-Z]\. .*\n)+)", prompt, re.MULTILINE)
    if found:
        return Asked(found[1], tuple(line[3:] for line in found[2].splitlines()))
    return Asked(prompt.strip().splitlines()[-2], ())


def share(*words: object) -> float:
    """A number from 0 to 1, as good as random, that depends on the words alone."""
    return int(hashlib.sha256(repr(words).encode()).hexdigest()[:12], 16) / 16**12


def always_first(prompt: str) -> str:
    """A, or No."""
    return "A" if read(prompt).options else "No"


def longest_option(prompt: str) -> str:
    """The first of the longest options; Yes is longer than No."""
    options = read(prompt).options
    return LETTERS[max(range(len(options)), key=lambda place: len(options[place]))] if options else "Yes"


def guessing(seed: int) -> Answerer:
    """Any answer, as often as any other."""

    def answer(prompt: str) -> str:
        options = read(prompt).options
        answers = LETTERS[: len(options)] if options else ("Yes", "No")
        return answers[int(share(seed, prompt) * len(answers))]

    return answer


def by_sector(seed: int) -> Answerer:
    """Decides questions of position by the sector proposed, and guesses elsewhere."""
    guess = guessing(seed)

    def answer(prompt: str) -> str:
        stem, options = read(prompt)
        if options and set(options) <= set(SECTORS):
            return LETTERS[min(range(len(options)), key=lambda place: SECTOR_TASTE.index(options[place]))]
        proposed = re.search(r"at the ([a-z-]+) position", stem)
        if proposed and not options:
            return "Yes" if proposed[1] in SECTORS_LIKED else "No"
        return guess(prompt)

    return answer


def class_most_often_right(benchmark: Benchmark) -> Answerer:
    """Answers by the class asked about, or by what the options say, as was most often right in the benchmark."""
    right, offered = Counter[tuple[str, str]](), Counter[tuple[str, str]]()
    for question, prompt in prompts(benchmark):
        stem, options = read(prompt)
        for place, text in enumerate(options):
            offered[_opening(stem), _content(text)] += 1
            right[_opening(stem), _content(text)] += LETTERS[place] == question.answer
        if not options:
            offered[_opening(stem), _class_in(stem)] += 1
            right[_opening(stem), _class_in(stem)] += question.answer == "Yes"

    def answer(prompt: str) -> str:
        stem, options = read(prompt)
        if not options:
            key = (_opening(stem), _class_in(stem))
            return "Yes" if 2 * right[key] > offered[key] else "No"
        keys = [(_opening(stem), _content(text)) for text in options]
        scores = [(right[key] + 1) / (offered[key] - right[key] + 1) for key in keys]
        return LETTERS[scores.index(max(scores))]

    return answer


def oracle(benchmark: Benchmark) -> Answerer:
    """Always right."""
    known = {}
    for question, prompt in prompts(benchmark):
        stem, options = read(prompt)
        known[stem, frozenset(options)] = options[LETTERS.index(question.answer)] if options else question.answer

    def answer(prompt: str) -> str:
        stem, options = read(prompt)
        right = known[stem, frozenset(options)]
        return LETTERS[options.index(right)] if options else right

    return answer


def mixture(benchmark: Benchmark, right: float, seed: int) -> Answerer:
    """Knows the answers to this share of the questions, in whatever order of options, and guesses the others."""
    know, guess = oracle(benchmark), guessing(seed)

    def answer(prompt: str) -> str:
        stem, options = read(prompt)
        return know(prompt) if share(seed, "known", stem, sorted(options)) < right else guess(prompt)

    return answer


def prompts(benchmark: Benchmark) -> list[tuple[Question, str]]:
    """Every question with its prompt."""
    word = suite_prompt(benchmark.record.suite, "default")
    return [(question, word(question)) for question in benchmark.questions]


def told_apart(benchmark: Benchmark) -> Benchmark:
    """The questions that no other shares its stem and options with: who knows prompts by heart can know them all."""
    asked = [(question.id, (one.stem, frozenset(one.options))) for question, one in _read_all(benchmark)]
    often = Counter(key for _, key in asked)
    table = benchmark.table.filter(pl.col("id").is_in([identity for identity, key in asked if often[key] == 1]))
    record = msgspec.structs.replace(benchmark.record, counts=counts_of(table), fingerprint=fingerprint(table))
    return Benchmark(table, record)


def replies(answerer: Answerer, texts: Iterable[str]) -> dict[str, str]:
    """What a fake server has to be told, so that it answers these prompts as the answerer does."""
    return {digest_of(text): answerer(text) for text in texts}


def _read_all(benchmark: Benchmark) -> list[tuple[Question, Asked]]:
    return [(question, read(prompt)) for question, prompt in prompts(benchmark)]


def _opening(stem: str) -> str:
    return stem.split()[0]


def _class_in(stem: str) -> str:
    return next((name for name in CLASSES if re.search(rf"\b{name}\b", stem)), "")


def _content(option: str) -> str:
    """What an option says: of an interval, how long it is."""
    frames = re.findall(r"\d+", option)
    return str(int(frames[1]) - int(frames[0])) if len(frames) == 2 else option
