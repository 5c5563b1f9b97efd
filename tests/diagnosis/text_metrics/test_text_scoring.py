"""Many pairs: the same values in any number of batches and processes; unlike values are not compared."""

from __future__ import annotations

import random
import sys
from pathlib import Path

import msgspec
import numpy as np
import polars as pl
import pytest

from probe4d.diagnosis.text_metrics import rouge, scoring
from probe4d.diagnosis.text_metrics.bleu import Bleu
from probe4d.diagnosis.text_metrics.meteor import Meteor
from probe4d.diagnosis.text_metrics.rouge import RougeL
from probe4d.diagnosis.text_metrics.scoring import TextScores, compare_corpora, score_texts
from probe4d.errors import InputError

WORDS = ["car", "auto", "the", "is", "ahead", "stops", "quickly", ".", ""]


def texts(seed: int, n: int = 50) -> list[str]:
    draw = random.Random(seed)
    return [" ".join(draw.choices(WORDS, k=draw.randrange(9))) for _ in range(n)]


def test_values_do_not_depend_on_batches(wordnet: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    metrics = [Bleu(), RougeL(), Meteor(wordnet)]
    whole = score_texts(texts(0), texts(1), metrics)
    assert list(whole) == ["BLEU-4", "ROUGE-L", "METEOR"]
    monkeypatch.setattr(scoring, "_PAIRS_AT_ONCE", 7)
    finished: list[object] = []
    parts = score_texts(texts(0), texts(1), metrics, done=finished.append)
    assert len(finished) == 8
    for name, scores in whole.items():
        assert (scores.statistics == parts[name].statistics).all()
        assert scores.of_pairs.shape == (50,)
        assert 0 < scores.corpus() == parts[name].corpus() < 1


def test_values_do_not_depend_on_processes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(scoring, "_PAIRS_AT_ONCE", 25)
    here, elsewhere = (score_texts(texts(0), texts(1), [Bleu()], workers=workers)["BLEU-4"] for workers in (1, 2))
    assert (here.statistics == elsewhere.statistics).all()


def test_a_part_of_the_pairs_is_a_corpus_of_its_own() -> None:
    candidates, references = texts(0), texts(1)
    (scores,) = score_texts(candidates, references, [Bleu()]).values()
    task = np.arange(50) % 3 == 0
    (alone,) = score_texts(candidates[::3], references[::3], [Bleu()]).values()
    assert scores.corpus(task) == alone.corpus()
    assert scores.corpus(np.zeros(50, dtype=np.bool_)) is None


def test_no_pair_at_all() -> None:
    (scores,) = score_texts([], [], [RougeL()]).values()
    assert scores.of_pairs.shape == (0,)
    assert scores.corpus() is None


def test_as_many_answers_as_references() -> None:
    with pytest.raises(ValueError, match="2 candidates and 1 references"):
        score_texts(["a", "b"], ["a"], [Bleu()])


def test_a_missing_package_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "rouge_score.rouge_scorer", None)
    rouge._scorer.cache_clear()
    with pytest.raises(InputError, match=r"ROUGE-L needs packages that are not installed .* 'probe4d\[text\]'"):
        score_texts(["a"], ["a"], [RougeL()])


def test_runs_side_by_side() -> None:
    one, other = score_texts(texts(0), texts(1), [Bleu(), RougeL()]), score_texts(texts(2), texts(1), [RougeL()])
    table = compare_corpora({"one": one, "other": other})
    assert table.select("run", "metric", "n").rows() == [
        ("one", "BLEU-4", 50),
        ("one", "ROUGE-L", 50),
        ("other", "ROUGE-L", 50),
    ]
    assert table["value"].to_list() == [one["BLEU-4"].corpus(), one["ROUGE-L"].corpus(), other["ROUGE-L"].corpus()]
    assert table["fingerprint"][1] == str(RougeL().fingerprint())
    assert compare_corpora({}).schema == table.schema == pl.Schema(table.schema)


def test_unlike_fingerprints_are_not_compared() -> None:
    (here,) = score_texts(texts(0), texts(1), [RougeL()]).values()
    older = TextScores(here.metric, msgspec.structs.replace(here.fingerprint, version="0.0.4"), here.statistics)
    with pytest.raises(InputError, match=r"ROUGE-L of 'new' and of 'old'.*0\.1\.2.*0\.0\.4.*same packages"):
        compare_corpora({"new": {"ROUGE-L": here}, "old": {"ROUGE-L": older}})
