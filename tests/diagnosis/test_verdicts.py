"""Guessing is not spoken for, and of features only what the tables carry is said."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable

import numpy as np
import polars as pl
import pytest
from diagnosis_making import benchmark_of, driving_benchmark, oracle, question, run_of

from probe4d.benchmarks.benchmark import Benchmark
from probe4d.benchmarks.question import LETTERS, Question
from probe4d.diagnosis.diagnose import diagnose
from probe4d.diagnosis.tables import SHORTCUTS_SCHEMA
from probe4d.report.followed import followed
from probe4d.report.lookup import Figure, Lookup, interval, points
from probe4d.report.statement import Statement
from probe4d.report.verdict import Verdict, verdicts
from probe4d.report.yes_to_claims import of_claims

# A small benchmark: 12 scenes, three families, text gives truth away in part.
SMALL = driving_benchmark(3, scenes=12, per_family=80)


def judged(benchmark: Benchmark, answerers: dict[str, Callable[[Question], str]]) -> dict[str, Verdict]:
    runs = [run_of(name, benchmark, answer) for name, answer in answerers.items()]
    diagnosis = dataclasses.replace(diagnose(benchmark, runs), comparisons=())
    return {verdict.run: verdict for verdict in verdicts(diagnosis) if verdict.run is not None}


def guesser(seed: int, yes: float) -> Callable[[Question], str]:
    rng = np.random.default_rng(seed)

    def answer(asked: Question) -> str:
        if asked.format == "choice":
            return LETTERS[int(rng.integers(len(asked.options)))]
        return "Yes" if rng.random() < yes else "No"

    return answer


@pytest.mark.parametrize(("scenes", "per_family"), [(12, 80), (5, 30)])
def test_guessers_are_not_spoken_for(scenes: int, per_family: int) -> None:
    benchmark = driving_benchmark(scenes, scenes=scenes, per_family=per_family)
    guessers = {f"{yes} {seed}": guesser(seed, yes) for yes in (0.5, 0.8) for seed in range(30)}
    praised = [
        name
        for name, verdict in judged(benchmark, guessers).items()
        if any(statement.tone == "good" for statement in verdict.statements)
    ]
    assert len(praised) <= 3  # 5 % of 60


def test_knowing_is_spoken_for_on_the_same_questions() -> None:
    tones = [statement.tone for statement in judged(SMALL, {"m": oracle})["m"].statements]
    assert tones.count("good") >= 3


def test_few_pairs_carry_no_sentence() -> None:
    same = {"question": "Does car exist in frame 003?", "entities": ("car",)}
    asked = [question(n, "Yes" if n % 2 else "No", scene=f"s{n}", **same) for n in range(38)]
    few, enough = (
        "\n".join(one.text for one in judged(benchmark_of(part), {"m": oracle})["m"].statements)
        for part in (
            asked[:36],
            [*asked, question(40, "Yes", scene="s40", **same), question(41, "No", scene="s41", **same)],
        )
    )
    assert "pairs with the same words" not in few
    assert "Of 20 pairs with the same words" in enough


def by_sector(asked: Question) -> str:
    return "Yes" if asked.relation in ("front", "left") else "No"


def leaning(seed: int, share: float) -> Callable[[Question], str]:
    """Follows the sector in this share of position questions, knows the truth otherwise."""
    rng = np.random.default_rng(seed)
    return lambda asked: by_sector(asked) if asked.family == "position" and rng.random() < share else asked.answer


def test_what_is_said_of_features_is_true_of_the_table() -> None:
    benchmark = driving_benchmark(5, scenes=40, per_family=1200)
    said_of = judged(
        benchmark, {"oracle": oracle, "half": leaning(1, 0.5), "most": leaning(2, 0.8), "all": leaning(3, 1.0)}
    )
    told = {name: "\n".join(one.text for one in verdict.statements) for name, verdict in said_of.items()}
    truth = "No single feature of the words explains its answers beyond what the truth explains."
    assert truth in told["oracle"]
    assert "much better than a constant" not in told["oracle"]
    assert truth not in told["half"]
    assert "the proposed sector predicts" in told["half"]
    assert "It leans on the words in part" in told["half"]
    assert "mostly follow the proposed sector." in told["most"]
    assert "follow the proposed sector alone, whatever the scene" in told["all"]


@pytest.mark.parametrize(
    ("lead", "over", "tone", "rests_on"),
    [
        ((0.0, -0.3, 0.3), (-0.4, -0.8, -0.1), "bad", "over"),
        ((0.0, -0.05, 0.05), (-0.1, -0.2, 0.1), "bad", "lead"),
        ((-0.5, -0.6, -0.4), (-0.9, -1.0, -0.8), "bad", "lead"),
        ((0.0, -0.3, 0.3), (-0.1, -0.4, 0.2), "note", "lead"),
        ((0.8, 0.7, 0.9), (0.01, -0.1, 0.1), "note", "both"),
        ((0.8, 0.7, 0.9), (0.3, 0.05, 0.5), "note", "both"),
        ((0.8, 0.7, 0.9), (0.3, 0.2, 0.4), "good", "both"),
    ],
)
def test_claims_are_told_with_the_difference_that_was_tested(
    lead: tuple[float, ...], over: tuple[float, ...], tone: str, rests_on: str
) -> None:
    given = {"tpr": (0.5, None, None), "fpr": (0.5, None, None), "yes_lead": lead, "yes_lead_over_words": over}
    rows = {("m", metric, "motion", "yes-no", "all"): Figure(*figure, 30) for metric, figure in given.items()}  # type: ignore[arg-type]
    rows |= {("words", rate, "motion", "yes-no", "all"): Figure(0.7, None, None, 30) for rate in ("tpr", "fpr")}
    own = pl.DataFrame({"family": ["motion"] * 2, "format": ["yes-no"] * 2, "label": ["Yes", "No"]})
    (told,) = of_claims(Lookup(rows, ("motion",)), own, "m", "words", seen=True)
    assert told.tone == tone
    for name, (value, low, high) in (("lead", lead), ("over", over)):
        printed = f"{points(value)}; {interval(Figure(value, low, high, 30), signed=True)}"
        assert (printed in told.text) == (rests_on in (name, "both"))


def shortcut(n: int, **row: object) -> pl.DataFrame:
    """A feature that predicts as many of the answers as of the true ones."""
    about = {"run": "m", "family": "existence", "format": "choice", "feature": "position", "rule": "takes the first"}
    shares = {"share": 1.0, "constant": 0.5, "excess": 0.5, "low": 0.4, "high": 0.6, "truth": 1.0}
    beyond = {"beyond": 0.0, "beyond_low": 0.0, "beyond_high": 0.0, "named": False}
    return pl.DataFrame([about | shares | beyond | {"n": n} | row], schema=SHORTCUTS_SCHEMA)


@pytest.mark.parametrize("row", [{}, {"truth": 0.6, "share": 0.9}])
def test_a_handful_of_answers_carries_no_note_on_a_feature(row: dict[str, object]) -> None:
    assert list(followed(shortcut(2, **row), {})) == []
    assert list(followed(shortcut(19, **row), {})) == []
    (told,) = followed(shortcut(20, **row), {})
    assert told.text.startswith("Existence choice questions: the position predicts ")
    both = pl.concat([shortcut(2, **row), shortcut(20, excess=0.0, low=-0.1, share=0.5, family="motion")])
    none = "No single feature of the words explains its answers beyond what the truth explains."
    assert list(followed(both, {})) == [Statement("note", none)]


def test_refusing_everything_is_said_first() -> None:
    statements = judged(SMALL, {"m": lambda asked: "I cannot answer that."})["m"].statements
    assert statements[0].text.startswith("100.0")
    assert "are no valid answer" in statements[0].text
