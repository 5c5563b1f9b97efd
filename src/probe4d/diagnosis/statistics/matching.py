"""Maximum bipartite matching of one prompt's Yes and No questions, in the published order.

Which maximum matching is taken changes how many pairs a model gets right, so the size alone is not enough:
this is Kuhn's algorithm with depth-first augmenting paths and candidates in their given order, as the
LiDAR-Hallu pairs were made, without recursion and without visiting edges one by one.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

__all__ = ["match_across_scenes"]

_FREE = -1
_NONE = -2
_LONG = 8
"""Steps in a row from one negative to the next after which the following ones are taken at once."""


def match_across_scenes(positives: Sequence[str], negatives: Sequence[str]) -> list[tuple[int, int]]:
    """Match positives to negatives of other scenes, as many as possible.

    Every positive in turn looks for a negative, trying candidates in order and moving earlier matches out
    of the way along augmenting paths.

    Args:
        positives: Scene of each positive, sorted.
        negatives: Scene of each negative, sorted.

    Returns:
        (position among positives, position among negatives), ascending by the latter.
    """
    codes = {scene: code for code, scene in enumerate(dict.fromkeys([*positives, *negatives]))}
    matching = _Matching([codes[scene] for scene in positives], [codes[scene] for scene in negatives])
    for positive in range(len(positives)):
        matching.augment(positive)
    return [(seeker, negative) for negative, seeker in enumerate(matching.owner) if seeker != _FREE]


class _Matching:
    """A matching that grows by one augmenting path at a time.

    Attributes:
        owner: The positive that each negative is matched to.
    """

    def __init__(self, positives: list[int], negatives: list[int]) -> None:
        self._positives = positives
        self._negatives = negatives
        self._block_end = {scene: end for end, scene in enumerate(negatives, start=1)}
        self.owner = [_FREE] * len(negatives)
        self._owner_scene = np.full(len(negatives), _FREE)
        # Scene of the negative after each one; _NONE where there is none, or none that leads anywhere.
        self._next_scene = np.array([*negatives[1:], _NONE])
        # following[i] leads to the first negative at or after i that a search has not visited.
        self._untouched = list(range(len(negatives) + 1))
        self._following: list[int] = []

    def augment(self, positive: int) -> None:
        """Match one more positive, if an augmenting path leads from it to a free negative."""
        self._following = self._untouched.copy()
        for seeker, first, last in self._path(positive):
            self.owner[first : last + 1] = [seeker, *self.owner[first:last]]
            scenes = self._owner_scene[first : last + 1]
            scenes[1:] = scenes[:-1].copy()
            scenes[0] = self._positives[seeker]

    def _path(self, positive: int) -> list[tuple[int, int, int]]:
        """Find the first augmenting path that depth-first search meets; empty if there is none.

        Returns:
            Stretches (seeker, first, last): the seeker takes negative `first`, the owner of `first` takes
            the one after it, and so on up to `last`.
        """
        path: list[tuple[int, int, int]] = []
        seeker, cursor, farthest, in_a_row = positive, 0, -1, 0
        while True:
            candidate = self._candidate(seeker, cursor)
            if candidate < len(self._negatives):
                in_a_row = in_a_row + 1 if candidate == farthest + 1 else 0
                last = self._stretch(candidate) if in_a_row > _LONG else candidate
                self._following[candidate : last + 1] = [last + 1] * (last + 1 - candidate)
                farthest = max(farthest, last)
                path.append((seeker, candidate, last))
                if self.owner[last] == _FREE:
                    return path
                seeker, cursor = self.owner[last], 0
            elif path:
                first_seeker, first, last = path.pop()
                seeker, cursor = (self.owner[last - 1] if last > first else first_seeker), last + 1
                if last > first:
                    path.append((first_seeker, first, last - 1))
            else:
                self._bury()
                return path

    def _candidate(self, seeker: int, cursor: int) -> int:
        """First negative from `cursor` on that is not visited and not of the seeker's own scene."""
        candidate = self._unvisited(cursor)
        scene = self._positives[seeker]
        if candidate < len(self._negatives) and self._negatives[candidate] == scene:
            # Sorted by scene, so all negatives of that scene stand here in one block.
            candidate = self._unvisited(self._block_end[scene])
        return candidate

    def _stretch(self, candidate: int) -> int:
        """Last of the negatives from `candidate` on that the search takes one after the other.

        Nothing beyond `candidate` has been visited. The owner of a negative takes the next one unless it
        may not, or may take one that was left out before; those that were left out, if any, may all be of
        one scene, so that its own positives go on.
        """
        left_out = self._unvisited(0)
        scene = _NONE
        if left_out < candidate:
            scene = self._negatives[left_out]
            if self._unvisited(self._block_end[scene]) != candidate:
                return candidate
        start, size = candidate, 64
        while True:
            owners, following = self._owner_scene[start : start + size], self._next_scene[start : start + size]
            stops = (owners == _FREE) | (following == _NONE) | (owners == following)
            if scene != _NONE:
                stops |= owners != scene
            if stops.any():
                return start + int(stops.argmax())
            start, size = start + size, 2 * size

    def _bury(self) -> None:
        """Leave out for good what a search without success visited: no later search finds a way out of it."""
        visited = [place for place in range(len(self._negatives)) if self._following[place] != place]
        for place in visited:
            self._untouched[place] = place + 1
        before = np.array([place - 1 for place in visited if place > 0], dtype=np.intp)
        self._next_scene[before] = _NONE

    def _unvisited(self, start: int) -> int:
        following, found = self._following, start
        while following[found] != found:
            found = following[found]
        while following[start] != found:
            following[start], start = found, following[start]
        return found
