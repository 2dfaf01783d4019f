"""Generate pairs of random graphs that match or don't: the paper's set, and a balanced one.

`paper` and `balanced` describe the pairs. Exactly half of them match; their order is random, and so
is the numbering of nodes in second graphs.

For every balanced pair that doesn't match it is proved that its graphs are more than one edit apart
(`proofs`). With `verify`, the edges of all second graphs are compared with those of the first ones
through the known numbering of nodes. In addition VF2 of NetworkX, which doesn't know the numbering,
checks some pairs of each size (80 pairs of 20 nodes, 16 of 100): the paper's second graphs must be
induced subgraphs, and balanced ones isomorphic or not, as they should be. Pairs are the same with
and without `verify`.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np
import torch
from numpy.random import Generator

from graphpool.data.cache import cache_key
from graphpool.data.pairs.pairset import PairSet
from graphpool.data.synthetic.matching.checks import check_balanced, check_paper
from graphpool.data.synthetic.matching.draws import (
    DrawnPairs,
    Flags,
    Ints,
    ends,
    shuffled_numbers,
    slots,
    stream,
)
from graphpool.data.synthetic.matching.paper import draw_paper
from graphpool.errors import ConfigError, nearest
from graphpool.graphs.combine import concatenate
from graphpool.graphs.graphset import GraphSet

VERSION = 1  # of the pairs drawn for given settings; they are cached under it
_BLOCK = 1 << 22  # flags drawn together; part of what a seed means
_FEWEST = {"paper": 5, "balanced": 10}  # nodes
# How pairs that match may be edited, the usual way first.
_EDITS = {
    "easy": ("rewire", "none"),
    "medium": ("swap", "rewire", "none"),
    "hard": ("rewire", "none"),
}


@dataclass(frozen=True)
class MatchingSettings:
    """The settings of a set of pairs, checked."""

    kind: str
    nodes: tuple[int, ...]
    pairs: int
    seed: int
    hardness: str
    edit: str

    @classmethod
    def of(
        cls,
        kind: str,
        nodes: int | Sequence[int],
        pairs: int,
        seed: int,
        hardness: str = "easy",
        edit: str | None = None,
    ) -> "MatchingSettings":
        """Return the settings for arguments of `matching_pairs`."""
        sizes = (nodes,) if isinstance(nodes, int) else tuple(nodes)
        if edit is None:
            edit = "none" if kind == "paper" else _EDITS.get(hardness, ("none",))[0]
        return cls(kind, sizes, pairs, seed, hardness, edit)

    def __post_init__(self) -> None:
        if self.kind not in _FEWEST:
            raise ConfigError(f"no matching pairs {self.kind!r}; {nearest(self.kind, _FEWEST)}")
        if self.kind == "paper" and (self.hardness, self.edit) != ("easy", "none"):
            raise ConfigError("the paper's pairs have no hardness and no edit; balanced pairs have")
        if self.hardness not in _EDITS:
            raise ConfigError(f"no hardness {self.hardness!r}; {nearest(self.hardness, _EDITS)}")
        if self.edit not in _EDITS[self.hardness]:
            known = nearest(self.edit, _EDITS[self.hardness])
            raise ConfigError(f"no edit {self.edit!r} in {self.hardness} pairs; {known}")
        fewest = _FEWEST[self.kind]
        if not self.nodes or min(self.nodes) < fewest or len(set(self.nodes)) < len(self.nodes):
            raise ConfigError(
                f"nodes={list(self.nodes)}; {self.kind} pairs need one or more different numbers "
                f"from {fewest} on"
            )
        if self.pairs < 1 or self.seed < 0:
            raise ConfigError(
                f"pairs={self.pairs}, seed={self.seed}; give at least one pair and no negative seed"
            )

    @property
    def name(self) -> str:
        """Such as `matching-balanced-hard-20`."""
        edit = [] if self.edit == _EDITS[self.hardness][0] else [self.edit]
        hardness = [] if self.kind == "paper" else [self.hardness, *edit]
        return "-".join(["matching", self.kind, *hardness, *map(str, self.nodes)])

    @property
    def note(self) -> str:
        """The settings as text, for the notes of the set."""
        chosen = {**vars(self), "nodes": "/".join(map(str, self.nodes))}
        return "drawn with " + ", ".join(f"{key}={value}" for key, value in chosen.items())

    @property
    def key(self) -> str:
        """The key under which these pairs are cached."""
        return cache_key("", reader="matching", version=VERSION, **vars(self))


def matching_pairs(
    kind: Literal["paper", "balanced"],
    nodes: int | Sequence[int],
    pairs: int,
    seed: int,
    hardness: Literal["easy", "medium", "hard"] = "easy",
    verify: bool = True,
    *,
    edit: Literal["none", "rewire", "swap"] | None = None,
) -> PairSet:
    """Draw pairs of graphs; `y` is 1 where a pair matches.

    Graphs have no features yet: make them and use `PairSet.with_graphs`.

    Args:
        kind: `paper`, or `balanced`.
        nodes: of the first graphs; of several sizes there are as many pairs each.
        pairs: of all sizes together; the paper has 8,750 with 20, 30, 40, 50, 100,
            200 and 300 nodes.
        seed: the same seed gives the same pairs, to the bit.
        hardness: of balanced pairs.
        verify: check them independently; see above.
        edit: how half of the balanced pairs that match differ: by one edge (`rewire`), by one
            pair of edges (`swap`, the default of medium pairs), or not at all (`none`).
    """
    settings = MatchingSettings.of(kind, nodes, pairs, seed, hardness, edit)
    order = np.argsort(stream(seed, "order").random(pairs), kind="stable")
    number = np.argsort(order, kind="stable")  # of each pair, in the order it will have
    sets, left, right, y, done = [], [], [], [], 0
    seen: set[int] = set()
    for block, (size, matches) in enumerate(_blocks(settings)):
        count = len(matches)
        draw = stream(seed, kind, hardness, settings.edit, size, block)
        drawn = _draw(settings, size, matches, draw)
        graphs, origin = _packed(drawn, size, number[done : done + count], draw)
        if verify:
            first = size not in seen  # VF2 checks the first block of a size alone
            seen.add(size)
            if kind == "paper":
                check_paper(graphs, origin, matches, vf2=first)
            else:
                # A swap replaces two edges, a rewiring one.
                changed = drawn.edits * np.where(matches & (settings.edit == "swap"), 2, 1)
                check_balanced(graphs, origin, matches, changed, vf2=first)
        sets.append(graphs)
        left.append(2 * done + np.arange(count))
        right.append(2 * done + count + np.arange(count))
        y.append(matches)
        done += count
    graphs = replace(concatenate(sets, settings.name), notes=(settings.note,))

    def shuffled(parts: list[Ints] | list[Flags]) -> torch.Tensor:
        return torch.from_numpy(np.concatenate(parts)[order])

    return PairSet(graphs, shuffled(left), shuffled(right), shuffled(y).float())


def _blocks(settings: MatchingSettings) -> Iterator[tuple[int, Flags]]:
    """Yield the size, and which pairs match, of pairs to be drawn together."""
    sizes = len(settings.nodes)
    spare = True  # of sizes with an odd number of pairs every other one has one match more
    for number, size in enumerate(settings.nodes):
        count = settings.pairs // sizes + (number < settings.pairs % sizes)
        matches = (np.arange(count) + (not spare)) % 2 == 0
        spare ^= bool(count % 2)
        step = max(1, _BLOCK // slots(size))
        for first in range(0, count, step):
            yield size, matches[first : first + step]


def _draw(settings: MatchingSettings, size: int, matches: Flags, draw: Generator) -> DrawnPairs:
    if settings.kind == "paper":
        return draw_paper(size, matches, draw)
    # Compiled loops are loaded only where they are needed.
    from graphpool.data.synthetic.matching.balanced import draw_balanced

    return draw_balanced(size, matches, settings.hardness, settings.edit, draw)


def _packed(drawn: DrawnPairs, size: int, number: Ints, draw: Generator) -> tuple[GraphSet, Ints]:
    """Build all first graphs and then all second ones, these with shuffled numbers.

    Returns the graphs, and for each node of the second ones its former number, -1 for a new one.
    """
    pairs, width = drawn.present.shape
    new = shuffled_numbers(drawn.present, draw)
    old = np.argsort(new, axis=1, kind="stable")
    present = np.arange(width) < drawn.present.sum(1)[:, None]
    low, high = ends(width)
    row, slot = np.nonzero(drawn.left)
    other, taken = np.nonzero(drawn.right)
    edges = np.concatenate(
        [
            np.stack([low[slot], high[slot]]),
            np.stack([new[other, low[taken]], new[other, high[taken]]]),
        ],
        axis=1,
    )
    counts = [np.bincount(which, minlength=pairs) for which in (row, other)]
    graphs = GraphSet.build(
        "pairs",
        torch.from_numpy(np.concatenate([np.full(pairs, size), drawn.present.sum(1)])),
        torch.from_numpy(np.concatenate(counts)),
        torch.from_numpy(edges),
        ids=[f"{pair}{side}" for side in "ab" for pair in number.tolist()],
        undirected=True,
    )
    return graphs, np.where(old < size, old, -1)[present]
