"""`repeat:N`: every question with N seeds, which shows how much of an answer is chance."""

from __future__ import annotations

from probe4d.runs.settings.setting import Setting, Variant

__all__ = ["Repeat", "repeat"]


class Repeat(Setting):
    """Every question once for each seed, as `seed-0` and on; the seeds count up from that of the generation."""

    def variants_of(self, format: str, options: int) -> tuple[Variant, ...]:
        """As many seeds as the setting counts."""
        return tuple(Variant(f"seed-{offset}", seed_offset=offset) for offset in range(self.count))


def repeat(count: int) -> Setting:
    """The setting with this many seeds."""
    return Repeat(f"repeat:{count}", varies="seed", count=count)
