"""What every export says of itself in a README.md: where it comes from, what binds it, what it leaves out."""

from __future__ import annotations

from probe4d.exchange.exports.items import Exported, left_out_lines
from probe4d.origins import licence_in_words
from probe4d.wording import counted

__all__ = ["INTERVAL_FIGURES", "NUMBER_FIGURES", "about", "readme"]

INTERVAL_FIGURES = """\
the mean intersection over union (`interval_miou`), the share of the answers that reach an overlap of 0.3, 0.5 and 0.7 \
(`interval_recall`), both with the last frame counted (`inclusive`) and not (`half_open`), and the share that can be \
read (`interval_parse_rate`); an answer that cannot be read is worth 0"""
"""What harnesses that score intervals of key frames give, as a part of a sentence."""

NUMBER_FIGURES = """\
the share within 75 to 125 % of the truth (`tolerance_accuracy`; an answer that cannot be read is not), the share that \
can be read (`valid_rate`) and, over those that can be, the mean absolute error in the unit of the question \
(`mean_absolute_error`), of angles also the shorter way round (`mean_absolute_error_wrapped`)"""
"""What harnesses that score numbers give, as a part of a sentence."""

_LICENCE_OF_PICTURES = (
    "The pictures are made from the sensor data of the source dataset and fall under its licence. Datasets such as "
    "nuScenes give their data only to those who have agreed to their terms: do not pass the pictures on to anybody "
    "else, and do not publish them."
)

_FREE_PICTURES = "The pictures are made from simulated sensor data, whose licence they share: they may be passed on."


def about(exported: Exported) -> str:
    """Where the questions come from, what binds them and what is not among them, as Markdown."""
    record, source = exported.record, exported.record.source
    lines = [
        f"- Suite {record.suite}, version {record.version}; benchmark fingerprint {record.fingerprint}",
        f"- Setting `{exported.setting.name}`, evidence `{exported.evidence}`",
        f"- {counted(len(exported.items), 'prompt')}, {counted(exported.pictures, 'different picture')}",
        f"- Dataset: {source.title}, split `{source.split}`",
        f"- Licence of the source, which binds the questions too: {source.licence}",
    ]
    lines += [f"- {line}" for line in left_out_lines(exported.left_out)]
    paragraphs = ["\n".join(lines)]
    if exported.pictures:
        is_free = licence_in_words(source.licence).identifier == "cc0-1.0"
        paragraphs.append(_FREE_PICTURES if is_free else _LICENCE_OF_PICTURES)
    return "\n\n".join(paragraphs)


def readme(exported: Exported, harness: str, how: str) -> str:
    """Text of the README.md of an export.

    Args:
        exported: What is exported.
        harness: Name of the harness, for the title.
        how: How it is used there, as Markdown.
    """
    title = f"# {exported.record.suite} for {harness}"
    return "\n\n".join([title, how, "## Source", about(exported)]) + "\n"
