"""Text metrics over many pairs, here and in two processes, beside the libraries called pair by pair.

`PROBE4D_BENCH_PAIRS` sets the number of pairs (20,000), of 25 words each, a twentieth of them any noun of WordNet.
The libraries are timed on a tenth of them, WordNet opened before. Times are printed, not asserted; that of the
processor, too, which other work on the machine does not lengthen.
"""

from __future__ import annotations

import os
import random
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from probe4d.diagnosis.text_metrics.bleu import Bleu
from probe4d.diagnosis.text_metrics.meteor import Meteor
from probe4d.diagnosis.text_metrics.rouge import RougeL
from probe4d.diagnosis.text_metrics.scoring import score_texts
from probe4d.diagnosis.text_metrics.wordnet import open_wordnet

PAIRS = int(os.environ.get("PROBE4D_BENCH_PAIRS", "20000"))
WORDS = 25
WORDNET = Path("/usr/share/wordnet")
USUAL = (
    "the ego vehicle should slow down because a pedestrian is crossing ahead and car in front brakes on left lane "
    "about 12.5 m away it moves toward us with high speed turning right yields keeps distance truck bus parked behind"
)


def milliseconds_a_pair(work: Callable[[], object], pairs: int) -> float:
    begun_s = time.perf_counter()
    work()
    return 1000 * (time.perf_counter() - begun_s) / pairs


def by_the_libraries(candidates: list[str], references: list[str], wordnet: object) -> None:
    from nltk.tokenize import NLTKWordTokenizer
    from nltk.tokenize.punkt import PunktSentenceTokenizer
    from nltk.translate.meteor_score import single_meteor_score
    from rouge_score.rouge_scorer import RougeScorer
    from sacrebleu.metrics import BLEU

    bleu, rouge = BLEU(effective_order=True), RougeScorer(["rougeL"])
    sentences, words = PunktSentenceTokenizer(), NLTKWordTokenizer()

    def tokens(text: str) -> list[str]:
        return [word for sentence in sentences.tokenize(text) for word in words.tokenize(sentence)]

    for candidate, reference in zip(candidates, references, strict=True):
        bleu.sentence_score(candidate, [reference])
        rouge.score(reference, candidate)
        single_meteor_score(tokens(reference), tokens(candidate), wordnet=wordnet)


def test_many_pairs(capsys: pytest.CaptureFixture[str]) -> None:
    if not WORDNET.is_dir():
        pytest.skip(f"WordNet not found in {WORDNET}; run `make system`")
    nouns = [line.split(" ", 1)[0] for line in (WORDNET / "index.noun").read_text().splitlines() if line[0] != " "]
    usual, draw = USUAL.split(), random.Random(0)

    def text() -> str:
        chosen = [draw.choice(usual if draw.random() < 0.95 else nouns) for _ in range(WORDS)]
        return f"{' '.join(chosen).capitalize()}."

    candidates, references = ([text() for _ in range(PAIRS)] for _ in range(2))
    metrics = [Bleu(), RougeL(), Meteor(WORDNET)]
    in_two = milliseconds_a_pair(lambda: score_texts(candidates, references, metrics, workers=2), PAIRS)
    begun_s = time.process_time()
    here = milliseconds_a_pair(lambda: score_texts(candidates, references, metrics), PAIRS)
    processor_s = time.process_time() - begun_s
    few = PAIRS // 10
    reader = open_wordnet(WORDNET).reader
    theirs = milliseconds_a_pair(lambda: by_the_libraries(candidates[:few], references[:few], reader), few)
    with capsys.disabled():
        print(f"\n{PAIRS:,} pairs: {here * PAIRS / 1000:.1f} s here, {in_two * PAIRS / 1000:.1f} s in two processes")
        print(f"{processor_s:.1f} s of one processor")
        print(f"{here:.2f} ms a pair here, {theirs:.2f} ms by the libraries: {theirs / here:.1f} times as fast")
