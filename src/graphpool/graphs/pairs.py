"""Pairs of graphs with a target: whether they match, or any number that says how alike they are."""

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from graphpool.errors import DataError
from graphpool.graphs.batch import GraphBatch
from graphpool.graphs.graphset import GraphSet
from graphpool.graphs.selection import Selection, positions


@dataclass(frozen=True, eq=False)
class PairBatch:
    """Several pairs, with each graph that occurs in them once.

    Args:
        graphs: the graphs of the pairs, in ascending order of their positions in the set.
        left: `[pairs]`, positions in `graphs`; `right` likewise.
        y: `[pairs]`, the targets.
        index: `[pairs]`, positions of the pairs in the set they were taken from.
    """

    graphs: GraphBatch
    left: Tensor
    right: Tensor
    y: Tensor
    index: Tensor

    @property
    def num_examples(self) -> int:
        """Number of pairs."""
        return self.left.shape[0]

    def examples_of(self, flags: Tensor) -> Tensor:
        """The pairs that a flagged graph is in, bool `[pairs]`.

        Args:
            flags: bool `[graphs]`, for the graphs of this batch.
        """
        return flags[self.left] | flags[self.right]

    def to(self, device: torch.device | str) -> "PairBatch":
        """Copy to a device."""
        parts = (self.left, self.right, self.y, self.index)
        return PairBatch(self.graphs.to(device), *(part.to(device) for part in parts))


@dataclass(frozen=True, eq=False)
class PairSet:
    """Pairs over the graphs of a set, which are kept once however often they occur.

    Args:
        graphs: the set that positions refer to.
        left: int64 `[pairs]`, positions in `graphs`; `right` likewise.
        y: float32 `[pairs]`, 1 where the pair matches and 0 where it doesn't, or any target.
    """

    graphs: GraphSet
    left: Tensor
    right: Tensor
    y: Tensor

    def __post_init__(self) -> None:
        for key in ("left", "right", "y"):
            values = getattr(self, key)
            if values.ndim != 1 or values.shape != self.left.shape:
                raise DataError(
                    f"pairs of {self.name}: {key} has the shape {list(values.shape)} and left "
                    f"{list(self.left.shape)}; give one number per pair"
                )
        for key, side in (("left", self.left), ("right", self.right)):
            if side.dtype != torch.int64:
                raise DataError(
                    f"pairs of {self.name}: {key} holds {side.dtype}; give int64 positions"
                )
            outside = (side < 0) | (side >= len(self.graphs))
            if bool(outside.any()):
                at = int(outside.nonzero()[0])
                raise DataError(
                    f"pairs of {self.name}: {key} of pair {at} is graph {int(side[at])}; "
                    f"graphs are 0 to {len(self.graphs) - 1}"
                )
        if self.y.dtype != torch.float32:
            raise DataError(f"pairs of {self.name}: y holds {self.y.dtype}; give float32")

    def __len__(self) -> int:
        return self.left.shape[0]

    def __repr__(self) -> str:
        return f"PairSet({self.name!r}, pairs={len(self)}, graphs={len(self.graphs)})"

    @property
    def name(self) -> str:
        """That of the graphs."""
        return self.graphs.name

    @cached_property
    def ids(self) -> tuple[str, ...]:
        """One name per pair: those of its graphs, such as `7 & 12`."""
        name, sides = self.graphs.ids, (self.left.tolist(), self.right.tolist())
        return tuple(f"{name[i]} & {name[j]}" for i, j in zip(*sides, strict=True))

    @property
    def num_nodes(self) -> int:
        """Nodes of all graphs together, each graph once."""
        return self.graphs.num_nodes

    @property
    def num_edges(self) -> int:
        """Directed edges of all graphs together, each graph once."""
        return self.graphs.num_edges

    @property
    def device(self) -> torch.device:
        """Where the tensors lie."""
        return self.graphs.device

    def select(self, index: Selection) -> "PairSet":
        """The chosen pairs, in the chosen order, over the same graphs."""
        chosen = torch.from_numpy(positions(index, len(self), "pair")).to(self.left.device)
        return PairSet(self.graphs, self.left[chosen], self.right[chosen], self.y[chosen])

    def with_graphs(self, graphs: GraphSet) -> "PairSet":
        """The same pairs over another form of the same graphs, such as with features."""
        if len(graphs) != len(self.graphs):
            raise DataError(
                f"pairs of {self.name} are over {len(self.graphs)} graphs, and {graphs.name} has "
                f"{len(graphs)}; give the same graphs in the same order"
            )
        return replace(self, graphs=graphs)

    def to(self, device: torch.device | str) -> "PairSet":
        """Copy to a device, if the set is elsewhere; batches are then made there."""
        parts = (self.left, self.right, self.y)
        return PairSet(self.graphs.to(device), *(part.to(device) for part in parts))

    @cached_property
    def _sides(self) -> NDArray[np.int64]:
        """Left and right, `[2, pairs]`, on the host: choosing graphs then asks no device."""
        return torch.stack([self.left, self.right]).cpu().numpy()

    def batch(self, index: Selection | None = None) -> PairBatch:
        """The chosen pairs (all by default) with each of their graphs once."""
        chosen = positions(slice(None) if index is None else index, len(self), "pair")
        used, place = np.unique(self._sides[:, chosen], return_inverse=True)
        left, right = torch.from_numpy(place.reshape(2, -1)).to(self.device)
        where = torch.from_numpy(chosen).to(self.device)
        return PairBatch(self.graphs.batch(used), left, right, self.y.index_select(0, where), where)
