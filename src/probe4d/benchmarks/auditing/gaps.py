"""How far apart footprints are, by their edges: where none cross and none contains the other, corner to edge."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

__all__ = ["Corners", "footprint_corners", "footprint_gaps"]

Array = NDArray[np.float64]
Corners = NDArray[np.complex128]


def footprint_corners(centre: Array, size: Array, yaw: Array) -> Corners:
    """Corners of footprints, counter-clockwise, as complex numbers x + iy, shape (n, 4).

    Args:
        centre: Centres, metres, shape (n, 2 or more).
        size: Length and width, metres, shape (n, 2 or more).
        yaw: Direction of the length, radians, shape (n,).
    """
    half = (size[:, :1] + 1j * size[:, 1:2]) / 2
    corners = np.hstack([half, -half.conj(), -half, half.conj()])
    turned: Corners = (centre[:, :1] + 1j * centre[:, 1:2]) + corners * np.exp(1j * yaw)[:, None]
    return turned


def footprint_gaps(first: Corners, second: Corners) -> Array:
    """Shortest distances between footprints, row by row, metres, shape (n,); 0 where they meet.

    Args:
        first: Corners, as `footprint_corners` gives them, shape (n, 4).
        second: Corners of the others.
    """
    apart = np.minimum(_corners_to_edges(first, second), _corners_to_edges(second, first))
    meet = _edges_cross(first, second) | _contains(first, second) | _contains(second, first)
    gaps: Array = np.where(meet, 0.0, apart)
    return gaps


def _edges(corners: Corners) -> Corners:
    return np.roll(corners, -1, axis=1) - corners


def _cross(a: Corners, b: Corners) -> Array:
    crossed: Array = (a.conj() * b).imag
    return crossed


def _corners_to_edges(corners: Corners, others: Corners) -> Array:
    """Least distance from a corner of the one to an edge of the other, shape (n,)."""
    edge = _edges(others)[:, None]
    to_corner = corners[:, :, None] - others[:, None]
    share = np.clip((edge.conj() * to_corner).real / np.abs(edge) ** 2, 0, 1)
    least: Array = np.abs(to_corner - share * edge).min(axis=(1, 2))
    return least


def _edges_cross(first: Corners, second: Corners) -> NDArray[np.bool_]:
    """Whether an edge of the one crosses one of the other, shape (n,); one that only touches it does not."""
    edge, other = _edges(first)[:, :, None], _edges(second)[:, None]
    start, other_start = first[:, :, None], second[:, None]
    either_side = _cross(edge, other_start - start) * _cross(edge, other_start + other - start) < 0
    other_side = _cross(other, start - other_start) * _cross(other, start + edge - other_start) < 0
    crossed: NDArray[np.bool_] = np.any(either_side & other_side, axis=(1, 2))
    return crossed


def _contains(footprints: Corners, others: Corners) -> NDArray[np.bool_]:
    """Whether footprints contain the first corner of others, shape (n,)."""
    left_of = _cross(_edges(footprints), others[:, :1] - footprints) >= 0
    contained: NDArray[np.bool_] = np.all(left_of, axis=1)
    return contained
