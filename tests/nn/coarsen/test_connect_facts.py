"""Which connections let clusters hear of one another, when the clusters are perfect.

M is the true communities of a `ring` set, so whatever doesn't arrive was stopped by `connect`.
"""

import pytest
import torch
from torch import Tensor, nn

from graphpool.data.synthetic.arrangements import build as arrangements
from graphpool.graphs.batch import GraphBatch
from graphpool.nn.encoders import Encoder, GCNLayer
from graphpool.nn.hap import CONNECTIONS
from graphpool.nn.ops.formation import form_clusters

COMMUNITIES = 8
OPEN = ["offdiagonal", "offdiagonal-gumbel", "plain"]  # all but the paper's own


def perfect(graphs: int, bridges: int) -> tuple[GraphBatch, Tensor]:
    """A ring set with the labels of its nodes as features, and its true assignment."""
    drawn = arrangements.make("ring", graphs=graphs, bridges=bridges)
    assert drawn.node_label is not None
    drawn = drawn.with_x(torch.eye(2)[drawn.node_label])
    share = torch.eye(COMMUNITIES)[arrangements.communities(drawn)]
    return drawn.batch(torch.arange(graphs)), share


def heard(connect: str, bridges: int, layers: int = 1) -> tuple[Tensor, Tensor]:
    """How strongly clusters answer to features of others, against their own, in eval mode.

    Both are `[graphs, clusters, clusters]`: entry (i, j) of the first is the slope of cluster i's
    answer to the features of cluster j over that to its own; the second says which are joined.
    """
    batch, share = perfect(6, bridges)
    features, coarse = form_clusters(share, batch.x, batch.adjacency, batch.segments)
    x = features.requires_grad_()
    adj = CONNECTIONS[connect](coarse, False, None)
    for width in [2] + [4] * (layers - 1):
        x = GCNLayer(width, 4)(x, adj)
    answers = x.sum((0, 2)).unbind()
    slopes = [torch.autograd.grad(one, features, retain_graph=True)[0] for one in answers]
    slope = torch.stack(slopes, 1).norm(dim=-1)
    joined = (coarse > 0) & ~torch.eye(COMMUNITIES, dtype=torch.bool)
    return slope / slope.diagonal(dim1=-2, dim2=-1).unsqueeze(-1), joined


def test_every_connection_is_judged() -> None:
    assert {*OPEN, "gumbel"} == set(CONNECTIONS)


@pytest.mark.parametrize(("bridges", "most"), [(1, 1e-13), (6, 1e-3)])
def test_printed_soft_sampling_lets_nothing_pass(bridges: int, most: float) -> None:
    # The tenth power of (edges of a bridge / edges inside): 1/28 at the most with one bridge.
    ratio, joined = heard("gumbel", bridges)
    assert joined.sum(-1).eq(2).all()
    assert ratio[joined].max() < most


@pytest.mark.parametrize("bridges", [1, 6])
@pytest.mark.parametrize("connect", OPEN)
def test_other_connections_pass_a_signal_to_neighbours(connect: str, bridges: int) -> None:
    ratio, joined = heard(connect, bridges)
    assert ratio[joined].min() > (0.01 if connect == "plain" else 0.2)
    # One layer reaches neighbours alone.
    far = ~joined & ~torch.eye(COMMUNITIES, dtype=torch.bool)
    assert ratio[far].max() < 1e-6


@pytest.mark.parametrize("connect", CONNECTIONS)
def test_four_layers_reach_the_far_side_of_the_ring_unless_switched_off(connect: str) -> None:
    ratio, joined = heard(connect, bridges=1, layers=4)
    distance = joined.float()
    second = (distance @ distance) * (1 - distance) * (1 - torch.eye(COMMUNITIES))
    opposite = (second @ second - 2 * torch.eye(COMMUNITIES)) > 0  # two steps of two
    assert opposite.sum(-1).eq(1).all()
    reach = ratio[opposite]
    if connect == "gumbel":
        assert reach.max() < 1e-13
    else:
        assert reach.min() > (1e-7 if connect == "plain" else 1e-2)


def learnt(connect: str, noisy: bool, seed: int) -> float:
    """Accuracy on 200 unseen rings of a coarse network taught with 200 others."""
    batch, share = perfect(400, bridges=1)
    assert batch.y is not None
    with torch.no_grad():
        x, adj = form_clusters(share, batch.x / 10, batch.adjacency, batch.segments)
    x, unseen_x = x.split(200)
    adj, unseen_adj = adj.split(200)
    y, unseen_y = batch.y.split(200)
    torch.manual_seed(seed)
    encoder, head = Encoder("gcn", 2, 32, 2), nn.Linear(32, 2)
    optimiser = torch.optim.Adam([*encoder.parameters(), *head.parameters()], lr=0.01)
    for _ in range(250):
        logits = head(encoder(x, CONNECTIONS[connect](adj, noisy, None)).sum(1))
        optimiser.zero_grad()
        nn.functional.cross_entropy(logits, y).backward()
        optimiser.step()
    with torch.no_grad():
        logits = head(encoder(unseen_x, CONNECTIONS[connect](unseen_adj, False, None)).sum(1))
    return float((logits.argmax(-1) == unseen_y).double().mean())


@pytest.mark.usefixtures("unchecked_shapes")  # the tests above check them
@pytest.mark.parametrize(
    ("connect", "noisy", "least", "most"),
    [
        ("gumbel", True, 0.4, 0.6),
        ("gumbel", False, 0.4, 0.6),
        ("offdiagonal", False, 0.9, 1.0),
        ("offdiagonal-gumbel", False, 0.9, 1.0),
        # The noise shows a cluster one neighbour at a time, and the two arrangements give
        # each type the same neighbours on average.
        ("offdiagonal-gumbel", True, 0.4, 0.6),
    ],
)
def test_arrangement_is_learnt_where_clusters_hear_of_their_neighbours(
    connect: str, noisy: bool, least: float, most: float
) -> None:
    assert least <= learnt(connect, noisy, seed=0) <= most
