"""Losses of an assignment against their formulas on dense matrices, graph by graph."""

import math
from collections.abc import Callable
from typing import Any

import pytest
import torch
from plain import Plain, batch_of, from_edges, odd_graphs, random_graph
from torch import Tensor

from graphpool.errors import ConfigError
from graphpool.graphs.adjacency import Adjacency
from graphpool.graphs.segments import Segments
from graphpool.nn.coarsen.losses import LOSSES, LossInputs, auxiliary_losses, check_weights
from graphpool.nn.level import Level
from graphpool.nn.ops.formation import form_clusters

WIDTH = 5
COUNTS = (5, 3, 1, 4)  # clusters of each graph of `graphs()`
every = pytest.mark.parametrize("name", LOSSES)


def graphs(directed: bool = False) -> list[Plain]:
    options = {"weighted": True, "loops": True, "directed": directed}
    return [random_graph(n, n, **options).to(torch.float64) for n in (9, 6, 4, 2)]


def shares(sizes: list[int], counts: tuple[int, ...] | None = None, seed: int = 0) -> list[Tensor]:
    """Random assignments; columns past a graph's own clusters are exactly 0."""
    draw = torch.Generator().manual_seed(seed)
    made = []
    for size, count in zip(sizes, counts or [WIDTH] * len(sizes), strict=True):
        score = 2 * torch.randn(size, WIDTH, generator=draw, dtype=torch.float64)
        score[:, count:] = -torch.inf
        made.append(score.softmax(-1))
    return made


def mask_of(counts: tuple[int, ...]) -> Tensor:
    return torch.arange(WIDTH) < torch.tensor(counts).unsqueeze(-1)


def assigned(given: list[Plain], parts: list[Tensor], mask: Tensor | None = None) -> LossInputs:
    batch, share = batch_of(given), torch.cat(parts)
    _, adj = form_clusters(share, batch.x, batch.adjacency, batch.segments)
    return LossInputs(share, adj, batch.adjacency, batch.segments, mask)


def literal_cut(A: Tensor, M: Tensor) -> Tensor:
    D = torch.diag((A.sum(0) + A.sum(1)) / 2)
    return 1 - torch.trace(M.T @ A @ M) / torch.trace(M.T @ D @ M)


def literal_orthogonality(A: Tensor, M: Tensor) -> Tensor:
    G = M.T @ M
    return torch.dist(G / G.norm(), torch.eye(M.shape[1]) / math.sqrt(M.shape[1]))


def literal_balance(A: Tensor, M: Tensor) -> Tensor:
    k, N = M.shape[1], M.shape[0]
    total = sum((float(M[:, j].sum()) / N) ** 2 for j in range(k))
    return torch.tensor((k * total - 1) / (k - 1) if k > 1 else 0.0, dtype=M.dtype)


def literal_link(A: Tensor, M: Tensor) -> Tensor:
    return (A - M @ M.T).norm() / M.shape[0]


def literal_entropy(A: Tensor, M: Tensor) -> Tensor:
    return torch.stack([torch.distributions.Categorical(row).entropy() for row in M]).mean()


def literal_modularity(A: Tensor, M: Tensor) -> Tensor:
    degree = (A.sum(0) + A.sum(1)) / 2
    total = degree.sum()
    return -((M.T @ (A - torch.outer(degree, degree) / total) @ M).trace() / total)


def literal_collapse(A: Tensor, M: Tensor) -> Tensor:
    return math.sqrt(M.shape[1]) * M.sum(0).norm() / M.shape[0] - 1


LITERAL: dict[str, Callable[[Tensor, Tensor], Tensor]] = {
    "cut": literal_cut,
    "orthogonality": literal_orthogonality,
    "balance": literal_balance,
    "link": literal_link,
    "entropy": literal_entropy,
    "modularity": literal_modularity,
    "collapse": literal_collapse,
}


@every
@pytest.mark.parametrize("directed", [False, True])
def test_losses_equal_their_dense_formulas(name: str, directed: bool) -> None:
    given = graphs(directed)
    parts = shares([graph.nodes for graph in given], COUNTS)
    found = LOSSES[name](assigned(given, parts, mask_of(COUNTS)))
    wanted = [
        LITERAL[name](graph.adj, part[:, :count])
        for graph, part, count in zip(given, parts, COUNTS, strict=True)
    ]
    torch.testing.assert_close(found, torch.stack(wanted))


@every
def test_dense_level_equals_ragged_one(name: str) -> None:
    given = [random_graph(6, seed, weighted=True, directed=True).to(torch.float64) for seed in (1, 2)]  # fmt: skip  # noqa: E501
    parts = shares([6, 6])
    adj, share = torch.stack([graph.adj for graph in given]), torch.stack(parts)
    dense = LossInputs(share, share.mT @ adj @ share, adj)
    torch.testing.assert_close(LOSSES[name](dense), LOSSES[name](assigned(given, parts)))


@every
def test_rows_of_zeros_in_a_dense_level_are_no_nodes(name: str) -> None:
    given, parts = graphs()[1:3], shares([6, 4])
    adj, share = torch.zeros(2, 6, 6).double(), torch.zeros(2, 6, WIDTH).double()
    for position, (graph, part) in enumerate(zip(given, parts, strict=True)):
        adj[position, : graph.nodes, : graph.nodes] = graph.adj
        share[position, : graph.nodes] = part
    dense = LossInputs(share, share.mT @ adj @ share, adj)
    torch.testing.assert_close(LOSSES[name](dense), LOSSES[name](assigned(given, parts)))


@every
def test_gradients_are_those_of_the_dense_formulas(name: str) -> None:
    given = graphs()
    logits = torch.randn(sum(graph.nodes for graph in given), WIDTH, dtype=torch.float64)
    logits.requires_grad_()
    sizes = [graph.nodes for graph in given]
    found = LOSSES[name](assigned(given, [logits.softmax(-1)])).sum()
    one = torch.autograd.grad(found, logits)[0]
    parts = logits.softmax(-1).split(sizes)
    pairs = list(zip(given, parts, strict=True))
    if name == "balance":
        wanted = sum(
            ((WIDTH * (M.sum(0) / len(M)).square().sum() - 1) / (WIDTH - 1) for _, M in pairs),
            torch.tensor(0.0),
        )
    else:
        wanted = torch.stack([LITERAL[name](graph.adj, M) for graph, M in pairs]).sum()
    torch.testing.assert_close(one, torch.autograd.grad(wanted, logits)[0])


@every
def test_a_graphs_loss_does_not_depend_on_its_batch_mates(name: str) -> None:
    given = graphs()
    parts = shares([graph.nodes for graph in given], COUNTS)
    together = LOSSES[name](assigned(given, parts, mask_of(COUNTS)))
    for position, count in enumerate(COUNTS):
        # Alone the graph is the widest of its batch, and no column is masked.
        alone = assigned([given[position]], [parts[position][:, :count]])
        torch.testing.assert_close(together[position], LOSSES[name](alone)[0], atol=1e-9, rtol=0)


@every
@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
@pytest.mark.parametrize("scale", [0.0, 1.0, 1e4])  # even, soft, one-hot to the last bit
def test_values_and_gradients_are_finite_on_odd_graphs(
    name: str, dtype: torch.dtype, scale: float
) -> None:
    for odd, graph in odd_graphs().items():
        graph = graph.to(dtype)
        for count in (WIDTH, 2, 1):
            logits = scale * torch.randn(graph.nodes, WIDTH, dtype=dtype)
            logits[:, count:] = -torch.inf
            logits.requires_grad_()
            level = assigned([graph], [logits.softmax(-1)], mask_of((count,)))
            value = LOSSES[name](level)
            assert value.isfinite().all(), (odd, count)
            assert value.min() >= (-1 if name == "modularity" else -1e-6), (odd, count)
            grad = torch.autograd.grad(value.sum(), logits)[0]
            assert grad.isfinite().all(), (odd, count)


def hard(numbers: list[int], clusters: int) -> Tensor:
    return torch.eye(clusters, dtype=torch.float64)[numbers]


def value(name: str, graph: Plain, share: Tensor) -> float:
    return float(LOSSES[name](assigned([graph.to(torch.float64)], [share])))


def two_triangles() -> Plain:
    return from_edges(6, [(0, 1), (1, 2), (2, 0), (3, 4), (4, 5), (5, 3), (2, 3)])


def test_cut_is_the_share_of_edges_between_hard_clusters() -> None:
    graph = two_triangles()
    assert value("cut", graph, hard([0, 0, 0, 1, 1, 1], 2)) == pytest.approx(1 / 7)
    assert value("cut", graph, hard([0, 0, 0, 0, 0, 0], 2)) == 0
    # Opposite ends of a square: every edge is cut.
    square = from_edges(4, [(0, 1), (1, 2), (2, 3), (3, 0)])
    assert value("cut", square, hard([0, 1, 0, 1], 2)) == 1
    assert value("cut", from_edges(3, []), hard([0, 1, 1], 2)) == 0


def test_orthogonality_is_zero_for_hard_equal_clusters_and_grows_to_all_in_one() -> None:
    graph = two_triangles()
    assert value("orthogonality", graph, hard([0, 0, 0, 1, 1, 1], 2)) == pytest.approx(0)
    one = value("orthogonality", graph, hard([0] * 6, 2))
    assert one == pytest.approx(math.sqrt(2 - 2 / math.sqrt(2)))


def test_balance_goes_from_even_to_all_in_one() -> None:
    graph = two_triangles()
    assert value("balance", graph, hard([0, 1, 2, 0, 1, 2], 3)) == pytest.approx(0)
    assert value("balance", graph, hard([2] * 6, 3)) == pytest.approx(1)
    # 3 · (9 + 4 + 1) / 36 - 1 = 1/6, over 2.
    assert value("balance", graph, hard([0, 0, 0, 1, 1, 2], 3)) == pytest.approx(1 / 12)
    assert value("balance", graph, hard([0] * 6, 1)) == 0


def test_link_is_the_root_mean_square_of_pairs_that_are_wrong() -> None:
    # MMᵀ has 18 ones; 12 of them are edges, 6 the diagonal; the bridge is missing twice.
    found = value("link", two_triangles(), hard([0, 0, 0, 1, 1, 1], 2))
    assert found == pytest.approx(math.sqrt(8 / 36))
    # A loop on a single node is exactly its own cluster.
    assert value("link", from_edges(1, [(0, 0)]), hard([0], 2)) == 0


def test_entropy_goes_from_zero_to_the_logarithm_of_clusters() -> None:
    graph = two_triangles()
    assert value("entropy", graph, hard([0, 0, 0, 1, 1, 1], 2)) == 0
    even = torch.full((6, 4), 0.25, dtype=torch.float64)
    assert value("entropy", graph, even) == pytest.approx(math.log(4))


def test_repeated_edges_add_up_in_link() -> None:
    edge_index = torch.tensor([[0, 1, 0, 1, 1], [1, 0, 1, 0, 1]])
    adjacency = Adjacency.from_edge_index(edge_index, 2, torch.ones(5, dtype=torch.float64))
    share, segments = shares([2])[0], Segments(torch.tensor([0, 2]))
    _, adj = form_clusters(share, torch.ones(2, 1).double(), adjacency, segments)
    found = LOSSES["link"](LossInputs(share, adj, adjacency, segments))
    wanted = literal_link(torch.tensor([[0.0, 2.0], [2.0, 1.0]]).double(), share)
    torch.testing.assert_close(found[0], wanted)


@pytest.mark.parametrize("nodes", [2, 7, 12])
def test_cut_and_orthogonality_are_those_of_pyg_on_one_graph(pyg: Any, nodes: int) -> None:
    graph = random_graph(nodes, 3, weighted=True).to(torch.float64)
    logits = torch.randn(nodes, WIDTH, dtype=torch.float64)
    level = assigned([graph], [logits.softmax(-1)])
    _, _, cut, orthogonality = pyg.dense_mincut_pool(graph.x, graph.adj, logits)
    torch.testing.assert_close(LOSSES["cut"](level)[0], 1 + cut)
    torch.testing.assert_close(LOSSES["orthogonality"](level)[0], orthogonality)


def test_auxiliary_losses_are_weighted_means_over_graphs() -> None:
    given = graphs()
    level = assigned(given, shares([graph.nodes for graph in given]))
    weights = check_weights({"cut": 0.5, "balance": 0.0, "entropy": 2.0})
    pooled = Level.from_batch(batch_of(given))
    found = auxiliary_losses(weights, level.assignment, level.coarse_adj, pooled)
    assert set(found) == {"cut", "entropy"}
    torch.testing.assert_close(found["cut"], 0.5 * LOSSES["cut"](level).mean())
    torch.testing.assert_close(found["entropy"], 2 * LOSSES["entropy"](level).mean())


@pytest.mark.parametrize(
    ("weights", "message"),
    [
        ({"ballance": 1.0}, "did you mean 'balance'"),
        ({"cut": -1.0}, "'cut' is -1.0"),
        ({"cut": math.nan}, "'cut' is nan"),
    ],
)
def test_wrong_weights_are_refused(weights: dict[str, float], message: str) -> None:
    with pytest.raises(ConfigError, match=message):
        check_weights(weights)
