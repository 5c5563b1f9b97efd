"""Answers that are intervals: how much they overlap the truth, what controls get, and what runs changed."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from diagnosis_making import question, run_of
from hypothesis import given
from hypothesis import strategies as st

from making import benchmark_of
from probe4d.benchmarks.benchmark import Benchmark
from probe4d.benchmarks.question import Question
from probe4d.diagnosis.controls.runs import control_model
from probe4d.diagnosis.diagnose import Diagnosis, diagnose
from probe4d.diagnosis.intervals.scores import THRESHOLDS, overlaps_of
from probe4d.diagnosis.sheets.intervals import UNREAD, make_interval_sheet, to_codes
from probe4d.diagnosis.statistics.interval_overlaps import half_open_iou, inclusive_iou
from probe4d.diagnosis.watching import Watch
from probe4d.diagnosis.writing import write_tables
from probe4d.errors import InputError
from probe4d.runs.ask import ask
from probe4d.runs.run import Answer

FRAMES = st.integers(min_value=0, max_value=40)
INTERVALS = st.tuples(FRAMES, FRAMES).map(lambda ends: (min(ends), max(ends)))


def asked(number: int, answer: str, **fields: Any) -> Question:
    """A question for an interval, by default of the window from frame 0 to frame 8."""
    about = {
        "format": "interval",
        "suite": "b4dl",
        "family": "time-grounding",
        "template": "time-grounding",
        "options": (),
        "frames": tuple(range(0, 9, 2)),
        "context": "9",
    }
    return question(number, answer, **about | fields)


def value(diagnosis: Diagnosis, run: str, metric: str, family: str = "all", relation: str = "all") -> float:
    """One figure of intervals."""
    found = diagnosis.figures.filter(run=run, metric=metric, family=family, format="interval", relation=relation)
    assert found.height == 1, (run, metric, family, relation)
    return float(found["value"][0])


GOLDEN = (
    # answer, reference, inclusive, half-open
    ((0, 8), (0, 8), Fraction(1), Fraction(1)),
    ((3, 9), (3, 8), Fraction(6, 7), Fraction(5, 6)),
    ((0, 4), (4, 8), Fraction(1, 9), Fraction(0)),
    ((0, 3), (4, 8), Fraction(0), Fraction(0)),
    ((2, 6), (0, 8), Fraction(5, 9), Fraction(1, 2)),
    ((5, 5), (5, 5), Fraction(1), Fraction(0)),
    ((5, 6), (5, 5), Fraction(1, 2), Fraction(0)),
    ((5, 5), (4, 6), Fraction(1, 3), Fraction(0)),
    ((0, 9), (3, 5), Fraction(3, 10), Fraction(2, 9)),
    ((0, 9), (0, 6), Fraction(7, 10), Fraction(2, 3)),
    ((-1, -1), (0, 8), Fraction(0), Fraction(0)),
    ((-1, -1), (0, 0), Fraction(0), Fraction(0)),
)
"""Worked out by hand; the fourth but last stands on the threshold 0.3, the one behind it on 0.7."""


def test_overlaps_are_those_worked_out_by_hand() -> None:
    said, references = (np.array([row[place] for row in GOLDEN]) for place in (0, 1))
    assert inclusive_iou(said, references).tolist() == [float(row[2]) for row in GOLDEN]
    assert half_open_iou(said, references).tolist() == [float(row[3]) for row in GOLDEN]


def by_counting(one: tuple[int, int], other: tuple[int, int]) -> tuple[Fraction, Fraction]:
    """Both overlaps from sets: of frames, and of the steps between them."""
    shares = []
    for last in (1, 0):
        sets = [set(range(first, end + last)) for first, end in (one, other)]
        union = sets[0] | sets[1]
        shares.append(Fraction(len(sets[0] & sets[1]), len(union)) if union else Fraction(0))
    return shares[0], shares[1]


@given(st.lists(st.tuples(INTERVALS, INTERVALS, st.booleans()), min_size=1, max_size=12))
def test_amounts_are_those_of_counting_frames(pairs: list[tuple[tuple[int, int], tuple[int, int], bool]]) -> None:
    made = benchmark_of([asked(place, f"{truth[0]}-{truth[1]}") for place, (_, truth, _) in enumerate(pairs)])
    said = np.array([answer if readable else (-1, -1) for answer, _, readable in pairs]).T
    codes = np.where(said[0] < 0, UNREAD, to_codes(*said))
    amounts = overlaps_of(make_interval_sheet(made).answered(["m"], [codes]))
    assert amounts["interval_parse_rate"][0].tolist() == [float(readable) for *_, readable in pairs]
    shares = [by_counting(answer, truth) if readable else (Fraction(0),) * 2 for answer, truth, readable in pairs]
    for place, convention in enumerate(("inclusive", "half_open")):
        own = [share[place] for share in shares]
        assert amounts[f"interval_miou_{convention}"][0].tolist() == [float(share) for share in own]
        for threshold in THRESHOLDS:
            found = amounts[f"interval_recall_{threshold}_{convention}"][0]
            assert found.tolist() == [float(share >= Fraction(str(threshold))) for share in own]


@pytest.fixture(scope="module")
def windows() -> Benchmark:
    """Six scenes: of windows of nine frames the whole is right, wherever they begin; of shorter ones frames 1 to 2."""
    made = []
    for scene in range(6):
        name, start = f"s{scene}", 5 * scene
        whole = {"scene": name, "frames": (start, start + 8)}
        made += [asked(10 * scene + place, f"{start}-{start + 8}", **whole) for place in range(2)]
        made.append(asked(10 * scene + 2, "1-2", scene=name, frames=(start, start + 4), context="5"))
    made.append(asked(90, "7-9", scene="s0", frames=(0, 40), context="41"))
    return benchmark_of(made)


@pytest.fixture(scope="module")
def diagnosis(windows: Benchmark) -> Diagnosis:
    """A run that is right in even scenes, and one that names frames 0 to 8 whatever is asked."""
    return diagnose(
        windows,
        [
            run_of("knows", windows, lambda one: "frames " + (one.answer if int(one.scene[1]) % 2 == 0 else "unclear")),
            run_of("prior", windows, lambda one: "from frame 000 to frame 008."),
        ],
    )


def test_no_answer_is_worth_nothing(diagnosis: Diagnosis) -> None:
    assert value(diagnosis, "knows", "interval_miou_inclusive") == 10 / 19
    assert value(diagnosis, "knows", "interval_parse_rate") == 10 / 19
    rows = diagnosis.figures.filter(run="knows", metric="interval_miou_inclusive")
    assert rows["relation"].to_list() == ["template:time-grounding", "all", "all"]
    assert rows["low"].null_count() == 0
    assert (rows["low"] <= rows["value"]).all()
    assert (rows["value"] <= rows["high"]).all()


def test_the_control_knows_the_prior_of_the_context(windows: Benchmark, diagnosis: Diagnosis) -> None:
    said = diagnosis.intervals.join(
        windows.table.select("id", "context", "scene"), left_on="question", right_on="id"
    ).filter(run="control:content")
    whole = said.filter(context="9")
    assert (whole["iou_inclusive"] == 1.0).all()  # the whole window, wherever it begins
    assert said.filter(context="5").select("first", "last").unique().rows() == [(1, 2)]
    assert said.filter(context="41").select("first", "last").rows() == [(1, 2)]  # unknown: that of the template
    fixed = diagnosis.intervals.filter(run="control:fixed").select("first", "last").unique()
    assert fixed.rows() == [(1, 2)]
    assert value(diagnosis, "control:content", "interval_whole_window") == 12 / 19


def test_words_alone_tell_what_the_control_gets(diagnosis: Diagnosis) -> None:
    words = diagnosis.words_alone.filter(format="interval").row(0, named=True)
    assert (words["metric"], words["control"], words["chance"]) == ("interval_miou_inclusive", "control:content", None)
    assert words["value"] == pytest.approx(value(diagnosis, "control:content", "interval_miou_inclusive"))
    assert words["fixed"] == pytest.approx(value(diagnosis, "control:fixed", "interval_miou_inclusive"))
    assert words["known"] == pytest.approx(18 / 19)


def test_runs_are_compared_pair_by_pair(diagnosis: Diagnosis) -> None:
    one, other = (value(diagnosis, run, "interval_miou_inclusive") for run in ("knows", "prior"))
    for metric, expected in (("change", other - one), ("of_first", other), ("of_second", one)):
        assert value(diagnosis, "prior vs knows", f"interval_miou_inclusive_{metric}") == pytest.approx(expected)
    assert value(diagnosis, "prior vs knows", "answers_alike") == 2 / 19
    assert diagnosis.changes.is_empty()


def windows_of_three_lengths() -> Benchmark:
    """Windows of 5, 7 and 9 frames that begin anywhere; the truth is two of the first five frames."""
    made, rng = [], np.random.default_rng(5)
    for place in range(360):
        start, length = int(rng.integers(30)), int(rng.choice((5, 7, 9)))
        first = start + int(rng.integers(4))
        frames = tuple(range(start, start + length, 2))
        about = {"scene": f"s{place % 24:02d}", "frames": frames, "context": str(length)}
        made.append(asked(place, f"{first}-{first + 1}", **about))
    return benchmark_of(made)


def test_who_names_the_whole_window_follows_its_length() -> None:
    made = windows_of_three_lengths()
    whole = run_of("whole", made, lambda one: f"from frame {one.frames[0]:03d} to frame {one.frames[-1]:03d}")
    constant = run_of("constant", made, lambda one: "frames 0-8")
    diagnosis = diagnose(made, [whole, constant, run_of("knows", made, lambda one: f"frames {one.answer}")])
    named = diagnosis.shortcuts.filter("named", ~pl.col("run").str.starts_with("control:"))
    assert named.select("run", "format", "feature").rows() == [("whole", "interval", "context")]
    assert named["rule"][0].count("from the first asked about") == 3
    assert diagnosis.figures.filter(metric="shortcut_share", run="whole")["value"].to_list() == [1.0]
    rules = diagnosis.shortcuts.filter(run="constant")["rule"]
    assert all(rule.startswith("answers frames 0 to 8 whatever") for rule in rules)


def test_controls_learn_from_another_benchmark(windows: Benchmark) -> None:
    made = benchmark_of([asked(200, "3-9", scene="new", frames=(3, 11))])
    learned = diagnose(made, [], fit_controls=windows).intervals
    assert learned.select("run", "first", "last").rows() == [("control:fixed", 1, 2), ("control:content", 3, 11)]
    with pytest.raises(InputError, match="holds no interval questions"):
        diagnose(made, [], fit_controls=benchmark_of([question(1, "Yes", suite="b4dl")]))


@pytest.mark.parametrize("name", ["control:fixed", "control:content"])
def test_a_control_asked_is_the_control_beside_runs(windows: Benchmark, name: str, tmp_path: Path) -> None:
    again = diagnose(windows, [ask(windows, tmp_path / "run", model=control_model(windows, name))]).intervals
    own, beside = (again.filter(run=run).select("first", "last", "state") for run in ("run", name))
    assert own.equals(beside)


def test_a_diagnosis_writes_intervals_only_where_there_are_some(diagnosis: Diagnosis, tmp_path: Path) -> None:
    write_tables(diagnosis, tmp_path)
    table = pl.read_parquet(tmp_path / "intervals.parquet")
    assert table.height == 4 * 19
    other = benchmark_of([question(1, "Yes")])
    write_tables(diagnose(other, []), tmp_path)
    assert not (tmp_path / "intervals.parquet").exists()


def test_who_watches_a_run_is_told_of_intervals_that_cannot_be_read(windows: Benchmark) -> None:
    watch = Watch(windows, model="test/made")
    for place, one in enumerate(windows.questions):
        watch.see(Answer(question=one.id, text="frames 3-9" if place else "throughout"))
    assert dict(watch.states) == {"valid": 18, "ambiguous": 1}


@pytest.mark.parametrize("answer", ["9-3", "3", "from frame 003 to frame 009", "a-b", "-1-3"])
def test_a_reference_that_is_no_interval_is_refused(answer: str) -> None:
    with pytest.raises(InputError, match="no interval of key frames"):
        diagnose(benchmark_of([asked(1, answer)]), [])
