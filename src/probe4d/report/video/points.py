"""Points as dots in a picture, the nearest on top."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from probe4d.report.video.viewpoints import Viewpoint

__all__ = ["draw_points"]

_BEHIND_M = 0.5
_DOT_M = 0.11
"""Size of a dot in perspective; it has one to three pixels."""
_LARGEST_PX = 3


def draw_points(
    canvas: NDArray[np.uint8], points_m: NDArray[np.floating], colours: NDArray[np.uint8], viewpoint: Viewpoint
) -> None:
    """Draw points into a picture.

    Args:
        canvas: Red, green and blue, shape (height, width, 3); changed.
        points_m: In the frame that the viewpoint sees, metres, shape (n, 3).
        colours: Shape (n, 3).
        viewpoint: From where they are seen.
    """
    height, width = canvas.shape[:2]
    in_view = viewpoint.in_view(points_m)
    with np.errstate(invalid="ignore", over="ignore"):
        places = np.floor(viewpoint.pixels(in_view))
    shown = ((places >= 0) & (places < (width, height))).all(axis=1)
    if viewpoint.is_perspective:
        shown &= in_view[:, 2] > _BEHIND_M
    kept = np.flatnonzero(shown)
    kept = kept[np.argsort(-in_view[kept, 2], kind="stable")]  # of equal places, what is written last stays
    across, down = places[kept].astype(np.intp).T
    sizes = _dot_px(in_view[kept, 2], viewpoint)
    flat = canvas.reshape(-1, 3)
    for size in range(1, _LARGEST_PX + 1):  # the farthest are the smallest, so that they come first
        own = np.flatnonzero(sizes == size)
        offsets = range(-((size - 1) // 2), size // 2 + 1)
        for step_down in offsets:
            for step_across in offsets:
                rows = np.clip(down[own] + step_down, 0, height - 1)
                columns = np.clip(across[own] + step_across, 0, width - 1)
                flat[rows * width + columns] = colours[kept[own]]


def _dot_px(away_m: NDArray[np.float64], viewpoint: Viewpoint) -> NDArray[np.intp]:
    scale = float(viewpoint.matrix[0, 0])
    if not viewpoint.is_perspective:
        return np.full(len(away_m), int(np.clip(round(_DOT_M * scale), 1, _LARGEST_PX)), dtype=np.intp)
    return np.clip(np.rint(_DOT_M * scale / away_m), 1, _LARGEST_PX).astype(np.intp)
