"""Padded batches: batches of different graphs that have tensors of the same sizes.

A training step that is recorded once and replayed reads the same memory each time, so its batches
must be equally large. `pad` adds one more graph to a batch, which holds all the nodes, edges and
places that are missing, and nothing else: no edge and no place is shared with a real graph. What a
network computes for the real graphs is the same, but for batch normalisation, which must leave the
added nodes out (`real_nodes`).
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from graphpool.errors import InputError
from graphpool.graphs.adjacency import Adjacency
from graphpool.graphs.batch import GraphBatch
from graphpool.graphs.checks import trusted
from graphpool.graphs.edge_features import EdgeFeatures
from graphpool.graphs.graphset import GraphSet
from graphpool.graphs.places.rule import PlaceRule

GROWTH = 1.25
"""How much larger than the one before it each size is that batches are padded to."""


class LevelSize(NamedTuple):
    """How large one level of a padded batch is.

    Attributes:
        nodes: nodes, or places.
        edges: edges, self-loops aside.
        kinds: distinct features of edges; 0 without.
    """

    nodes: int
    edges: int
    kinds: int


@dataclass(frozen=True, eq=False)
class PaddedBatch(GraphBatch):
    """A batch whose last graph is padding; `y`, `target` and `graph_weight` are of the others.

    Args:
        real_graphs: how many graphs there are without it.
        coarse_levels: the padded coarse graphs, by the rule of their places.
        place: the coarse node of each node, by the same rule.
    """

    real_graphs: int = 0
    coarse_levels: dict[PlaceRule, "PaddedBatch"] = field(default_factory=dict)
    place: dict[PlaceRule, Tensor] = field(default_factory=dict)

    def coarse(self, rule: PlaceRule | None = None) -> GraphBatch:
        """The padded coarse graphs; only those that `pad` was asked for."""
        found = self.coarse_levels.get(PlaceRule() if rule is None else rule)
        if found is None:
            raise InputError("the batch was padded without places by this rule")
        return found

    def place_of_nodes(self, rule: PlaceRule, coarse: GraphBatch) -> Tensor:
        """The coarse node of each node."""
        return self.place[rule]

    def tensors(self) -> list[Tensor]:
        """Every tensor that differs between padded batches of one size, in a fixed order."""
        adjacency, edges = self.adjacency, self.edges
        values = [
            self.x, adjacency.row_ptr, adjacency.col, adjacency.weight, adjacency.known_gcn,
            self.batch, self.ptr, self.index, self.y, self.target, self.graph_weight,
            self.one_hot_index, self.real_nodes,
            None if edges is None else edges.table, None if edges is None else edges.kind,
            *self.place.values(),
        ]  # fmt: skip
        found = [value for value in values if value is not None]
        for coarse in self.coarse_levels.values():
            found += coarse.tensors()
        return found


def pad(
    batch: GraphBatch, sizes: Sequence[LevelSize], rules: Sequence[PlaceRule] = ()
) -> PaddedBatch:
    """Add a graph to a batch that makes its levels as large as `sizes` says.

    Args:
        sizes: of the nodes, then of the places of each rule.
        rules: the places of the first are those of the graphs, of the next those of their coarse
            graphs, and so on.
    """
    size, coarse_sizes = sizes[0], sizes[1:]
    nodes, graphs = batch.num_nodes, batch.num_graphs
    added = size.nodes - nodes
    real = torch.arange(size.nodes, device=batch.x.device) < nodes
    levels, place = {}, {}
    if rules:
        rule = rules[0]
        coarse = batch.coarse(rule)
        levels[rule] = padded = pad(coarse, coarse_sizes, rules[1:])
        places = coarse.num_nodes
        if added < padded.num_nodes - places:
            raise InputError("fewer nodes than places to add; each place needs a node")
        # Each added place has one of the added nodes, and the last one the rest.
        own = torch.arange(places, places + added, device=batch.x.device)
        place[rule] = torch.cat(
            [batch.place_of_nodes(rule, coarse), own.clamp_(max=padded.num_nodes - 1)]
        )
    adjacency = _pad_adjacency(batch.adjacency, added, size.edges)
    edges = batch.edges
    column = batch.one_hot_index
    return trusted(
        PaddedBatch,
        x=torch.cat([batch.x, batch.x.new_zeros(added, batch.x.shape[1])]),
        adjacency=adjacency,
        batch=torch.cat([batch.batch, batch.batch.new_full((added,), graphs)]),
        ptr=torch.cat([batch.ptr, batch.ptr.new_full((1,), size.nodes)]),
        index=torch.cat([batch.index, batch.index.new_zeros(1)]),
        y=batch.y,
        target=batch.target,
        graph_weight=batch.graph_weight,
        edge_label=None,
        edge_attr=None,
        one_hot_index=None if column is None else torch.cat([column, column.new_zeros(added)]),
        node=None,
        places_of_set=None,
        edges=None if edges is None else _pad_features(edges, adjacency, size.kinds),
        coarse_of_set=None,
        real_graphs=graphs,
        real_nodes=real.unsqueeze(-1).to(batch.x.dtype),
        coarse_levels=levels,
        place=place,
    )


def _pad_adjacency(adjacency: Adjacency, added: int, edges: int) -> Adjacency:
    """Add nodes, and edges between the first two of them until there are `edges`."""
    nodes, slots = adjacency.num_nodes, adjacency.col.shape[0]
    missing = edges - (slots - nodes)
    if missing < 0 or added < (2 if missing else 1):
        raise InputError(
            f"a batch of {nodes} nodes and {slots - nodes} edges can't be padded to "
            f"{nodes + added} and {edges}"
        )
    # As many in both directions, so that a symmetric adjacency stays symmetric.
    back, forth = missing - missing // 2, missing // 2
    counts = np.ones(added, dtype=np.int64)
    counts[:2] += np.array([back, forth])[:added]
    first = np.cumsum(counts) - counts
    col = np.repeat(np.arange(nodes, nodes + added), counts)
    if missing:
        col[1 : 1 + back] = nodes + 1
        col[first[1] + 1 : first[1] + 1 + forth] = nodes
    weight = np.ones(len(col), dtype=np.float32)
    weight[first] = 0.0  # slots of the diagonal
    device, dtype = adjacency.col.device, adjacency.weight.dtype
    # One copy to the device for what is whole and small.
    whole = torch.from_numpy(np.concatenate([first + counts + slots, col])).to(device)
    values = torch.from_numpy(weight).to(device, dtype)
    gcn = adjacency.gcn
    return trusted(
        Adjacency,
        row_ptr=torch.cat([adjacency.row_ptr, whole[:added]]),
        col=torch.cat([adjacency.col, whole[added:]]),
        weight=torch.cat([adjacency.weight, values]),
        symmetric=adjacency.symmetric,
        known_gcn=torch.cat([gcn, torch.zeros_like(values)]),
    )


def _pad_features(edges: EdgeFeatures, adjacency: Adjacency, kinds: int) -> EdgeFeatures:
    """Add rows of zeros to the table, and features to the added edges: those of its first row."""
    table, kind = edges.table, edges.kind
    rows, slots = table.shape[0], kind.shape[0]
    if rows > kinds:
        raise InputError(f"{rows} kinds of edges can't be padded to {kinds}")
    if rows < kinds:
        table = torch.cat([table, table.new_zeros(kinds - rows, table.shape[1])])
    # The added edges have weight 1, and the slots of the diagonal 0.
    own = torch.where(adjacency.weight[slots:] > 0, 0, -1).to(kind.dtype)
    return trusted(EdgeFeatures, table=table, kind=torch.cat([kind, own]))


class PaddedSizes:
    """Sizes to which the batches of a set are padded: a few for all of them.

    Args:
        graphs: the set.
        batch_size: of most batches.
        rules: as `pad` takes them.
    """

    def __init__(self, graphs: GraphSet, batch_size: int, rules: Sequence[PlaceRule] = ()) -> None:
        self.graphs, self.rules = graphs, tuple(rules)
        counts, self._kinds = [], []
        for number in range(len(self.rules) + 1):
            nodes, slots = graphs._csr.table[2:]
            counts += [nodes, slots - nodes]
            edges = graphs._edge_kinds
            self._kinds.append(0 if edges is None else edges.table.shape[0])
            if number < len(self.rules):
                graphs = graphs.coarse(self.rules[number])
        self._counts: NDArray[np.int64] = np.stack(counts)  # [2 levels, graphs]
        usual = self._counts.mean(1) * batch_size
        self._usual = usual + self._counts.std(1) * batch_size**0.5

    def of(self, index: NDArray[np.int64]) -> tuple[LevelSize, ...]:
        """Return the size for the graphs at these positions: the smallest of the few that fits."""
        total = self._counts[:, index].sum(1)
        ratio = float((total / self._usual.clip(min=1)).max())
        step = max(0, int(np.ceil(np.log(max(ratio, 1e-9)) / np.log(GROWTH) - 1e-9)))
        limit = np.ceil(self._usual * GROWTH**step).astype(np.int64)
        sizes: list[LevelSize] = []
        above = 2
        for number in range(len(self.rules), -1, -1):
            nodes, edges = limit[2 * number : 2 * number + 2].tolist()
            if number and self.rules[number - 1].most == 1:
                above, edges = len(index) + 1, 0  # one place a graph, the padding's too
            else:
                # Every added place has an added node of its own.
                above, edges = above + nodes, edges + edges % 2
            sizes.insert(0, LevelSize(above, edges, min(self._kinds[number], above + edges)))
        return tuple(sizes)

    def batch(self, index: Tensor, sizes: Sequence[LevelSize]) -> PaddedBatch:
        """Return the padded batch of these graphs."""
        return pad(self.graphs.batch(index), sizes, self.rules)
