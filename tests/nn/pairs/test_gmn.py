"""GMN against its formulas written out pair by pair, and what its parts keep."""

import pytest
import torch
from literal_pairs import gmn_states, message
from plain import CHANNELS, Plain, batch_of, random_graph
from torch import Tensor

from graphpool.graphs.places.rule import PlaceRule
from graphpool.nn.model import HAP
from graphpool.nn.pairs import GMN
from graphpool.nn.pairs.base import without_encoder
from graphpool.nn.pairs.gmn import Messages
from graphpool.nn.pairs.layout import PairLayout, repeat_graphs
from graphpool.nn.pool.gated import GatedPool

LEFT, RIGHT = torch.tensor([0, 3, 2, 2, 1]), torch.tensor([1, 2, 3, 2, 0])


def sample(dtype: torch.dtype = torch.float64) -> list[Plain]:
    return [
        random_graph(n, n, weighted=True, loops=True, directed=n == 6).to(dtype)
        for n in (5, 2, 6, 4)
    ]


def gated(model: GMN, h: Tensor) -> Tensor:
    pool = model.pooling.readouts[0]
    assert isinstance(pool, GatedPool)
    return (pool.gate(h).sigmoid() * pool.transform(h).tanh()).sum(0)


@pytest.mark.parametrize("shared", [True, False])
def test_distances_are_those_of_the_formulas(shared: bool) -> None:
    model = GMN(CHANNELS, 8, layers=3, shared=shared).double().eval()
    assert len(model.rounds) == (1 if shared else 3)
    graphs = sample()
    found = model.compare(batch_of(graphs), LEFT, RIGHT).distances
    wanted = []
    for i, j in zip(LEFT.tolist(), RIGHT.tolist(), strict=True):
        here, there = gmn_states(model, graphs[i], graphs[j])
        wanted.append((gated(model, here) - gated(model, there)).norm())
    torch.testing.assert_close(found, torch.stack(wanted).unsqueeze(0), atol=2e-4, rtol=0)


def test_gmn_hap_reads_the_states_of_the_formulas_as_hap_does() -> None:
    hap = without_encoder(HAP(8, 8, (3, 1), 0), 8)
    model = GMN(CHANNELS, 8, layers=2, pooling=hap).double().eval()
    graphs = sample()
    compared = model.compare(batch_of(graphs), LEFT, RIGHT)
    assert compared.distances.shape == (2, len(LEFT))
    for column, (i, j) in enumerate(zip(LEFT.tolist(), RIGHT.tolist(), strict=True)):
        states = gmn_states(model, graphs[i], graphs[j])
        embedded = [Plain(h, graphs[k].adj) for h, k in zip(states, (i, j), strict=True)]
        for level, vector in enumerate(hap.trace(batch_of(embedded)).vectors):
            wanted = (vector[0] - vector[1]).norm()
            torch.testing.assert_close(
                compared.distances[level, column], wanted, atol=2e-4, rtol=1e-9
            )


def test_messages_are_those_of_a_loop_over_edges() -> None:
    graph = sample()[2]
    layer, h = Messages(4).double(), torch.randn(6, 4, dtype=torch.float64)
    found = layer(h, batch_of([graph]).adjacency)
    for i in range(6):
        wanted = torch.zeros(4, dtype=torch.float64)
        for j in range(6):
            wanted = wanted + graph.adj[i, j] * message(layer, h[i], h[j]) * (graph.adj[i, j] != 0)
        torch.testing.assert_close(found[i], wanted)


def test_compiled_messages_and_their_gradients_are_those_of_tensors() -> None:
    adjacency = batch_of(sample(torch.float32)).adjacency
    results = []
    for dtype in (torch.float32, torch.float64):
        torch.manual_seed(0)
        layer = Messages(5).to(dtype)
        h = torch.randn(17, 5).to(dtype).requires_grad_()
        made = layer(h, adjacency)
        (made * torch.arange(5)).sum().backward()
        results.append([made, h.grad, *(weight.grad for weight in layer.parameters())])
    for ours, theirs in zip(*results, strict=True):
        torch.testing.assert_close(ours.double(), theirs, atol=1e-5, rtol=1e-5)


def test_not_a_number_comes_out_of_messages() -> None:
    adjacency = batch_of(sample(torch.float32)).adjacency
    h = torch.zeros(17, 5)
    h[3] = torch.nan
    reached = adjacency.col == 3
    assert reached.sum() > 1
    assert Messages(5)(h, adjacency)[adjacency.row[reached]].isnan().any(-1).all()


def test_gradients_are_right() -> None:
    model = GMN(CHANNELS, 3, layers=2).double()
    batch = batch_of(sample())
    index = torch.tensor([0, 1]), torch.tensor([1, 2])

    def distances(x: Tensor) -> Tensor:
        given = batch_of(sample())
        object.__setattr__(given, "x", x)
        return model.compare(given, *index).distances

    assert torch.autograd.gradcheck(distances, batch.x.requires_grad_())


def test_copies_are_the_graphs_of_the_pairs() -> None:
    graphs = sample()
    index = torch.tensor([2, 0, 2, 3])
    made, wanted = (
        repeat_graphs(batch_of(graphs), index),
        batch_of([graphs[i] for i in index.tolist()]),
    )
    for name in ("x", "batch", "ptr"):
        assert torch.equal(getattr(made, name), getattr(wanted, name)), name
    for name in ("row_ptr", "col", "weight", "gcn"):
        assert torch.equal(getattr(made.adjacency, name), getattr(wanted.adjacency, name)), name


def test_copies_have_the_places_of_their_graphs() -> None:
    graphs = sample(torch.float32)
    index = torch.tensor([2, 0, 2, 3])
    made, wanted = (
        repeat_graphs(batch_of(graphs), index),
        batch_of([graphs[i] for i in index.tolist()]),
    )
    for rule in (PlaceRule(), PlaceRule("given", clusters=2)):
        for name in ("cluster", "counts", "share"):
            found = getattr(made.places(rule), name)
            torch.testing.assert_close(found, getattr(wanted.places(rule), name))


def test_a_pair_is_worked_on_once_whichever_way_round() -> None:
    batch = batch_of(sample())
    layout = PairLayout.of(batch, LEFT, RIGHT)
    asked = [frozenset(pair) for pair in zip(LEFT.tolist(), RIGHT.tolist(), strict=True)]
    assert len(layout) == len(set(asked))
    first, second = layout.first.tolist(), layout.second.tolist()
    assert [frozenset((first[k], second[k])) for k in layout.back.tolist()] == asked
    sizes = batch.ptr.diff()
    assert torch.equal(sizes[layout.graphs], torch.from_numpy(layout.sizes).flatten())
    assert (layout.sizes[0] <= layout.sizes[1]).all()


def test_no_pairs_give_no_distances() -> None:
    none = torch.zeros(0, dtype=torch.long)
    made = GMN(CHANNELS, 8, layers=2).compare(batch_of(sample(torch.float32)), none, none)
    assert made.distances.shape == (1, 0)
