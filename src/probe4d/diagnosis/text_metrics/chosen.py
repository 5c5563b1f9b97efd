"""Metrics of words by the names that people give them."""

from __future__ import annotations

from pathlib import Path

from probe4d.diagnosis.text_metrics.bert_score import bert_score_of
from probe4d.diagnosis.text_metrics.bleu import Bleu
from probe4d.diagnosis.text_metrics.meteor import Meteor
from probe4d.diagnosis.text_metrics.metric import TextMetric
from probe4d.diagnosis.text_metrics.rouge import RougeL
from probe4d.errors import InputError
from probe4d.wording import listed

__all__ = ["TEXT_METRICS", "text_metrics_named"]

TEXT_METRICS = ("bleu", "rouge-l", "meteor", "bert-score")
"""The names, in the order of reports."""


def text_metrics_named(
    names: str, *, wordnet: Path | None = None, bert_encoder: str | None = None, device: str | None = None
) -> list[TextMetric]:
    """Make metrics.

    Args:
        names: Names among `TEXT_METRICS` with commas between them; an empty text names none.
        wordnet: Folder of WordNet's files, for METEOR.
        bert_encoder: `FOLDER[:LAYER]` of the encoder of BERTScore.
        device: Where that runs.

    Returns:
        The metrics in the order of `TEXT_METRICS`.

    Raises:
        InputError: There is no such metric, or one lacks what it needs, or is not asked for what is given.
    """
    asked = [name for name in map(str.strip, names.split(",")) if name]
    for name in asked:
        if name not in TEXT_METRICS:
            raise InputError(
                f"there is no text metric {name!r}; there are {listed(list(TEXT_METRICS))}.",
                remedy="Name some of them.",
            )
    for name, given, option in (
        ("meteor", wordnet, "--wordnet DIR"),
        ("bert-score", bert_encoder, "--bert-encoder DIR"),
    ):
        if name in asked and given is None:
            raise InputError(f"the text metric {name!r} needs {option}.", remedy=_REMEDIES[name])
        if name not in asked and given is not None:
            raise InputError(f"{option} is for the text metric {name!r}, which is not asked for.", remedy=_MORE)
    if device is not None and bert_encoder is None:
        raise InputError("--device is for the text metric 'bert-score', which is not asked for.", remedy=_MORE)
    made: dict[str, TextMetric] = {"bleu": Bleu(), "rouge-l": RougeL()}
    if wordnet is not None:
        made["meteor"] = Meteor(wordnet)
    if bert_encoder is not None:
        made["bert-score"] = bert_score_of(bert_encoder, device=device)
    return [made[name] for name in TEXT_METRICS if name in asked]


_MORE = "Name it in --text-metrics, or leave the option out."
_REMEDIES = {
    "meteor": "Name the folder of WordNet's files, such as /usr/share/wordnet of Debian's package wordnet-base.",
    "bert-score": "Name the folder of an encoder, such as roberta-large; nothing is fetched.",
}
