"""B4DL's pipeline with SmolLM2 behind a real server: it writes badly, and every reply is accounted for.

It sees no pictures, which its server leaves out, and hardly keeps to a form; what is held is that the pipeline runs to
its end, and that what is missing is told with reasons.
"""

from __future__ import annotations

import json
import subprocess
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from serving import Server

from generated_pairs import DESCRIPTION
from probe4d.benchmarks.b4dl.generation.pipeline import generated_pairs
from probe4d.benchmarks.b4dl.replies.faults import FAULTS
from probe4d.benchmarks.b4dl.sequences import drawn_sequences
from probe4d.benchmarks.b4dl.tasks import TASKS
from probe4d.benchmarks.generating import Generated, Prompt, Stage
from probe4d.models.course import Course
from probe4d.models.generation import Generation
from probe4d.runs.generating import HostedGenerator
from probe4d.scenes.opening import open_scenes

Command = Callable[..., "subprocess.CompletedProcess[str]"]


class DescribedBeforehand:
    """A generator whose descriptions are there, and whose pairs a model writes."""

    def __init__(self, writer: HostedGenerator) -> None:
        self.name = writer.name
        self._writer = writer

    def replies(self, stage: Stage, prompts: Sequence[Prompt]) -> dict[str, Generated]:
        """Descriptions alike for all, and the model's pairs."""
        if stage == "contexts":
            return {prompt.key: Generated(text=DESCRIPTION, finish_reason="stop") for prompt in prompts}
        return self._writer.replies(stage, prompts)

    def redacted(self, text: str) -> str:
        """As the model's generator does."""
        return self._writer.redacted(text)


def lines_of(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text().splitlines()]


def test_descriptions_that_are_cut_off_are_told_and_not_used(
    here: Command, photographed: Path, smollm2_server: Server, tmp_path: Path
) -> None:
    asked = (
        *("build", "b4dl", photographed, "--out", tmp_path / "bench", "--sequences-per-scene", 1),
        *("--model", f"openai-api/local/{smollm2_server.model}", "--base-url", smollm2_server.base_url),
        *("--image-side", 64, "--max-tokens", 8, "--temperature", 0),
    )
    done = here(*asked)
    assert done.returncode == 1
    assert "no pair could be taken from the replies (" in done.stderr
    for reason in ("no text that can be used", "cut off at the limit of tokens, and asked for once more"):
        assert f"2 × descriptions: {reason}" in done.stderr
    assert "the description was cut at its limit; asked for once more, and shorter, it was cut again" in done.stderr
    kept = (tmp_path / "bench-generated" / "contexts.jsonl").read_bytes()
    lines = lines_of(tmp_path / "bench-generated" / "contexts.jsonl")
    assert [line["key"] for line in lines] == ["sim-0001/0/front", "sim-0001/0/rear"]
    assert all(line["tokens"] == 8 and line["input_tokens"] > 200 and line["evidence"] for line in lines)
    assert not (tmp_path / "bench").exists()
    assert here(*asked).returncode == 1
    assert (tmp_path / "bench-generated" / "contexts.jsonl").read_bytes() == kept


def test_pairs_come_out_or_are_short_with_reasons(photographed: Path, smollm2_server: Server, tmp_path: Path) -> None:
    scenes = open_scenes(photographed)
    writer = HostedGenerator(
        f"openai-api/local/{smollm2_server.model}",
        tmp_path / "generated",
        root=scenes.root,
        dataset=scenes.fingerprint,
        base_url=smollm2_server.base_url,
        generation=Generation(temperature=0, max_tokens=60),
        course=Course(max_connections=1),
    )
    sequences = drawn_sequences(scenes, seed=1, per_scene=1)
    tasks = ("existence",)
    asked = (sequences, scenes, DescribedBeforehand(writer))
    found = generated_pairs(*asked, tasks=tasks, phrases={}, longest_side_px=64)
    wanted = TASKS["existence"].pairs
    missing = (found.short["wanted"] - found.short["pairs"]).sum()
    assert found.pairs.height + missing == wanted
    assert set(found.faults["kind"]) <= set(FAULTS)
    assert all(found.short["why"].str.len_chars() > 0)
    assert [line["key"] for line in lines_of(tmp_path / "generated" / "pairs.jsonl")] == ["sim-0001/0/existence"]
    again = generated_pairs(*asked, tasks=tasks, phrases={}, longest_side_px=64)
    assert again.pairs.equals(found.pairs)
    assert again.faults.equals(found.faults)
