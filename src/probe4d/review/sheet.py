"""The review sheet: one page that opens offline, in which people decide on questions, or answer them."""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import msgspec
import polars as pl

from probe4d.benchmarks.benchmark import Benchmark
from probe4d.benchmarks.facts import query_frame
from probe4d.benchmarks.question import Question, questions_from
from probe4d.diagnosis.judging.candidates import candidates_of
from probe4d.errors import InputError
from probe4d.evidence.pictures import PictureOptions
from probe4d.report.browser import script_safe
from probe4d.report.drawing import environment, template_text
from probe4d.report.lookup import in_words
from probe4d.report.measured import measured
from probe4d.report.reference import answer_in_words
from probe4d.report.theme import DARK, LIGHT, css_variables
from probe4d.review.decisions import Decisions, Mode, Proposal
from probe4d.review.pictures import SheetPictures, sheet_pictures
from probe4d.review.reasons import CANNOT_TELL, OF_ITEMS, OF_REFERENCES
from probe4d.review.sampling import sampled
from probe4d.runs.evidence_plan import EvidencePlan
from probe4d.runs.plan import RunPlan
from probe4d.runs.prepared import prepare
from probe4d.runs.run import Run
from probe4d.scenes.tables import Scenes
from probe4d.store.files import write_text
from probe4d.store.hashing import digest
from probe4d.version import __version__
from probe4d.wording import counted

__all__ = ["SHOWN", "Sheet", "write_review_sheet"]

SHOWN = EvidencePlan(
    kind="own",
    view="cameras",
    max_frames=16,
    pictures=PictureOptions(max_side_px=640, clip_side_px=360, jpeg_quality=85),
)
"""What a sheet shows where nothing else is said: the paper's grids (STRIDE, App. A.3)."""

_PACKAGE = "probe4d.review"

_ANSWERED = ("choice", "yes-no")
"""Formats that people answer on a sheet."""


class Sheet(NamedTuple):
    """A sheet that was written.

    Attributes:
        path: The page.
        questions: Number of questions in it.
        templates: Number of templates that they are of.
        pictures: Number of pictures embedded.
        unpictured: Why questions have no pictures, by their ids.
    """

    path: Path
    questions: int
    templates: int
    pictures: int
    unpictured: dict[str, str]


def write_review_sheet(
    benchmark: Benchmark,
    out: Path | str,
    *,
    scenes: Scenes | None = None,
    mode: Mode = "review",
    answers: Run | None = None,
    proposals: Mapping[str, Proposal] | None = None,
    per_template: int = 10,
    seed: int = 42,
    evidence: EvidencePlan = SHOWN,
    workers: int | None = None,
) -> Sheet:
    """Write a sheet of questions of every template (STRIDE, App. A.6).

    Args:
        benchmark: The questions.
        out: The HTML file.
        scenes: The scenes that pictures are taken from; without them questions are shown as text alone.
        mode: `review` shows references and what they were measured from, and asks for decisions; `answer` shows yes-no
            and choice questions without any of it, which the page does not hold either, and asks for answers.
        answers: Run whose answers to open questions are scored; without it their references are.
        proposals: What an audit proposes for references, by the question's id; these questions are in the sheet
            whether they are drawn or not.
        per_template: Most questions of a template.
        seed: Seed of the draw.
        evidence: What is shown with each question, where scenes are given.
        workers: Threads that render; null takes one for each processor.

    Raises:
        InputError: A number is below 1, there is no question to be shown, the run answers another benchmark, people
            who answer would see answers, the scenes are not those that the benchmark was built from, or the file
            cannot be written.
    """
    if mode == "answer" and (answers is not None or proposals):
        raise InputError(
            "people who answer see no model's answers and no proposals.", remedy="Leave them out, or write two sheets."
        )
    drawn = sampled(benchmark, per_template=per_template, seed=seed, formats=_ANSWERED if mode == "answer" else None)
    asked = tuple(dict.fromkeys([*drawn, *(benchmark.rows(list(proposals), "id")["id"] if proposals else ())]))
    rows = pl.DataFrame({"id": asked}).join(benchmark.rows(asked), on="id", maintain_order="left")
    questions = questions_from(rows, path=benchmark.file)
    shown = evidence if scenes is not None else EvidencePlan()
    prepared = prepare(Benchmark(rows, benchmark.record), RunPlan(evidence=shown), scenes=scenes)
    pictures = sheet_pictures(prepared, asked, workers=workers)
    given = {} if answers is None else _answers_given(answers, benchmark)
    decisions = Decisions(
        sheet=digest([benchmark.fingerprint, mode, asked, sorted(given.items())])[:16],
        benchmark=benchmark.fingerprint,
        mode=mode,
        answers_of=None if not given or answers is None else f"{answers.name} ({answers.record.model})",
        evidence=shown,
        asked=asked,
    )
    items = [_item(question, pictures, mode, given, proposals or {}) for question in questions]
    data = {
        "decisions": decisions,
        "items": items,
        "pictures": pictures.jpegs,
        "reasons": {"items": list(OF_ITEMS.items()), "references": dict(OF_REFERENCES)},
        "cannot_tell": CANNOT_TELL,
    }
    write_text(out, _page(benchmark, data, mode))
    templates = rows["template"].n_unique()
    return Sheet(Path(out), len(questions), templates, len(pictures.jpegs), pictures.reasons)


def _answers_given(run: Run, benchmark: Benchmark) -> dict[str, str]:
    """What a run answered to open questions, behind its thoughts, by their ids."""
    rows = candidates_of(run, benchmark).filter(pl.col("unfit").is_null()).unique("question", keep="first")
    return dict(rows.select("question", "answer").iter_rows())


def _item(
    question: Question,
    pictures: SheetPictures,
    mode: Mode,
    given: Mapping[str, str],
    proposals: Mapping[str, Proposal],
) -> dict[str, Any]:
    """A question as the page has it; where it is to be answered, without its answer and what tells of it."""
    labels, asked_about = pictures.labels.get(question.id, ()), query_frame(question)
    item: dict[str, Any] = {
        "id": question.id,
        "template": question.template,
        "kind": f"{in_words(question.family)}, {in_words(question.relation or question.template)}",
        "format": question.format,
        "scene": question.scene,
        "question": question.question or "The text of this question was not released.",
        "options": question.options or (("Yes", "No") if question.format == "yes-no" else ()),
        "lettered": bool(question.options),
        "pictures": pictures.of.get(question.id, ()),
        "labels": labels,
        "opened": labels.index(asked_about) if asked_about in labels else max(0, len(labels) - 1),
        "problem": pictures.problems.get(question.id),
    }
    if mode == "review":
        item |= {
            "reference": answer_in_words(question),
            "measured": measured(question),
            "shown_answer": given.get(question.id),
            "proposal": proposals.get(question.id),
        }
    return item


def _page(benchmark: Benchmark, data: Mapping[str, Any], mode: Mode) -> str:
    own = partial(template_text, package=_PACKAGE)
    script = template_text("elements.js") + "".join(own(f"{part}.js") for part in ("fields", "film", "review"))
    record = benchmark.record
    return (
        environment(_PACKAGE)
        .get_template("review.html")
        .render(
            title=f"{record.suite}: {'a review' if mode == 'review' else 'questions for people'}",
            mode=mode,
            of=f"{len(data['items']):,} of {counted(benchmark.height, 'question')} about {record.source.title}, "
            f"of {_kinds(data['items'])}",
            version=__version__,
            css=template_text("report.css") + own("review.css"),
            light=css_variables(LIGHT),
            dark=css_variables(DARK),
            data=script_safe(msgspec.json.encode(data).decode()),
            script=script,
            script_hash=base64.b64encode(hashlib.sha256(script.encode()).digest()).decode(),
        )
    )


def _kinds(items: Sequence[Mapping[str, Any]]) -> str:
    return counted(len({item["template"] for item in items}), "template")
