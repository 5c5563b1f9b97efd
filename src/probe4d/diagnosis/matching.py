"""Maximum bipartite matching of one prompt's Yes and No questions, in the published order.

Which maximum matching is taken changes how many pairs a model gets right, so the size alone is not enough:
this is Kuhn's algorithm with depth-first augmenting paths and candidates in their given order, as the
LiDAR-Hallu pairs were made, without recursion.
"""

from __future__ import annotations

from collections.abc import Sequence

__all__ = ["match_across_scenes"]


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
    block_end = {scene: end for end, scene in enumerate(negatives, start=1)}
    owner = [-1] * len(negatives)
    untouched = list(range(len(negatives) + 1))
    for positive in range(len(positives)):
        path = _augmenting_path(positive, positives, negatives, owner, block_end, untouched.copy())
        for seeker, negative in path:
            owner[negative] = seeker
    return [(seeker, negative) for negative, seeker in enumerate(owner) if seeker >= 0]


def _augmenting_path(
    first: int,
    positives: Sequence[str],
    negatives: Sequence[str],
    owner: Sequence[int],
    block_end: dict[str, int],
    following: list[int],
) -> list[tuple[int, int]]:
    """Find the first augmenting path that depth-first search meets; empty if there is none.

    `following[i]` leads to the first negative at or after i that this search has not visited; as one is
    visited its link moves on, so that a search costs about one step a negative, not one an edge.
    """
    path: list[tuple[int, int]] = []
    seeker, cursor = first, 0
    stack: list[tuple[int, int]] = []
    end = len(negatives)
    while True:
        candidate = _unvisited(following, cursor)
        if candidate < end and negatives[candidate] == positives[seeker]:
            # Sorted by scene, so all negatives of the seeker's own scene stand here in one block.
            candidate = _unvisited(following, block_end[positives[seeker]])
        if candidate < end:
            following[candidate] = candidate + 1
            path.append((seeker, candidate))
            if owner[candidate] < 0:
                return path
            stack.append((seeker, candidate + 1))
            seeker, cursor = owner[candidate], 0
        elif stack:
            seeker, cursor = stack.pop()
            path.pop()
        else:
            return []


def _unvisited(following: list[int], start: int) -> int:
    found = start
    while following[found] != found:
        found = following[found]
    while following[start] != found:
        following[start], start = found, following[start]
    return found
