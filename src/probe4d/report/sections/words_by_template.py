"""How much of each template can be answered from words alone."""

from __future__ import annotations

import polars as pl

from probe4d.diagnosis.controls.answerers import SETTLED, SETTLED_BY
from probe4d.diagnosis.statistics.bootstrap import FEW_SCENES
from probe4d.diagnosis.tables import Diagnosis
from probe4d.diagnosis.words_alone import ENOUGH, NEARLY_SOLVED, balance_shines_through, has_templates
from probe4d.report import charts
from probe4d.report.lookup import NARROW, WITHIN, Figure, percent
from probe4d.report.sections.part import (
    Key,
    Section,
    Table,
    figure_cells,
    number_columns,
    title_of,
    word_columns,
)
from probe4d.report.statement import Statement
from probe4d.wording import counted

__all__ = ["words_by_template"]

COLOUR = "control-content"


def words_by_template(diagnosis: Diagnosis) -> Section:
    """Chart what the controls get right of each template, a chart for each family and format.

    Without a family of several templates there is no chart: families are charted elsewhere.

    Args:
        diagnosis: What words alone give away.
    """
    drawn, rows = [], []
    told = diagnosis.words_alone if has_templates(diagnosis.words_alone) else diagnosis.words_alone.clear()
    for (family, kind), part in told.group_by("family", "format", maintain_order=True):
        title = title_of(str(family), str(kind))
        lines = part.select(
            name="template",
            false=pl.max_horizontal("chance", "fixed"),
            true="value",
            told=pl.col("value").map_elements(percent, return_dtype=pl.String),
        )
        words = "; ".join(f"{template} {value}" for template, value in lines.select("name", "told").iter_rows())
        drawn.append(charts.ranges(title, f"From words alone: {words}.", lines, COLOUR))
        for one in part.iter_rows(named=True):
            value, within, n = figure_cells(Figure(one["value"], one["low"], one["high"], one["n"]))
            if one["scenes"] < FEW_SCENES:
                within = counted(one["scenes"], "scene")
            chance = "" if one["chance"] is None else percent(one["chance"])
            solved = "yes" if one["nearly_solved"] else ""
            about = (title, one["template"], one["control"])
            shares = [one[name] for name in ("fixed", "known", "settled", "settled_value")]
            told_shares = ["" if one is None else percent(one) for one in shares]
            rows.append((*about, value, within, n, chance, *told_shares, solved))
    doubt = balance_shines_through(diagnosis.balanced_in_context, diagnosis.learned_from)
    source = "" if diagnosis.learned_from is None else " The controls learned from another benchmark."
    return Section(
        "templates",
        "What words alone give away",
        "A dot is what control:content gets right of a template's questions, all that the benchmark has; of questions "
        f"for a number, what control:median gets {WITHIN} of the truth. A ring is what guessing gets, or "
        "control:fixed where that is better. Where both meet, the words give nothing away; nearly solved is what they "
        f"get right in {NEARLY_SOLVED * 100:.0f}{NARROW}% or more, of {ENOUGH} questions at least. Learnable are the "
        "questions whose context, or one of whose options, is found in other scenes; settled those of contexts that "
        f"{SETTLED * 100:.0f}{NARROW}% or more of the questions in other scenes, {SETTLED_BY} at least, answer "
        f"alike. Of fewer than {FEW_SCENES} scenes their number stands in the place of an interval, which would be "
        f"too narrow.{source}",
        drawn,
        Table(
            "What words alone give away",
            (
                *word_columns("Questions", "Template", "Control"),
                *number_columns("Right", "95 % interval", "n", "By chance", "control:fixed", "Learnable"),
                *number_columns("Settled", "Right of settled"),
                *word_columns("Nearly solved"),
            ),
            rows,
        ),
        [Key("dot", COLOUR, "words alone"), Key("ring", COLOUR, "guessing, or always the same answer")],
        [] if doubt is None else [Statement("note", doubt)],
    )
