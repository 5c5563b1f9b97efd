"""The control of free text takes the most similar question of another scene, whatever the order of the rows."""

from __future__ import annotations

import math
import re
from collections import Counter

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from probe4d.diagnosis.controls import nearest_questions as module
from probe4d.diagnosis.controls.nearest_questions import nearest_questions

WORDS = st.sampled_from(["car", "bus", "what", "does", "the", "do", "frame", "008", "?", "12"])
ROWS = st.lists(
    st.tuples(st.sampled_from("ab"), st.sampled_from("xyz"), st.lists(WORDS, max_size=5).map(" ".join)),
    min_size=1,
    max_size=12,
)


def table(rows: list[tuple[str, str, str]]) -> pl.DataFrame:
    return pl.DataFrame(
        {
            "id": [f"{(7 * place) % 13:02d}" for place in range(len(rows))],
            "family": "f",
            "template": [template for template, _, _ in rows],
            "scene": [scene for _, scene, _ in rows],
            "question": [question for _, _, question in rows],
        }
    )


def by_loops(rows: pl.DataFrame) -> list[str | None]:
    """Id of the nearest, by tf-idf over each template's questions, as they would be counted by hand."""
    found = []
    everything = rows.rows(named=True)
    for own in everything:
        cell = [one for one in everything if one["template"] == own["template"]]
        counts = [Counter(re.findall(r"\w+", one["question"])) for one in cell for _ in range(2)]
        # The questions asked and those that are looked through are counted, here the same ones twice.
        idf = {
            word: math.log((1 + len(counts)) / (1 + sum(word in c for c in counts))) + 1 for c in counts for word in c
        }

        def cosine(one: str, other: str, idf: dict[str, float] = idf) -> float:
            left, right = (
                {word: n * idf[word] for word, n in Counter(re.findall(r"\w+", text)).items()} for text in (one, other)
            )
            lengths = math.hypot(*left.values()) * math.hypot(*right.values())
            return sum(value * right.get(word, 0.0) for word, value in left.items()) / lengths if lengths else 0.0

        others = [one for one in cell if one["scene"] != own["scene"]]
        if not others:
            found.append(None)
            continue
        cosines = {one["id"]: cosine(own["question"], one["question"]) for one in others}
        near = sorted(name for name, value in cosines.items() if value >= max(cosines.values()) - 1e-5)
        found.append(next((name for name in near if name > own["id"]), near[0]))
    return found


@settings(deadline=None)
@given(rows=ROWS)
def test_nearest_by_loops(rows: list[tuple[str, str, str]]) -> None:
    asked = table(rows)
    found = nearest_questions(asked, asked)
    assert [None if place < 0 else asked["id"][int(place)] for place in found] == by_loops(asked)


def test_neither_the_order_nor_blocks_matter(monkeypatch: pytest.MonkeyPatch) -> None:
    words = ["car", "bus", "truck", "walks", "left", "right", "stops"]
    draw = np.random.default_rng(0)
    rows = [("ab"[n % 2], f"s{n % 5}", " ".join(draw.choice(words, 4))) for n in range(60)]
    asked = table(rows).with_columns(id=pl.Series([f"{n:04d}" for n in draw.permutation(60)]))
    found = dict(zip(asked["id"], asked["id"].gather(nearest_questions(asked, asked)), strict=True))
    monkeypatch.setattr(module, "_TEXTS_AT_ONCE", 7)
    mixed = asked.sample(fraction=1.0, shuffle=True, seed=1)
    assert dict(zip(mixed["id"], mixed["id"].gather(nearest_questions(mixed, mixed)), strict=True)) == found
    scene = dict(asked.select("id", "scene").iter_rows())
    assert all(scene[one] != scene[other] for one, other in found.items())


def test_equal_questions_get_different_others() -> None:
    rows = table([("a", scene, "Describe the sequence.") for scene in "uvwxyz" * 2])
    found = nearest_questions(rows, rows)
    assert len(set(found.tolist())) > 6


def test_questions_of_another_benchmark() -> None:
    asked = table([("a", "x", "What does the car do?"), ("b", "x", "And now?")])
    learned = table([("a", "x", "What does the car do?"), ("a", "y", "What does the bus do?"), ("a", "z", "Hm?")])
    assert nearest_questions(asked, learned).tolist() == [1, -1]
    assert nearest_questions(asked, learned.clear()).tolist() == [-1, -1]
    assert nearest_questions(asked.clear(), learned).tolist() == []


def test_a_question_without_a_known_text_has_no_word_and_progress_is_told() -> None:
    rows = table([("a", f"s{n % 7}", "Describe the sequence." if n % 2 else f"Is {n} there?") for n in range(4_100)])
    told: list[object] = []
    nearest_questions(rows, rows, done=told.append)
    assert len(told) == 2  # 2,050 texts, each in one scene, and one in seven
    nameless = rows.with_columns(question=pl.when(pl.col("question").str.starts_with("Is")).then("question"))
    assert (nearest_questions(nameless, nameless) >= 0).all()
