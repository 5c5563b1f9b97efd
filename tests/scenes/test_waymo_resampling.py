"""Frames chosen by time: the nearest to every step, none beyond the tolerance, gaps left open."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from probe4d.errors import InputError
from probe4d.scenes.waymo_format.resampling import RESAMPLED_SCHEMA, TOLERANCE_S, resampled

START_US = 1_600_000_000_000_000


def at(times_us: list[int | None]) -> pl.DataFrame:
    """Frames numbered 0, 1, … at times since a start."""
    absolute = [None if time is None else START_US + time for time in times_us]
    columns = {"frame": range(len(times_us)), "timestamp_us": absolute}
    return pl.DataFrame(columns, schema={"frame": pl.Int32, "timestamp_us": pl.Int64})


def frames_of(table: pl.DataFrame) -> list[int | None]:
    return table["frame"].to_list()


def test_every_fifth_frame_of_ten_a_second_is_two_a_second() -> None:
    chosen = resampled(at([100_000 * n for n in range(21)]))
    assert frames_of(chosen) == [0, 5, 10, 15, 20]
    assert chosen["step"].to_list() == [0, 1, 2, 3, 4]
    assert (chosen["timestamp_us"] - START_US).to_list() == [0, 500_000, 1_000_000, 1_500_000, 2_000_000]
    assert chosen["wanted_us"].equals(chosen["timestamp_us"].alias("wanted_us"))
    assert dict(chosen.schema) == RESAMPLED_SCHEMA


def test_steps_run_both_ways_from_the_anchor() -> None:
    chosen = resampled(at([100_000 * n for n in range(20)]), anchor=12)
    assert dict(chosen.select("step", "frame").iter_rows()) == {-2: 2, -1: 7, 0: 12, 1: 17}


def test_numbers_of_frames_do_not_count_and_neither_does_their_order() -> None:
    frames = at([100_000 * n for n in range(21)]).with_columns(frame=pl.lit(500) - pl.col("frame"))
    assert frames_of(resampled(frames.reverse())) == [500, 495, 490, 485, 480]


@pytest.mark.parametrize(("distance_us", "frame"), [(75_000, 1), (75_001, None), (-75_000, 1), (-75_001, None)])
def test_the_tolerance_is_met_to_the_microsecond(distance_us: int, frame: int | None) -> None:
    assert TOLERANCE_S == 0.075
    chosen = resampled(at([0, 500_000 + distance_us, 1_000_000]))
    assert frames_of(chosen) == [0, frame, 2]
    assert chosen["timestamp_us"].null_count() == (frame is None)


def test_a_gap_is_left_open_and_the_rest_keeps_its_steps() -> None:
    times = [100_000 * n for n in range(31) if not 9 <= n <= 16]
    chosen = resampled(at(times))
    assert (chosen["timestamp_us"] - START_US).to_list() == [0, 500_000, None, None, 2_000_000, 2_500_000, 3_000_000]
    assert chosen["step"].to_list() == list(range(7))


def test_of_two_equally_near_frames_the_earlier_is_taken() -> None:
    assert frames_of(resampled(at([0, 460_000, 540_000, 900_000]))) == [0, 1]
    assert frames_of(resampled(at([0, 500_000, 500_000]))) == [0, 1]


@given(
    st.lists(st.integers(0, 4_000_000), min_size=1, max_size=60),
    st.sampled_from([1.0, 2.0, 2.5, 4.0]),
    st.floats(0, 0.12),
    st.data(),
)
def test_each_step_has_the_nearest_frame_of_all(
    times_us: list[int], rate_hz: float, tolerance_s: float, data: st.DataObject
) -> None:
    frames = at(times_us)
    anchor = data.draw(st.integers(0, len(times_us) - 1))
    chosen = resampled(frames, rate_hz=rate_hz, tolerance_s=tolerance_s, anchor=anchor)
    all_us = frames["timestamp_us"].to_numpy()
    for step, wanted_us, frame, timestamp_us in chosen.iter_rows():
        assert wanted_us == all_us[anchor] + round(step * 1e6 / rate_hz)
        apart = np.abs(all_us - wanted_us)
        assert (frame is not None) == (apart.min() <= 1e6 * tolerance_s)
        if frame is not None:
            assert all_us[frame] == timestamp_us
            assert apart[frame] == apart.min()
            assert timestamp_us == all_us[apart == apart.min()].min()
    taken = [frame for frame in frames_of(chosen) if frame is not None]
    assert len(set(taken)) == len(taken)
    assert anchor in taken or times_us.count(times_us[anchor]) > 1
    assert chosen["step"].to_list() == list(range(chosen["step"][0], chosen["step"][-1] + 1))


def test_no_frames_are_no_steps() -> None:
    empty = resampled(at([]))
    assert empty.is_empty()
    assert dict(empty.schema) == RESAMPLED_SCHEMA


def test_a_frame_without_a_time_is_refused() -> None:
    with pytest.raises(InputError, match="frame 1 has no time"):
        resampled(at([0, None, 200_000]))


def test_times_that_cannot_be_of_one_sequence_are_refused() -> None:
    with pytest.raises(InputError, match=r"are 3,601 s apart"):
        resampled(at([0, 3_601_000_000]))
    with pytest.raises(InputError, match="apart"):
        resampled(pl.DataFrame({"frame": [0, 1], "timestamp_us": [-(2**63), 2**63 - 1]}))


def test_an_anchor_that_is_not_there_is_refused() -> None:
    with pytest.raises(InputError, match="there is no frame 7"):
        resampled(at([0, 100_000]), anchor=7)


@pytest.mark.parametrize(
    "options",
    [
        {"rate_hz": 0.0},
        {"rate_hz": -2.0},
        {"rate_hz": float("nan")},
        {"rate_hz": float("inf")},
        {"tolerance_s": -0.1},
        {"tolerance_s": float("nan")},
        {"tolerance_s": 0.25},
        {"rate_hz": 10.0},
    ],
)
def test_rate_and_tolerance_have_to_go_together(options: dict[str, float]) -> None:
    with pytest.raises(InputError, match="cannot be chosen: the rate has to be positive"):
        resampled(at([0, 100_000]), **options)
