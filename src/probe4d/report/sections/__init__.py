"""The parts of a report between the verdict and the questions: charts, and a table beside each."""

from __future__ import annotations

from probe4d.diagnosis.tables import Diagnosis
from probe4d.report.lookup import Lookup, labels_given
from probe4d.report.sections.accuracy import accuracy
from probe4d.report.sections.answers import answers_given
from probe4d.report.sections.averages import averages
from probe4d.report.sections.changes import changes
from probe4d.report.sections.intervals import intervals
from probe4d.report.sections.judged import judged
from probe4d.report.sections.linked import linked
from probe4d.report.sections.models import models
from probe4d.report.sections.numbers import numbers
from probe4d.report.sections.pairs import pairs
from probe4d.report.sections.part import Section
from probe4d.report.sections.relations import relations
from probe4d.report.sections.run_families import run_families
from probe4d.report.sections.shortcuts import shortcuts
from probe4d.report.sections.slices import slices
from probe4d.report.sections.text_metrics import text_metrics
from probe4d.report.sections.variants import variants
from probe4d.report.sections.waypoints import waypoints
from probe4d.report.sections.words_by_template import words_by_template

__all__ = ["sections"]


def sections(diagnosis: Diagnosis) -> list[Section]:
    """Make every part that has something to show, in reading order."""
    lookup, names = Lookup.of(diagnosis), diagnosis.answerers("labels")
    given = labels_given(diagnosis)
    made = (
        accuracy(lookup, names),
        numbers(diagnosis, lookup),
        intervals(diagnosis, lookup),
        waypoints(diagnosis, lookup),
        judged(diagnosis, lookup),
        text_metrics(diagnosis, lookup),
        averages(diagnosis),
        models(diagnosis),
        linked(diagnosis),
        run_families(diagnosis, lookup, names),
        variants(diagnosis, lookup, names),
        relations(lookup, names),
        answers_given(given, names),
        pairs(lookup, names),
        shortcuts(diagnosis, names),
        slices(diagnosis, names),
        words_by_template(diagnosis),
        changes(diagnosis, lookup),
    )
    return [section for section in made if section.charts]
