"""SimGNN's parts against their formulas, its padding included."""

import numpy as np
import pytest
import torch
from plain import CHANNELS, Plain, batch_of, random_graph

from graphpool.nn.encoders import Encoder
from graphpool.nn.model import HAP
from graphpool.nn.pairs import SimGNN
from graphpool.nn.pairs import cross_attention as cross
from graphpool.nn.pairs.base import without_encoder
from graphpool.nn.pairs.cross_attention import CrossAttention
from graphpool.nn.pairs.simgnn import PairHead, TensorNetwork, similarity_histogram
from graphpool.nn.pool.mean_att import MeanAttPool

LEFT, RIGHT = torch.tensor([0, 3, 2, 2, 1]), torch.tensor([1, 2, 3, 2, 0])


def sample() -> list[Plain]:
    return [random_graph(n, n).to(torch.float64) for n in (5, 2, 6, 4)]


def padded_histogram(one: torch.Tensor, other: torch.Tensor, bins: int) -> np.ndarray:
    """As in the source: zeros up to the larger size, σ of all products, numpy's histogram."""
    size = max(len(one), len(other))
    full = np.zeros((2, size, one.shape[1]))
    full[0, : len(one)], full[1, : len(other)] = one.numpy(), other.numpy()
    similar = 1 / (1 + np.exp(-full[0] @ full[1].T))
    return np.histogram(similar, bins, (0, 1))[0] / size**2


@pytest.mark.parametrize("small", [1 << 14, 0], ids=["one run", "many runs"])
@pytest.mark.parametrize("bins", [16, 5])
def test_histogram_counts_what_padding_would(
    bins: int, small: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(cross, "SMALL", small)
    sizes = np.array([[1, 3, 2, 4, 1], [1, 3, 5, 5, 12]], dtype=np.int64)
    h = torch.randn(int(sizes.sum()), 3, dtype=torch.float64)
    found = similarity_histogram(h, CrossAttention(sizes, torch.device("cpu")), bins)
    ones, others = h.split(sizes.sum(1).tolist())
    pairs = zip(ones.split(sizes[0].tolist()), others.split(sizes[1].tolist()), strict=True)
    wanted = np.stack([padded_histogram(x, y, bins) for x, y in pairs])
    np.testing.assert_allclose(found.numpy(), wanted, atol=1e-12)


def test_equal_to_one_half_is_in_the_upper_bin_and_extremes_are_counted() -> None:
    h = torch.tensor([[0.0], [30.0], [-30.0], [30.0]])
    attention = CrossAttention(np.array([[1, 1], [1, 1]], dtype=np.int64), torch.device("cpu"))
    first = similarity_histogram(torch.tensor([[0.0], [30.0], [1.0], [30.0]]), attention)
    assert first.argmax(1).tolist() == [8, 15]
    assert similarity_histogram(h, attention).argmax(1).tolist() == [8, 15]
    assert similarity_histogram(-h.abs() * h.sign().cumprod(0), attention).sum(1).tolist() == [1, 1]


def test_tensor_network_is_that_of_a_loop_over_slices() -> None:
    network = TensorNetwork(4, 3).double()
    one, other = torch.randn(2, 5, 4, dtype=torch.float64)
    found = network(one, other)
    for pair in range(5):
        for k in range(3):
            value = one[pair] @ network.tensor[k] @ other[pair]
            value = value + network.linear.weight[k] @ torch.cat([one[pair], other[pair]])
            wanted = (value + network.linear.bias[k]).relu()
            torch.testing.assert_close(found[pair, k], wanted)


def test_products_of_vectors_are_as_large_as_the_vectors() -> None:
    torch.manual_seed(0)
    network = TensorNetwork(64, 16)
    one, other = torch.randn(2, 500, 64)
    products = torch.einsum("pi,kij,pj->pk", one, network.tensor, other)
    assert 0.8 < float(products.detach().std()) < 1.2


def test_head_is_the_mean_over_both_orders() -> None:
    head = PairHead(4, 6, 5).double()
    one, other = torch.randn(2, 3, 4, dtype=torch.float64)
    histogram = torch.rand(3, 5, dtype=torch.float64)
    torch.testing.assert_close(head(one, other, histogram), head(other, one, histogram))
    orders = [
        head.layers(torch.cat([head.tensor(*pair), histogram], 1)).squeeze(1)
        for pair in ((one, other), (other, one))
    ]
    assert not torch.allclose(*orders)
    torch.testing.assert_close(head(one, other, histogram), (orders[0] + orders[1]) / 2)


def test_score_is_the_sigmoid_of_what_the_layers_say() -> None:
    model = SimGNN(Encoder("gcn", CHANNELS, 8, 3)).double().eval()
    graphs = sample()
    compared = model.compare(batch_of(graphs), LEFT, RIGHT)
    pool = model.pooling.readouts[0]
    assert isinstance(pool, MeanAttPool)
    states = [model.encoder(g.x, batch_of([g]).adjacency) for g in graphs]
    wanted = []
    for i, j in zip(LEFT.tolist(), RIGHT.tolist(), strict=True):
        vectors = []
        for h in (states[i], states[j]):
            context = (h.mean(0) @ pool.weight).tanh()
            vectors.append(((h @ context).sigmoid().unsqueeze(1) * h).sum(0, keepdim=True))
        counts = padded_histogram(states[i].detach(), states[j].detach(), 16)
        histogram = torch.from_numpy(counts).unsqueeze(0)
        wanted.append(model.heads[0](*vectors, histogram).sigmoid())
    torch.testing.assert_close(model.scores(compared), torch.stack(wanted, 1))


def test_every_level_of_simgnn_hap_has_its_own_tensor_network() -> None:
    hap = without_encoder(HAP(8, 8, (3, 1), 0, readout=("sum", "max")), 8)
    model = SimGNN(Encoder("gcn", CHANNELS, 8), hap)
    made = [head.tensor.linear.in_features for head in model.heads]
    assert made == [2 * width for width in hap.vector_channels] == [32, 16, 16]
    assert model.compare(batch_of([g.to(torch.float32) for g in sample()]), LEFT, RIGHT)


def test_histogram_passes_no_gradient() -> None:
    h = torch.randn(2, 3, requires_grad=True)
    attention = CrossAttention(np.ones((2, 1), dtype=np.int64), torch.device("cpu"))
    assert not similarity_histogram(h, attention).requires_grad
