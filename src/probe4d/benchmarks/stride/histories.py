"""Where the ego vehicle was and how fast it is, in words: what `--ego-history text` gives to trajectory questions."""

from __future__ import annotations

from probe4d.benchmarks.stride.signals import Signals
from probe4d.benchmarks.stride.thresholds import FRAME_SPACING_S, PAST_POSITIONS
from probe4d.benchmarks.stride.windows import ego_window, in_ego_frame
from probe4d.wording import listed

__all__ = ["ego_histories"]


def ego_histories(signals: Signals) -> dict[tuple[str, int], str]:
    """The past positions and the speed at each key frame that has enough before it, as two sentences.

    Positions are in the ego frame of the query frame, metres, oldest first; open-loop planning is told this much as
    ego status.
    """
    window = ego_window(signals, -PAST_POSITIONS, -1)
    positions = in_ego_frame(signals, window.table, window.positions_m).tolist()
    rows = window.table.select("scene", "frame", "speed_mps").rows()
    return {(scene, frame): _worded(past, speed) for (scene, frame, speed), past in zip(rows, positions, strict=True)}


def _worded(past_m: list[list[float]], speed_mps: float) -> str:
    times = [f"{FRAME_SPACING_S * (len(past_m) - place):g} s ago at {_point(at)}" for place, at in enumerate(past_m)]
    return (
        "In the frame of the ego vehicle at the last picture (x ahead, y to the left, metres) the ego vehicle was "
        f"{listed(times)}. Its speed is {speed_mps:.1f} m/s."
    )


def _point(at: list[float]) -> str:
    x, y = (round(value, 1) + 0.0 for value in at)
    return f"[{x:.1f}, {y:.1f}]"
