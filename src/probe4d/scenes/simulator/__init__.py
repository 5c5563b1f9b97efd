"""Simulated street scenes, written as a dataset in nuScenes format."""

from __future__ import annotations

from probe4d.scenes.simulator.simulate import VERSION, simulate

__all__ = ["VERSION", "simulate"]
