"""Split pairs into training, validation and test pairs, with no graph in more than one part."""

from dataclasses import dataclass

import numpy as np
import torch
from numpy.typing import NDArray

from graphpool.data.pairs.pairset import PairSet
from graphpool.data.splits import Split, class_split, query_splits
from graphpool.errors import ConfigError, DataError, plural

Ints = NDArray[np.int64]
SHARES = (8, 1, 1)
_LEAST = 0.5  # of its share; if whole groups give a part less than this, graphs are split instead


@dataclass(frozen=True)
class PairSplit:
    """Positions of pairs.

    Args:
        split: those of each part; no graph is in pairs of two parts.
        left_out: number of pairs in no part, because their graphs are in different parts.
        groups: number of groups of pairs; pairs of different groups have no common graph.
    """

    split: Split
    left_out: int
    groups: int


def split_pairs(pairs: PairSet, seed: int, shares: tuple[int, int, int] = SHARES) -> PairSplit:
    """Split the pairs so that test pairs consist of unseen graphs.

    Pairs that are connected by common graphs stay together, if there are enough such groups for
    parts of about the right size. Otherwise graphs are split at random, and pairs of graphs of
    different parts are left out.
    """
    groups = _groups(pairs)
    number = len(np.unique(groups))
    try:
        split = class_split(groups, seed, shares)
        if _fair(split, shares, len(pairs)):
            return PairSplit(split, 0, number)
    except ConfigError:  # fewer groups than parts
        pass
    split = _within(pairs, seed, shares)
    kept = len(split.train) + len(split.valid) + len(split.test)
    parts = (split.train, split.valid, split.test)
    if not all(part for part, share in zip(parts, shares, strict=True) if share):
        raise DataError(
            f"{plural(len(pairs), 'pair')} of {pairs.name} can't be cut into "
            f"{'three' if all(shares) else 'two'} parts without common graphs; give more pairs, "
            "or pairs of more different graphs"
        )
    return PairSplit(split, len(pairs) - kept, number)


def split_pairs_by(pairs: PairSet, split: Split, name: str) -> PairSplit:
    """Split the pairs by a split of their graphs; pairs of graphs of two parts are left out.

    Args:
        name: what an error calls the split.
    """
    inside = pairs_within(pairs, split)
    for part, own in vars(inside).items():
        if not own:
            raise DataError.at(
                name,
                f"no pair of {pairs.name} has both of its graphs in {part}",
                hint="put graphs that are compared with each other into one part",
            )
    kept = sum(map(len, vars(inside).values()))
    return PairSplit(inside, len(pairs) - kept, len(np.unique(_groups(pairs))))


def _groups(pairs: PairSet) -> Ints:
    """The group of each pair, `[pairs]`: pairs with a common graph are of one group."""
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

    left, right = pairs.left.cpu().numpy(), pairs.right.cpu().numpy()
    graphs = len(pairs.graphs)
    joined = coo_array((np.ones(len(left)), (left, right)), shape=(graphs, graphs))
    group = connected_components(joined, directed=False)[1]
    return np.asarray(group[left], dtype=np.int64)


def _fair(split: Split, shares: tuple[int, int, int], pairs: int) -> bool:
    parts = (split.train, split.valid, split.test)
    least = (_LEAST * share / sum(shares) * pairs for share in shares)
    return all(len(part) >= few for part, few in zip(parts, least, strict=True))


def _within(pairs: PairSet, seed: int, shares: tuple[int, int, int]) -> Split:
    """Split the graphs that occur, and keep the pairs inside one part."""
    sides = torch.stack([pairs.left, pairs.right]).cpu()
    used = torch.unique(sides)
    try:
        cut = query_splits(len(used), seed, shares)
    except ConfigError:
        return Split((), (), ())
    chosen = (tuple(used.numpy()[list(part)].tolist()) for part in (cut.train, cut.valid, cut.test))
    return pairs_within(pairs, Split(*chosen))


def pairs_within(pairs: PairSet, split: Split) -> Split:
    """Return the pairs both of whose graphs are in one part of a split of the graphs."""
    part = np.full(len(pairs.graphs), -1)
    for number, chosen in enumerate((split.train, split.valid, split.test)):
        part[list(chosen)] = number
    left, right = part[torch.stack([pairs.left, pairs.right]).cpu().numpy()]
    inside = [tuple(np.flatnonzero((left == at) & (right == at)).tolist()) for at in range(3)]
    return Split(*inside)
