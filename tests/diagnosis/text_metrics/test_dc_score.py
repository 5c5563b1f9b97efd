"""DCScore equals its definition by loops; draws depend on the seed and not on the order of the pairs."""

from __future__ import annotations

import json
import math
from pathlib import Path

import numpy as np
import pytest
import torch
from transformers import AutoTokenizer, BertModel

from encoder_making import WORDS, as_sentence_transformer, write_tiny_bert, write_tiny_roberta
from probe4d.diagnosis.text_metrics.dc_score import dc_score, diversity
from probe4d.diagnosis.text_metrics.sentences import open_sentence_encoder
from probe4d.errors import InputError

PAIRS = [(f"{one} {other} from frame {number}", f"{other} {number}") for number, (one, other) in enumerate(
    (one, other) for one in WORDS[:8] for other in WORDS[:8]
)]  # fmt: skip


@pytest.fixture(scope="module")
def minilm_like(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return as_sentence_transformer(write_tiny_bert(tmp_path_factory.mktemp("sentences") / "tiny"), longest=12)


def by_loops(vectors: np.ndarray) -> float:
    """Sum of the diagonal of the row-wise softmax of the cosines at temperature 1."""
    total = 0.0
    for place, own in enumerate(vectors):
        cosines = [float(own @ other) / (np.linalg.norm(own) * np.linalg.norm(other)) for other in vectors]
        total += math.exp(cosines[place]) / sum(math.exp(cosine) for cosine in cosines)
    return total


def test_equals_the_definition_by_loops() -> None:
    vectors = np.random.default_rng(0).normal(size=(40, 7))
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    assert dc_score(vectors) == pytest.approx(by_loops(vectors), rel=1e-12)


def test_bounds() -> None:
    assert dc_score(np.tile([[0.6, 0.8]], (25, 1))) == pytest.approx(1.0)
    assert dc_score(np.eye(25)) == pytest.approx(25 * math.e / (math.e + 24))


def test_all_of_the_pairs_by_the_model_itself(minilm_like: Path) -> None:
    """The vectors are the means over tokens that transformers gives, one text at a time and cut as the files say."""
    tokenizer, model = AutoTokenizer.from_pretrained(minilm_like), BertModel.from_pretrained(minilm_like).eval()
    vectors = []
    for question, answer in PAIRS:
        read = tokenizer(f"{question} {answer}", truncation=True, max_length=12, return_tensors="pt")
        with torch.inference_mode():
            vectors.append(model(**read).last_hidden_state[0].mean(dim=0).double().numpy())
    found = diversity(PAIRS, minilm_like, pairs_a_draw=len(PAIRS), draws=2)
    assert found.scores == pytest.approx([by_loops(np.array(vectors))] * 2, abs=1e-4)
    assert found.mean == pytest.approx(np.mean(found.scores))
    assert (found.available, found.distinct) == (64, 64)


def test_draws(minilm_like: Path) -> None:
    found = diversity(PAIRS, minilm_like, pairs_a_draw=20, draws=5, seed=3)
    assert found.deviation == pytest.approx(np.std(found.scores, ddof=1))
    assert len(set(found.scores)) == 5
    assert found == diversity(PAIRS[::-1], minilm_like, pairs_a_draw=20, draws=5, seed=3)
    assert found.scores != diversity(PAIRS, minilm_like, pairs_a_draw=20, draws=5, seed=4).scores
    assert diversity(PAIRS, minilm_like, pairs_a_draw=20, draws=1).deviation is None


def test_equal_texts_are_as_like_as_can_be(minilm_like: Path) -> None:
    found = diversity([("a car", "yes")] * 30, minilm_like, pairs_a_draw=30, draws=1)
    assert (found.available, found.distinct) == (30, 1)
    assert found.mean == pytest.approx(1.0, abs=1e-5)


def test_too_few_pairs(minilm_like: Path) -> None:
    with pytest.raises(InputError, match=r"holds 64 pairs .* fewer than the 1,000 of a draw.*--pairs"):
        diversity(PAIRS, minilm_like)


def test_the_fingerprint(minilm_like: Path) -> None:
    told = str(diversity(PAIRS, minilm_like, pairs_a_draw=20, draws=5).fingerprint)
    assert told.startswith("DCScore: transformers ")
    assert "; longest 12 tokens; case kept; pooling mean; " in told
    assert told.endswith("temperature 1.0; pairs a draw 20; draws 5; seed 0")


def test_an_encoder_without_files_of_sentence_transformers(tmp_path: Path) -> None:
    encoder = open_sentence_encoder(write_tiny_roberta(tmp_path), user="A test")
    assert encoder.encoder.longest == 24 - 2
    vectors = encoder.vectors(["a car", "", "a car"])
    assert np.linalg.norm(vectors, axis=1) == pytest.approx([1, 1, 1], abs=1e-6)
    assert (vectors[0] == vectors[2]).all()
    assert not (vectors[0] == vectors[1]).all()


def test_vectors_that_are_made_otherwise_are_refused(tmp_path: Path) -> None:
    folder = as_sentence_transformer(write_tiny_bert(tmp_path / "tiny"), longest=12, pooling="cls")
    with pytest.raises(InputError, match="by pooling_mode_cls_token, not by the mean alone"):
        open_sentence_encoder(folder, user="A test")
    (folder / "modules.json").write_text(json.dumps([{"type": "sentence_transformers.models.Dense"}]))
    with pytest.raises(InputError, match="by a module 'Dense', which is not known"):
        open_sentence_encoder(folder, user="A test")
    (folder / "modules.json").write_text("{")
    with pytest.raises(InputError, match=r"modules\.json.* does not fit"):
        open_sentence_encoder(folder, user="A test")
    with pytest.raises(InputError, match="is no folder"):
        open_sentence_encoder(tmp_path / "nowhere", user="A test")


def test_lower_case_where_the_files_say_so(minilm_like: Path, tmp_path: Path) -> None:
    folder = as_sentence_transformer(write_tiny_roberta(tmp_path / "tiny"), longest=12)
    assert not np.array_equal(*open_sentence_encoder(folder, user="A test").vectors(["A Car", "a car"]))
    (folder / "sentence_bert_config.json").write_text('{"max_seq_length": 12, "do_lower_case": true}')
    assert np.array_equal(*open_sentence_encoder(folder, user="A test").vectors(["A Car", "a car"]))
