"""`permuted:K`: the options rotated K ways, so that who answers by position gives itself away."""

from __future__ import annotations

from probe4d.runs.settings.setting import Setting, Variant

__all__ = ["Permuted", "permuted"]


class Permuted(Setting):
    """A choice question once for each of the first rotations, as `rotation-0` and on; others as `rotation-0` alone."""

    def variants_of(self, format: str, options: int) -> tuple[Variant, ...]:
        """As many rotations as the setting counts, and no more than the question has options."""
        ways = min(self.count, max(options, 1)) if format == "choice" else 1
        return tuple(Variant(f"rotation-{rotation}", rotation=rotation) for rotation in range(ways))


def permuted(count: int) -> Setting:
    """The setting with this many rotations."""
    return Permuted(f"permuted:{count}", varies="options", count=count)
