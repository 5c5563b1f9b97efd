"""ADE and FDE of waypoints, against direct computations, and the tables that hold them."""

from __future__ import annotations

import json
from pathlib import Path

import msgspec
import numpy as np
import polars as pl
import pytest

import making
from probe4d.diagnosis.diagnose import diagnose
from probe4d.diagnosis.tables import Diagnosis
from probe4d.diagnosis.writing import write_tables
from probe4d.errors import InputError
from waypoint_making import BENCHMARK, QUESTIONS, answering, driven, figure, moved, unread_every, waypoint_question

RELATIONS = ("future-waypoints", "past-waypoints")
BEHIND = unread_every(3, moved(0.3))
"""An answerer that cannot be read in a third of its answers, and is 0.3 m off in the others."""


@pytest.fixture(scope="module")
def diagnosis() -> Diagnosis:
    return diagnose(BENCHMARK, [answering("right", lambda _, asked: asked.answer), answering("behind", BEHIND)])


def lists(relation: str) -> tuple[np.ndarray, np.ndarray]:
    """References of a relation, and which of them can be read in the answers of `behind`."""
    of = [(place, asked) for place, asked in enumerate(QUESTIONS) if asked.relation == relation]
    return np.array([json.loads(asked.answer) for _, asked in of]), np.array([place // 2 % 3 != 0 for place, _ in of])


@pytest.mark.parametrize("relation", RELATIONS)
def test_both_conventions_are_what_they_are_called(diagnosis: Diagnosis, relation: str) -> None:
    references, read = lists(relation)
    lengths = np.linalg.norm(references, axis=2)
    penalised = np.where(read[:, None], 0.3, lengths)
    for metric, value, n in (
        ("waypoint_parse_rate", read.mean(), 24),
        ("waypoint_ade_m_valid", 0.3, read.sum()),
        ("waypoint_fde_m_valid", 0.3, read.sum()),
        ("waypoint_ade_m_penalised", penalised.mean(), 24),
        ("waypoint_fde_m_penalised", penalised[:, -1].mean(), 24),
    ):
        row = figure(diagnosis, "behind", metric, relation)
        assert (row["value"], row["n"]) == (pytest.approx(value), n)
        assert row["low"] <= row["value"] + 1e-12
        assert row["high"] >= row["value"] - 1e-12


@pytest.mark.parametrize("relation", RELATIONS)
def test_the_same_rows_are_shared_by_runs_and_controls(diagnosis: Diagnosis, relation: str) -> None:
    references, read = lists(relation)
    standing = np.linalg.norm(references[read], axis=2)
    for run, value in (("right", 0.0), ("behind", 0.3), ("control:stationary", standing.mean())):
        row = figure(diagnosis, run, "waypoint_ade_m_shared", relation)
        assert (row["value"], row["n"]) == (pytest.approx(value), read.sum())
    last = figure(diagnosis, "control:stationary", "waypoint_fde_m_shared", relation)
    assert last["value"] == pytest.approx(standing[:, -1].mean())


def test_past_and_future_are_never_one(diagnosis: Diagnosis) -> None:
    assert set(diagnosis.figures["relation"]) == set(RELATIONS)
    assert set(diagnosis.figures["family"]) == {"trajectory"}


def test_who_stands_still_has_the_larger_ade_of_the_past(diagnosis: Diagnosis) -> None:
    # Oldest first: the last waypoint is the one next to the origin (STRIDE, Sec. 5.4, prints such figures).
    for relation, larger in zip(RELATIONS, (False, True), strict=True):
        ade, fde = (
            figure(diagnosis, "control:stationary", f"waypoint_{name}_m_penalised", relation)["value"]
            for name in ("ade", "fde")
        )
        assert (ade > fde) == larger


def test_constant_velocity_goes_straight_on_and_came_straight_here(diagnosis: Diagnosis) -> None:
    said = diagnosis.waypoints.filter(run="control:constant-velocity")
    for asked, points in zip(QUESTIONS, said["waypoints"], strict=True):
        times = 0.5 * np.arange(1, 6)
        times = times if asked.relation == "future-waypoints" else -times[::-1]
        straight = asked.facts["speed_mps"] * times
        assert np.allclose(points.to_list(), np.stack([straight, np.zeros(5)], axis=1))


def test_errors_by_time_are_those_at_it_and_up_to_it(diagnosis: Diagnosis) -> None:
    for relation in RELATIONS:
        references, _ = lists(relation)
        nearest_first = references if relation == RELATIONS[0] else references[:, ::-1]
        lengths = np.linalg.norm(nearest_first, axis=2)
        for step in range(5):
            time = f"{0.5 * (step + 1):g}s_valid"
            at = figure(diagnosis, "control:stationary", f"waypoint_l2_m_at_{time}", relation)
            up_to = figure(diagnosis, "control:stationary", f"waypoint_l2_m_up_to_{time}", relation)
            assert at["value"] == pytest.approx(lengths[:, step].mean())
            assert up_to["value"] == pytest.approx(lengths[:, : step + 1].mean())


def test_a_comparison_is_over_what_both_were_asked_and_keeps_them_paired(diagnosis: Diagnosis) -> None:
    assert not [one for one in diagnosis.warnings if "not compared" in one]
    for relation in RELATIONS:
        name = "behind vs right"
        change = figure(diagnosis, name, "waypoint_ade_m_penalised_change", relation)
        first = figure(diagnosis, name, "waypoint_ade_m_penalised_of_first", relation)
        assert change["value"] == pytest.approx(first["value"])
        both_read = figure(diagnosis, name, "waypoint_ade_m_valid_change", relation)
        assert (both_read["value"], both_read["n"]) == (pytest.approx(0.3), 16)
    assert diagnosis.changes.is_empty()


def test_every_answer_has_a_row_with_its_reason_and_errors(diagnosis: Diagnosis, tmp_path: Path) -> None:
    write_tables(diagnosis, tmp_path)
    table = pl.read_csv(tmp_path / "waypoints.csv")
    assert table.columns[:4] == ["run", "question", "variant", "relation"]
    assert "text" not in table.columns
    own = table.filter(run="behind")
    assert own["question"].to_list() == [asked.id for asked in QUESTIONS]
    assert own["parsed"].to_list() == [place // 2 % 3 != 0 for place in range(48)]
    unread = own.filter(~pl.col("parsed"))
    assert set(unread["reason"]) == {"gives no waypoints"}
    assert unread["ade_m"].null_count() == unread.height
    assert own["ade_m_penalised"].null_count() == 0
    kept = pl.read_parquet(tmp_path / "waypoints.parquet")
    assert kept.filter(run="behind")["text"][0] == "straight on"
    write_tables(diagnose(making.benchmark_of([making.question(0)]), []), tmp_path)
    assert not list(tmp_path.glob("waypoints.*"))


def test_questions_may_ask_for_different_numbers_of_waypoints() -> None:
    questions = [driven(0, steps=5), driven(2, steps=8)]
    benchmark = making.benchmark_of(questions)
    rows = [{"question": asked.id, "text": moved(1.0)(0, asked)} for asked in questions]
    one = diagnose(benchmark, [making.run_of("one", benchmark, rows)])
    assert figure(one, "one", "waypoint_ade_m_valid", RELATIONS[0])["value"] == pytest.approx(1.0)
    assert figure(one, "one", "waypoint_fde_m_valid", RELATIONS[0])["value"] == pytest.approx(1.0)
    assert not one.figures["metric"].str.contains("l2_m_at").any()
    assert one.waypoints.filter(run="one")["waypoints"].list.len().to_list() == [5, 8]


def test_a_speed_that_facts_do_not_tell_is_not_made_up() -> None:
    known, unknown = driven(0), waypoint_question(2, "future", [(1.0, 0.0)] * 5)
    both = diagnose(making.benchmark_of([known, unknown]), [])
    assert figure(both, "control:constant-velocity", "waypoint_parse_rate", RELATIONS[0])["value"] == 0.5
    without = diagnose(making.benchmark_of([unknown]), [])
    assert set(without.waypoints["run"]) == {"control:stationary"}


def test_runs_that_were_asked_others_have_controls_of_their_own() -> None:
    part = [{"question": asked.id, "text": asked.answer} for asked in QUESTIONS if asked.template == "TRJ-5"]
    run = making.run_of("part", BENCHMARK, part)
    both = diagnose(BENCHMARK, [answering("right", moved(0.0)), run], allow_missing=True)
    assert figure(both, "part", "waypoint_parse_rate", RELATIONS[1])["value"] == 0.0  # missing answers are unparsed
    missing = both.waypoints.filter(run="part", relation=RELATIONS[1])
    assert set(missing["state"]) == {"missing"}


@pytest.mark.parametrize(
    ("broken", "told"),
    [
        ({"answer": "[[1.0, 2.0], [3.0]]"}, "is no list of points"),
        ({"answer": "straight on"}, "is no list of points"),
        ({"answer": "[]"}, "reference without a point"),
        ({"facts": {"direction": "sideways"}}, "direction 'sideways'"),
        ({"facts": {"spacing_s": "half"}}, "facts that do not fit"),
    ],
)
def test_a_broken_reference_is_refused_with_its_question(broken: dict[str, object], told: str) -> None:
    asked = msgspec.structs.replace(QUESTIONS[0], **broken)
    with pytest.raises(InputError, match=told) as refused:
        diagnose(making.benchmark_of([asked]), [])
    assert asked.id in str(refused.value)


def test_a_reference_without_relation_is_told_apart_by_its_direction() -> None:
    asked = [msgspec.structs.replace(one, relation=None) for one in QUESTIONS[:2]]
    assert set(diagnose(making.benchmark_of(asked), []).figures["relation"]) == set(RELATIONS)
