"""Text metrics beside other judges."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest

from probe4d.diagnosis.agreement.text_metrics import with_text_metrics
from probe4d.diagnosis.agreement.with_people import JudgeLabels, judge_agreement
from probe4d.diagnosis.text_metrics.bleu import Bleu
from probe4d.diagnosis.text_metrics.rouge import RougeL
from probe4d.errors import InputError

LABELS = JudgeLabels(
    items=["a", "b", "c", "d"],
    human=np.array([9.0, 1.0, 2.0, 4.0]),
    judges={"J": np.array([8.0, 2.0, 3.0, 4.0])},
    references=["the car is ahead", "the car is ahead", None, "the car is ahead"],
    answers=["the car is ahead", "", "the car is ahead", None],
)


@pytest.mark.parametrize("scale", [10, 100])
def test_scores_are_stretched_to_the_scale(scale: int) -> None:
    found = with_text_metrics(dataclasses.replace(LABELS, scale=scale), [Bleu(), RougeL()])
    assert list(found.judges) == ["J", "BLEU-4", "ROUGE-L"]
    for name in ("BLEU-4", "ROUGE-L"):
        assert found.judges[name].tolist() == pytest.approx([scale, 0, np.nan, np.nan], nan_ok=True)


def test_fingerprints_stand_beside_the_figures() -> None:
    own, *added = judge_agreement(with_text_metrics(LABELS, [Bleu(), RougeL()]), draws=2)
    assert own.fingerprint is None
    assert [one.fingerprint for one in added] == [str(Bleu().fingerprint()), str(RougeL().fingerprint())]
    assert [(one.n, one.unscored) for one in added] == [(2, 2), (2, 2)]


def test_no_texts() -> None:
    with pytest.raises(InputError, match="there are no references and answers"):
        with_text_metrics(dataclasses.replace(LABELS, answers=None), [Bleu()])


def test_a_judge_of_the_same_name() -> None:
    with pytest.raises(InputError, match="a judge is called 'BLEU-4', as the text metric is"):
        with_text_metrics(dataclasses.replace(LABELS, judges={"BLEU-4": LABELS.human}), [Bleu()])
