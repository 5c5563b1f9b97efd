"""BERTScore equals the package's where that is defined, whatever the pairs beside it; what is missing is told."""

from __future__ import annotations

import random
import sys
from pathlib import Path

import numpy as np
import pytest
import torch

from encoder_making import WORDS, write_tiny_bert, write_tiny_roberta
from probe4d.diagnosis.text_metrics import encoder, scoring
from probe4d.diagnosis.text_metrics.bert_score import BertScore, bert_score_of
from probe4d.diagnosis.text_metrics.bleu import Bleu
from probe4d.diagnosis.text_metrics.encoder import open_encoder
from probe4d.diagnosis.text_metrics.scoring import score_texts
from probe4d.errors import InputError


@pytest.fixture(scope="module")
def bert(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_tiny_bert(tmp_path_factory.mktemp("bert") / "tiny")


@pytest.fixture(scope="module")
def roberta(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_tiny_roberta(tmp_path_factory.mktemp("roberta") / "tiny")


def texts(seed: int, n: int = 30) -> list[str]:
    draw = random.Random(seed)
    return [" ".join(draw.choices([*WORDS, "qux", "Car"], k=draw.randrange(1, 45))) for _ in range(n)]


@pytest.mark.parametrize("layer", [1, 3])
def test_equals_the_package(bert: Path, layer: int) -> None:
    import bert_score as package

    theirs = package.BERTScorer(model_type=str(bert), num_layers=layer, idf=False, rescale_with_baseline=False)
    found = BertScore(bert, layer).statistics(texts(0), texts(1))
    # One by one: in its batches, padding counts as a partner with a cosine of 0.
    pairs = zip(texts(0), texts(1), strict=True)
    precision, recall, both = np.transpose([[float(one) for one in theirs.score([c], [r])] for c, r in pairs])
    assert np.abs(found - np.transpose([both, precision, recall])).max() < 1e-6
    assert found[:, 0].std() > 0.01


def test_by_its_definition(bert: Path) -> None:
    candidate, reference = "a car moves", "the bus stops ahead"
    opened = open_encoder(bert.resolve(), user="A test", layer=2)
    read = opened.tokenizer([candidate, reference], padding=True, return_tensors="pt")
    with torch.inference_mode():
        said, right = opened.model(**read)[0]
    said = said[: int(read["attention_mask"][0].sum())]

    def cosine(one: torch.Tensor, other: torch.Tensor) -> float:
        return float(torch.nn.functional.cosine_similarity(one, other, dim=0))

    # The first and the last are special: partners, but in no mean.
    precision = np.mean([max(cosine(one, other) for other in right) for one in said[1:-1]])
    recall = np.mean([max(cosine(one, other) for other in said) for one in right[1:-1]])
    expected = [2 * precision * recall / (precision + recall), precision, recall]
    assert BertScore(bert, 2).statistics([candidate], [reference])[0] == pytest.approx(expected, abs=1e-6)


def test_values_depend_on_no_other_pair(bert: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    metric = BertScore(bert, 3)
    whole = metric.statistics(texts(0), texts(1))
    monkeypatch.setattr(scoring, "_PAIRS_AT_ONCE", 7)
    monkeypatch.setattr(encoder, "_TOKENS_AT_ONCE", 64)
    parts = score_texts(texts(0), texts(1), [metric])["BERTScore"].statistics
    assert np.abs(parts - whole).max() < 1e-6
    turned = metric.statistics(texts(0)[::-1], texts(1)[::-1])[::-1]
    assert (turned == metric.statistics(texts(0), texts(1))).all()


@pytest.mark.parametrize(
    ("candidate", "reference", "score"),
    [("", "the car", 0.0), ("the car", "", 0.0), (" \n", "\t", 0.0), ("the car", "the car", 1.0), ("Car", "car", 1.0)],
)
def test_edges(bert: Path, candidate: str, reference: str, score: float) -> None:
    assert BertScore(bert, 3).statistics([candidate], [reference])[0] == pytest.approx([score] * 3, abs=1e-6)


def test_no_pair(bert: Path) -> None:
    assert BertScore(bert, 3).statistics([], []).shape == (0, 3)


def test_long_texts_are_cut_and_never_fail(bert: Path, roberta: Path) -> None:
    long = "car " * 400
    for folder, layer in ((bert, 3), (roberta, 2)):
        assert BertScore(folder, layer).statistics([long], [f"{long} bus"])[0, 0] == pytest.approx(1.0, abs=1e-5)


def test_the_first_word_of_a_text_is_the_same_to_roberta_as_elsewhere(roberta: Path) -> None:
    opened = open_encoder(roberta.resolve(), user="A test", layer=1)
    assert opened.tokens("car")[1:-1] == opened.tokens("a car")[3:-1]
    assert opened.tokens("") == [opened.tokenizer.cls_token_id, opened.tokenizer.sep_token_id]


def test_beside_others_it_stays_in_one_process(bert: Path) -> None:
    scores = score_texts(texts(0), texts(1), [BertScore(bert, 3), Bleu()], workers=2)
    assert list(scores) == ["BERTScore", "BLEU-4"]
    assert (scores["BERTScore"].statistics == BertScore(bert, 3).statistics(texts(0), texts(1))).all()
    assert scores["BERTScore"].corpus() == pytest.approx(float(scores["BERTScore"].of_pairs.mean()))


def test_the_fingerprint_tells_weights_and_layers(bert: Path, tmp_path: Path) -> None:
    same, other = write_tiny_bert(tmp_path / "same"), write_tiny_bert(tmp_path / "other", seed=1)
    ours = BertScore(bert, 3).fingerprint()
    assert ours == BertScore(same, 3).fingerprint()
    assert ours != BertScore(other, 3).fingerprint()
    assert ours != BertScore(bert, 2).fingerprint()
    assert str(ours).startswith("BERTScore: transformers ")
    assert "; layer 3; longest 32 tokens; idf off; rescaling off" in str(ours)


def test_options_of_the_command_line(bert: Path) -> None:
    assert bert_score_of(f"{bert}:2") == BertScore(bert, 2)
    assert bert_score_of(str(bert)) == BertScore(bert)
    for text in (f"{bert}:", f"{bert}:0", f"{bert}:last", f"{bert}:-1"):
        with pytest.raises(InputError, match=r"not of the form FOLDER\[:LAYER\]"):
            bert_score_of(text)


def test_the_usual_layer_is_that_of_roberta_large_alone(bert: Path, tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"no roberta-large.*a bert of 3 layers.*:3 is the last one"):
        BertScore(bert).fingerprint()
    (tmp_path / "config.json").write_text('{"model_type": "roberta", "num_hidden_layers": 24, "hidden_size": 1024}')
    assert BertScore(tmp_path)._layer() == 17


def test_what_is_missing_or_broken_is_told(bert: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(InputError, match=r"has 3 layers, and no layer 4"):
        BertScore(bert, 4).fingerprint()
    with pytest.raises(InputError, match=r"is no folder.*hf download NAME"):
        BertScore(tmp_path / "nowhere", 1).fingerprint()
    with pytest.raises(InputError, match=r"has no config\.json"):
        BertScore(tmp_path, 1).fingerprint()
    (tmp_path / "config.json").write_text("{}")
    with pytest.raises(InputError, match="is no configuration of an encoder"):
        BertScore(tmp_path, 1).fingerprint()
    (tmp_path / "config.json").write_text((bert / "config.json").read_text())
    with pytest.raises(InputError, match="the encoder's weights cannot be read"):
        BertScore(tmp_path, 1).fingerprint()
    (tmp_path / "model.safetensors").write_bytes((bert / "model.safetensors").read_bytes())
    (tmp_path / "config.json").write_text((bert / "config.json").read_text().replace('layers": 3', 'layers": 4'))
    with pytest.raises(InputError, match=r"lacks weights that its config.json speaks of, such as encoder\.layer\.3"):
        BertScore(tmp_path, 4).fingerprint()
    monkeypatch.setitem(sys.modules, "transformers", None)
    with pytest.raises(InputError, match=r"BERTScore needs packages that are not installed.*'probe4d\[bert\]'"):
        BertScore(bert, 1).fingerprint()
