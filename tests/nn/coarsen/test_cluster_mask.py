"""Graphs with different numbers of clusters in one batch: none sees the others, or the padding."""

import itertools
import math
from collections.abc import Iterable
from dataclasses import replace
from typing import Any

import pytest
import torch
from plain import CHANNELS, Plain, batch_of, from_edges, random_graph
from torch import Tensor, nn
from torch.nn.functional import cross_entropy

from graphpool.config import ModelConfig
from graphpool.graphs.cluster_mask import ClusterMask
from graphpool.graphs.segments import Segments
from graphpool.nn import HAP
from graphpool.nn.coarsen.health import (
    clusters_used,
    effective_rank,
    entropy,
    level_health,
    off_identity,
)
from graphpool.nn.coarsen.outputs import PoolOutput, Trace
from graphpool.nn.encoders import Encoder, encoder_names
from graphpool.nn.hap import CONNECTIONS
from graphpool.nn.level import Level
from graphpool.nn.readout import REDUCTIONS, Readout
from graphpool.nn.zoo.build import build_model
from graphpool.tasks.classification import ClassificationTask

DTYPES = {"compiled": torch.float32, "tensors": torch.float64}
READOUTS = [part for length in (1, 2, 3) for part in itertools.combinations(REDUCTIONS, length)]
DEPTHS: list[tuple[int, ...]] = [(), (4, 3, 1), (9, 3), (5,)]
both = pytest.mark.parametrize("dtype", DTYPES.values(), ids=DTYPES)


def pairs_of(*values: Iterable[Any]) -> list[Any]:
    """All combinations, of which every other one is `slow`: each pair of values remains."""
    made = []
    for row in itertools.product(*(enumerate(each) for each in values)):
        numbers, given = zip(*row, strict=True)
        marks = [pytest.mark.slow] * (sum(numbers) % 2)
        made.append(pytest.param(*given, marks=marks, id="-".join(map(str, given))))
    return made


every = pytest.mark.parametrize(
    ("encoder", "norm", "connect"), pairs_of(encoder_names(), ["none", "batch"], CONNECTIONS)
)


def cliques(count: int, size: int = 4, seed: int = 0) -> Plain:
    """A ring of cliques, each of which is a place; a single one has no other."""
    edges = []
    for clique in range(count):
        nodes = range(clique * size, clique * size + size)
        edges += list(itertools.combinations(nodes, 2))
        if count > 1:
            edges.append((clique * size, (clique + 1) % count * size + 1))
    draw = torch.Generator().manual_seed(seed)
    x = torch.randn(count * size, CHANNELS, generator=draw)
    return from_edges(count * size, edges, x)


def graphs(dtype: torch.dtype) -> list[Plain]:
    """One, three, seven and five places, and a few more graphs."""
    given = [cliques(1), cliques(3), cliques(7), cliques(5), random_graph(9, 3), random_graph(1)]
    return [graph.to(dtype) for graph in given]


def unsettled(model: nn.Module, dtype: torch.dtype) -> nn.Module:
    """Weights and running statistics away from where they start; in eval mode."""
    for name, value in model.state_dict().items():
        if name.endswith("running_var"):
            value.uniform_(0.5, 4.0)
        elif value.is_floating_point():
            value.add_(0.3 * torch.randn_like(value))
    return model.to(dtype).eval()


def settings(**options: Any) -> nn.Module:
    config = ModelConfig(pooler="hap-one-way", hidden_channels=8, **options)
    return build_model(config, CHANNELS, 3)


def agree(one: Tensor, other: Tensor) -> None:
    limit = 1e-9 if one.dtype == torch.float64 else 2e-5
    torch.testing.assert_close(one, other, atol=limit, rtol=limit)


@pytest.mark.usefixtures("unchecked_shapes")  # the test of a batch mate checks them
@torch.no_grad()
@both
@every
def test_a_graph_has_the_same_answer_alone_and_among_others(
    encoder: str, norm: str, connect: str, dtype: torch.dtype
) -> None:
    options = {"readout": tuple(REDUCTIONS), "encoder": encoder, "norm": norm, "connect": connect}
    model, given = unsettled(settings(**options), dtype), graphs(dtype)
    trace = model.trace(batch_of(given))
    assert trace.levels[0].counts[:4].tolist() == [1, 3, 7, 5]
    agree(trace.logits, torch.cat([model(batch_of([graph])) for graph in given]))


@torch.no_grad()
@pytest.mark.parametrize(
    ("readout", "clusters", "dtype"), pairs_of(READOUTS, DEPTHS, DTYPES.values())
)
def test_every_readout_and_depth(
    readout: tuple[str, ...], clusters: tuple[int, ...], dtype: torch.dtype
) -> None:
    model = unsettled(settings(readout=readout, clusters=clusters), dtype)
    given = graphs(dtype)
    agree(model(batch_of(given)), torch.cat([model(batch_of([graph])) for graph in given]))


@torch.no_grad()
@both
@every
def test_a_batch_mate_with_many_places_changes_nothing(
    encoder: str, norm: str, connect: str, dtype: torch.dtype
) -> None:
    options = {"readout": tuple(REDUCTIONS), "encoder": encoder, "norm": norm, "connect": connect}
    model, given = unsettled(settings(**options), dtype), graphs(dtype)[:2]
    narrow = model.trace(batch_of(given))
    wide = model.trace(batch_of([*given, cliques(14).to(dtype)]))
    assert (narrow.levels[0].clusters, wide.levels[0].clusters) == (3, 14)
    agree(narrow.logits, wide.logits[:2])
    level = wide.levels[0]
    assert level.mask is not None
    empty = ~level.mask
    assert not level.x[empty].any()
    assert not level.adj[empty].any()
    assert not level.adj.mT[empty].any()


def test_gradients_of_a_graph_do_not_depend_on_wider_batch_mates() -> None:
    model, given = unsettled(settings(), torch.float64), graphs(torch.float64)[:2]
    found = []
    for others in ([], [cliques(14).to(torch.float64)]):
        logits = model(batch_of([*given, *others]))
        found.append(torch.autograd.grad(logits[:2].square().sum(), list(model.parameters())))
    for one, other in zip(*found, strict=True):
        torch.testing.assert_close(one, other)


@torch.no_grad()
@both
@pytest.mark.parametrize("norm", ["none", "batch"])
@pytest.mark.parametrize("kind", encoder_names())
def test_encoder_over_rows_is_the_encoder_over_each_graph(
    kind: str, norm: str, dtype: torch.dtype
) -> None:
    encoder = unsettled(Encoder(kind, CHANNELS, 8, norm=norm), dtype)
    mask = torch.arange(5) < torch.tensor([[5], [1], [3]])
    x = torch.randn(3, 5, CHANNELS, dtype=dtype) * mask.unsqueeze(-1)
    adj = torch.rand(3, 5, 5, dtype=dtype) * (mask.unsqueeze(-1) & mask.unsqueeze(-2))
    out = encoder(x, adj, None, ClusterMask(mask))
    assert not out[~mask].any()
    for position, count in enumerate((5, 1, 3)):
        part = slice(position, position + 1)
        agree(out[part, :count], encoder(x[part, :count], adj[part, :count, :count]))


def test_batch_norm_while_training_counts_real_clusters_only() -> None:
    """Its statistics, and so the whole step, are those of rows that are clusters."""
    mask = torch.arange(6) < torch.tensor([[2], [3]])
    x = torch.randn(2, 6, CHANNELS) * mask.unsqueeze(-1)
    adj = torch.rand(2, 6, 6) * (mask.unsqueeze(-1) & mask.unsqueeze(-2))
    encoder = Encoder("gin", CHANNELS, 8, layers=1, norm="batch")
    out = encoder(x, adj, None, ClusterMask(mask))
    raw = encoder.layers[0](x, adj)[mask]
    wanted = (raw - raw.mean(0)) / (raw.var(0, unbiased=False) + 1e-5).sqrt()
    torch.testing.assert_close(out[mask], wanted.relu(), atol=1e-5, rtol=1e-4)


@both
@pytest.mark.parametrize("readout", READOUTS, ids="+".join)
def test_readout_over_rows_by_hand(readout: tuple[str, ...], dtype: torch.dtype) -> None:
    mask = torch.arange(4) < torch.tensor([[4], [1], [2]])
    # Below zero, so that a maximum over the zeros of other rows would show.
    x = (-1 - torch.rand(3, 4, 2, dtype=dtype)) * mask.unsqueeze(-1)
    x.requires_grad_()
    parts = [x[graph, :count] for graph, count in enumerate((4, 1, 2))]
    kinds = {"sum": torch.sum, "mean": torch.mean, "max": torch.amax}
    kinds["scaled_sum"] = lambda part, dim: part.sum(dim) / 2.5
    wanted = torch.stack([torch.cat([kinds[name](part, 0) for name in readout]) for part in parts])
    found = Readout(readout, 2.5)(Level(x, mask=ClusterMask(mask)))
    torch.testing.assert_close(found, wanted)
    pull = torch.randn_like(wanted)
    one, other = (torch.autograd.grad(out, x, pull)[0] for out in (found, wanted))
    torch.testing.assert_close(one[mask], other[mask])


def test_rows_lay_out_and_back() -> None:
    rows = ClusterMask(torch.tensor([[True, True, False], [True, False, False]]))
    x = torch.arange(1.0, 7.0).view(2, 3, 1)
    assert rows.compact(x).flatten().tolist() == [1, 2, 4]
    assert rows.expand(rows.compact(x)).flatten().tolist() == [1, 2, 0, 4, 0, 0]
    assert rows.keep(x).flatten().tolist() == [1, 2, 0, 4, 0, 0]
    assert rows.segments.ptr.tolist() == [0, 2, 3]


def masked_level() -> PoolOutput:
    """Graphs of 4, 2 and 3 nodes with 3, 1 and 2 clusters: hard, all in one, half and half."""
    share = torch.zeros(9, 3)
    share[[0, 1, 2, 3], [0, 1, 2, 2]] = 1.0
    share[4:6, 0] = 1.0
    share[6:, :2] = 0.5
    mask = torch.arange(3) < torch.tensor([[3], [1], [2]])
    adj = torch.ones(3, 3, 3) * (mask.unsqueeze(-1) & mask.unsqueeze(-2))
    segments = Segments(torch.tensor([0, 4, 6, 9]))
    return PoolOutput(
        Level(torch.zeros(3, 3, 1), adj, mask=ClusterMask(mask)), share, node_segments=segments
    )


def test_health_counts_only_the_clusters_that_a_graph_has() -> None:
    level = masked_level()
    assert level.counts.tolist() == [3, 1, 2]
    assert clusters_used(level).tolist() == [3, 1, 1]
    # An even choice among two of two clusters is as soft as can be; one cluster is no choice.
    assert entropy(level).tolist() == pytest.approx([0, 0, 1])
    # Singular values 1, 1 and √2; all rows alike have rank one.
    weights = torch.tensor([1.0, 1.0, 2**0.5]) / (2 + 2**0.5)
    rank = float(torch.special.entr(weights).sum().exp())
    assert effective_rank(level).tolist() == pytest.approx([rank, 1, 1], abs=1e-5)
    assert off_identity(level).tolist() == pytest.approx([2 / 3, 0, 1 / 2])


def test_level_health_of_graphs_with_different_numbers_of_clusters() -> None:
    level = masked_level()
    health = level_health(Trace(torch.zeros(3, 2), torch.zeros(3, 1), (level,)))
    assert health["level1/clusters"] == 2
    assert health["level1/clusters_used"] == pytest.approx(5 / 3)
    assert health["level1/entropy"] == pytest.approx(1 / 3)
    assert health["level1/off_identity"] == pytest.approx((2 / 3 + 1 / 2) / 3)


def test_health_of_one_place_per_graph_is_told_too() -> None:
    """Or the mean over batches would miss them."""
    model = HAP(CHANNELS, 8)
    health = level_health(model.trace(batch_of([cliques(1)])))
    assert health["level1/clusters"] == 1
    assert health["level1/effective_rank"] == pytest.approx(1)
    assert math.isnan(health["level1/off_identity"])
    assert not any(name.startswith("level2") for name in health)


def test_health_of_a_level_below_which_some_rows_are_no_nodes() -> None:
    """The second of three levels: the same numbers as for each graph alone."""
    model = unsettled(HAP(CHANNELS, 8, (7, 3, 1), 2), torch.float64)
    given = graphs(torch.float64)
    level = model.levels(batch_of(given))[1]
    for measure in (clusters_used, effective_rank, entropy, off_identity):
        alone = [measure(model.levels(batch_of([graph]))[1]) for graph in given]
        torch.testing.assert_close(measure(level), torch.cat(alone), equal_nan=True)


LOSSES = {"cut_loss": 0.5, "balance": 2.0, "orthogonality": 1.0}


@pytest.mark.parametrize("assignment", ["places", "places-only", "content"])
def test_losses_reach_the_trace_with_their_names(assignment: str) -> None:
    options = {"clusters": (4, 3, 1)} if assignment == "content" else {}
    batch = batch_of(graphs(torch.float32))
    model = settings(assignment=assignment, **options, **LOSSES)
    trace = model.trace(batch)
    assert set(trace.losses) == {f"level1/{name.removesuffix('_loss')}" for name in LOSSES}
    weight = next(model.coarsenings[0].assign.parameters())
    for value in trace.losses.values():
        (grad,) = torch.autograd.grad(value, weight, retain_graph=True)
        assert grad.abs().max() > 0
    assert settings(assignment=assignment, **options).trace(batch).losses == {}


@torch.no_grad()
def test_losses_of_a_batch_are_means_of_those_of_its_graphs() -> None:
    model, given = unsettled(settings(**LOSSES), torch.float64), graphs(torch.float64)
    together = model.trace(batch_of(given)).losses
    alone = [model.trace(batch_of([graph])).losses for graph in given]
    for name, value in together.items():
        torch.testing.assert_close(value, torch.stack([each[name] for each in alone]).mean())


@pytest.mark.parametrize("name", LOSSES)
def test_losses_change_the_training_step(name: str) -> None:
    """The step's gradient is that of the cross entropy plus that of the loss, and not 0."""
    batch = replace(batch_of(graphs(torch.float32)), y=torch.arange(6) % 2)
    found = []
    for weights in ({}, {name: 2.0}):
        torch.manual_seed(0)
        model = settings(**weights)
        ClassificationTask(2).step(model, batch).loss.backward()
        found.append([value.grad for value in model.coarsenings[0].assign.parameters()])
        trace = model.trace(batch)
        assert batch.y is not None
        total = cross_entropy(trace.logits, batch.y) + sum(trace.losses.values())
        torch.testing.assert_close(ClassificationTask(2).losses(model, batch).mean(), total)
    assert any((one - other).abs().max() > 1e-4 for one, other in zip(*found, strict=True))
