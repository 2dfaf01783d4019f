"""The places of a batch, laid out for compiled loops, are those of its graphs in the set."""

import networkx as nx
import torch

import graphpool as gp
from graphpool.graphs import GraphSet
from graphpool.graphs.places.find import TINY, Places


def graphs() -> GraphSet:
    made = [nx.ring_of_cliques(4, 4), nx.path_graph(2), nx.ring_of_cliques(6, 5), nx.cycle_graph(5)]
    packed = gp.from_networkx(made)
    return packed.with_x(torch.ones(packed.num_nodes, 1))


def test_a_batch_has_what_a_selection_has() -> None:
    packed = graphs()
    packed.places()
    for chosen in ([0, 1, 2, 3], [3, 0], [1, 3], [2, 2, 1]):
        batch, part = packed.batch(chosen).places(), packed[chosen].places()
        assert torch.equal(batch.cluster, part.cluster)
        assert torch.equal(batch.counts, part.counts)
        assert torch.equal(batch.share, part.share)


def test_columns_are_shares_and_their_logarithms() -> None:
    packed = graphs()
    packed.places()
    batch = packed.batch([3, 0, 2])
    given, made = batch.places().columns, packed[[3, 0, 2]].places().columns
    share = batch.places().share.t()
    real = torch.arange(6).unsqueeze(-1) < batch.places().counts[batch.batch]
    for columns in (given, made):
        assert columns.is_contiguous()
        assert torch.equal(columns[0], share)
        assert torch.equal(columns[1][real], share.clamp(min=TINY).log()[real])


def test_widened_places_have_empty_columns() -> None:
    share = torch.tensor([[0.25, 0.75], [1.0, 0.0]])
    places = Places(torch.tensor([1, 0]), torch.tensor([2]), share)
    assert places.widened(2) is places
    wide = places.widened(4)
    assert wide.width == 4
    assert wide.share.tolist() == [[0.25, 0.75, 0, 0], [1, 0, 0, 0]]
    assert wide.columns[0].tolist() == [[0.25, 1], [0.75, 0], [0, 0], [0, 0]]
