"""Rules that say what is wrong with a dataset, and the inspection that asks them all."""

from __future__ import annotations

from probe4d.scenes.sanity import (  # noqa: F401 - each registers its rules
    cameras,
    chains,
    files,
    labels,
    scenes,
    sensors,
    structure,
    times,
    tracks,
    values,
)
from probe4d.scenes.sanity.inspection import Finding, Inspection, Unchecked, inspect
from probe4d.scenes.sanity.rule import Rule, Severity, rules
from probe4d.scenes.sanity.summary import Summary

__all__ = ["Finding", "Inspection", "Rule", "Severity", "Summary", "Unchecked", "inspect", "rules"]
