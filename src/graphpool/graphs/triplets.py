"""Triplets of graphs: a query and two others, and by how much farther the first of them is.

They are the input of similarity learning: the paper's <G_i, G_j, G_k> and r_ijk = g_ij - g_ik,
where g is a distance such as the edit distance.
"""

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
class TripletBatch:
    """Several triplets, with each graph that occurs in them once.

    Args:
        graphs: the graphs of the triplets, in ascending order of their positions in the set.
        query: `[triplets]`, positions in `graphs`; `first` and `second` likewise.
        r: `[triplets]`, distance of query and first less that of query and second.
        index: `[triplets]`, positions of the triplets in the set they were taken from.
    """

    graphs: GraphBatch
    query: Tensor
    first: Tensor
    second: Tensor
    r: Tensor
    index: Tensor

    @property
    def num_examples(self) -> int:
        """Number of triplets."""
        return self.query.shape[0]

    def examples_of(self, flags: Tensor) -> Tensor:
        """The triplets that a flagged graph is in, bool `[triplets]`.

        Args:
            flags: bool `[graphs]`, for the graphs of this batch.
        """
        return flags[self.query] | flags[self.first] | flags[self.second]

    def to(self, device: torch.device | str) -> "TripletBatch":
        """Copy to a device."""
        return TripletBatch(
            graphs=self.graphs.to(device),
            query=self.query.to(device),
            first=self.first.to(device),
            second=self.second.to(device),
            r=self.r.to(device),
            index=self.index.to(device),
        )


@dataclass(frozen=True, eq=False)
class TripletSet:
    """Triplets over the graphs of a set, which are kept once however often they occur.

    Args:
        graphs: the set that positions refer to.
        query: `[triplets]` positions in `graphs`; `first` and `second` likewise.
        r: `[triplets]`, distance of query and first less that of query and second. Positive: the
            second is the nearer one.
    """

    graphs: GraphSet
    query: Tensor
    first: Tensor
    second: Tensor
    r: Tensor

    def __post_init__(self) -> None:
        parts = {"query": self.query, "first": self.first, "second": self.second}
        for key, values in {**parts, "r": self.r}.items():
            if values.shape != self.query.shape or values.ndim != 1:
                raise DataError(
                    f"triplets of {self.name}: {key} has the shape {list(values.shape)} and query "
                    f"{list(self.query.shape)}; give one number per triplet"
                )
        for key, values in parts.items():
            if values.dtype != torch.int64:
                raise DataError(
                    f"triplets of {self.name}: {key} holds {values.dtype}; give int64 positions"
                )
            outside = (values < 0) | (values >= len(self.graphs))
            if bool(outside.any()):
                at = int(outside.nonzero()[0])
                raise DataError(
                    f"triplets of {self.name}: {key} of triplet {at} is graph {int(values[at])}; "
                    f"graphs are 0 to {len(self.graphs) - 1}"
                )
        if self.r.dtype != torch.float32:
            raise DataError(f"triplets of {self.name}: r holds {self.r.dtype}; give float32")

    def __len__(self) -> int:
        return self.query.shape[0]

    def __repr__(self) -> str:
        return f"TripletSet({self.name!r}, triplets={len(self)}, graphs={len(self.graphs)})"

    @property
    def name(self) -> str:
        """That of the graphs."""
        return self.graphs.name

    @cached_property
    def ids(self) -> tuple[str, ...]:
        """One name per triplet, such as `7: 12 & 3`: the query and the two others."""
        name = self.graphs.ids
        columns = (part.tolist() for part in (self.query, self.first, self.second))
        return tuple(f"{name[i]}: {name[j]} & {name[k]}" for i, j, k in zip(*columns, strict=True))

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

    def select(self, index: Selection) -> "TripletSet":
        """The chosen triplets, in the chosen order, over the same graphs."""
        chosen = torch.from_numpy(positions(index, len(self), "triplet")).to(self.query.device)
        parts = (self.query, self.first, self.second, self.r)
        return TripletSet(self.graphs, *(part[chosen] for part in parts))

    def with_graphs(self, graphs: GraphSet) -> "TripletSet":
        """The same triplets over other forms of the same graphs, such as with features."""
        if len(graphs) != len(self.graphs):
            raise DataError(
                f"triplets of {self.name} are over {len(self.graphs)} graphs, and {graphs.name} "
                f"has {len(graphs)}; give the same graphs in the same order"
            )
        return replace(self, graphs=graphs)

    def to(self, device: torch.device | str) -> "TripletSet":
        """Copy to a device, if the set is elsewhere; batches are then made there."""
        parts = (self.query, self.first, self.second, self.r)
        return TripletSet(self.graphs.to(device), *(part.to(device) for part in parts))

    @cached_property
    def _members(self) -> NDArray[np.int64]:
        """Query, first and second, `[3, triplets]`, on the host: a batch then asks no device."""
        return torch.stack([self.query, self.first, self.second]).cpu().numpy()

    def batch(self, index: Selection | None = None) -> TripletBatch:
        """The chosen triplets (all by default) with each of their graphs once."""
        chosen = positions(slice(None) if index is None else index, len(self), "triplet")
        members = self._members[:, chosen]
        # Marks on the graphs that occur need no sort, however many triplets there are.
        occurs = np.zeros(len(self.graphs), dtype=bool)
        occurs[members] = True
        place = occurs.cumsum() - 1
        query, first, second = torch.from_numpy(place[members]).to(self.device)
        graphs = self.graphs.batch(np.flatnonzero(occurs))
        where = torch.from_numpy(chosen).to(self.device)
        r = self.r.index_select(0, where)
        return TripletBatch(graphs, query, first, second, r, index=where)
