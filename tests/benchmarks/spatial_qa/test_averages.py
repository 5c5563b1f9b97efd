"""The columns of the paper's tables name templates that exist, and each once."""

from __future__ import annotations

from collections import Counter

import pytest

from probe4d.benchmarks.spatial_qa.averages import AVERAGES
from probe4d.benchmarks.spatial_qa.templates import TEMPLATES
from probe4d.benchmarks.suite import Average

FORMATS = {"accuracy": {"yes-no", "choice"}, "tolerance_accuracy": {"number"}, "mean_absolute_error": {"number"}}
PRINTED = {
    "paper_qualitative": ({"qualitative"}, 7),
    "paper_quantitative": ({"quantitative"}, 7),
    "paper_quantitative_error": ({"quantitative"}, 7),
    "paper_reasoning": ({"direct-reasoning", "situational"}, 2),
}


@pytest.mark.parametrize("average", AVERAGES, ids=lambda one: one.name)
def test_columns_hold_every_template_of_their_levels_once(average: Average) -> None:
    levels, columns = PRINTED[average.name]
    used = Counter(name for templates in average.columns.values() for name in templates)
    assert used == Counter(name for name, template in TEMPLATES.items() if template.level in levels)
    assert len(average.columns) == columns
    assert {TEMPLATES[name].format for name in used} <= FORMATS[average.of]


@pytest.mark.parametrize(
    ("name", "columns", "printed"),
    [
        ("paper_quantitative_error", (30.1, 12.3, 11.5, 9.1, 1.4, 0.4, 168.0), 33.3),  # LLaVA-v1.6, Table 2
        ("paper_quantitative_error", (33.8, 18.9, 28.0, 2.2, 2.6, 45.1, 47.4), 25.4),  # Qwen2.5-VL, Table 2
        ("paper_reasoning", (48.51, 73.50), 61.01),  # LLaVA-v1.6-mistral-7b, Tables 3 and 5
        ("paper_reasoning", (58.18, 84.06), 71.12),  # Qwen2.5-VL-7B-Instruct, Tables 3 and 5
    ],
)
def test_plain_means_are_those_of_the_paper(name: str, columns: tuple[float, ...], printed: float) -> None:
    (average,) = (one for one in AVERAGES if one.name == name)
    assert not average.pooled
    assert len(columns) == len(average.columns)
    assert sum(columns) / len(columns) == pytest.approx(printed, abs=0.051)
