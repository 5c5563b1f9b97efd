"""How well judges agree with people: scipy and definitions by hand as oracles, and what cannot be said."""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from probe4d.diagnosis.agreement.concordance import FIGURES, ComparedScores
from probe4d.diagnosis.agreement.with_people import (
    AGREEMENT_SCHEMA,
    Agreement,
    JudgeLabels,
    agreement_table,
    judge_agreement,
    write_agreement,
)

Scores = npt.NDArray[np.float64]

SEED = 5
VERDICTS = st.lists(st.tuples(st.integers(0, 10), st.integers(0, 10)), min_size=2, max_size=30)


def by_categories(human: Scores, judge: Scores, scale: int = 10) -> float:
    """Quadratic weighted kappa as scikit-learn computes it, from a table of categories."""
    table = np.zeros((scale + 1, scale + 1))
    for one, other in zip(human.astype(int), judge.astype(int), strict=True):
        table[one, other] += 1
    expected = np.outer(table.sum(axis=1), table.sum(axis=0)) / table.sum()
    weights = np.subtract.outer(np.arange(scale + 1), np.arange(scale + 1)) ** 2
    with np.errstate(invalid="ignore"):
        return float(1 - (weights * table).sum() / (weights * expected).sum())


def by_the_book(human: Scores, judge: Scores) -> list[float]:
    """Figures of one sample, by scipy and by hand; NaN where one is not defined."""
    with warnings.catch_warnings(action="ignore"):  # of constant scores
        pearson = stats.pearsonr(human, judge).statistic if human.size > 1 else np.nan
        spearman = stats.spearmanr(human, judge).statistic if human.size > 1 else np.nan
    return [pearson, spearman, float(np.abs(human - judge).mean()), by_categories(human, judge)]


def agreement_of(human: Any, judge: Any, *, draws: int = 40, **more: Any) -> Agreement:
    human, judge = np.array(human, dtype=np.float64), np.array(judge, dtype=np.float64)
    items = [f"{number:04d}" for number in range(human.size)]
    (found,) = judge_agreement(JudgeLabels(items, human, {"judge": judge}, **more), draws=draws, seed=SEED)
    return found


def values(found: Agreement) -> list[float]:
    return [np.nan if found.figures[name].value is None else found.figures[name].value for name in FIGURES]


@given(pairs=VERDICTS)
def test_equals_scipy_and_the_table_of_categories(pairs: list[tuple[int, int]]) -> None:
    human, judge = np.array(pairs, dtype=np.float64).T
    found = agreement_of(human, judge, draws=1)
    assert found.n == len(pairs)
    assert values(found) == pytest.approx(by_the_book(human, judge), nan_ok=True, abs=1e-9)


@given(pairs=VERDICTS)
@settings(max_examples=10)
def test_intervals_are_those_of_a_loop_over_draws(pairs: list[tuple[int, int]]) -> None:
    human, judge = np.array(pairs, dtype=np.float64).T
    drawn = np.random.default_rng(SEED).integers(0, human.size, size=(40, human.size))
    samples = np.array([by_the_book(human[items], judge[items]) for items in drawn])
    for name, column in zip(FIGURES, samples.T, strict=True):
        told = column[~np.isnan(column)]
        figure = agreement_of(human, judge).figures[name]
        if told.size:
            assert (figure.low, figure.high) == pytest.approx(tuple(np.quantile(told, (0.025, 0.975))), abs=1e-9)
        else:
            assert figure.low is figure.high is None


def test_scores_between_whole_points_have_the_coefficient_of_concordance() -> None:
    human, judge = np.array([1.5, 7.25, 3.0, 9.9]), np.array([2.0, 6.5, 4.1, 9.0])
    moments = human.var() + judge.var() + (human.mean() - judge.mean()) ** 2
    expected = 2 * np.cov(human, judge, bias=True)[0, 1] / moments
    assert values(agreement_of(human, judge))[3] == pytest.approx(expected)


def test_scenes_are_drawn_whole() -> None:
    human, judge = np.arange(12.0) % 7, np.arange(12.0) % 5
    scenes = np.array(["b", "a", "c"])[np.arange(12) % 3]
    found = agreement_of(human, judge, scenes=scenes.tolist())
    drawn = np.random.default_rng(SEED).integers(0, 3, size=(40, 3))
    members = [np.flatnonzero(scenes == name) for name in "abc"]
    samples = [
        by_the_book(*(of[np.concatenate([members[one] for one in draw])] for of in (human, judge))) for draw in drawn
    ]
    for name, column in zip(FIGURES, np.array(samples).T, strict=True):
        figure = found.figures[name]
        assert (figure.low, figure.high) == pytest.approx(tuple(np.quantile(column, (0.025, 0.975))))
    assert found.notes == ("3 scenes cannot tell how far the figures would be off elsewhere.",)


def test_many_items_are_drawn_in_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    draw = np.random.default_rng(0)
    human, judge = draw.integers(0, 11, 60), draw.integers(0, 11, 60)
    whole = agreement_of(human, judge)
    monkeypatch.setattr("probe4d.diagnosis.agreement.with_people._WEIGHTS_AT_ONCE", 7 * 60)
    assert agreement_of(human, judge) == whole


def test_nothing_depends_on_the_order_of_rows() -> None:
    draw = np.random.default_rng(0)
    human, judge = draw.integers(0, 11, 25).astype(np.float64), draw.uniform(0, 10, 25)
    items = [f"item {number}" for number in range(25)]
    turned = draw.permutation(25)
    (found,) = judge_agreement(JudgeLabels(items, human, {"judge": judge}), draws=20)
    mixed = JudgeLabels([items[place] for place in turned], human[turned], {"judge": judge[turned]})
    assert judge_agreement(mixed, draws=20) == [found]


def test_what_one_of_them_did_not_score_is_left_out_and_counted() -> None:
    human, judge = [1, 2, np.nan, 4, 5, np.nan], [2, np.nan, 7, 4, 6, np.nan]
    found = agreement_of(human, judge)
    assert (found.n, found.unscored) == (3, 1)
    assert values(found) == pytest.approx(by_the_book(np.array([1.0, 4.0, 5.0]), np.array([2.0, 4.0, 6.0])))


def test_judges_do_not_depend_on_one_another() -> None:
    human, judge = np.arange(12.0) % 7, np.arange(12.0) % 5
    items = [f"{number:04d}" for number in range(12)]
    both = judge_agreement(JudgeLabels(items, human, {"other": human, "judge": judge}), draws=40, seed=SEED)
    assert [one.judge for one in both] == ["other", "judge"]
    assert both[1] == agreement_of(human, judge)
    assert [both[0].figures[name].low for name in FIGURES] == pytest.approx([1.0, 1.0, 0.0, 1.0])


class TestWhatCannotBeSaid:
    def test_constant_scores_have_no_correlation(self) -> None:
        found = agreement_of([3, 4, 5] * 4, [7.1] * 12)
        assert values(found)[:2] == pytest.approx([np.nan, np.nan], nan_ok=True)
        assert values(found)[2:] == pytest.approx([3.1, 0.0])
        assert found.figures["pearson"].low is None
        assert found.notes == ("it gives 7.1 to every item, so that there is no correlation.",)
        notes = agreement_of([7.1] * 12, [3, 4, 5] * 4).notes
        assert notes == ("people give 7.1 to every item, so that there is no correlation.",)

    def test_scores_that_are_all_alike_have_no_kappa(self) -> None:
        assert values(agreement_of([7.1] * 12, [7.1] * 12)) == pytest.approx([np.nan, np.nan, 0, np.nan], nan_ok=True)

    def test_one_item_has_a_difference_alone(self) -> None:
        found = agreement_of([3], [5])
        assert values(found)[:3] == pytest.approx([np.nan, np.nan, 2.0], nan_ok=True)
        assert all(figure.low is figure.high is None for figure in found.figures.values())
        assert found.notes == ("1 item cannot tell how far the figures would be off elsewhere.",)

    def test_no_item_that_both_scored(self) -> None:
        found = agreement_of([3, np.nan], [np.nan, 5])
        assert (found.n, found.unscored) == (0, 1)
        assert all(figure.value is None for figure in found.figures.values())
        assert found.notes == ("no item has both its score and that of people.",)

    def test_a_scale_of_its_own_has_correlations_alone(self) -> None:
        found = agreement_of([1, 5, 9, 4], [-0.3, 0.1, 0.9, 0.2], unscaled=frozenset({"judge"}))
        assert values(found)[0] == pytest.approx(stats.pearsonr([1, 5, 9, 4], [-0.3, 0.1, 0.9, 0.2]).statistic)
        assert values(found)[2:] == pytest.approx([np.nan, np.nan], nan_ok=True)


@pytest.mark.parametrize(("highest", "doubted"), [(1.0, True), (1.01, False), (0.0, False)])
def test_a_judge_of_another_scale_is_doubted(highest: float, doubted: bool) -> None:
    judge = [0.0, highest] * 6
    doubt = f"it gives no more than {highest:g} of 10; has it a scale of its own (unscaled=, --unscaled NAME)?"
    assert (doubt in agreement_of([3, 9] * 6, judge).notes) == doubted
    assert doubt not in agreement_of([3, 9] * 6, judge, unscaled=frozenset({"judge"})).notes
    assert doubt not in agreement_of([3, 9] * 6, judge, fingerprints={"judge": "computed here"}).notes


def test_no_name_is_a_formula(tmp_path: Path) -> None:
    labels = JudgeLabels(["a"], np.array([3.0]), {"=cmd|x": np.array([3.0])})
    write_agreement(judge_agreement(labels), tmp_path / "figures.csv", scale=10)
    assert (tmp_path / "figures.csv").read_text().splitlines()[1].startswith("'=cmd|x,pearson")


def test_the_table_reads_back(tmp_path: Path) -> None:
    found = [agreement_of([1, 5, 9, 4], [2, 5, 8, 4]), agreement_of([3, 3], [3, 3])]
    table = agreement_table(found, scale=10)
    assert table.height == 8
    assert table.filter(pl.col("metric") == "mean_absolute_difference")["value"].to_list() == [0.5, 0.0]
    write_agreement(found, tmp_path / "figures.csv", scale=10)
    assert pl.read_csv(tmp_path / "figures.csv", schema=AGREEMENT_SCHEMA).equals(table)


def test_a_judge_that_always_says_the_same_agrees_by_chance_alone() -> None:
    human = np.arange(30.0) % 11
    draws = np.random.default_rng(0).multinomial(30, np.full(30, 1 / 30), size=50).astype(float)
    figures = ComparedScores(human, np.full(30, 7.3)).figures(draws)
    assert (figures[:, -1] == 0).all()
