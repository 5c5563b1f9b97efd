"""The parts of a report between the verdict and the questions: charts, and a table beside each."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

import polars as pl

from probe4d.benchmarks.question import LETTERS
from probe4d.diagnosis.controls import CONTENT, FIXED
from probe4d.diagnosis.tables import Diagnosis
from probe4d.report import charts
from probe4d.report.charts import Chart
from probe4d.report.lookup import Figure, Lookup, answerers, asked, labels_given, percent, points

__all__ = ["Key", "Section", "Table", "sections"]

LINES = 4  # runs in one chart of lines; all are in its table
PAIR_COLOURS = {"both right": "right", "one right": "letter-2", "neither": "wrong"}


@dataclass(frozen=True)
class Table:
    """A table of texts; columns whose name ends in `#` hold numbers and are set to the right."""

    caption: str
    columns: tuple[str, ...]
    rows: list[tuple[str, ...]]


@dataclass(frozen=True)
class Key:
    """An entry of a legend: a shape (`dot`, `ring`, `bar`) in a colour, and its meaning."""

    shape: str
    colour: str
    text: str


@dataclass(frozen=True)
class Section:
    """One part of the page."""

    anchor: str
    title: str
    intro: str
    charts: list[Chart]
    table: Table
    keys: list[Key] = field(default_factory=list)


def sections(diagnosis: Diagnosis) -> list[Section]:
    """Make every part that has something to show, in reading order."""
    lookup, names = Lookup.of(diagnosis.figures), answerers(diagnosis)
    given = labels_given(diagnosis)
    made = (
        _accuracy(lookup, names),
        _relations(lookup, names),
        _answers_given(given, names),
        _pairs(lookup, names),
        _shortcuts(diagnosis, names),
        _slices(diagnosis, names),
        _changes(diagnosis, lookup),
    )
    return [section for section in made if section.table.rows]


def _accuracy(lookup: Lookup, names: list[str]) -> Section:
    drawn, rows = [], []
    for family, kind in _cells(lookup, "accuracy"):
        found = [(name, lookup.get(name, "accuracy", family, kind)) for name in names]
        values = [(name, *figure[:3]) for name, figure in found if figure is not None]
        title = asked(family, kind).capitalize()
        words = "; ".join(f"{name} {percent(value)}" for name, value, _, _ in values)
        table = pl.DataFrame(values, schema={"name": pl.String, "value": pl.Float64, "low": pl.Float64, "high": pl.Float64}, orient="row")
        drawn.append(charts.dots(title, f"Accuracy: {words}.", table, names))
        for name, figure in found:
            if figure is not None:
                valid = lookup.get(name, "valid_rate", family, kind)
                hard = lookup.get(name, "accuracy_control_wrong", family, kind)
                rows.append((title, name, *_figure(figure), _share(valid), _share(hard)))
    return Section(
        "accuracy",
        "Accuracy beside its controls",
        "A dot is the share of right answers, the bar its 95 % interval (whole-scene bootstrap). The controls never "
        "see a scene: control:fixed always says A or No, control:content guesses from the words alone, with the "
        "statistics of the other scenes.",
        drawn,
        Table(
            "Accuracy",
            ("Questions", "Run", "Accuracy #", "95 % interval #", "n #", "Valid #", "Right where control:content is wrong #"),
            rows,
        ),
        [Key("dot", colour, name) for name, colour in charts.run_colours(names).items()],
    )


def _relations(lookup: Lookup, names: list[str]) -> Section:
    drawn, rows = [], []
    families = [family for family, _ in lookup.cells("tpr", ("yes-no",)) if family != "all"]
    colours = charts.run_colours(names)
    for name in names:
        if name == FIXED:
            continue
        lines = []
        for family in families:
            for relation in ("all", *lookup.relations("tpr", family)):
                true = lookup.get(name, "tpr", family, "yes-no", relation)
                false = lookup.get(name, "fpr", family, "yes-no", relation)
                label = family if relation == "all" else f"\u2003{relation}"
                if true is not None or false is not None:
                    rows.append((name, family, relation, _share(true), _range(true), _count(true), _share(false), _range(false), _count(false)))
                if true is not None and false is not None:
                    lines.append((f"{label}", false.value, true.value, family))
        if lines:
            table = pl.DataFrame(lines, schema=["name", "false", "true", "family"], orient="row")
            words = "; ".join(f"{label.strip()} TPR {percent(true)} FPR {percent(false)}" for label, false, true, _ in lines)
            drawn.append(charts.ranges(name, words, table, colours[name]))
    return Section(
        "relations",
        "Yes to true claims, Yes to false ones",
        "Of the claims that are true, the share answered Yes (TPR, filled); of those that are false, the same (FPR, "
        "hollow). A model that sees the relation has a long line with its filled end to the right; where both ends "
        "meet, the answer has nothing to do with the scene.",
        drawn,
        Table(
            "TPR and FPR by relation",
            ("Run", "Family", "Relation", "TPR #", "95 % interval #", "n true #", "FPR #", "95 % interval #", "n false #"),
            rows,
        ),
        [Key("dot", "ink", "true claims (TPR)"), Key("ring", "ink", "false claims (FPR)")],
    )


def _answers_given(given: pl.DataFrame, names: list[str]) -> Section:
    drawn, rows = [], []
    none = "no valid answer"
    letters = sorted(set(given.filter(pl.col("format") == "choice")["answer"]) | set(given.filter(pl.col("format") == "choice")["label"].drop_nulls()))
    palette = {
        "choice": {letter: f"letter-{LETTERS.index(letter) % 6}" for letter in letters} | {none: "letter-none"},
        "yes-no": {"Yes": "letter-0", "No": "letter-3", none: "letter-none"},
    }
    for kind in ("yes-no", "choice"):
        asked_so = given.filter(pl.col("format") == kind)
        for family in asked_so["family"].unique(maintain_order=True):
            own = asked_so.filter(pl.col("family") == family)
            answered = own.group_by("run", pl.col("label").fill_null(none)).agg(pl.col("n").sum())
            reference = own.filter(pl.col("run") == names[0]).group_by(pl.col("answer").alias("label")).agg(pl.col("n").sum())
            counts = pl.concat([reference.select(pl.lit("reference").alias("run"), "label", "n"), answered])
            shares = counts.with_columns(share=pl.col("n") / pl.col("n").sum().over("run"))
            rank = {name: place for place, name in enumerate(["reference", *names])}
            shares = shares.sort(pl.col("run").replace_strict(rank), "label").rename({"run": "name", "label": "part"})
            title = asked(family, kind).capitalize()
            words = "; ".join(f"{name} {part} {percent(share)}" for name, part, share in shares.select("name", "part", "share").iter_rows())
            drawn.append(charts.bars(title, words, shares.select("name", "part", "share"), palette[kind]))
            rows += [(title, name, part, percent(share), f"{n:,}") for name, part, n, share in shares.select("name", "part", "n", "share").iter_rows()]
    used = {part: colour for kind in palette.values() for part, colour in kind.items()}
    seen = set(given["label"].drop_nulls()) | set(given["answer"])
    shown = {part for part in used if part in seen or (part == none and given["label"].null_count())}
    return Section(
        "answers",
        "What is answered",
        "Shares of the answers given, beside those of the references. A row of one colour is a model that says the "
        "same whatever it is shown.",
        drawn,
        Table("Answers given", ("Questions", "Run", "Answer", "Share #", "Count #"), rows),
        [Key("bar", colour, part) for part, colour in used.items() if part in shown],
    )


def _pairs(lookup: Lookup, names: list[str]) -> Section:
    drawn, rows = [], []
    for prefix, kind_of_pair in (("pair", "same words"), ("contrast", "same object")):
        for family, kind in _cells(lookup, f"{prefix}s"):
            title = f"{_title(family, kind)}, {kind_of_pair}"
            shares = []
            for name in names:
                total = lookup.get(name, f"{prefix}s", family, kind)
                counts = [lookup.get(name, f"{prefix}s_{part}", family, kind) for part in ("both", "one", "neither")]
                if total is None or not total.value:
                    continue
                parts = zip(PAIR_COLOURS, counts, strict=True)
                shares += [(name, part, figure.value / total.value) for part, figure in parts if figure is not None]
                rates = (f"{prefix}_reference_sampling", f"{prefix}_item_accuracy", f"{prefix}_same_answer")
                every = lookup.get(name, f"{prefix}s_all_both", family, kind)
                rows.append(
                    (title, name, _number(total), *map(_number, counts))
                    + tuple(_share(lookup.get(name, metric, family, kind)) for metric in rates)
                    + ("" if every is None else f"{every.value:,.0f} of {every.n:,}",)
                )
            if shares:
                table = pl.DataFrame(shares, schema=["name", "part", "share"], orient="row")
                words = "; ".join(f"{name} {part} {percent(share)}" for name, part, share in shares)
                drawn.append(charts.bars(title, words, table, PAIR_COLOURS))
    return Section(
        "pairs",
        "Same words, opposite truth",
        "Two scenes, one prompt, and the right answer is Yes in one, No in the other. Whoever ignores the scene gives "
        "the same answer twice and never has both right. Same-object pairs ask two things of one object over one "
        "interval, of which one is true.",
        drawn,
        Table(
            "Pairs with opposite answers",
            (
                *("Questions", "Run", "Pairs #", "Both right #", "One right #", "Neither #"),
                *("By chance at its own Yes rate #", "Items right #", "Same answer #", "Both right of all opposite pairs #"),
            ),
            rows,
        ),
        [Key("bar", colour, part) for part, colour in PAIR_COLOURS.items()],
    )


def _shortcuts(diagnosis: Diagnosis, names: list[str]) -> Section:
    found = diagnosis.shortcuts.sort("named", "excess", descending=True, maintain_order=True)
    rows = [
        (
            row["run"], asked(row["family"], row["format"]), row["feature"], percent(row["share"]), percent(row["constant"]),
            points(row["excess"]), _range(Figure(row["excess"], row["low"], row["high"], row["n"]), signed=True), f"{row['n']:,}",
            f"named: {row['rule']}" if row["named"] else "",
        )
        for row in found.iter_rows(named=True)
    ]  # fmt: skip
    drawn = []
    colours = charts.run_colours(names)
    for name in names:
        best = found.filter(pl.col("run") == name).unique(["family", "format"], keep="first", maintain_order=True)
        if best.height:
            lines = best.select(
                pl.format("{} {}: {}", "family", "format", "feature").alias("name"),
                pl.col("constant").alias("false"),
                pl.col("share").alias("true"),
            )
            words = "; ".join(f"{label} {percent(true)}, constant {percent(false)}" for label, false, true in lines.iter_rows())
            drawn.append(charts.ranges(name, words, lines, colours.get(name, "ink")))
    return Section(
        "shortcuts",
        "What the answers follow",
        "How many of a model's own answers, right or wrong, one feature of the text predicts (filled), leaving the "
        "scored scene out, and how many a constant answer predicts (hollow). A long line is a shortcut; it is named "
        "only if it gains 10 points and its interval lies above 0.",
        drawn,
        Table(
            "Shortcut attribution",
            ("Run", "Questions", "Feature", "Predicts #", "Constant #", "Gain #", "95 % interval #", "n #", "Rule"),
            rows,
        ),
        [Key("dot", "ink", "the feature"), Key("ring", "ink", "a constant answer")],
    )


def _slices(diagnosis: Diagnosis, names: list[str]) -> Section:
    drawn, rows = [], []
    runs = [name for name in names if not name.startswith("control:")][:LINES] or [CONTENT]
    keys = ["by", "family", "format"]
    for (by, family, kind), part in diagnosis.slices.group_by(keys, maintain_order=True):
        unit = str(part["unit"][0])
        bins = part.select("from", "to").unique(maintain_order=True).sort("from")
        label = {low: _bin(low, high) for low, high in bins.iter_rows()}
        place = {low: position for position, low in enumerate(label)}
        what = "distance from the decision boundary" if by == "margin" else "fewest LiDAR returns on an entity"
        title = f"{asked(str(family), str(kind)).capitalize()}: {what} ({unit})"
        told = part.select(
            pl.col("run").alias("name"),
            pl.col("from").replace_strict(label, return_dtype=pl.String).alias("bin"),
            pl.col("from").replace_strict(place, return_dtype=pl.Int64).alias("place"),
            pl.col("accuracy").alias("value"),
            "low",
            "high",
            "n",
        )
        shown = told.filter(pl.col("name").is_in(runs))
        if shown.height:
            words = "; ".join(f"{name} {bin_}: {percent(value)}" for name, bin_, value in shown.select("name", "bin", "value").iter_rows())
            drawn.append(charts.lines(title, words, shown, names))
        rows += [
            (title, row["name"], row["bin"], *_figure(Figure(row["value"], row["low"], row["high"], row["n"])))
            for row in told.iter_rows(named=True)
        ]
    colours = charts.run_colours(names)
    return Section(
        "slices",
        "Easy and hard measurements",
        "Accuracy where the measurement lies close to the rule's decision boundary, and far from it; where few LiDAR "
        "returns lie on the entity, and many. A model that measures does better to the right.",
        drawn,
        Table("Accuracy by bin", ("Questions", "Run", "Bin", "Accuracy #", "95 % interval #", "n #"), rows),
        [Key("dot", colours[name], name) for name in runs if name in colours],
    )


def _changes(diagnosis: Diagnosis, lookup: Lookup) -> Section:
    rows, bars = [], []
    for comparison in diagnosis.comparisons:
        for family, kind in _cells(lookup, "accuracy_change"):
            repairs, regressions, other, change = (
                lookup.get(comparison.name, metric, family, kind)
                for metric in ("repairs", "regressions", "changed_wrong", "accuracy_change")
            )
            if change is None or repairs is None or regressions is None:
                continue
            if (family, kind) == ("all", "all"):
                bars += [(comparison.name, "repaired", repairs.value), (comparison.name, "regressed", -regressions.value)]
            rows.append((
                comparison.name, _title(family, kind), _number(repairs), _number(regressions), _number(other),
                points(change.value), _range(change, signed=True), f"{change.n:,}",
            ))  # fmt: skip
    drawn = []
    if bars:
        words = "; ".join(f"{name} {part} {abs(n):,.0f}" for name, part, n in bars)
        table = pl.DataFrame(bars, schema={"name": pl.String, "part": pl.String, "n": pl.Float64}, orient="row")
        drawn.append(charts.changes("Answers repaired and broken", words, table))
    return Section(
        "changes",
        "What a change repairs, and what it breaks",
        "Two runs on the same questions. Repairs and regressions are counted apart, since a gain in accuracy may hide "
        "as many new errors.",
        drawn,
        Table(
            "Comparisons",
            ("Comparison", "Questions", "Repaired #", "Regressed #", "Wrong to wrong #", "Accuracy #", "95 % interval #", "n #"),
            rows,
        ),
        [Key("bar", "right", "repaired"), Key("bar", "wrong", "regressed")],
    )


def _cells(lookup: Lookup, metric: str) -> Iterator[tuple[str, str]]:
    """Families by format, after the total of everything."""
    cells = lookup.cells(metric, ("yes-no", "choice", "all"))
    yield from (cell for cell in cells if cell == ("all", "all"))
    yield from (cell for cell in cells if "all" not in cell)
    yield from (cell for cell in cells if cell[0] == "all" and cell[1] != "all")


def _title(family: str, kind: str) -> str:
    return asked(family, kind).capitalize()


def _figure(figure: Figure) -> tuple[str, str, str]:
    return percent(figure.value), _range(figure), f"{figure.n:,}"


def _share(figure: Figure | None) -> str:
    return "" if figure is None else percent(figure.value)


def _number(figure: Figure | None) -> str:
    return "" if figure is None else f"{figure.value:,.0f}"


def _count(figure: Figure | None) -> str:
    return "" if figure is None else f"{figure.n:,}"


def _range(figure: Figure | None, *, signed: bool = False) -> str:
    if figure is None or figure.low is None or figure.high is None:
        return ""
    sign = "+" if signed else ""
    return f"{100 * figure.low:{sign}.1f} to {100 * figure.high:{sign}.1f}".replace("-", "\u2212")


def _bin(low: float, high: float | None) -> str:
    return f"\u2265 {low:.3g}" if high is None else f"{low:.3g}\u2013{high:.3g}"
