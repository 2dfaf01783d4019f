"""A canonical order of nodes: the same for a graph however its nodes are numbered.

Everything computed on graphs in this order, such as seeds, eigenvectors or partitions, is bitwise
invariant under relabelling. Colour refinement sorts the nodes. If nodes of equal colour are left,
one of them gets a colour of its own and the refinement continues, until all colours differ. Any of
them can be chosen if a symmetry of the graph maps them to each other. Nodes of equal colour without
such a symmetry are distinguished by looking one step ahead: at the refined graph after giving each
of them its own colour.
"""

from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from graphpool.graphs.checks import NAMES, UNITS
from graphpool.graphs.graphset import GraphSet
from graphpool.graphs.hashing import Array, mix
from graphpool.graphs.ragged import take
from graphpool.graphs.refinement import Rounds

_KEPT = (*UNITS, *NAMES, "ids", "notes", "columns")
_SINGLED_OUT = np.uint64(0xA0761D6478BD642F)
_MOST_AHEAD = 64  # nodes of a cell to try; in a larger cell, any node is taken
_MAX_EDGES = 1 << 22  # of the graph copies that are refined together


def canonical_order(graphs: GraphSet) -> Tensor:
    """Return the position of each node in its graph's canonical order, `[nodes]`.

    Positions count from 0 in each graph. Node labels, edge labels, weights, directions and
    self-loops count; attributes don't. The order of a graph doesn't depend on the other graphs of
    the set. Some regular graphs would need more than one step of lookahead; their order may depend
    on the numbering.
    """
    graphs = graphs.to("cpu")
    owner = graphs.node_graph.numpy()
    rounds = Rounds(graphs, _edge_hashes(graphs))
    colours = _stable(rounds, _start(graphs, rounds), owner, np.ones(len(graphs), dtype=bool))
    while True:
        cell, sizes = _cells(owner, colours)
        tied = np.flatnonzero(sizes[cell] > 1)
        if not len(tied):
            break
        # Take the smallest tied cell of each graph; on ties, the one with the smallest colour.
        tied = tied[np.lexsort((colours[tied], sizes[cell[tied]], owner[tied]))]
        first = np.flatnonzero(np.diff(owner[tied], prepend=-1))
        chosen = _look_ahead(graphs, rounds, colours, cell, sizes, tied[first])
        open_ = np.zeros(len(graphs), dtype=bool)
        open_[owner[chosen]] = True
        fresh = mix(colours)
        fresh[chosen] = mix(fresh[chosen] ^ _SINGLED_OUT)
        colours = _stable(rounds, np.where(open_[owner], fresh, colours), owner, open_)
    order = np.lexsort((colours, owner))
    position = np.empty(len(owner), dtype=np.int64)
    position[order] = np.arange(len(owner))
    return torch.from_numpy(position - graphs.node_ptr.numpy()[owner])


def reordered(graphs: GraphSet, position: Tensor) -> GraphSet:
    """Return the graphs with node i of each moved to `position[i]`, `[nodes]`."""
    flat = position + graphs.node_ptr[graphs.node_graph]
    back = torch.empty_like(flat)
    back[flat] = torch.arange(len(flat), device=flat.device)
    values: dict[str, Any] = {key: getattr(graphs, key) for key in _KEPT}
    for key, unit in UNITS.items():
        if unit == "nodes":
            values[key] = take(values[key], back)
    edge_index = position[graphs.flat_edges]
    return GraphSet.build(graphs.name, graphs.node_counts, graphs.edge_counts, edge_index, **values)


def _edge_hashes(graphs: GraphSet) -> Array:
    """Return a hash of the label and weight of each edge, `[edges]`."""
    hashes = np.zeros(graphs.num_edges, dtype=np.uint64)
    if graphs.edge_label is not None:
        hashes = mix(graphs.edge_label.numpy().astype(np.uint64) + np.uint64(1))
    if graphs.edge_weight is not None:
        weights = graphs.edge_weight.double().numpy()
        hashes = mix(hashes ^ mix(weights.view(np.uint64)))
    return hashes


def _start(graphs: GraphSet, rounds: Rounds) -> Array:
    """Return the initial colours, from labels and self-loops."""
    label = np.zeros(graphs.num_nodes, dtype=np.uint64)
    if graphs.node_label is not None:
        label = graphs.node_label.numpy().astype(np.uint64) + np.uint64(1)
    loop = np.zeros(graphs.num_nodes, dtype=np.uint64)
    at_loop = rounds.source == rounds.target
    loop[rounds.target[at_loop]] = mix(rounds.edge[at_loop] + np.uint64(1))
    return mix(mix(label) ^ loop)


def _cells(owner: NDArray[np.int64], colours: Array) -> tuple[Array, Array]:
    """Return the cell (graph and colour) of each node, `[nodes]`, and the sizes of the cells."""
    key = mix(mix(owner.astype(np.uint64)) ^ colours)
    _, cell, sizes = np.unique(key, return_inverse=True, return_counts=True)
    return cell.reshape(-1), sizes


def _stable(
    rounds: Rounds, colours: Array, owner: NDArray[np.int64], moving: NDArray[np.bool_]
) -> Array:
    """Refine the graphs in `moving`, each until its number of cells no longer changes.

    The result for a graph does not depend on how many rounds others need.
    """
    number = np.zeros(len(moving), dtype=np.int64)
    while True:
        cell, sizes = _cells(owner, colours)
        of_cell = np.zeros(len(sizes), dtype=np.int64)
        of_cell[cell] = owner
        count = np.bincount(of_cell, minlength=len(moving))
        moving = moving & (count > number)
        if not moving.any():
            return colours
        number = count
        colours = np.where(moving[owner], rounds.hashes(colours), colours)


def _look_ahead(
    graphs: GraphSet, rounds: Rounds, colours: Array, cell: Array, sizes: Array, chosen: Array
) -> Array:
    """Return, for each chosen node, the node of its cell whose refined graph hashes lowest."""
    wanted = np.zeros(len(sizes), dtype=bool)
    wanted[cell[chosen]] = sizes[cell[chosen]] <= _MOST_AHEAD
    wanted &= ~_twin_cells(rounds, cell, len(sizes))
    candidates = np.flatnonzero(wanted[cell])
    if not len(candidates):
        return chosen
    owner = graphs.node_graph.numpy()
    looks = np.concatenate(
        [_looks(graphs, colours, part) for part in _parts(graphs, owner[candidates], candidates)]
    )
    order = np.lexsort((looks, owner[candidates]))
    best = candidates[order][np.flatnonzero(np.diff(owner[candidates][order], prepend=-1))]
    at = np.minimum(np.searchsorted(owner[best], owner[chosen]), len(best) - 1)
    return np.where(owner[best[at]] == owner[chosen], best[at], chosen)


def _twin_cells(rounds: Rounds, cell: Array, cells: int) -> Array:
    """Return which cells consist of twins: nodes of equal open or closed neighbourhoods."""
    name = mix(np.arange(len(cell)))
    beside = np.zeros(len(cell), dtype=np.uint64)
    np.add.at(beside, rounds.target, mix(name[rounds.source] ^ rounds.edge))
    np.add.at(beside, rounds.source, mix(~(name[rounds.target] ^ rounds.edge)))
    within = beside + mix(name) + mix(~name)
    alike = np.zeros(cells, dtype=bool)
    for neighbours in (beside, within):
        some = np.zeros(cells, dtype=np.uint64)
        some[cell] = neighbours
        other = np.zeros(cells, dtype=bool)
        other[cell[neighbours != some[cell]]] = True
        alike |= ~other
    return alike


def _parts(graphs: GraphSet, owner: Array, candidates: Array) -> list[Array]:
    """Split candidates into parts whose graph copies have about `_MAX_EDGES` edges at most."""
    edges = np.cumsum(graphs.edge_counts.numpy()[owner] + graphs.node_counts.numpy()[owner])
    return np.split(candidates, np.flatnonzero(np.diff(edges // _MAX_EDGES)) + 1)


def _looks(graphs: GraphSet, colours: Array, candidates: Array) -> Array:
    """Return a hash of each candidate's graph, refined after giving it its own colour."""
    owner, begin = graphs.node_graph.numpy()[candidates], graphs.node_ptr.numpy()
    copies = graphs.select(owner)
    of_copy, start = copies.node_graph.numpy(), copies.node_ptr.numpy()[:-1]
    node = np.arange(copies.num_nodes) - start[of_copy] + begin[owner][of_copy]
    fresh = mix(colours[node])
    at = start + candidates - begin[owner]
    fresh[at] = mix(fresh[at] ^ _SINGLED_OUT)
    all_ = np.ones(len(copies), dtype=bool)
    fresh = _stable(Rounds(copies, _edge_hashes(copies)), fresh, of_copy, all_)
    return np.add.reduceat(mix(fresh), start)
