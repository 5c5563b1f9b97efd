"""What is put to a model, whoever asks it, as one parameter of several verbs (see `probe4d.cli.groups`)."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from probe4d.cli import arguments as reading
from probe4d.cli import ask_options as options

if TYPE_CHECKING:
    from probe4d.benchmarks.benchmark import Benchmark
    from probe4d.models.presets import Preset
    from probe4d.runs.evidence_plan import EvidencePlan, EvidenceView
    from probe4d.runs.selection import Selection
    from probe4d.scenes.tables import Scenes

__all__ = ["Prompts"]


@dataclass(frozen=True)
class Prompts:
    """Which questions are put, how, and what is shown with them; the fields are options of the command line."""

    setting: options.SettingName = "default"
    families: options.Families = None
    sample: options.Sample = None
    sample_seed: options.SampleSeed = 42
    limit: options.Limit = None
    evidence: options.Evidence = None
    data: options.Data = None
    version: options.Version = None
    evidence_span: options.Span = None
    evidence_seed: options.EvidenceSeed = 42
    max_frames: options.MaxFrames = None
    max_side: options.MaxSide = None
    clip_side: options.ClipSide = None
    jpeg_quality: options.JpegQuality = None
    workers: options.Workers = None

    def selection(self) -> Selection | None:
        """The part of a benchmark that is asked; see `probe4d.cli.arguments.selection`."""
        return reading.selection(self.families, sample=self.sample, seed=self.sample_seed, limit=self.limit)

    def questions(self, benchmark: Path, shown: EvidencePlan) -> Benchmark:
        """Read of a benchmark what the command needs: the families that are asked.

        The questions of the others are read, too, where they may tell what would be right in the scenes that are shown.
        """
        from probe4d.benchmarks.benchmark import read_benchmark

        return read_benchmark(benchmark, (self.families or None) if shown.kind != "other-scene" else None)

    def evidence_plan(
        self, preset: Preset | None = None, *, usual: str = "none", usual_view: EvidenceView = "cameras"
    ) -> EvidencePlan:
        """What is shown; see `probe4d.cli.arguments.evidence_plan`.

        Args:
            preset: What options are filled from.
            usual: What is shown where the command does not say.
            usual_view: View of evidence that names none.
        """
        return reading.evidence_plan(
            usual if self.evidence is None else self.evidence,
            usual_view=usual_view,
            span=self.evidence_span,
            seed=self.evidence_seed,
            max_frames=self.max_frames,
            max_side_px=self.max_side,
            clip_side_px=self.clip_side,
            jpeg_quality=self.jpeg_quality,
            preset=preset,
        )

    def scenes(self, benchmark: Benchmark, plan: EvidencePlan) -> Scenes | None:
        """The scenes that evidence is taken from; see `probe4d.cli.arguments.scenes_shown`."""
        return reading.scenes_shown(benchmark, plan, self.data, self.version)
