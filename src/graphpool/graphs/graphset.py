"""`GraphSet`: a collection of graphs in a few flat tensors, the form that everything else takes."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, fields, replace
from functools import cached_property
from typing import overload

import torch
from torch import Tensor

from graphpool.errors import DataError
from graphpool.graphs.adjacency import Adjacency, gcn_values, is_symmetric
from graphpool.graphs.batch import GraphBatch

Name = int | str
Selection = slice | Sequence[int] | Tensor


@dataclass(frozen=True, eq=False)
class Graph:
    """One graph of a set; its tensors are views of the set's.

    `edge_index` is `[2, edges]` (source, target), node ids start at 0; labels are codes into
    the set's `node_label_names` and `edge_label_names`.
    """

    id: str
    num_nodes: int
    edge_index: Tensor
    node_label: Tensor | None = None
    node_attr: Tensor | None = None
    edge_label: Tensor | None = None
    edge_attr: Tensor | None = None
    edge_weight: Tensor | None = None
    graph_attr: Tensor | None = None
    x: Tensor | None = None
    y: int | None = None


@dataclass(frozen=True, eq=False)
class GraphSet:
    """Graphs laid end to end.

    Edges are kept in CSR order: by target, and within a target the self-loop first, then by
    source. An undirected edge stands in both directions. `GraphSet.build` brings any edges
    into this order; the constructor takes them as they are.

    Args:
        name: what users call the set.
        node_ptr: `[graphs + 1]`, where each graph's nodes begin.
        edge_ptr: `[graphs + 1]`, where each graph's edges begin.
        edge_index: `[2, edges]` int32, source and target, numbered from 0 within each graph.
        ids: one name per graph.
        edge_weight: `[edges]`, 1 everywhere if absent.
        node_label: `[nodes]` codes into `node_label_names`; `edge_label` likewise.
        node_attr: `[nodes, channels]`, `edge_attr` `[edges, channels]`, `graph_attr`
            `[graphs, channels]`: raw numbers as the file has them.
        x: `[nodes, channels]`, features made by `graphpool.features`.
        y: `[graphs]` codes into `classes`.
    """

    name: str
    node_ptr: Tensor
    edge_ptr: Tensor
    edge_index: Tensor
    ids: tuple[str, ...]
    edge_weight: Tensor | None = None
    node_label: Tensor | None = None
    node_attr: Tensor | None = None
    edge_label: Tensor | None = None
    edge_attr: Tensor | None = None
    graph_attr: Tensor | None = None
    x: Tensor | None = None
    y: Tensor | None = None
    classes: tuple[Name, ...] = ()
    node_label_names: tuple[Name, ...] = ()
    edge_label_names: tuple[Name, ...] = ()
    notes: tuple[str, ...] = field(default=(), repr=False)

    @classmethod
    def build(
        cls,
        name: str,
        node_counts: Tensor,
        edge_counts: Tensor,
        edge_index: Tensor,
        *,
        ids: Sequence[str] | None = None,
        undirected: bool = False,
        edge_weight: Tensor | None = None,
        edge_label: Tensor | None = None,
        edge_attr: Tensor | None = None,
        **other: object,
    ) -> "GraphSet":
        """Bring edges (local ids, grouped by graph, any order within it) into CSR order.

        A repeated edge is kept once, with the attributes of its first occurrence; `notes` says
        how many were dropped. With `undirected`, each edge is also added in the other direction.

        Args:
            node_counts: `[graphs]`; edge_counts: `[graphs]`, edges of each graph as given.
            edge_index: `[2, edges]`, source and target.
            other: further fields of `GraphSet`.
        """
        node_counts, edge_counts = node_counts.long(), edge_counts.long()
        node_ptr, graphs = _pointer(node_counts), node_counts.shape[0]
        owner = torch.repeat_interleave(torch.arange(graphs), edge_counts)
        source, target = edge_index.long()
        _check_edges(name, ids, owner, source, target, node_counts)
        given = torch.arange(source.shape[0])
        if undirected:
            source, target = torch.cat([source, target]), torch.cat([target, source])
            owner, given = owner.repeat(2), given.repeat(2)
        widest = int(node_counts.max()) + 1 if graphs else 1
        within = torch.where(source == target, 0, source + 1)
        rank = (node_ptr[owner] + target) * widest + within
        rank, order = torch.sort(rank, stable=True)
        first = torch.ones(rank.shape[0], dtype=torch.bool)
        first[1:] = rank[1:] != rank[:-1]
        kept = order[first]
        notes = []
        dropped = rank.shape[0] - kept.shape[0]
        if dropped and not undirected:
            notes.append(f"{dropped} repeated edges were kept once")
        given = given[kept]
        return cls(
            name=name,
            node_ptr=node_ptr,
            edge_ptr=_pointer(torch.bincount(owner[kept], minlength=graphs)),
            edge_index=torch.stack([source[kept], target[kept]]).int(),
            ids=tuple(ids) if ids is not None else tuple(str(i) for i in range(graphs)),
            edge_weight=None if edge_weight is None else edge_weight[given],
            edge_label=None if edge_label is None else edge_label[given],
            edge_attr=None if edge_attr is None else edge_attr[given],
            notes=tuple(notes),
            **other,  # type: ignore[arg-type]
        )

    def __len__(self) -> int:
        return self.node_ptr.shape[0] - 1

    def __repr__(self) -> str:
        return (
            f"GraphSet({self.name!r}, graphs={len(self)}, nodes={self.num_nodes}, "
            f"edges={self.num_edges}, classes={len(self.classes)}, "
            f"features={None if self.x is None else self.x.shape[1]})"
        )

    @property
    def num_nodes(self) -> int:
        """Nodes of all graphs together."""
        return int(self.node_ptr[-1])

    @property
    def num_edges(self) -> int:
        """Directed edges of all graphs together: an undirected edge counts twice."""
        return self.edge_index.shape[1]

    @property
    def device(self) -> torch.device:
        """Where the tensors lie."""
        return self.node_ptr.device

    @cached_property
    def node_counts(self) -> Tensor:
        """Nodes of each graph, `[graphs]`."""
        return self.node_ptr.diff()

    @cached_property
    def edge_counts(self) -> Tensor:
        """Directed edges of each graph, `[graphs]`."""
        return self.edge_ptr.diff()

    @cached_property
    def node_graph(self) -> Tensor:
        """The graph of each node, `[nodes]`."""
        graphs = torch.arange(len(self), device=self.device)
        return torch.repeat_interleave(graphs, self.node_counts, output_size=self.num_nodes)

    @cached_property
    def edge_graph(self) -> Tensor:
        """The graph of each edge, `[edges]`."""
        graphs = torch.arange(len(self), device=self.device)
        return torch.repeat_interleave(graphs, self.edge_counts, output_size=self.num_edges)

    @cached_property
    def degree(self) -> Tensor:
        """In-degree of each node without self-loops, `[nodes]`."""
        source, target = self.edge_index.long()
        plain = source != target
        rows = (target + self.node_ptr[self.edge_graph])[plain]
        return torch.bincount(rows, minlength=self.num_nodes)

    @cached_property
    def undirected(self) -> bool:
        """Whether every edge stands in both directions, with the same weight."""
        return self._slots.symmetric

    @cached_property
    def _slots(self) -> "_Slots":
        return _Slots.of(self)

    # ------------------------------------------------------------------ parts of a set

    @overload
    def __getitem__(self, item: int) -> Graph: ...
    @overload
    def __getitem__(self, item: Selection) -> "GraphSet": ...
    def __getitem__(self, item: int | Selection) -> "Graph | GraphSet":
        """One graph for an int, a new set for a slice, a list, an index or mask tensor."""
        if isinstance(item, int):
            return self._graph(item)
        return self.select(item)

    def __iter__(self) -> Iterator[Graph]:
        return (self._graph(position) for position in range(len(self)))

    def _graph(self, position: int) -> Graph:
        if not -len(self) <= position < len(self):
            raise IndexError(f"graph {position} of a set of {len(self)}")
        position %= len(self)
        node = slice(int(self.node_ptr[position]), int(self.node_ptr[position + 1]))
        edge = slice(int(self.edge_ptr[position]), int(self.edge_ptr[position + 1]))

        def part(values: Tensor | None, where: slice | int) -> Tensor | None:
            return None if values is None else values[where]

        return Graph(
            id=self.ids[position],
            num_nodes=node.stop - node.start,
            edge_index=self.edge_index[:, edge].long(),
            node_label=part(self.node_label, node),
            node_attr=part(self.node_attr, node),
            edge_label=part(self.edge_label, edge),
            edge_attr=part(self.edge_attr, edge),
            edge_weight=part(self.edge_weight, edge),
            graph_attr=part(self.graph_attr, position),
            x=part(self.x, node),
            y=None if self.y is None else int(self.y[position]),
        )

    def _index(self, item: Selection) -> Tensor:
        """Positions of a selection, `[selected]`, never negative."""
        if isinstance(item, slice):
            return torch.arange(len(self), device=self.device)[item]
        index = torch.as_tensor(item, device=self.device)
        if index.dtype == torch.bool:
            if index.shape != (len(self),):
                raise IndexError(f"a mask of {tuple(index.shape)} for {len(self)} graphs")
            return index.nonzero().flatten()
        return index.long().flatten()

    def select(self, item: Selection) -> "GraphSet":
        """The chosen graphs, in the chosen order, as a set of their own."""
        index = self._index(item)
        if index.numel():
            low, high = int(index.min()), int(index.max())
            if low < -len(self) or high >= len(self):
                raise IndexError(f"graph {low if low < 0 else high} of a set of {len(self)}")
            index = index % len(self)
        node, node_ptr = _gather(self.node_ptr, index)
        edge, edge_ptr = _gather(self.edge_ptr, index)

        def take(values: Tensor | None, where: Tensor) -> Tensor | None:
            return None if values is None else values[where]

        return replace(
            self,
            node_ptr=node_ptr,
            edge_ptr=edge_ptr,
            edge_index=self.edge_index[:, edge],
            ids=tuple(self.ids[position] for position in index.tolist()),
            edge_weight=take(self.edge_weight, edge),
            node_label=take(self.node_label, node),
            node_attr=take(self.node_attr, node),
            edge_label=take(self.edge_label, edge),
            edge_attr=take(self.edge_attr, edge),
            graph_attr=take(self.graph_attr, index),
            x=take(self.x, node),
            y=take(self.y, index),
        )

    def with_x(self, x: Tensor) -> "GraphSet":
        """The same graphs with features `x`, `[nodes, channels]`."""
        if x.ndim != 2 or x.shape[0] != self.num_nodes:
            raise DataError(
                f"{self.name}: features of shape {tuple(x.shape)} for {self.num_nodes} nodes; "
                "give one row per node"
            )
        changed = replace(self, x=x)
        # The structure is the same: keep what was already worked out from it.
        for derived in ("_slots", "degree", "node_counts", "node_graph", "edge_graph"):
            if derived in self.__dict__:
                changed.__dict__[derived] = self.__dict__[derived]
        return changed

    def to(self, device: torch.device | str) -> "GraphSet":
        """Copy to a device; batches are then made there."""
        moved = {
            item.name: value.to(device)
            for item in fields(self)
            if isinstance(value := getattr(self, item.name), Tensor)
        }
        return replace(self, **moved)  # type: ignore[arg-type]

    # ------------------------------------------------------------------ batches

    def batch(self, item: Selection | None = None) -> GraphBatch:
        """Lay the chosen graphs (all by default) end to end, with no loop over graphs."""
        if self.x is None:
            raise DataError(
                f"{self.name} has no node features; make them with "
                "graphpool.features, or load the set with features='auto'"
            )
        index = self._index(slice(None) if item is None else item)
        node, ptr = _gather(self.node_ptr, index)
        slots = self._slots
        slot, slot_ptr = _gather(slots.ptr, index)
        counts = slots.count[node]
        row_ptr = _pointer(counts)
        shift = torch.repeat_interleave(ptr[:-1], slot_ptr.diff(), output_size=slot.shape[0])
        adjacency = Adjacency(
            row_ptr=row_ptr,
            col=slots.col[slot] + shift,
            weight=slots.weight[slot],
            symmetric=slots.symmetric,
            known_gcn=slots.gcn[slot],
        )
        edge = None
        if self.edge_label is not None or self.edge_attr is not None:
            edge, _ = _gather(self.edge_ptr, index)
        graphs = torch.arange(index.shape[0], device=self.device)
        return GraphBatch(
            x=self.x[node],
            adjacency=adjacency,
            batch=torch.repeat_interleave(graphs, ptr.diff(), output_size=node.shape[0]),
            ptr=ptr,
            index=index,
            y=None if self.y is None else self.y[index],
            edge_label=None if self.edge_label is None else self.edge_label[edge],
            edge_attr=None if self.edge_attr is None else self.edge_attr[edge],
        )


@dataclass(frozen=True, eq=False)
class _Slots:
    """The CSR slots of every graph of a set, diagonal included, with local columns."""

    ptr: Tensor  # [graphs + 1]
    count: Tensor  # [nodes], slots in each node's row
    col: Tensor  # [slots] int32
    weight: Tensor  # [slots]
    gcn: Tensor  # [slots]
    symmetric: bool

    @classmethod
    def of(cls, graphs: GraphSet) -> "_Slots":
        device = graphs.device
        source, target = graphs.edge_index.long()
        base = graphs.node_ptr[graphs.edge_graph]
        weight = graphs.edge_weight
        if weight is None:
            weight = torch.ones(source.shape[0], device=device)
        loop = source == target
        row = target + base
        # Real self-loops live in the diagonal slot; all other edges follow it.
        rank = torch.arange(row.shape[0], device=device)[~loop]
        plain = row[~loop]
        count = torch.bincount(plain, minlength=graphs.num_nodes) + 1
        row_ptr = _pointer(count)
        place = torch.arange(rank.shape[0], device=device) + plain + 1
        total = int(row_ptr[-1])
        col = torch.zeros(total, dtype=torch.int32, device=device)
        local = torch.arange(graphs.num_nodes, device=device) - graphs.node_ptr[graphs.node_graph]
        col[row_ptr[:-1]] = local.int()
        col[place] = source[~loop].int()
        values = torch.zeros(total, dtype=weight.dtype, device=device)
        values[place] = weight[~loop]
        values[row_ptr[:-1][row[loop]]] = weight[loop]
        rows = torch.repeat_interleave(
            torch.arange(graphs.num_nodes, device=device), count, output_size=total
        )
        columns = col + graphs.node_ptr[graphs.node_graph[rows]]
        return cls(
            ptr=row_ptr[graphs.node_ptr],
            count=count,
            col=col,
            weight=values,
            gcn=gcn_values(rows, columns, values, row_ptr),
            symmetric=is_symmetric(rows, columns, values, graphs.num_nodes),
        )


def _pointer(counts: Tensor) -> Tensor:
    """0 followed by the running sum, `[len + 1]`."""
    pointer = torch.zeros(counts.shape[0] + 1, dtype=torch.long, device=counts.device)
    torch.cumsum(counts, 0, out=pointer[1:])
    return pointer


def _gather(ptr: Tensor, index: Tensor) -> tuple[Tensor, Tensor]:
    """Positions of all items of the chosen segments, one after the other, and their pointers."""
    start = ptr[index]
    new = _pointer(ptr[index + 1] - start)
    total = int(new[-1])
    shift = torch.repeat_interleave(start - new[:-1], new.diff(), output_size=total)
    return torch.arange(total, device=ptr.device) + shift, new


def _check_edges(
    name: str,
    ids: Sequence[str] | None,
    owner: Tensor,
    source: Tensor,
    target: Tensor,
    node_counts: Tensor,
) -> None:
    """Refuse an edge that leaves its graph."""
    limit = node_counts[owner]
    bad = (source < 0) | (target < 0) | (source >= limit) | (target >= limit)
    if bad.any():
        edge = int(bad.nonzero()[0])
        graph = int(owner[edge])
        label = ids[graph] if ids is not None else str(graph)
        raise DataError(
            f"{name}, graph {label}: edge {int(source[edge])} -> {int(target[edge])} "
            f"leaves its {int(node_counts[graph])} nodes"
        )
