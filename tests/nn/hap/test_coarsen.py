import itertools

import literal
import pytest
import torch
from plain import CHANNELS, Plain, batch_of, random_graph

from graphpool.errors import ConfigError, DataError
from graphpool.nn.coarsen.outputs import PoolOutput
from graphpool.nn.hap import (
    ASSIGNMENTS,
    CONNECTIONS,
    PLACE_ASSIGNMENTS,
    RELAXATIONS,
    HAPCoarsening,
    clusters_from_ratio,
)

FORMS = [("content", "gram"), *(("static", relaxation) for relaxation in RELAXATIONS)]
EVERY = [(*form, connect) for form, connect in itertools.product(FORMS, CONNECTIONS)]
DTYPES = [torch.float32, torch.float64]


def layer(form: tuple[str, str, str], clusters: int = 4, **options: bool) -> HAPCoarsening:
    return HAPCoarsening(CHANNELS, clusters, *form, **options).eval()


def expected(
    graph: Plain, module: HAPCoarsening, form: tuple[str, str, str], symmetrise: bool = False
) -> tuple[torch.Tensor, ...]:
    parts = literal.coarsen(
        graph.x.tolist(), graph.adj.tolist(), literal.weights_of(module), *form, symmetrise
    )
    return tuple(torch.tensor(part, dtype=graph.x.dtype) for part in parts)


def check(
    out: PoolOutput, graphs: list[Plain], module: HAPCoarsening, form: tuple[str, str, str]
) -> None:
    rows = out.assignment
    shares = rows.split([graph.nodes for graph in graphs]) if rows.ndim == 2 else tuple(rows)
    for position, graph in enumerate(graphs):
        x, adj, share = expected(graph, module, form)
        torch.testing.assert_close(out.x[position], x, atol=1e-5, rtol=1e-5)
        torch.testing.assert_close(out.adj[position], adj, atol=1e-5, rtol=1e-5)
        torch.testing.assert_close(shares[position], share, atol=1e-5, rtol=1e-5)


def test_every_assignment_has_a_literal_form() -> None:
    # Those of places are in test_places_assignment.py.
    assert {form[0] for form in FORMS} | set(PLACE_ASSIGNMENTS) == set(ASSIGNMENTS)


@torch.no_grad()
@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("clusters", [1, 2, 4, 7])
@pytest.mark.parametrize("form", EVERY, ids="/".join)
def test_ragged_batch_equals_algorithm_1(
    form: tuple[str, str, str], clusters: int, dtype: torch.dtype
) -> None:
    graphs = [random_graph(nodes, nodes, weighted=True, loops=True) for nodes in (6, 1, 3, 9)]
    graphs = [graph.to(dtype) for graph in graphs]
    module = layer(form, clusters).to(dtype)
    batch = batch_of(graphs)
    check(module(batch.x, batch.adjacency, batch.segments), graphs, module, form)


@torch.no_grad()
@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("form", EVERY, ids="/".join)
def test_dense_batch_equals_algorithm_1(form: tuple[str, str, str], dtype: torch.dtype) -> None:
    graphs = [random_graph(6, seed, weighted=True, loops=True).to(dtype) for seed in (1, 2, 3)]
    module = layer(form).to(dtype)
    x = torch.stack([graph.x for graph in graphs])
    adj = torch.stack([graph.adj for graph in graphs])
    check(module(x, adj), graphs, module, form)


@torch.no_grad()
@pytest.mark.parametrize("form", [("content", "gram", "plain"), ("static", "sort", "plain")])
def test_directed_edges_keep_their_direction(form: tuple[str, str, str]) -> None:
    graphs = [random_graph(nodes, nodes, directed=True) for nodes in (6, 4)]
    module = layer(form)
    batch = batch_of(graphs)
    out = module(batch.x, batch.adjacency, batch.segments)
    assert not torch.allclose(out.adj, out.adj.mT)
    check(out, graphs, module, form)


@torch.no_grad()
def test_symmetrise_averages_with_the_transpose() -> None:
    form = ("static", "gram", "gumbel")
    graph, module = random_graph(6), layer(form, symmetrise=True)
    out = module(graph.x.unsqueeze(0), graph.adj.unsqueeze(0))
    wanted = expected(graph, module, form, symmetrise=True)[1]
    torch.testing.assert_close(out.adj[0], wanted, atol=1e-5, rtol=1e-5)


@torch.no_grad()
def test_edge_index_and_batch_vector_mean_the_same_as_adjacency_and_segments() -> None:
    module = layer(("content", "gram", "offdiagonal"))
    batch = batch_of([random_graph(5), random_graph(3)])
    one = module(batch.x, batch.adjacency, batch.segments)
    other = module(batch.x, batch.edge_index, batch.batch)
    assert torch.equal(one.x, other.x)
    assert torch.equal(one.adj, other.adj)


@torch.no_grad()
def test_without_batch_all_nodes_are_one_graph() -> None:
    graph, module = random_graph(5), layer(("content", "gram", "offdiagonal"))
    batch = batch_of([graph])
    assert module(batch.x, batch.edge_index).x.shape == (1, 4, CHANNELS)


@torch.no_grad()
def test_double_precision_works_on_a_plain_edge_index() -> None:
    batch = batch_of([random_graph(5)])
    module = layer(("content", "gram", "offdiagonal")).double()
    assert module(batch.x.double(), batch.edge_index).adj.dtype == torch.float64


@pytest.mark.parametrize("numbers", [[0, 1, 0], [0, 2, 2], [1, 1, 2]])
def test_batch_vector_out_of_order_or_with_gaps_is_refused(numbers: list[int]) -> None:
    module = layer(("content", "gram", "offdiagonal"))
    with pytest.raises(DataError, match="sort the nodes by graph"):
        module(torch.randn(3, CHANNELS), torch.zeros(2, 0).long(), torch.tensor(numbers))


def test_dense_features_with_an_edge_index_are_refused() -> None:
    module = layer(("content", "gram", "offdiagonal"))
    with pytest.raises(ValueError, match=r"need an adjacency of shape \(2, 3, 3\)"):
        module(torch.randn(2, 3, CHANNELS), torch.zeros(2, 0).long())


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"assignment": "contnt"}, "did you mean 'content'"),
        ({"relaxation": "grom"}, "did you mean 'gram'"),
        ({"connect": "gumble"}, "did you mean 'gumbel'"),
        ({"clusters": 0}, "at least 1"),
    ],
)
def test_unknown_options_name_the_nearest_known_one(
    options: dict[str, object], message: str
) -> None:
    with pytest.raises(ConfigError, match=message):
        HAPCoarsening(**{"in_channels": 3, "clusters": 4, **options})  # type: ignore[arg-type]


def test_noise_is_drawn_while_training_and_never_in_eval() -> None:
    graph, module = random_graph(6), layer(("static", "gram", "gumbel"))
    inputs = graph.x.unsqueeze(0), graph.adj.unsqueeze(0)
    assert torch.equal(module(*inputs).adj, module(*inputs).adj)
    module.train()
    first, second = module(*inputs), module(*inputs)
    assert not torch.allclose(first.adj, second.adj)
    assert torch.equal(first.x, second.x)
    torch.testing.assert_close(first.adj.sum(-1), torch.ones(1, 4))


@pytest.mark.parametrize(
    ("ratio", "mean", "levels", "counts"),
    [
        (0.25, 17.9, 2, (5, 1)),
        (0.25, 17.9, 3, (5, 2, 1)),
        (0.1, 5.0, 2, (2, 1)),
        (0.25, 17.9, 1, (5,)),
        (0.5, 30.0, 3, (15, 8, 1)),
    ],
)
def test_clusters_from_ratio(
    ratio: float, mean: float, levels: int, counts: tuple[int, ...]
) -> None:
    assert clusters_from_ratio(ratio, mean, levels) == counts
