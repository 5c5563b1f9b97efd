"""Checks what a benchmark promises of itself: identities, composition, balance, options, links."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence

from probe4d.benchmarks.auditing.record import whole
from probe4d.benchmarks.benchmark import Benchmark, BenchmarkRecord, counts_of
from probe4d.benchmarks.lidar_hallu.audit.draw import misplaced
from probe4d.benchmarks.question import Question, derived_id
from probe4d.benchmarks.suite import AuditFinding

__all__ = ["annotated_again_findings", "benchmark_findings", "question_faults"]

TEMPLATES = {
    "existence-yes-no": 2,
    "existence-choice": 4,
    "position-yes-no": 2,
    "position-choice": 4,
    "motion-yes-no": 2,
    "distance-choice": 4,
    "temporal-choice": 4,
}
"""Templates in the order of families, and how many answers each has to choose from."""

_SHARES = {
    "existence": (0.5, 0.5),
    "position": (0.5, 0.5),
    "motion": (1.0, 0.0),
    "distance": (0.0, 1.0),
    "temporal": (0.0, 1.0),
}
"""Parts of a family that are yes-no and choice questions (Table II)."""

_ANNOTATED_AGAIN = "boxes of a track that has a nearer box of its class at the key frame"
"""Under which a record's exclusions count them."""


def benchmark_findings(benchmark: Benchmark, *, per_family: int | None) -> Iterator[AuditFinding]:
    """Check the benchmark as a whole.

    Args:
        benchmark: The benchmark.
        per_family: Questions asked for in each family; null where the record does not say.
    """
    questions, record = benchmark.questions, benchmark.record
    yield from _balance(benchmark)
    if record.seed is not None:
        yield from _drawn_order(questions, record.seed)
    if per_family is None:
        yield whole("counts", "benchmark.json does not say how many questions a family was asked for")
    else:
        yield from _composition(record, counts_of(benchmark.columns("family", "format")), per_family)
    yield from _uniqueness(questions)
    yield from _links(questions)


def question_faults(question: Question) -> Iterator[tuple[str, str]]:
    """Check one question by itself; yields (name of the check, what is wrong)."""
    answers = TEMPLATES.get(question.template)
    if answers is None or question.template != f"{question.family}-{question.format}":
        yield (
            "template",
            f"{question.template!r} is no template of family {question.family!r} in format {question.format!r}",
        )
        return
    if question.suite != "lidar-hallu":
        yield "suite", f"the suite is {question.suite!r}"
    wanted = derived_id(question)
    if question.id != wanted:
        yield "identity", f"the id should be {wanted}"
    if question.channel is not None or question.prompt is not None:
        yield "prompt", "a built question is of no camera channel and fixes no prompt"
    if question.format == "choice":
        texts = {option.strip().lower() for option in question.options}
        if len(question.options) != answers or len(texts) != answers or "" in texts:
            yield "options", f"the options are not {answers} different ones: {', '.join(question.options)}"
        if question.answer not in tuple("ABCD"):
            yield "answer", f"the answer is {question.answer!r}, not a letter A to D"
    else:
        if question.options:
            yield "options", "a yes-no question has options"
        if question.answer not in ("Yes", "No"):
            yield "answer", f"the answer is {question.answer!r}, not Yes or No"


def _balance(benchmark: Benchmark) -> Iterator[AuditFinding]:
    """Yes and No are equally many."""
    answers = Counter((q.template, q.answer) for q in benchmark.questions if q.format == "yes-no")
    for template in TEMPLATES:
        yes, no = answers[template, "Yes"], answers[template, "No"]
        if yes != no:
            yield whole("balance", f"{template} has {yes} Yes and {no} No, and should have as many of each")


def annotated_again_findings(
    record: BenchmarkRecord, annotated_again: Sequence[tuple[str, ...]]
) -> Iterator[AuditFinding]:
    """Name the tracks that the tables annotate again at one key frame, where the record does not count them.

    Args:
        record: The benchmark's record.
        annotated_again: Boxes of one track and class at one key frame (see `measuring.annotated_again`).
    """
    told = record.exclusions.get(_ANNOTATED_AGAIN, 0)
    further = sum(len(tokens) - 1 for tokens in annotated_again)
    if further > told:
        what = f"boxes annotate a track again at a key frame where it has one: {further}, and the build saw {told}"
        yield from (whole("annotated-again", f"{what} (boxes {', '.join(tokens)})") for tokens in annotated_again)


def _composition(
    record: BenchmarkRecord, counts: Mapping[str, Mapping[str, int]], per_family: int
) -> Iterator[AuditFinding]:
    """Every family has the questions asked for (Table II), or the record says what is short."""
    for family, (yes_no, choice) in _SHARES.items():
        wanted = {"yes-no": 2 * int(per_family * yes_no / 2), "choice": int(per_family * choice)}
        if sum(wanted.values()) < per_family:
            wanted[""] = sum(wanted.values())
        for kind, n in wanted.items():
            found, asked = (counts.get(family, {}).get(kind, 0), n) if kind else (n, per_family)
            sentence = f"{family} {kind}".strip() + f": {found:,} of {asked:,} questions"
            if found > asked:
                yield whole("counts", f"{family} has {found} {kind} questions, more than the {asked} asked for")
            elif found < asked and not any(told.startswith(sentence) for told in record.shortfalls):
                yield whole("counts", f"no shortfall in benchmark.json says {sentence!r}")


def _drawn_order(questions: Sequence[Question], seed: int) -> Iterator[AuditFinding]:
    """The seed orders the questions of each family."""
    for family in dict.fromkeys(question.family for question in questions):
        wrong = next(misplaced(questions, family, seed), None)
        if wrong is not None:
            what = f"{family}: question {wrong[0].id} stands before {wrong[1].id}, and the seed draws it after"
            yield whole("order", what)


def _uniqueness(questions: Sequence[Question]) -> Iterator[AuditFinding]:
    """No two questions ask the same, whatever the order of their options."""
    seen: dict[tuple[str, str, str | None, tuple[str, ...]], str] = {}
    for question in questions:
        key = (question.scene, question.template, question.question, tuple(sorted(question.options)))
        first = seen.setdefault(key, question.id)
        if first != question.id:
            yield AuditFinding(question=question.id, rule="uniqueness", what=f"asks the same as question {first}.")


def _links(questions: Sequence[Question]) -> Iterator[AuditFinding]:
    """Yes-no questions link to those of opposite answer about the same object and frames, and to no other."""
    groups: dict[tuple[str, str, tuple[int, ...], tuple[str, ...]], list[Question]] = defaultdict(list)
    for question in questions:
        if question.format == "yes-no" and question.entities:
            groups[question.family, question.scene, question.frames, question.entities].append(question)
    opposite = {
        question.id: sorted(other.id for other in group if other.answer != question.answer)
        for group in groups.values()
        for question in group
    }
    for question in questions:
        wanted = opposite.get(question.id, [])
        if list(question.links) != wanted:
            what = f"links: stored {', '.join(question.links) or 'none'}, derived {', '.join(wanted) or 'none'}."
            yield AuditFinding(question=question.id, rule="links", what=what)
