"""Metrics of words by name: what each needs, and what is given for none, is told."""

from __future__ import annotations

from pathlib import Path

import pytest

from probe4d.diagnosis.text_metrics.bert_score import BertScore
from probe4d.diagnosis.text_metrics.bleu import Bleu
from probe4d.diagnosis.text_metrics.chosen import text_metrics_named
from probe4d.diagnosis.text_metrics.meteor import Meteor
from probe4d.diagnosis.text_metrics.rouge import RougeL
from probe4d.errors import InputError

WORDNET = Path("wordnet")


def test_in_the_order_of_reports() -> None:
    asked = "bert-score, meteor,rouge-l,bleu"
    made = text_metrics_named(asked, wordnet=WORDNET, bert_encoder="encoder:3")
    assert made == [Bleu(), RougeL(), Meteor(WORDNET), BertScore(Path("encoder"), 3)]
    assert text_metrics_named("bert-score", bert_encoder="encoder:3", device="cpu")[0].device == "cpu"
    assert text_metrics_named("rouge-l") == [RougeL()]
    assert text_metrics_named("") == []


@pytest.mark.parametrize(
    ("asked", "given", "told"),
    [
        ("bleu4", {}, "no text metric 'bleu4'; there are bleu, rouge-l, meteor and bert-score"),
        ("bleu,meteor", {}, "'meteor' needs --wordnet DIR.*wordnet-base"),
        ("bert-score", {}, "'bert-score' needs --bert-encoder DIR.*roberta-large"),
        ("bleu", {"wordnet": WORDNET}, "--wordnet DIR is for the text metric 'meteor', which is not asked for"),
        ("", {"bert_encoder": "encoder"}, "--bert-encoder DIR is for the text metric 'bert-score'"),
        ("bleu", {"device": "cpu"}, "--device is for the text metric 'bert-score'"),
        ("bert-score", {"bert_encoder": "encoder:x"}, "not of the form FOLDER"),
    ],
)
def test_what_does_not_go_together(asked: str, given: dict[str, object], told: str) -> None:
    with pytest.raises(InputError, match=told):
        text_metrics_named(asked, **given)
