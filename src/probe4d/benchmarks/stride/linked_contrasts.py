"""Which abilities the paper holds against one another (Fig. 4 a and b)."""

from __future__ import annotations

from probe4d.benchmarks.suite import LinkedContrast

__all__ = ["LINKED_CONTRASTS"]

LINKED_CONTRASTS: tuple[LinkedContrast, ...] = (
    LinkedContrast("positions recalled and motion reconstructed", "previous-position", ("recent-motion",)),
    LinkedContrast(
        "where things are and what they stop", "relative-position", ("physical-constraint", "drivable-region")
    ),
    LinkedContrast(
        "where the ego vehicle will be and what others will do", "future-ego-position", ("future-motion", "next-event")
    ),
)
"""TM-2 with TM-3; SP-2 with SU-1 and SU-2; TRJ-2 with TE-1 and TE-5."""
