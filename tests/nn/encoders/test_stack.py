import pytest
import torch
from plain import CHANNELS, batch_of, random_graph
from torch import nn

from graphpool.errors import ConfigError
from graphpool.graphs.cluster_mask import ClusterMask
from graphpool.graphs.graphset import GraphSet
from graphpool.nn.encoders import Encoder, encoder_names
from graphpool.nn.level import Level


@torch.no_grad()
@pytest.mark.parametrize("kind", encoder_names())
def test_encoder_is_layers_with_relu_between_and_after(kind: str) -> None:
    encoder = Encoder(kind, CHANNELS, 8, layers=3)
    given = batch_of([random_graph(7)])
    x, edges = given.x, encoder.layers[0].prepare(Level.from_batch(given))
    for layer in encoder.layers:
        x, edges = layer.step(x, edges, activate=False)
        x = x.relu()
    torch.testing.assert_close(encoder(given.x, given.adjacency), x)


@pytest.mark.parametrize("kind", encoder_names())
def test_a_jump_mixes_all_layers(kind: str) -> None:
    encoder = Encoder(kind, CHANNELS, 8, layers=3, jump=True)
    given = batch_of([random_graph(7)])
    outputs, edges = [given.x], encoder.layers[0].prepare(Level.from_batch(given))
    for layer in encoder.layers:
        made, edges = layer.step(outputs[-1], edges, activate=True)
        outputs.append(made)
    assert encoder.jump is not None
    wanted = encoder.jump(torch.cat(outputs[1:], -1)).relu()
    found = encoder(given.x, given.adjacency)
    torch.testing.assert_close(found, wanted)
    found.sum().backward()
    assert all(weight.grad is not None for weight in encoder.parameters())


@torch.no_grad()
def test_a_jump_keeps_rows_that_are_no_clusters_at_zero() -> None:
    encoder = Encoder("gcn", CHANNELS, 8, jump=True)
    nn.init.constant_(encoder.jump.bias, 1.0)
    x, adj = torch.rand(2, 4, CHANNELS), torch.rand(2, 4, 4)
    rows = ClusterMask.first(torch.tensor([4, 2]), 4)
    found = encoder(x, adj, batch=rows)
    assert (found[1, 2:] == 0).all()
    assert (found[1, :2] > 0).any()


@pytest.mark.parametrize("dense", [False, True])
@pytest.mark.parametrize("directed", [False, True])
@pytest.mark.parametrize("in_channels", [3, 8, 12])
def test_gradients_of_stacked_gcn_layers(in_channels: int, directed: bool, dense: bool) -> None:
    """Several layers are one step of the backward pass; autograd on the formula says the same."""
    graph = random_graph(7, directed=directed, weighted=True, loops=True, channels=in_channels)
    graph = graph.to(torch.float64)
    encoder = Encoder("gcn", in_channels, 8, layers=3).double()
    x, adj = graph.x.requires_grad_(), graph.adj.requires_grad_()
    looped = adj + torch.eye(7)
    scale = looped.sum(1).rsqrt()
    wanted = x
    for layer in encoder.layers:
        layer.bias.data.normal_()
        step = (scale[:, None] * looped * scale) @ wanted @ layer.weight + layer.bias
        wanted = step.relu()
    if dense:
        found, inputs = encoder(x.unsqueeze(0), adj.unsqueeze(0))[0], [x, adj]
    else:
        found, inputs = encoder(x, batch_of([graph]).adjacency), [x]
    inputs += list(encoder.parameters())
    torch.testing.assert_close(found, wanted)
    weight = torch.randn_like(found)
    ours = torch.autograd.grad((found * weight).sum(), inputs)
    theirs = torch.autograd.grad((wanted * weight).sum(), inputs)
    for one, other in zip(ours, theirs, strict=True):
        torch.testing.assert_close(one, other)


@pytest.mark.parametrize("kind", encoder_names())
def test_dropout_acts_only_while_training(kind: str) -> None:
    encoder = Encoder(kind, CHANNELS, 8, dropout=0.5)
    given = batch_of([random_graph(7)])
    one, other = encoder(given.x, given.adjacency), encoder(given.x, given.adjacency)
    assert not torch.equal(one, other)
    encoder.eval()
    plain = Encoder(kind, CHANNELS, 8)
    plain.load_state_dict(encoder.state_dict())
    assert torch.equal(encoder(given.x, given.adjacency), plain(given.x, given.adjacency))


def test_batch_norm_standardises_every_channel_over_the_nodes() -> None:
    encoder = Encoder("gcn", CHANNELS, 8, layers=1, norm="batch")
    given = batch_of([random_graph(9), random_graph(6, 1)])
    raw = encoder.layers[0](given.x, given.adjacency)
    wanted = (raw - raw.mean(0)) / (raw.var(0, unbiased=False) + 1e-5).sqrt()
    torch.testing.assert_close(encoder(given.x, given.adjacency), wanted.relu())


def test_batch_norm_of_a_single_node_takes_the_running_statistics() -> None:
    encoder = Encoder("gcn", CHANNELS, 8, layers=1, norm="batch")
    several = batch_of([random_graph(9)])
    encoder(several.x, several.adjacency)
    one = batch_of([random_graph(1)])
    while_training = encoder(one.x, one.adjacency)
    assert torch.equal(while_training, encoder.eval()(one.x, one.adjacency))


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"kind": "gcnn"}, "did you mean 'gcn'"),
        ({"kind": "gat", "hidden_channels": 9}, r"hidden_channels \(9\) must be a multiple"),
        ({"norm": "bach"}, "did you mean 'batch'"),
    ],
)
def test_wrong_settings_are_refused(options: dict[str, object], message: str) -> None:
    with pytest.raises(ConfigError, match=message):
        Encoder(**{"kind": "gcn", "in_channels": 3, "hidden_channels": 8, **options})  # type: ignore[arg-type]


@pytest.mark.parametrize("channels", [3, 20])
def test_a_one_hot_lookup_gives_the_same_bits_as_the_product(channels):
    torch.manual_seed(0)
    codes = torch.arange(12) % channels
    edges = torch.tensor([[0, 1, 2, 5, 6, 7, 9], [1, 2, 3, 6, 7, 8, 10]])
    counts = torch.tensor([5, 7])
    local = edges - torch.tensor([0, 0, 0, 5, 5, 5, 5])
    graphs = GraphSet.build("two", counts, torch.tensor([3, 4]), local, undirected=True)
    batch = graphs.with_x(torch.nn.functional.one_hot(codes, channels).float()).batch()
    assert batch.one_hot_index is not None
    assert torch.equal(batch.one_hot_index, codes)
    encoder = Encoder("gcn", channels, 8)
    results = []
    for column in (batch.one_hot_index, None):
        encoder.zero_grad()
        out = encoder(Level(batch.x, batch.adjacency, batch.segments, one_hot_index=column))
        out.square().sum().backward()
        results.append([out.detach(), *(value.grad.clone() for value in encoder.parameters())])
    assert all(torch.equal(one, other) for one, other in zip(*results, strict=True))


def test_features_that_are_not_one_hot_have_no_column():
    graphs = GraphSet.build("one", torch.tensor([3]), torch.tensor([1]), torch.tensor([[0], [1]]))
    for row in ([0.0, 0.0], [1.0, 1.0], [0.0, 2.0]):
        x = torch.tensor([[1.0, 0.0], row, [0.0, 1.0]])
        assert graphs.with_x(x).batch().one_hot_index is None
