"""Which communities are joined: the two arrangements of each set.

A graph begins as a bag of communities, sorted by type, that is drawn without knowing the class.
The class only says which members of the bag are joined, so the two classes can't differ in any
count of nodes, edges, communities or labels.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from graphpool.data.synthetic.arrangements.knobs import Knobs

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


def plan(name: str, y: Ints, count: Ints, distance: NDArray[np.float64], knobs: Knobs) -> Plan:
    """The arrangement of each graph.

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
    return _marks(y, count, distance, knobs.communities[1])


def _bag(pattern: str) -> list[int]:
    """The member of the sorted bag that stands at each place of a pattern."""
    places = sorted(range(len(pattern)), key=lambda place: pattern[place])
    return [places.index(place) for place in range(len(pattern))]


def _marks(y: Ints, count: Ints, distance: NDArray[np.float64], most: int) -> Plan:
    """Cycles with two marked communities, 2 apart (class 0), or 3 or 4 where there is room."""
    farthest = np.minimum(4, count // 2)
    apart = np.where(y == 0, 2, 3 + np.floor(distance * (farthest - 2)).astype(np.int64))
    place, apart = np.arange(most), apart[:, None]
    # Members 0 and 1 of the bag are marked; the others follow in the order of their places.
    bag = place + (place < apart)
    bag = np.where(place == 0, 0, np.where(place == apart, 1, bag))
    return _chain(bag, np.tile((place < 2).astype(np.int64), (len(y), 1)), count, closed=True)


def _chain(bag: Ints, types: Ints, count: Ints, closed: bool) -> Plan:
    """Each community is joined to the one at the next place, and the last, if closed, to the first.

    Args:
        bag: `[graphs, places]`, the community at each place; the first `count` places are used.
    """
    place = np.arange(bag.shape[1])
    after = np.where(place + 1 < count[:, None], place + 1, 0)
    joined = np.stack([bag, np.take_along_axis(bag, after, axis=1)], axis=-1)
    return Plan(types, joined, count if closed else count - 1)
