"""How high judges score free answers, family by family, with the answers beside their scores."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import polars as pl

from probe4d.benchmarks.question import TEXT
from probe4d.benchmarks.quoting import with_visible_characters
from probe4d.diagnosis.judging.judgements import JudgeRecord
from probe4d.diagnosis.side_by_side import in_order
from probe4d.diagnosis.tables import Diagnosis
from probe4d.report import charts
from probe4d.report.evidence_shown import shown_in_words
from probe4d.report.lookup import Figure, Lookup, asked_freely
from probe4d.report.replies import cut_off
from probe4d.report.sections.part import (
    Column,
    Key,
    Section,
    Table,
    count,
    dot_chart,
    number_columns,
    prose_columns,
    share,
    word_columns,
)
from probe4d.wording import amount, counted

__all__ = ["judged"]

MOST_ANSWERS = 120
"""Answers that the section lists; the browser of questions holds the others."""

_MOST_CHARACTERS = 600


def judged(diagnosis: Diagnosis, lookup: Lookup, *, most_answers: int = MOST_ANSWERS) -> Section:
    """Chart the mean score of each family and in all; the tables add what is behind it, and answers with scores.

    Args:
        diagnosis: The answers.
        lookup: The figures.
        most_answers: Answers listed at most.
    """
    judges = diagnosis.judges
    drawn, rows = [], []
    for family in ("all", *lookup.families):
        found = [
            (name, figure)
            for name in judges
            if (figure := lookup.get(name, "judge_mean_all", family, TEXT)) is not None
        ]
        if not found:
            continue
        title = asked_freely(family).capitalize()
        drawn.append(_chart(title, found, judges))
        rows += [_row(title, name, figure, family, lookup, judges[name]) for name, figure in found]
    rows += [
        _macro_row(name, figure, judges[name])
        for name in judges
        if (figure := lookup.get(name, "judge_mean_all_macro", kind=TEXT)) is not None
    ]
    names = [run.name for run in diagnosis.runs]
    colours = {name: colour for name, colour in charts.run_colours(names).items() if name in judges}
    return Section(
        "judged",
        "How free answers are judged",
        "A dot is the mean score that a judge gave, as a part of the best one, the bar its 95 % interval (whole-scene "
        f"bootstrap). {_who(judges)} An answer that is empty, cut or missing counts 0, and not at all in the mean of "
        "valid answers; what a judge left unscored is in neither. A judge is a model: hold it against people before "
        "its scores decide anything.",
        drawn,
        Table(
            "Scores",
            (
                *word_columns("Questions", "Run"),
                *number_columns("Mean of all", "95 % interval", "n", "Mean of valid", "n", "Unscored"),
            ),
            rows,
        ),
        [Key("dot", colour, name) for name, colour in colours.items()],
        more=[_answers(diagnosis, most_answers)] if judges else [],
    )


def _who(judges: Mapping[str, JudgeRecord]) -> str:
    """Who judged, by which rubric, and what was shown, each way of judging once."""
    ways: dict[str, list[str]] = {}
    for name, record in judges.items():
        way = f"{record.model} by the rubric {record.rubric} (0 to {record.highest}), shown "
        ways.setdefault(way + shown_in_words(record.evidence), []).append(name)
    if len(ways) == 1:
        return "".join(f"The judge is {way}." for way in ways)
    return " ".join(f"Of {', '.join(names)} it is {way}." for way, names in ways.items())


def _chart(title: str, found: Sequence[tuple[str, Figure]], judges: Mapping[str, JudgeRecord]) -> charts.Chart:
    told = []
    for name, figure in found:
        best = judges[name].highest
        low, high = (None if end is None else end / best for end in (figure.low, figure.high))
        of_best = Figure(figure.value / best, low, high, figure.n)
        told.append((name, of_best, f"{amount(figure.value)} of {best}"))
    return dot_chart(title, "Mean score", told, list(judges))


def _row(title: str, name: str, figure: Figure, family: str, lookup: Lookup, record: JudgeRecord) -> tuple[str, ...]:
    valid = lookup.get(name, "judge_mean_valid", family, TEXT)
    return (
        title,
        name,
        f"{amount(figure.value)} of {record.highest}",
        _bounds(figure),
        f"{figure.n:,}",
        "" if valid is None else amount(valid.value),
        count(valid),
        share(lookup.get(name, "unscored_share", family, TEXT)),
    )


def _macro_row(name: str, figure: Figure, record: JudgeRecord) -> tuple[str, ...]:
    """The plain mean over families, which is of as many families as `n` says."""
    best = f"{amount(figure.value)} of {record.highest}"
    return ("Mean of families", name, best, _bounds(figure), f"{figure.n:,}", "", "", "")


def _bounds(figure: Figure) -> str:
    return "" if figure.low is None or figure.high is None else f"{amount(figure.low)} to {amount(figure.high)}"


def _answers(diagnosis: Diagnosis, most_answers: int) -> Table:
    """Answers with their scores: as many of each run, evenly from the lowest to the highest."""
    most = max(1, most_answers // len(diagnosis.judges))
    texts = diagnosis.benchmark.columns("id", "question", "answer").rename({"answer": "reference"})
    scored = diagnosis.judged.filter(state="scored").sort("score", maintain_order=True)
    scored = in_order(scored, "run", list(diagnosis.judges))
    place, n = pl.int_range(pl.len()).over("run"), pl.len().over("run")
    shown = scored.filter((place * most // n) != ((place - 1) * most // n))
    rows = shown.rename({"question": "id"}).join(texts, on="id", how="left", maintain_order="left")
    columns = [_shown(rows[name]) for name in ("question", "reference", "answer", "reason")]
    scores = [
        f"{amount(score)} of {diagnosis.judges[run].highest}" for run, score in rows.select("run", "score").iter_rows()
    ]
    names: tuple[Column, ...] = (*word_columns("Run"), *number_columns("Score"))
    listed = counted(rows.height, "scored answer")
    caption = f"{listed}, from the lowest score to the highest"
    if rows.height < scored.height:
        caption = f"{listed} of {scored.height:,}, evenly from the lowest score to the highest"
    return Table(
        caption,
        (*names, *prose_columns("Question", "Reference", "Answer", "The judge says")),
        list(zip(rows["run"], scores, *columns, strict=True)),
    )


def _shown(texts: pl.Series) -> list[str]:
    """Texts with what cannot be seen in them written out, and cut where they are long."""
    plain = texts.fill_null("").map_elements(with_visible_characters, return_dtype=pl.String)
    return cut_off(plain, plain.str.len_chars() > _MOST_CHARACTERS, _MOST_CHARACTERS).to_list()
