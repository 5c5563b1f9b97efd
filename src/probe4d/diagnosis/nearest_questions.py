"""What `control:content` answers in free text: what is right of the most similar question in another scene.

Similar is what shares words (tf-idf, cosine) among questions of the same family and template; no picture, point or
answer of the scene itself is looked at.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import chain

import numpy as np
import numpy.typing as npt
import polars as pl
from scipy import sparse

from probe4d.diagnosis.sheet import text_codes

__all__ = ["nearest_questions"]

_WORD = re.compile(r"\w+")
_QUESTIONS_AT_ONCE = 256
_EQUAL = 1e-5  # of cosines of single precision
_CELL = ["family", "template"]


def nearest_questions(asked: pl.DataFrame, learned: pl.DataFrame) -> npt.NDArray[np.intp]:
    """Find the most similar question in another scene, of the same family and template.

    Of several that are equally similar it is the first whose id follows that of the question, round from the last to
    the first; ids are digests, so that it is any of them, and the same in whatever order they come.

    Args:
        asked: Columns id, family, template, scene and question, a row for each question to be answered.
        learned: The same, of those that are looked through; they may be the same.

    Returns:
        (asked,) rows of `learned`; −1 where there is none in another scene.
    """
    found = np.full(asked.height, -1, dtype=np.intp)
    places = learned.with_row_index("place").sort("id")
    groups = dict(iter(places.group_by(_CELL)))
    for key, rows in asked.with_row_index("place").group_by(_CELL):
        others = groups.get(key)
        if others is not None:
            chosen = _nearest(rows, others)
            known = others["place"].to_numpy().astype(np.intp)
            found[rows["place"].to_numpy()] = np.where(chosen < 0, -1, known[chosen])
    return found


def _nearest(asked: pl.DataFrame, learned: pl.DataFrame) -> npt.NDArray[np.intp]:
    """The same within a family and template; `learned` is sorted by id."""
    own, others = _weights(asked["question"].to_list(), learned["question"].to_list())
    scenes, scenes_of_others = np.split(text_codes(pl.concat([asked["scene"], learned["scene"]])), [asked.height])
    after = np.searchsorted(learned["id"].to_numpy(), asked["id"].to_numpy(), side="right")
    turn = np.arange(learned.height)
    chosen = np.full(asked.height, -1, dtype=np.intp)
    for start in range(0, asked.height, _QUESTIONS_AT_ONCE):
        rows = slice(start, start + _QUESTIONS_AT_ONCE)
        cosines = (others @ own[rows].T.toarray()).T
        elsewhere = scenes[rows, None] != scenes_of_others[None]
        cosines[~elsewhere] = -1.0
        equal = elsewhere & (cosines >= cosines.max(axis=1, keepdims=True) - _EQUAL)
        order = np.where(equal, (turn[None] - after[rows, None]) % learned.height, learned.height)
        chosen[rows] = np.where(equal.any(axis=1), order.argmin(axis=1), -1)
    return chosen


def _weights(asked: Sequence[str], learned: Sequence[str]) -> tuple[sparse.csr_array, sparse.csr_array]:
    """(questions, words) tf-idf weights of both, of length 1; a question without words has none."""
    words = [_WORD.findall(text.lower()) for text in chain(asked, learned)]
    numbers = {word: number for number, word in enumerate(dict.fromkeys(chain.from_iterable(words)))}
    starts = np.cumsum([0, *map(len, words)])
    columns = np.fromiter((numbers[word] for text in words for word in text), dtype=np.intp, count=starts[-1])
    shape = (len(words), max(1, len(numbers)))
    counts = sparse.csr_array((np.ones(columns.size, dtype=np.float32), columns, starts), shape=shape)
    counts.sum_duplicates()
    texts_with = np.bincount(counts.indices, minlength=shape[1])
    rarity = np.log((1 + shape[0]) / (1 + texts_with)) + 1
    counts.data *= rarity[counts.indices].astype(np.float32)
    lengths = np.sqrt(counts.multiply(counts).sum(axis=1))
    counts.data /= np.repeat(np.where(lengths > 0, lengths, 1), np.diff(counts.indptr)).astype(np.float32)
    return counts[: len(asked)], counts[len(asked) :]
