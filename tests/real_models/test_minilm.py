"""BERTScore and DCScore by a real encoder, all-MiniLM-L6-v2: equal to bert-score, and to the definition by loops."""

from __future__ import annotations

import math
import random
from pathlib import Path

import numpy as np
import pytest

from probe4d.diagnosis.text_metrics.bert_score import bert_score_of
from probe4d.diagnosis.text_metrics.dc_score import diversity
from probe4d.diagnosis.text_metrics.sentences import open_sentence_encoder

MINILM = Path(__file__).parents[2] / "build" / "models" / "minilm"
WORDS = ["the", "ego", "vehicle", "car", "bus", "moves", "frame", "000", "left", "remains", "stationary"]
PAIRS = [
    ("The car in front moves slightly forward from frame 000 to frame 008.", "The car ahead moves a little forward."),
    ("A bus.", "BUS."),
    ("There are no pedestrians.", "Two pedestrians cross the road from left to right, ahead of the ego vehicle."),
    ("It remains stationary; façade, 车 & <b>", "It is parked."),
]


@pytest.fixture(scope="module")
def minilm() -> Path:
    if not (MINILM / "config.json").exists():
        pytest.skip(f"all-MiniLM-L6-v2 was not found in {MINILM}; run `make weights`")
    return MINILM


def test_bert_score_equals_the_package(minilm: Path) -> None:
    import bert_score

    draw = random.Random(0)
    drawn = [(" ".join(draw.choices(WORDS, k=25)), " ".join(draw.choices(WORDS, k=25))) for _ in range(12)]
    candidates, references = (list(texts) for texts in zip(*PAIRS, *drawn, strict=True))
    theirs = bert_score.BERTScorer(model_type=str(minilm), num_layers=6, idf=False, rescale_with_baseline=False)
    precision, recall, both = theirs.score(candidates, references)
    found = bert_score_of(f"{minilm}:6").statistics(candidates, references)
    assert np.abs(found - np.stack([both, precision, recall], axis=1)).max() < 1e-5
    assert found[1, 0] > found[2, 0]


def test_dc_score_equals_its_definition(minilm: Path) -> None:
    draw = random.Random(0)
    pairs = [(f"What does the {draw.choice(WORDS)} do?", " ".join(draw.choices(WORDS, k=9))) for _ in range(25)]
    found = diversity(pairs, minilm, pairs_a_draw=25, draws=1)
    vectors = open_sentence_encoder(minilm, user="A test").vectors([" ".join(pair) for pair in pairs]).astype(float)
    score = 0.0
    for own in vectors:
        likeness = [math.exp(float(own @ other)) for other in vectors]
        score += math.exp(float(own @ own)) / sum(likeness)
    assert found.mean == pytest.approx(score, abs=1e-4)
    assert 1 < found.mean < 25 * math.e / (math.e + 24)
    same = diversity([("What does it do?", f"It stops in frame {n:03d}.") for n in range(25)], minilm, pairs_a_draw=25)
    assert same.mean < found.mean
