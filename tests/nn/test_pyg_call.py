"""Every pooler and layer is called as modules of PyTorch Geometric are called.

Names come from the registry, so a new pooler is under this contract the moment it exists.
"""

import math
import subprocess
import sys
from collections.abc import Callable

import pytest
import torch
from plain import batch_of, random_graph
from torch import Tensor, nn

import graphpool as gp
from graphpool.config import ModelConfig
from graphpool.errors import ConfigError, GraphpoolError, InputError
from graphpool.graphs.batch import GraphBatch
from graphpool.nn import Encoder, GATLayer, GCNLayer, GINLayer, GraphConvLayer, Level, PoolOutput
from graphpool.nn.encoders import encoder_names
from graphpool.nn.module import reset
from graphpool.nn.zoo import METHODS, build_model

CHANNELS = 8
POOLERS = {row["name"]: row["family"] for row in gp.list_poolers()}
COARSE = [name for name, family in POOLERS.items() if family != "flat"]
LAYERS: dict[str, Callable[[], nn.Module]] = {
    "gcn": lambda: GCNLayer(CHANNELS, 4),
    "gat": lambda: GATLayer(CHANNELS, 4, heads=2),
    "gin": lambda: GINLayer(CHANNELS, 4),
    "graphconv": lambda: GraphConvLayer(CHANNELS, 4),
    **{f"encoder/{kind}": lambda kind=kind: Encoder(kind, CHANNELS, 8) for kind in encoder_names()},
    "encoder/batch norm": lambda: Encoder("gcn", CHANNELS, 8, norm="batch", jump=True),
}
MAKERS: dict[str, Callable[[], nn.Module]] = {
    **{name: lambda name=name: gp.nn.pooler(name, in_channels=CHANNELS) for name in POOLERS},
    **LAYERS,
}
every_pooler = pytest.mark.parametrize("name", POOLERS)


def made(name: str, seed: int = 0) -> nn.Module:
    torch.manual_seed(seed)
    return MAKERS[name]().eval()


def batch(weighted: bool = False) -> GraphBatch:
    graphs = [random_graph(n, n, weighted=weighted, channels=CHANNELS) for n in (9, 4, 6)]
    return batch_of(graphs)


def tensors(out: Tensor | PoolOutput) -> tuple[Tensor, ...]:
    """Everything that comes out, flat."""
    if isinstance(out, Tensor):
        return (out,)
    return (*out.to_pyg(), *out.losses.values())


def same(one: Tensor | PoolOutput, other: Tensor | PoolOutput) -> bool:
    pairs = zip(tensors(one), tensors(other), strict=True)
    return all(torch.equal(a, b) for a, b in pairs)


@torch.no_grad()
@every_pooler
def test_a_pooler_needs_its_channels_alone_and_returns_one_type(name: str) -> None:
    given = batch()
    out = made(name)(given.x, given.edge_index, given.batch)
    if POOLERS[name] == "flat":
        assert isinstance(out, Tensor)
        assert out.shape == (3, made(name).out_channels)
    else:
        assert isinstance(out, PoolOutput)
        assert (out.assignment is None) != (out.selection is None)
        assert out.batch.unique().tolist() == [0, 1, 2]
        assert out.counts.sum() == out.batch.shape[0]


@torch.no_grad()
@every_pooler
def test_a_level_and_a_batch_go_in_as_well(name: str) -> None:
    given, module = batch(weighted=True), made(name)
    out = module(given.x, given.edge_index, given.batch, given.edge_weight)
    assert same(out, module(given))
    assert same(out, module(Level(given.x, given.adjacency, given.segments)))
    named = {"batch": given.batch, "edge_weight": given.edge_weight}
    assert same(out, module(given.x, given.edge_index, **named))


@torch.no_grad()
@every_pooler
def test_without_a_batch_there_is_one_graph(name: str) -> None:
    given, module = batch_of([random_graph(7, channels=CHANNELS)]), made(name)
    assert same(module(given.x, given.edge_index), module(given))


@torch.no_grad()
@pytest.mark.parametrize("name", [*COARSE, *LAYERS])
def test_edge_weights_count(name: str) -> None:
    given, module = batch(), made(name)
    # Of half of the edges, both directions alike: many results are the same if all weigh more.
    source, target = given.edge_index
    weight = 1.0 + (((source + target) % 2) == 0).float()
    plain = module(given.x, given.edge_index, batch=given.batch)
    assert same(
        plain,
        module(given.x, given.edge_index, batch=given.batch, edge_weight=torch.ones_like(weight)),
    )
    heavy = module(given.x, given.edge_index, batch=given.batch, edge_weight=weight)
    assert not same(plain, heavy)
    column = weight.unsqueeze(-1).double()
    assert same(heavy, module(given.x, given.edge_index, batch=given.batch, edge_weight=column))


@pytest.mark.parametrize("name", COARSE)
def test_coarse_graphs_can_be_handed_on_to_pyg_with_their_gradients(name: str) -> None:
    convolution = pytest.importorskip("torch_geometric.nn").GraphConv
    given, module = batch(weighted=True), made(name)
    given.x.requires_grad_()
    x, edge_index, ids, weight = module(given.x, given.edge_index, given.batch).to_pyg()
    assert x.shape[1] == CHANNELS
    assert ids.shape == x.shape[:1]
    assert edge_index.shape == (2, weight.shape[0])
    if edge_index.numel():
        assert torch.equal(ids[edge_index[0]], ids[edge_index[1]])
    convolution(CHANNELS, 4)(x, edge_index, weight).square().sum().backward()
    assert given.x.grad is not None
    assert given.x.grad.isfinite().all()
    assert given.x.grad.any()


@pytest.mark.parametrize("name", ["hap", "hap-paper", "diffpool", "mincut", "asap"])
def test_coarse_edges_have_gradients(name: str) -> None:
    given, module = batch(), made(name)
    given.x.requires_grad_()
    weight = module(given.x, given.edge_index, given.batch).to_pyg().edge_weight
    (weight * torch.linspace(1, 2, weight.shape[0])).sum().backward()
    assert given.x.grad is not None
    assert given.x.grad.any()


@pytest.mark.parametrize("name", COARSE)
def test_coarse_graphs_equal_the_level(name: str) -> None:
    given = batch(weighted=True)
    out = made(name)(given)
    x, edge_index, ids, weight = out.to_pyg()
    full = weight.new_zeros(x.shape[0], x.shape[0])
    full.index_put_((edge_index[1], edge_index[0]), weight, accumulate=True)
    for graph in range(3):
        own = ids == graph
        count = int(out.counts[graph])
        block = full[own][:, own]
        if out.selection is None:
            torch.testing.assert_close(x[own], out.x[graph, :count])
            torch.testing.assert_close(block, out.adj[graph, :count, :count])
        else:
            torch.testing.assert_close(block, out.adjacency.dense()[own][:, own])


@pytest.mark.parametrize("first", ["hap", "diffpool", "sagpool", "asap"])
@pytest.mark.parametrize("second", COARSE)
def test_poolers_follow_one_another_and_edges_have_gradients(first: str, second: str) -> None:
    given = batch(weighted=True)
    given.x.requires_grad_()
    out = made(second, 1)(*made(first)(given).to_pyg())
    sum(part.sum() for part in tensors(out) if part.requires_grad).backward()
    assert given.x.grad is not None
    assert given.x.grad.isfinite().all()


def wrong_inputs() -> dict[str, tuple[dict[str, object], str]]:
    given = batch()
    x, edges, ids = given.x, given.edge_index, given.batch
    good = {"x": x, "edge_index": edges, "batch": ids}
    crossing = torch.cat([edges, torch.tensor([[0], [18]])], 1)
    count = edges.shape[1]
    return {
        "unsorted batch": ({**good, "batch": ids.flip(0)}, "must be sorted"),
        "graph left out": ({**good, "batch": ids * 2}, "must be sorted"),
        "negative graph": ({**good, "batch": ids - 1}, "must be sorted"),
        "short batch": ({**good, "batch": ids[:-1]}, "one graph a node"),
        "float batch": ({**good, "batch": ids.float()}, "batch has dtype"),
        "node too large": ({**good, "edge_index": edges + 15}, "number them from 0 to 18"),
        "negative node": ({**good, "edge_index": edges - 1}, "number them from 0 to 18"),
        "transposed edges": ({**good, "edge_index": edges.t()}, r"give \[2, edges\]"),
        "float edges": ({**good, "edge_index": edges.float()}, "edge_index has dtype"),
        "edge between graphs": ({**good, "edge_index": crossing}, "different graphs"),
        "short weights": ({**good, "edge_weight": torch.ones(count - 1)}, "one an edge"),
        "wide weights": ({**good, "edge_weight": torch.ones(count, 3)}, "one an edge"),
        "complex weights": ({**good, "edge_weight": torch.ones(count) * 1j}, "real numbers"),
        "weights without edges": ({"x": x, "edge_weight": torch.ones(3)}, "needs edge_index"),
        "integer features": ({**good, "x": x.long()}, "floating point"),
        "flat features": ({**good, "x": x[:, 0]}, r"give \[nodes, channels\]"),
        "no nodes": ({"x": x[:0], "edge_index": edges[:, :0]}, "some nodes"),
        "other channels": ({**good, "x": x[:, 1:]}, f"in_channels={CHANNELS}"),
        "features elsewhere": ({**good, "x": x.to("meta")}, "is on cpu, x on meta"),
        "dense without adjacency": (
            {"x": x[:18].view(2, 9, 8), "edge_index": edges},
            "need an adj",
        ),
        "dense of another type": (
            {"x": x[:18].view(2, 9, 8), "edge_index": torch.ones(2, 9, 9).double()},
            "one type and device",
        ),
        "level and edges": ({"x": Level.from_batch(given), "edge_index": edges}, "give it alone"),
    }


@pytest.mark.parametrize("case", wrong_inputs())
def test_wrong_inputs_are_errors_that_say_what_to_do(case: str) -> None:
    arguments, message = wrong_inputs()[case]
    for name in MAKERS:
        with pytest.raises(InputError, match=message):
            made(name)(**arguments)


def test_our_errors_of_inputs_are_value_errors() -> None:
    assert issubclass(InputError, ValueError)
    assert issubclass(InputError, GraphpoolError)


@pytest.mark.parametrize("name", [name for name, family in POOLERS.items() if family == "top-k"])
def test_nodes_are_not_selected_from_dense_levels(name: str) -> None:
    with pytest.raises(InputError, match="ragged"):
        made(name)(torch.ones(2, 3, CHANNELS), torch.ones(2, 3, 3))


@torch.no_grad()
@pytest.mark.parametrize("name", [n for n in POOLERS if POOLERS[n] != "top-k" and n != "asap"])
def test_a_boolean_mask_marks_the_nodes_of_a_dense_level(name: str) -> None:
    given, module = batch(weighted=True), made(name).double()
    counts = given.ptr.diff().tolist()
    x, adj = torch.zeros(3, 9, CHANNELS).double(), torch.zeros(3, 9, 9).double()
    full = given.adjacency.dense().double()
    for graph, (begin, count) in enumerate(zip(given.ptr.tolist(), counts, strict=False)):
        nodes = slice(begin, begin + count)
        x[graph, :count], adj[graph, :count, :count] = given.x[nodes].double(), full[nodes, nodes]
    mask = torch.arange(9) < given.ptr.diff().unsqueeze(-1)
    dense = module(x, adj, mask)
    ragged = module(given.x.double(), given.edge_index, given.batch, given.edge_weight.double())
    for one, other in zip(tensors(dense), tensors(ragged), strict=True):
        torch.testing.assert_close(one, other, rtol=1e-5, atol=1e-7)


SHORT_BATCH = """
import torch
import graphpool as gp
from graphpool.errors import InputError
x, batch = torch.randn(200, 16), torch.arange(200) // 20
edge_index = torch.stack([torch.arange(200), torch.arange(200) // 20 * 20])
gp.nn.HAPCoarsening(16)(x, edge_index, batch)
for wrong in (batch[:-5], torch.cat([batch, batch[-3:]])):
    for name in ("hap", "gmt", "structpool"):
        module = gp.nn.HAPCoarsening(16) if name == "hap" else gp.nn.pooler(name, 16)
        try:
            module(x, edge_index, wrong)
            print(name, len(wrong))
        except InputError as error:
            assert "one graph a node" in str(error), error
"""


def test_a_batch_of_another_length_than_x_does_not_end_the_process() -> None:
    done = subprocess.run([sys.executable, "-c", SHORT_BATCH], capture_output=True, text=True)
    assert (done.returncode, done.stdout) == (0, ""), done.stderr


@torch.no_grad()
@pytest.mark.parametrize("name", [n for n in POOLERS if POOLERS[n] != "top-k" and n != "asap"])
def test_edges_at_masked_rows_of_a_dense_level_do_not_count(name: str) -> None:
    generator = torch.Generator().manual_seed(0)
    x, adj = (torch.rand(3, 5, width, generator=generator) for width in (CHANNELS, 5))
    mask = torch.arange(5) < torch.tensor([[5], [2], [4]])
    inside = mask.unsqueeze(-1) & mask.unsqueeze(-2)
    adj = adj + adj.mT
    module = made(name)
    found, wanted = module(x, adj, mask), module(x, adj * inside, mask)
    for one, other in zip(tensors(found), tensors(wanted), strict=True):
        torch.testing.assert_close(one, other)


def weights(module: nn.Module) -> dict[str, Tensor]:
    return {name: value.clone() for name, value in module.state_dict().items()}


def networks() -> dict[str, Callable[[], nn.Module]]:
    options = {"hidden_channels": 8, "norm": "batch", "jumping_knowledge": True}
    return {
        f"network/{name}": lambda name=name: build_model(
            ModelConfig(
                name, **({**options, "jumping_knowledge": False} if name == "concat" else options)
            ),
            CHANNELS,
            3,
        )
        for name in METHODS
    }


@torch.no_grad()
@pytest.mark.parametrize("name", [*MAKERS, *networks()])
def test_reset_parameters_draws_the_weights_of_the_construction(name: str) -> None:
    torch.manual_seed(3)
    module = {**MAKERS, **networks()}[name]()
    first = weights(module)
    for value in module.state_dict().values():
        value.fill_(math.pi)
    torch.manual_seed(3)
    module.reset_parameters()
    again = weights(module)
    assert all(torch.equal(first[key], again[key]) for key in first)


@pytest.mark.parametrize("name", [*MAKERS, *networks()])
def test_every_part_can_be_reset(name: str) -> None:
    for part in {**MAKERS, **networks()}[name]().modules():
        if type(part).__module__.startswith("graphpool"):
            own = hasattr(part, "reset_parameters") or isinstance(part, torch.nn.Dropout)
            assert own, type(part)
        reset(part)


def test_networks_are_no_poolers() -> None:
    listed = {row["name"]: row for row in gp.list_networks()}
    assert set(POOLERS) < set(METHODS) < set(listed)
    assert {row["family"] for name, row in listed.items() if name not in METHODS} == {"pair"}
    for name in set(listed) - set(POOLERS):
        with pytest.raises(ConfigError, match=f"'{name}' is a whole network"):
            gp.nn.pooler(name, in_channels=CHANNELS)
    with pytest.raises(ConfigError, match="the pooler in it is 'sagpool'"):
        gp.nn.pooler("hap-sagpool", in_channels=CHANNELS)
    with pytest.raises(ConfigError, match="unknown pooler 'sagpol'; did you mean 'sagpool'"):
        gp.nn.pooler("sagpol", in_channels=CHANNELS)
