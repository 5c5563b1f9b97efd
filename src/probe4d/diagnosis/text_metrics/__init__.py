"""Scores free answers by their words against a reference: BLEU-4, ROUGE-L and METEOR, each by the library of the field.

`scoring.score_texts` is the way in; a metric is an object of `metric.TextMetric`. What the figures mean, which
implementation each equals and what it costs is in `docs/text-metrics.md`.
"""
