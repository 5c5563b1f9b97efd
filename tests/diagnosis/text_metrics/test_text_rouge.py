"""ROUGE-L equals rouge-score's."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rouge_score.rouge_scorer import RougeScorer

from probe4d.diagnosis.text_metrics.rouge import RougeL

WORDS = st.sampled_from(
    ["the", "car", "cars", "is", "12.5", "m", "ahead", ",", "Ahead", "left-hand", "façade", "车", "it's"]
)
TEXTS = st.one_of(st.lists(WORDS, max_size=14).map(" ".join), st.text(max_size=30))


@given(pairs=st.lists(st.tuples(TEXTS, TEXTS), max_size=5))
def test_equals_rouge_score(pairs: list[tuple[str, str]]) -> None:
    scorer = RougeScorer(["rougeL"])
    expected = [scorer.score(reference, candidate)["rougeL"].fmeasure for candidate, reference in pairs]
    found = RougeL().statistics([first for first, _ in pairs], [second for _, second in pairs])
    assert found.shape == (len(pairs), 1)
    assert found[:, 0].tolist() == expected
    if pairs:
        assert RougeL().corpus(found) == pytest.approx(sum(expected) / len(expected))


@pytest.mark.parametrize(
    ("candidate", "reference", "score"),
    [
        ("", "", 0.0),
        ("", "the car", 0.0),
        ("the car", "", 0.0),
        ("...", "the car", 0.0),
        ("车", "车", 0.0),  # no word of the letters that rouge-score knows
        ("The car!", "the car", 1.0),
        ("ahead the car is", "the car is ahead", 0.75),
        ("cars", "car", 0.0),  # words are not cut to their stems
    ],
)
def test_scores_by_hand(candidate: str, reference: str, score: float) -> None:
    assert RougeL().statistics([candidate], [reference])[0, 0] == pytest.approx(score)


def test_the_fingerprint() -> None:
    assert str(RougeL().fingerprint()) == "ROUGE-L: rouge-score 0.1.2; value F; stemmer none; corpus mean of pairs"
