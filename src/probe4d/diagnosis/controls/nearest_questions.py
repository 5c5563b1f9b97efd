"""What `control:content` answers in free text: what is right of the most similar question in another scene.

Similar is what shares words (tf-idf, cosine) among questions of the same family and template; no picture, point or
answer of the scene itself is looked at.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from itertools import chain

import numpy as np
import numpy.typing as npt
import polars as pl
from scipy import sparse

from probe4d.diagnosis.sheets.grouping import text_codes

__all__ = ["nearest_questions"]

Codes = npt.NDArray[np.intp]

_WORD = re.compile(r"\w+")
_TEXTS_AT_ONCE = 256
_EQUAL = 1e-5  # of cosines of single precision
_NOT_ELSEWHERE = -1.0  # in place of the cosine with a text that no other scene has
_CELL = ["family", "template"]


def nearest_questions(
    asked: pl.DataFrame, learned: pl.DataFrame, *, done: Callable[[object], None] | None = None
) -> npt.NDArray[np.intp]:
    """Find the most similar question in another scene, of the same family and template.

    Of several that are equally similar it is the first whose id follows that of the question, round from the last to
    the first; ids are digests, so that it is any of them, and the same in whatever order they come. A question whose
    text is not known has no word. What it takes grows with the number of different texts, not of questions.

    Args:
        asked: Columns id, family, template, scene and question, a row for each question to be answered.
        learned: The same, of those that are looked through; they may be the same.
        done: Told of each thousand different texts that were looked for in a scene.

    Returns:
        (asked,) rows of `learned`; −1 where there is none in another scene.
    """
    found = np.full(asked.height, -1, dtype=np.intp)
    asked, learned = (table.with_columns(pl.col("question").fill_null("")) for table in (asked, learned))
    places = learned.with_row_index("place").sort("id")
    groups = dict(iter(places.group_by(_CELL)))
    told = _Thousands(done)
    for key, rows in asked.with_row_index("place").group_by(_CELL):
        others = groups.get(key)
        if others is not None:
            chosen = _nearest(rows, others, told)
            known = others["place"].to_numpy().astype(np.intp)
            found[rows["place"].to_numpy()] = np.where(chosen < 0, -1, known[chosen])
    return found


class _Thousands:
    """Tells of each full thousand."""

    def __init__(self, done: Callable[[object], None] | None) -> None:
        self._done, self._count = done, 0

    def add(self, count: int) -> None:
        before, self._count = self._count, self._count + count
        for _ in range(self._count // 1_000 - before // 1_000):
            if self._done is not None:
                self._done(None)


class _Learned:
    """The rows of each of the different texts that are looked through, by their codes.

    Args:
        texts: (rows,) codes of the texts, in the order of the ids.
        scenes: (rows,) codes of the scenes.
        count: Number of texts.
    """

    def __init__(self, texts: Codes, scenes: Codes, count: int) -> None:
        self._scenes = scenes
        self._rows = np.argsort(texts, kind="stable")
        self._starts = np.searchsorted(texts[self._rows], np.arange(count + 1))
        first, last = (ufunc.reduceat(scenes[self._rows], self._starts[:-1]) for ufunc in (np.minimum, np.maximum))
        self.only_scene: Codes = np.where(first == last, first, -1)  # of each text; -1 of one that several scenes have
        self._held: tuple[bytes, Codes] = (b"", np.empty(0, dtype=np.intp))

    def outside(self, texts: Codes, scene: int) -> Codes:
        """Ascending rows of some texts that are of another scene."""
        key = texts.tobytes()
        if self._held[0] != key:  # those of questions that come one after another are often the same
            rows = [self._rows[self._starts[text] : self._starts[text + 1]] for text in texts]
            self._held = key, np.sort(np.concatenate(rows))
        rows_of_texts = self._held[1]
        elsewhere: Codes = rows_of_texts[self._scenes[rows_of_texts] != scene]
        return elsewhere


def _nearest(asked: pl.DataFrame, learned: pl.DataFrame, told: _Thousands) -> npt.NDArray[np.intp]:
    """The same within a family and template; `learned` is sorted by id."""
    scenes, scenes_of_others = _coded(asked["scene"], learned["scene"])
    texts, texts_of_others = _coded(asked["question"], learned["question"])
    names = pl.concat([asked["question"], learned["question"]]).unique().sort().to_list()
    weights = _weights(names, np.bincount(np.concatenate([texts, texts_of_others])))
    there, codes = np.unique(texts_of_others, return_inverse=True)
    others, book = weights[there], _Learned(codes, scenes_of_others, there.size)
    # Questions of one text in one scene are answered from the same ones, and differ in which of these is next.
    (own, own_scenes), of_pair = np.unique([texts, scenes], axis=1, return_inverse=True)
    by_pair = np.split(np.argsort(of_pair, kind="stable"), np.cumsum(np.bincount(of_pair))[:-1])
    after = np.searchsorted(learned["id"].to_numpy(), asked["id"].to_numpy(), side="right")
    chosen = np.full(asked.height, -1, dtype=np.intp)
    for start in range(0, own.size, _TEXTS_AT_ONCE):
        part = slice(start, start + _TEXTS_AT_ONCE)
        cosines: npt.NDArray[np.float32] = others @ weights[own[part]].T.toarray()
        np.copyto(cosines, _NOT_ELSEWHERE, where=book.only_scene[:, None] == own_scenes[None, part])
        highest = cosines.max(axis=0)
        equal = np.split(*_by_column(cosines >= highest - _EQUAL))
        for number, most_similar in enumerate(equal):
            if highest[number] > _NOT_ELSEWHERE:
                rows = by_pair[start + number]
                near = book.outside(most_similar, own_scenes[start + number])
                chosen[rows] = near[np.searchsorted(near, after[rows]) % near.size]
        told.add(own[part].size)
    return chosen


def _by_column(marks: npt.NDArray[np.bool_]) -> tuple[Codes, Codes]:
    """Rows of the marks, those of a column side by side, and where those of the second column and each after begin."""
    rows, columns = np.divmod(np.flatnonzero(marks), marks.shape[1])
    order = np.argsort(columns, kind="stable")
    return rows[order], np.searchsorted(columns[order], np.arange(1, marks.shape[1]))


def _coded(one: pl.Series, other: pl.Series) -> tuple[Codes, Codes]:
    codes = text_codes(pl.concat([one, other]))
    return codes[: one.len()], codes[one.len() :]


def _weights(texts: Sequence[str], counts: npt.NDArray[np.intp]) -> sparse.csr_array:
    """(texts, words) tf-idf weights, of length 1, of texts that come so often; one without words has none."""
    words = [_WORD.findall(text.lower()) for text in texts]
    numbers = {word: number for number, word in enumerate(dict.fromkeys(chain.from_iterable(words)))}
    starts = np.cumsum([0, *map(len, words)])
    columns = np.fromiter((numbers[word] for text in words for word in text), dtype=np.intp, count=starts[-1])
    shape = (len(words), max(1, len(numbers)))
    weights = sparse.csr_array((np.ones(columns.size, dtype=np.float32), columns, starts), shape=shape)
    weights.sum_duplicates()
    per_text = np.diff(weights.indptr)
    texts_with = np.bincount(weights.indices, weights=np.repeat(counts, per_text), minlength=shape[1])
    rarity = np.log((1 + counts.sum()) / (1 + texts_with)) + 1
    weights.data *= rarity[weights.indices].astype(np.float32)
    lengths = np.sqrt(weights.multiply(weights).sum(axis=1))
    weights.data /= np.repeat(np.where(lengths > 0, lengths, 1), per_text).astype(np.float32)
    return weights
