"""BLEU-4 equals sacrebleu's, of a pair and of a corpus, however the corpus is cut into batches."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sacrebleu import corpus_bleu
from sacrebleu.metrics import BLEU

from probe4d.diagnosis.text_metrics.bleu import Bleu

PLAIN = ["the", "car", "is", "12.5", "m", "ahead", ",", "ahead.", "Ahead", "left-hand", "it's"]
WORDS = st.sampled_from([*PLAIN, "&", "&amp;", "-", "façade", "车", "<skipped>"])
TEXTS = st.one_of(st.lists(WORDS, max_size=14).map(" ".join), st.text(max_size=30))
PAIRS = st.lists(st.tuples(TEXTS, TEXTS), min_size=1, max_size=6)


@given(pairs=PAIRS, cut=st.integers(0, 6))
def test_equals_sacrebleu(pairs: list[tuple[str, str]], cut: int) -> None:
    candidates, references = [first for first, _ in pairs], [second for _, second in pairs]
    metric = Bleu()
    statistics = np.vstack(
        [metric.statistics(candidates[part], references[part]) for part in (slice(cut), slice(cut, None))]
    )
    by_pair = BLEU(effective_order=True)
    expected = [by_pair.sentence_score(first, [second]).score / 100 for first, second in pairs]
    assert statistics[:, 0].tolist() == expected
    expected_corpus = corpus_bleu(candidates, [references]).score / 100
    assert metric.corpus(statistics) == expected_corpus
    sums, pairs = np.stack([statistics.sum(axis=0), 2 * statistics.sum(axis=0)]), np.array([1.0, 2.0]) * len(statistics)
    assert metric.corpora(sums, pairs)[0] == pytest.approx(expected_corpus, rel=1e-12)
    assert metric.corpora(sums, pairs)[1] == pytest.approx(metric.corpus(np.tile(statistics, (2, 1))), rel=1e-12)


@pytest.mark.parametrize(
    ("candidate", "reference", "score"),
    [
        ("", "", 0.0),
        ("", "the car", 0.0),
        ("the car", "", 0.0),
        ("\t", "the car", 0.0),
        ("a bus", "the car", 0.0),
        ("the car is ahead", "the car is ahead", 1.0),
        ("the car", "the car", 1.0),  # two words have no more orders of n-grams than two
        ("The car", "the car", np.sqrt(1 / 2 * 1 / 2)),  # a capital is another letter; the pair smoothed to 1 / 2
        ("the car", "the car is ahead", np.exp(1 - 4 / 2)),  # short
    ],
)
def test_scores_by_hand(candidate: str, reference: str, score: float) -> None:
    assert Bleu().statistics([candidate], [reference])[0, 0] == pytest.approx(score)


def test_the_fingerprint_holds_the_signatures() -> None:
    assert str(Bleu().fingerprint()).startswith("BLEU-4: sacrebleu 2.")
    options = Bleu().fingerprint().options
    assert options["pairs"].startswith("nrefs:1|case:mixed|eff:yes|tok:13a|smooth:exp|version:2.")
    assert options["corpus"].startswith("nrefs:1|case:mixed|eff:no|tok:13a|smooth:exp|version:2.")
