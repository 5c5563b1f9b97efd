"""An audit of a benchmark that people reviewed: its old references are derived, and its new ones are those told."""

from __future__ import annotations

import json
from pathlib import Path

import msgspec
from mutating import Original, rebuilt

from probe4d.benchmarks.stride.audit import audit
from probe4d.review.applying import apply_review


def test_a_reviewed_benchmark_is_derived_as_before(original: Original, tmp_path: Path) -> None:
    bench, one = original.benchmark, original.first("SP-7")
    decisions = {
        "version": 1,
        "sheet": "s",
        "benchmark": bench.fingerprint,
        "mode": "review",
        "asked": [one.id],
        "items": {one.id: {"score": 4, "text": "It comes closer.", "reference": one.answer}},
        "templates": {"SP-2": {"verdict": "remove", "reason": "answer-wrong"}},
    }
    (tmp_path / "decisions.json").write_text(json.dumps(decisions))
    reviewed = apply_review(bench, tmp_path / "decisions.json", tmp_path / "out").benchmark
    assert "SP-2" not in reviewed.table["template"].to_list()
    assert audit(reviewed, original.root) == []

    def told(answer: str, **review: str) -> list[str]:
        changed = [
            msgspec.structs.replace(
                own, answer=answer, facts=own.facts | {"reference_review": own.facts["reference_review"] | review}
            )
            if own.id == one.id
            else own
            for own in reviewed.questions
        ]
        return [finding.what for finding in audit(rebuilt(reviewed, changed), original.root)]

    assert told("It goes away.")[0].startswith("facts.reference_review.new: stored 'It comes closer.'")
    assert told("It comes closer.", old="It stands.")[0].startswith("answer: stored 'It stands.'")
