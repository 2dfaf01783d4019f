"""The description length, its changes, and edges on short cycles, against literal loops."""

import networkx as nx
import numpy as np
import pytest
from helpers.literal_parts import as_networkx, chains, is_free, length, ring

from graphpool.data.interop import from_networkx
from graphpool.graphs.parts.colours import ColouredGraphs
from graphpool.graphs.parts.learn import Description, candidates, learn


def literal_cuts(coloured: ColouredGraphs, cut: np.ndarray, graphs: list[nx.Graph]):  # type: ignore[no-untyped-def]
    chosen = {frozenset(ends) for ends in coloured.ends[:, cut].T.tolist()}
    return [{frozenset(edge) for edge in graph.edges} & chosen for graph in graphs]


@pytest.mark.parametrize("seed", [0, 1])
def test_length_and_gain_are_the_formula(seed: int) -> None:
    graphs = chains(seed, graphs=12)
    coloured, plain = ColouredGraphs.of(graphs), as_networkx(graphs)
    description = Description(coloured)
    assert description.bits == pytest.approx(length(plain, [set()] * len(plain)), abs=0.05)
    draw = np.random.default_rng(seed)
    moves = list(candidates(coloured))
    for at in draw.permutation(len(moves))[:6]:
        _, _, edges = moves[at]
        way = bool(draw.integers(2)) or not description.cut.any()
        before, gain = description.units, description.gain(edges, way)
        assert description.units == before, "trying a move changes nothing"
        description.change(edges, way)
        assert before - description.units == gain
        cuts = literal_cuts(coloured, description.cut, plain)
        assert description.bits == pytest.approx(length(plain, cuts), abs=0.05)


def test_every_entry_saves_bits_and_none_is_left_that_would() -> None:
    coloured = ColouredGraphs.of(chains(2))
    entries, description = learn(coloured)
    assert entries
    assert all(entry.gain > 0 for entry in entries)
    assert Description(coloured).bits - sum(e.gain for e in entries) == description.bits
    left = [description.gain(e, cut) for _, _, e in candidates(coloured) for cut in (True, False)]
    assert max(left) <= 0.001 * description.units


@pytest.mark.parametrize("nodes", [3, 6, 7, 8, 9, 12])
def test_free_edges_are_on_no_cycle_of_eight(nodes: int) -> None:
    made = [ring(nodes, 3), nx.circular_ladder_graph(nodes), nx.path_graph(nodes)]
    made += [nx.gnp_random_graph(14, 0.12 + 0.02 * seed, seed=seed) for seed in range(12)]
    graphs = from_networkx(made)
    coloured = ColouredGraphs.of(graphs)
    of_node = {node: graph for graph in as_networkx(graphs) for node in graph}
    for free, (i, j) in zip(coloured.free.tolist(), coloured.ends.T.tolist(), strict=True):
        assert free == is_free(of_node[i], i, j)
