"""The report as one page that opens offline: verdict, charts, tables, and every question with its picture."""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Iterator
from pathlib import Path

from probe4d.diagnosis.overview import parser_changes
from probe4d.diagnosis.tables import Diagnosis
from probe4d.diagnosis.writing import write_tables
from probe4d.report.browser import browser
from probe4d.report.drawing import environment, template_text
from probe4d.report.evidence_shown import shown_in_words
from probe4d.report.sections import sections
from probe4d.report.theme import DARK, LIGHT, css_variables
from probe4d.report.verdict import verdicts
from probe4d.scenes.tables import Scenes
from probe4d.store.files import write_text
from probe4d.version import __version__
from probe4d.wording import counted

__all__ = ["REPORT_FILE", "write_report"]

REPORT_FILE = "report.html"


def write_report(diagnosis: Diagnosis, out: Path | str, *, scenes: Scenes | None = None, page: bool = True) -> Path:
    """Write a report folder: the tables of `write_tables`, and `report.html`, which refers to nothing outside it.

    Args:
        diagnosis: What to report.
        out: The folder; made if needed, files of an earlier report are replaced.
        scenes: Scenes of the questions; with them every question embedded has its picture.
        page: Whether the page is written; without it an earlier one is removed, which would tell of other tables.

    Returns:
        Path of the page, or of figures.csv without one.

    Raises:
        InputError: The folder holds something else, or cannot be written to.
    """
    content = _rendered(diagnosis, scenes) if page else ""  # first, since a question may be faulty that it shows
    figures = write_tables(diagnosis, out)
    path = Path(out) / REPORT_FILE
    if not page:
        path.unlink(missing_ok=True)
        return figures
    write_text(path, content)
    return path


def _rendered(diagnosis: Diagnosis, scenes: Scenes | None) -> str:
    script = "".join(template_text(f"{part}.js") for part in ("elements", "pictures", "report"))
    benchmark = diagnosis.benchmark
    questions = browser(diagnosis, scenes)
    return (
        environment()
        .get_template("report.html")
        .render(
            benchmark=benchmark.record,
            questions_asked=counted(benchmark.height, "question"),
            scenes_asked_about=counted(benchmark.record.source.scenes, "scene"),
            runs=[run.name for run in diagnosis.runs],
            verdicts=verdicts(diagnosis),
            sections=sections(diagnosis),
            questions=questions,
            about=_about(diagnosis),
            warnings=diagnosis.warnings,
            version=__version__,
            css=template_text("report.css") + template_text("picture.css"),
            light=css_variables(LIGHT),
            dark=css_variables(DARK),
            script=script,
            # A hash instead of 'unsafe-inline': no other script runs, whatever text the page is given.
            script_hash=base64.b64encode(hashlib.sha256(script.encode()).digest()).decode(),
        )
    )


def _about(diagnosis: Diagnosis) -> dict[str, list[str]]:
    """What the report is of, by the name of what is told, and of each run all in one place."""
    told: dict[str, list[str]] = {}
    for name, line in (*_about_benchmark(diagnosis), *_about_runs(diagnosis)):
        told.setdefault(name, []).append(line)
    return told


def _about_benchmark(diagnosis: Diagnosis) -> Iterator[tuple[str, str]]:
    record = diagnosis.benchmark.record
    yield "suite", f"{record.suite}, version {record.version}"
    counts = (f"{family} {sum(formats.values()):,}" for family, formats in record.counts.items())
    yield "questions", f"{diagnosis.benchmark.height:,} ({', '.join(counts)})"
    source = record.source
    yield "dataset", f"{source.title}, {source.split}, {counted(source.scenes, 'scene')}"
    yield "dataset's licence", source.licence
    yield "benchmark fingerprint", record.fingerprint
    if diagnosis.learned_from is not None:
        yield "controls learned from the benchmark", diagnosis.learned_from
    if record.seed is not None:
        yield "seed", str(record.seed)
    for name, value in record.parameters.items():
        yield name.replace("_", " "), _plain(value)
    for reason, n in record.exclusions.items():
        yield "excluded", f"{n:,}: {reason}"
    for sentence in record.shortfalls:
        yield "short", sentence


def _about_runs(diagnosis: Diagnosis) -> Iterator[tuple[str, str]]:
    changes = parser_changes(diagnosis)
    yield "parser", diagnosis.parser
    if changes and not any(one.changed for one in changes):
        yield "parser", "The other parsers read every answer as this one does."
    for run in diagnosis.runs:
        asked = f"{run.record.model}, setting {run.record.setting}, {run.record.layout} layout"
        saw = "" if run.record.evidence is None else f", shown {shown_in_words(run.record.evidence)}"
        yield f"run {run.name}", asked + saw
        for change in changes:
            if change.run == run.name and change.changed:
                counts = f"{change.changed:,} of {change.n:,}"
                yield f"run {run.name}", f"The {change.parser} parser reads {counts} answers otherwise."
        if (judge := diagnosis.judges.get(run.name)) is not None:
            fingerprints = f"fingerprints {judge.judge[:12]} (judge), {judge.prompt[:12]} (prompt)"
            yield f"run {run.name}", f"judged by {judge.model}, rubric {judge.rubric}, {fingerprints}"
        for warning in run.warnings:
            yield f"run {run.name}", warning


def _plain(value: object) -> str:
    if value is None:
        return "none"
    return ("no", "yes")[value] if isinstance(value, bool) else str(value)
