"""Which communities are joined: the two arrangements of each set.

A graph begins as a bag of communities, sorted by type, that is drawn independently of the class.
The class only decides which members of the bag are joined, so the two classes can't differ in any
count of nodes, edges, communities or labels.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from graphpool.data.synthetic.arrangements.settings import Settings

Ints = NDArray[np.int64]

PATTERNS = {"ring": ("AABBAABB", "ABAAABBB"), "order": ("AABABB", "ABAABB")}
CLASSES = {
    **PATTERNS,
    "marks": ("near", "far"),
    "marksmix": ("near", "far"),
    "spider": ("legs 1-1-3", "legs 1-2-2"),
}
TYPES = {
    "ring": ("A", "B"),
    "order": ("A", "B"),
    "marks": ("plain", "marked"),
    "marksmix": ("plain", "marked"),
    "spider": (),
}
# Community 0 is the body; each leg is a walk away from it.
_LEGS = (((0, 1), (0, 2), (0, 3), (3, 4), (4, 5)), ((0, 1), (0, 2), (2, 3), (0, 4), (4, 5)))


@dataclass(frozen=True)
class Plan:
    """Communities of each graph and the pairs of them that are joined.

    Args:
        types: `[graphs, communities]`, codes into `TYPES`, the same for both classes.
        joined: `[graphs, joins, 2]`, numbers of communities.
        joins: `[graphs]`, how many rows of `joined` count.
    """

    types: Ints
    joined: Ints
    joins: Ints


def plan(
    name: str, y: Ints, count: Ints, distance: NDArray[np.float64], settings: Settings
) -> Plan:
    """Return the arrangement of each graph.

    Args:
        y: `[graphs]`, the class.
        count: `[graphs]`, the number of communities.
        distance: `[graphs]` in [0, 1), what the distance of two far marks is chosen by.
    """
    if name == "spider":
        joined = np.array(_LEGS)[y]
        return Plan(np.zeros((len(y), 6), dtype=np.int64), joined, np.full(len(y), 5))
    if name in PATTERNS:
        bags = np.array([_bag(pattern) for pattern in PATTERNS[name]])
        types = np.array([sign == "B" for sign in sorted(PATTERNS[name][0])], dtype=np.int64)
        return _chain(bags[y], np.tile(types, (len(y), 1)), count, closed=name == "ring")
    return _marks(y, count, distance, settings.communities[1])


def _bag(pattern: str) -> list[int]:
    """Return the member of the sorted bag at each position of a pattern."""
    order = sorted(range(len(pattern)), key=lambda position: pattern[position])
    return [order.index(position) for position in range(len(pattern))]


def _marks(y: Ints, count: Ints, distance: NDArray[np.float64], most: int) -> Plan:
    """Cycles with two marked communities, 2 apart (class 0), else 3, or 4 in longer cycles."""
    farthest = np.minimum(4, count // 2)
    apart = np.where(y == 0, 2, 3 + np.floor(distance * (farthest - 2)).astype(np.int64))
    position, apart = np.arange(most), apart[:, None]
    # Members 0 and 1 of the bag are marked; the others follow in order.
    bag = position + (position < apart)
    bag = np.where(position == 0, 0, np.where(position == apart, 1, bag))
    return _chain(bag, np.tile((position < 2).astype(np.int64), (len(y), 1)), count, closed=True)


def _chain(bag: Ints, types: Ints, count: Ints, closed: bool) -> Plan:
    """Join each community to the next one, and the last, if closed, to the first.

    Args:
        bag: `[graphs, positions]`, the community at each position; the first `count` are used.
    """
    position = np.arange(bag.shape[1])
    after = np.where(position + 1 < count[:, None], position + 1, 0)
    joined = np.stack([bag, np.take_along_axis(bag, after, axis=1)], axis=-1)
    return Plan(types, joined, count if closed else count - 1)
