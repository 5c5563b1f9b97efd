"""The verdict in words: plain sentences, each said only if the figures carry it.

The tests behind them are those of LiDAR-Hallu, Sec. IV: constant answers, candidate content, exact-prompt
pairs, recall per relation and paired changes; shortcut attribution goes beyond it.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import polars as pl

from probe4d.diagnosis.comparing.run_families import one_model
from probe4d.diagnosis.controls.answerers import CONTENT, FIXED
from probe4d.diagnosis.side_by_side import control_beside
from probe4d.diagnosis.tables import Diagnosis
from probe4d.report.branches import of_branches
from probe4d.report.displacements import of_waypoints
from probe4d.report.evidence_shown import in_light_of_evidence, is_control_run, sees_its_scene
from probe4d.report.few_scenes import figures_to_judge_by, of_few_scenes, scenes_of
from probe4d.report.followed import followed
from probe4d.report.free_texts import of_texts
from probe4d.report.judged_scores import of_scores
from probe4d.report.lookup import (
    Figure,
    Lookup,
    asked,
    in_words,
    interval,
    labels_given,
    percent,
    points,
    relations_in_order,
)
from probe4d.report.nearness import of_numbers
from probe4d.report.overlaps import of_intervals
from probe4d.report.run_families import of_comparison
from probe4d.report.statement import FEW, ONE_ANSWER, Statement, Tone, excludes_chance, far_beyond
from probe4d.report.variants import of_variants
from probe4d.report.words_alone import of_the_benchmark
from probe4d.report.yes_to_claims import of_claims, of_pairs
from probe4d.runs.run import Run
from probe4d.scenes.geometry import SECTORS
from probe4d.wording import counted, listed

__all__ = ["Verdict", "verdicts"]

INVALID_RATE = 0.01
MOSTLY_READ = 0.5  # share of readable answers below which their lack comes first
NEARLY = 0.02  # difference in accuracy below which two answerers score nearly the same


@dataclass(frozen=True)
class Verdict:
    """What is to be said of one run, or of the benchmark itself where `run` is null.

    Attributes:
        run: The run.
        statements: What is said, in order.
        control: Whether it is a run that shows what another of its model depends on, and no try of its own.
    """

    run: str | None
    statements: tuple[Statement, ...]
    control: bool = False

    @property
    def count(self) -> str:
        """How many statements speak for and against, in words."""
        tones = [statement.tone for statement in self.statements]
        told = f"{tones.count('bad')} against, {tones.count('good')} for"
        return f"control, {told}" if self.control else told


def verdicts(diagnosis: Diagnosis) -> list[Verdict]:
    """Say in words what the figures of a diagnosis show: of each run, then of the benchmark."""
    scenes, lookup = scenes_of(diagnosis), figures_to_judge_by(diagnosis)
    given = labels_given(diagnosis)
    said = []
    for run in diagnosis.runs:
        control = is_control_run(diagnosis, run)
        few = of_few_scenes(scenes[run.name]) if run.name in scenes else []
        own = list(_about(diagnosis, lookup, given, run, judging=not few))
        said.append(Verdict(run.name, (*few, *in_light_of_evidence(diagnosis, run, own)), control))
    return [*said, Verdict(None, tuple(of_the_benchmark(diagnosis, lookup)))]


def _about(
    diagnosis: Diagnosis, lookup: Lookup, given: pl.DataFrame, one: Run, *, judging: bool
) -> Iterator[Statement]:
    run = one.name
    own = given.filter(pl.col("run") == run)
    mostly_unreadable = int(own.filter(pl.col("state") == "valid")["n"].sum()) < MOSTLY_READ * int(own["n"].sum())
    yield from (statement for statement in _unreadable(own) if mostly_unreadable)
    told = _of_families_and_variants(diagnosis, lookup, run)
    yield from (statement for leads, statement in told if leads)
    yield from _accuracy(lookup, run, own)
    yield from of_numbers(lookup, run)
    yield from of_intervals(lookup, run)
    yield from of_waypoints(lookup, run)
    yield from of_scores(diagnosis, lookup, run)
    yield from of_texts(diagnosis, lookup, run)
    yield from (statement for statement in _unreadable(own) if not mostly_unreadable)
    yield from (statement for leads, statement in told if not leads)
    yield from _one_letter(lookup, own, run)
    shortcuts = diagnosis.shortcuts.filter(pl.col("run") == run)
    yield from followed(shortcuts, _relation_nouns(diagnosis, lookup), judging=judging)
    yield from _one_sided(own, shortcuts.filter("named"))
    yield from of_claims(lookup, own, run, _control(lookup, CONTENT, run), seen=sees_its_scene(one.record.evidence))
    yield from of_pairs(lookup, run)
    yield from of_branches(lookup, run)
    yield from _changes(diagnosis, lookup, run)


def _of_families_and_variants(diagnosis: Diagnosis, lookup: Lookup, run: str) -> list[tuple[bool, Statement]]:
    """What is said of a run beside others of its model and of its variants, and whether it leads; evidence first."""
    found = [of_comparison(diagnosis, lookup, comparison) for comparison in diagnosis.run_families]
    found += [of_variants(one, diagnosis.runs, lookup) for one in diagnosis.runs]
    return [(one.leads, one.statement) for one in found if one is not None and one.run == run]


def _control(lookup: Lookup, control: str, run: str) -> str:
    """Name of a control's figures on the questions that a run was asked."""
    beside = control_beside(control, run)
    return control if lookup.get(beside, "accuracy") is None else beside


def _best_constant(given: pl.DataFrame) -> float:
    """Accuracy of the best constant answer to each family and format, chosen with the references at hand."""
    counts = given.group_by("family", "format", "answer").agg(pl.col("n").sum())
    return int(counts.group_by("family", "format").agg(pl.col("n").max())["n"].sum()) / int(given["n"].sum())


def _accuracy(lookup: Lookup, run: str, given: pl.DataFrame) -> Iterator[Statement]:
    own = lookup.get(run, "accuracy")
    content, fixed = (lookup.get(_control(lookup, control, run), "accuracy") for control in (CONTENT, FIXED))
    if own is None:
        return
    text = f"{percent(own.value)} of {own.n:,} answers are right ({interval(own) or 'no interval'})."
    read = int(given.filter(pl.col("state") == "valid")["n"].sum())
    if 0 < read < (1 - INVALID_RATE) * own.n:
        text += f" Of the {read:,} that can be read, {percent(own.value * own.n / read)} are right."
    tone: Tone = "note"
    alarm = False
    if content is not None and fixed is not None:
        best = max(content.value, fixed.value)
        text += (
            f" Without the scene, the words alone give {percent(content.value)}, always A or No {percent(fixed.value)}."
        )
        if own.high is not None and own.high < best:
            tone = "bad"
        best = max(best, _best_constant(given))
        if excludes_chance(own, best):
            tone = "good"
        alarm = tone == "good" or (own.low is None and far_beyond(own, best))
    hard = lookup.get(run, "accuracy_control_wrong")
    if hard is not None:
        text += f" Where the words alone mislead ({counted(hard.n, 'question')}) it is right in {percent(hard.value)}."
    yield Statement(tone, text, alarm=alarm)


def _one_letter(lookup: Lookup, own: pl.DataFrame, run: str) -> Iterator[Statement]:
    choice = own.filter(pl.col("format") == "choice")
    total = int(choice["n"].sum())
    if total < FEW:
        return
    per_family = _most_given(choice, ["family"])
    overall = _most_given(choice, ["format"])
    constant = overall.filter(pl.col("share") >= ONE_ANSWER)
    if not constant.height:
        for family, most, part, n in per_family.filter(
            (pl.col("share") >= ONE_ANSWER) & (pl.col("n") >= FEW)
        ).iter_rows():
            much = "all" if part == 1 else f"{percent(part)} of"
            yield Statement("bad", f"Chooses {most} in {much} {n:,} {asked(family, 'choice')}.")
        return
    letter, share = str(constant["label"][0]), float(constant["share"][0])
    text = f"Chooses {letter} in {'all' if share == 1 else f'{percent(share)} of'} {total:,} choice questions."
    same = per_family.filter((pl.col("share") == 1) & (pl.col("label") == letter))
    always = same["family"].to_list() if share < 1 else []
    if always:
        text = text[:-1] + f", and nothing else in {asked(listed(always), 'choice')}."
    excess, right = (lookup.get(run, metric, "all", "choice") for metric in ("excess_over_a", "accuracy"))
    if letter == "A" and excess is not None and right is not None and None not in (excess.low, excess.high):
        text += f" {_beside_constant(excess, right)}"
    yield Statement("bad", text)


def _beside_constant(excess: Figure, right: Figure) -> str:
    """How accuracy compares with that of always answering A (Eq. 4)."""
    low, high = excess.low or 0.0, excess.high or 0.0
    reach = points(max(abs(low), abs(high)), signed=False)
    if low <= 0 <= high:
        how = "cannot be told from that of always answering A"
    elif max(abs(low), abs(high)) < NEARLY:
        how = f"lies within {reach} of that of always answering A"
    else:
        how = f"is {'above' if low > 0 else 'below'} that of always answering A"
    return (
        f"Its accuracy in choice questions, {percent(right.value)}, {how} "
        f"({points(excess.value)}; {interval(excess, signed=True)})."
    )


def _most_given(given: pl.DataFrame, keys: list[str]) -> pl.DataFrame:
    """The label given most in each group with a valid answer whose references are not as one-sided themselves.

    Returns:
        Columns keys, label, share (of all answers of the group) and n (answers of the group).
    """
    of = given.group_by(keys, maintain_order=True).agg(of=pl.col("n").sum())
    counts = given.drop_nulls("label").group_by([*keys, "label"], maintain_order=True).agg(pl.col("n").sum())
    most = counts.sort("n", descending=True, maintain_order=True).unique(keys, keep="first")
    truth = given.group_by([*keys, pl.col("answer").alias("label")]).agg(true=pl.col("n").sum())
    return (
        of.join(most, on=keys, maintain_order="left")
        .join(truth, on=[*keys, "label"], how="left", maintain_order="left")
        .filter(pl.col("true").fill_null(0) < ONE_ANSWER * pl.col("of"))
        .select(*keys, "label", share=pl.col("n") / pl.col("of"), n="of")
    )


def _one_sided(own: pl.DataFrame, named: pl.DataFrame) -> Iterator[Statement]:
    """Whole families, else relations of one without a named shortcut, that get one answer whatever the scene."""
    explained = set(named.filter(pl.col("format") == "yes-no")["family"])
    asked_yes_no = own.filter(pl.col("format") == "yes-no")
    families = _most_given(asked_yes_no, ["family"])
    for family, label, share, n in families.iter_rows():
        if n < FEW:
            continue
        if share >= ONE_ANSWER:
            much = f"all {n:,}" if share == 1 else f"{percent(share)} of {n:,}"
            yield Statement("bad", f"Answers {label} to {much} {asked(family, 'yes-no')}.")
            continue
        if family in explained:
            continue
        split = asked_yes_no.filter((pl.col("family") == family) & pl.col("relation").is_not_null())
        sides = _most_given(split, ["relation"]).filter((pl.col("share") == 1) & (pl.col("n") >= FEW))
        for answer in ("No", "Yes"):
            same = sides.filter(pl.col("label") == answer)
            if same.height:
                relations = [f"\u201c{in_words(relation)}\u201d" for relation in relations_in_order(same["relation"])]
                questions = f"{same['n'].sum():,} {in_words(family)} questions about {listed(relations)}"
                yield Statement("bad", f"Answers {answer} to all {questions}.")


def _relation_nouns(diagnosis: Diagnosis, lookup: Lookup) -> dict[str, str]:
    """What the relations of each family are."""
    families = diagnosis.shortcuts["family"].unique()
    return {
        family: "proposed sector" if set(lookup.relations("tpr", family)) <= set(SECTORS) else "predicate"
        for family in families
    }


def _changes(diagnosis: Diagnosis, lookup: Lookup, run: str) -> Iterator[Statement]:
    runs = {one.name: one for one in diagnosis.runs}
    of_families = {pair for one in diagnosis.run_families for pair in ((one.run, one.against), (one.against, one.run))}
    for comparison in diagnosis.comparisons:
        if comparison.run != run or (run, comparison.against) in of_families:
            continue
        repairs, regressions, change = (
            lookup.get(comparison.name, metric) for metric in ("repairs", "regressions", "accuracy_change")
        )
        if repairs is None or regressions is None or change is None:
            continue
        counts = f"repairs {repairs.value:,.0f} answers and breaks {regressions.value:,.0f}"
        text = (
            f"Against {comparison.against} it {counts} of {change.n:,}: {points(change.value)} "
            f"({interval(change, signed=True) or 'no interval'})"
        )
        if change.low is None:
            yield Statement("note", f"{text}.")
        elif change.high is None or change.low <= 0 <= change.high:
            yield Statement("note", f"{text}, no change that can be told from chance.")
        else:
            # That another model is better or worse says what neither understands; controls are no models.
            against = runs.get(comparison.against)
            same = against is not None and one_model(runs[run], against)
            yield Statement(("good" if change.low > 0 else "bad") if same else "note", f"{text}.")


def _unreadable(own: pl.DataFrame) -> Iterator[Statement]:
    states = own.filter(pl.col("state") != "valid").group_by("state", maintain_order=True).agg(pl.col("n").sum())
    total, bad = int(own["n"].sum()), int(states["n"].sum())
    if not total or bad / total <= INVALID_RATE:
        return
    parts = [f"{n:,} {state}" for state, n in states.sort("n", descending=True).iter_rows()]
    yield Statement(
        "bad", f"{percent(bad / total)} of its answers are no valid answer and count as wrong: {listed(parts)}."
    )
