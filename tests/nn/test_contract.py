"""What every operator must keep, over everything that is registered.

Operators come from the registries themselves (`encoder_names`, `RELAXATIONS`, `CONNECTIONS`,
`REDUCTIONS`, `METHODS`), so a new name is under contract the moment it exists. Every pooler is
tried by itself and in its network; networks with every encoder and option are `slow`.
"""

import importlib
import inspect
import pkgutil
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import pytest
import torch
from plain import (
    CHANNELS,
    EDGE_CHANNELS,
    Plain,
    batch_of,
    fix_seed,
    odd_graphs,
    open_gates,
    random_graph,
    sample,
)
from thinned import thinned
from torch import Tensor, nn

import graphpool.nn
from graphpool.config import ModelConfig
from graphpool.graphs.batch import GraphBatch
from graphpool.graphs.places.rule import PlaceRule
from graphpool.nn.coarsen.outputs import PoolOutput
from graphpool.nn.encoders import ConcatEncoder, Encoder, encoder_names
from graphpool.nn.hap import ASSIGNMENTS, CONNECTIONS, PLACE_ASSIGNMENTS, RELAXATIONS, HAPCoarsening
from graphpool.nn.level import Level
from graphpool.nn.model import ConcatNetwork
from graphpool.nn.ops.products import segment_sum, slot_sum, spmm
from graphpool.nn.pool import (
    DiffPool,
    DMoN,
    FlatPool,
    GMTPool,
    MinCutPool,
    SortPool,
    StructPool,
)
from graphpool.nn.readout import REDUCTIONS, Readout
from graphpool.nn.zoo.build import METHODS, build_model

ODD = odd_graphs()
DTYPES = {"compiled": torch.float32, "tensors": torch.float64}


@dataclass
class Operator:
    """How to make a module, and how to get one row per graph from it."""

    make: Callable[[], nn.Module]
    invariant: bool = True

    def module(self, dtype: torch.dtype = torch.float32, seed: int = 0) -> nn.Module:
        fix_seed(seed)
        return open_gates(self.make().to(dtype).eval())


class Reduced(nn.Module):
    """A readout, or an encoder before one, as a module over batches."""

    def __init__(self, encoder: Encoder | None, reductions: tuple[str, ...] | FlatPool) -> None:
        super().__init__()
        self.encoder = encoder
        self.readout = reductions if isinstance(reductions, FlatPool) else Readout(reductions)

    def forward(self, batch: GraphBatch) -> Tensor:
        return self.read(Level.from_batch(batch))

    def read(self, level: Level) -> Tensor:
        if self.encoder is not None:
            level = level.with_x(self.encoder(level))
        made: Tensor = self.readout(level)
        return made


class Coarse(nn.Module):
    """A coarsening over batches: H' and Ã' side by side, and its losses."""

    def __init__(self, layer: nn.Module) -> None:
        super().__init__()
        self.layer = layer
        self.losses: dict[str, Tensor] = {}

    def forward(self, batch: GraphBatch) -> Tensor:
        return self.read(self.layer(batch))

    def read(self, out: PoolOutput) -> Tensor:
        self.losses = out.losses
        if out.selection is not None:
            near = [out.x, spmm(out.adjacency, out.adjacency.weight, out.x)]
            if (edges := out.level.edges) is not None:
                near.append(slot_sum(edges.rows(), out.adjacency))
            wide = torch.cat([*near, torch.ones_like(out.x[:, :1])], -1)
            return segment_sum((wide / 8).tanh(), out.level.segments)
        edges = out.level.edges
        if out.mask is None:
            parts = [out.x, out.adj, *([] if edges is None else [edges])]
            return torch.cat([part.flatten(1) for part in parts], -1)
        # Places have no order, and there may be any number: sums over them that are no sums over
        # nodes. Of others, which are zeros, nothing remains.
        parts = [out.x, out.adj @ out.x, edges.sum(2)]
        return torch.cat([(part / 8).tanh().sum(1) for part in parts], -1)


def _places(**options: Any) -> Operator:
    losses = {"cut": 0.5, "balance": 0.5, "orthogonality": 0.5}
    return Operator(
        lambda: Coarse(HAPCoarsening(CHANNELS, rule=PlaceRule(), losses=losses, **options))
    )


def _coarse(assignment: str, relaxation: str, connect: str, symmetrise: bool = False) -> Operator:
    return Operator(
        lambda: Coarse(HAPCoarsening(CHANNELS, 4, assignment, relaxation, connect, symmetrise)),
        invariant=assignment == "content" or relaxation not in ("truncate", "tile"),
    )


def _pooler(name: str) -> tuple[str, Operator]:
    """The module of a registered method by itself, under the name of what it does."""
    module, takes = METHODS[name].module, METHODS[name].takes
    assert module is not None
    if takes == "channels" and isinstance(module(CHANNELS), FlatPool):
        return f"flat/{name}", Operator(lambda: Reduced(None, module(CHANNELS)))
    if takes == "channels":
        return f"one/{name}", Operator(lambda: Coarse(module(CHANNELS)))
    if takes == "ratio":
        return f"keep/{name}", Operator(lambda: Coarse(module(CHANNELS, 0.5)))
    options = {"heads": 1} if module is GMTPool else {}
    return f"coarsen/{name}", Operator(lambda: Coarse(module(CHANNELS, 4, **options)))


def _encoder(kind: str, norm: str, residual: bool = False) -> Operator:
    options: dict[str, Any] = {"norm": norm, "edge_channels": EDGE_CHANNELS, "residual": residual}
    return Operator(lambda: Reduced(Encoder(kind, CHANNELS, 8, **options), ("sum", "max")))


def _model(name: str, encoder: str, **options: Any) -> Operator:
    given = {"hidden_channels": 16, "num_layers": 2, **options}
    config = ModelConfig(pooler=name, encoder=encoder, **given)  # type: ignore[arg-type]
    return Operator(lambda: build_model(config, CHANNELS, 3, edge_channels=EDGE_CHANNELS))


MODELS: dict[str, dict[str, Any]] = {
    "batch norm": {"norm": "batch"},
    "all readouts": {"readout": ("sum", "mean", "max")},
    "both": {"norm": "batch", "readout": ("sum", "mean", "max")},
    "one level": {"clusters": (4,), "readout": ("max",)},
    "last level": {"gather": "last"},
}


BOTH_WAYS: dict[str, dict[str, Any]] = {
    "all readouts": {"readout": tuple(REDUCTIONS)},
    "whole graph": {"whole_graph": True, "norm": "batch"},
    "one cluster": {"clusters": (1,)},
    "once": {"down": "once", "residual": "on", "jumping_knowledge": True},
    "never": {"down": "never"},
    "last level": {"gather": "last"},
    "nodes": {"gather": "nodes"},
}
FAMILIES = ("hap", "hap-one-way", "hap-meanpool", "sum", "sagpool", "diffpool")
OPERATORS: dict[str, Operator] = {
    **{f"readout/{name}": Operator(lambda n=name: Reduced(None, (n,))) for name in REDUCTIONS},
    "readout/all": Operator(lambda: Reduced(None, tuple(REDUCTIONS))),
    **{
        f"encoder/{kind}/{norm}": _encoder(kind, norm)
        for kind in encoder_names()
        for norm in ("none", "batch", "layer")
    },
    **{f"encoder/{kind}/residual": _encoder(kind, "batch", True) for kind in encoder_names()},
    **{
        f"coarsen/{assignment}/{relaxation}/{connect}": _coarse(assignment, relaxation, connect)
        for assignment, relaxations in (("content", ["gram"]), ("static", RELAXATIONS))
        for relaxation in relaxations
        for connect in CONNECTIONS
    },
    "coarsen/symmetrised": _coarse("static", "gram", "gumbel", symmetrise=True),
    **{
        f"coarsen/{assignment}/{connect}{'' if profile else '/bare'}": _places(
            assignment=assignment, connect=connect, profile=profile
        )
        for assignment in PLACE_ASSIGNMENTS
        for connect in CONNECTIONS
        for profile in (True, False)
    },
    "coarsen/places/symmetrised": _places(connect="gumbel", symmetrise=True),
    "coarsen/places/four": Operator(lambda: Coarse(HAPCoarsening(CHANNELS, 4))),
    **dict(_pooler(name) for name, method in METHODS.items() if method.module),
    "coarsen/diffpool/without losses": Operator(
        lambda: Coarse(DiffPool(CHANNELS, 4, link=0.0, entropy=0.0))
    ),
    "coarsen/mincut/hidden": Operator(lambda: Coarse(MinCutPool(CHANNELS, 4, hidden=6))),
    "coarsen/dmon/orthogonality": Operator(lambda: Coarse(DMoN(CHANNELS, 4, orthogonality=0.5))),
    "coarsen/structpool/all pairs": Operator(lambda: Coarse(StructPool(CHANNELS, 4, hops=0))),
    "coarsen/gmt/one": Operator(lambda: Coarse(GMTPool(CHANNELS, 1, seeds=3, heads=1))),
    "encoder/concat": Operator(lambda: Reduced(ConcatEncoder("gcn", CHANNELS, 4), ("sum",))),
    **{
        f"model/{name}/{encoder}": _model(name, encoder, clusters=(4, 3, 1))
        for name in METHODS
        # Encoders are under contract themselves; with one method of each family all are run.
        for encoder in (encoder_names() if name in FAMILIES else ("gcn", "gat", "gine"))
    },
    **{
        f"model/{name}/{encoder}/places": _model(name, encoder)
        for name in ("hap", "hap-one-way")
        for encoder in encoder_names()
    },
    **{
        f"model/hap/gine/{name}": _model("hap", "gine", **options)
        for name, options in BOTH_WAYS.items()
    },
    **{
        f"model/hap-one-way/{encoder}/{name}": _model("hap-one-way", encoder, **options)
        for encoder in encoder_names()
        for name, options in MODELS.items()
    },
    "model/hap-one-way/gcn/places-only": _model("hap-one-way", "gcn", assignment="places-only"),
    "model/hap-one-way/gcn/content": _model(
        "hap-one-way", "gcn", assignment="content", clusters=(4, 3, 1)
    ),
    **{
        f"model/{name}/gcn/{options}": _model(name, "gcn", **MODELS[options])
        for name in ("diffpool", "gmt", "asap", "sagpool", "hap-sagpool", "concat")
        for options in ("both", "one level")
    },
    **{f"model/{name}/gcn/defaults": _model(name, "gcn") for name in METHODS},
    "model/concat/dgcnn": Operator(
        lambda: ConcatNetwork(CHANNELS, 8, 3, layers=3, readout=SortPool(24, 10))
    ),
}
INVARIANT = [name for name, operator in OPERATORS.items() if operator.invariant]
ORDERED = [name for name, operator in OPERATORS.items() if not operator.invariant]
FIXED = {"one/hap-meanpool", *(f"flat/{name}" for name in ("flat", "sum", "mean", "max"))}
# After a coarsening to one cluster a node has no other to attend to.
LONELY = tuple(
    f"model/{name}/{kind}"
    for name in ("hap-meanpool", "hap-meanattpool")
    for kind in ("gat", "gatv2", "gated", "graphconv")
)
UNHEARD = (".source", ".target", ".around.weight", ".vector", ".target.weight", ".target.bias",
           ".norm.weight", ".norm.bias", ".edge.weight")  # fmt: skip
LEARNING = [name for name in OPERATORS if not name.startswith("readout") and name not in FIXED]
WHOLE = ("places",)  # the default form, with every encoder
every = pytest.mark.parametrize("name", thinned(OPERATORS, WHOLE))
both = pytest.mark.parametrize("dtype", DTYPES.values(), ids=DTYPES)
unchecked = pytest.mark.usefixtures("unchecked_shapes")  # those on odd graphs check them


def spoken(out: Tensor, module: nn.Module) -> Tensor:
    """A scalar that depends on every entry, each in its own way, and on losses."""
    draw = torch.Generator().manual_seed(3)
    total = (out * torch.randn(out.shape, generator=draw).to(out.dtype)).sum()
    if isinstance(module, Coarse):
        for loss in module.losses.values():
            total = total + loss
    return total


def gradients(module: nn.Module) -> dict[str, Tensor]:
    found = {name: weight.grad for name, weight in module.named_parameters()}
    assert all(grad is not None for grad in found.values()), found
    return {name: grad for name, grad in found.items() if grad is not None}


@unchecked
@torch.no_grad()
@both
@pytest.mark.parametrize("directed", [False, True], ids=["undirected", "directed"])
@pytest.mark.parametrize("name", thinned(INVARIANT, WHOLE))
def test_output_does_not_depend_on_the_order_of_nodes(
    name: str, directed: bool, dtype: torch.dtype
) -> None:
    module, graphs = OPERATORS[name].module(dtype), sample(dtype, directed)
    shuffled = [graph.permuted(torch.randperm(graph.nodes)) for graph in graphs]
    one, other = module(batch_of(graphs)), module(batch_of(shuffled))
    torch.testing.assert_close(one, other, atol=1e-5 * size_of(one), rtol=1e-5)


def size_of(out: Tensor) -> float:
    """Of its largest number, at least 1: rounding grows with what is added up."""
    return max(1.0, float(out.abs().max()))


@torch.no_grad()
@pytest.mark.parametrize("name", ORDERED)
def test_truncate_and_tile_do_depend_on_the_order_of_nodes(name: str) -> None:
    module, graphs = OPERATORS[name].module(torch.float64), sample(torch.float64)
    turned = [graph.permuted(torch.arange(graph.nodes).flip(0)) for graph in graphs]
    one, other = module(batch_of(graphs)), module(batch_of(turned))
    assert (one - other).norm() > 0.01 * one.norm()


@unchecked
@torch.no_grad()
@both
@every
def test_a_graph_does_not_see_its_batch_mates(name: str, dtype: torch.dtype) -> None:
    module, graphs = OPERATORS[name].module(dtype), [*sample(dtype), ODD["no edges"].to(dtype)]
    together = module(batch_of(graphs))
    alone = torch.cat([module(batch_of([graph])) for graph in graphs])
    # Single precision: a product of large matrices may round otherwise than one of small ones.
    relative = 1e-5 if dtype == torch.float32 else 1e-9
    torch.testing.assert_close(together, alone, atol=1e-6 * size_of(alone), rtol=relative)


def losses_of(module: nn.Module, graphs: list[Plain]) -> dict[str, Tensor]:
    """Every auxiliary loss, by name."""
    if isinstance(module, Coarse):
        module(batch_of(graphs))
        return module.losses
    trace = getattr(module, "trace", None)
    return {} if trace is None else trace(batch_of(graphs)).losses


@unchecked
@torch.no_grad()
@both
def test_losses_are_means_of_what_they_are_for_each_graph_alone(dtype: torch.dtype) -> None:
    graphs, compared = [*sample(dtype), ODD["no edges"].to(dtype)], []
    for name, operator in OPERATORS.items():
        module = operator.module(dtype)
        if not (losses := losses_of(module, graphs)):
            continue
        compared.append(name)
        alone = [losses_of(module, [graph]) for graph in graphs]
        for term, together in losses.items():
            mean = torch.stack([losses[term] for losses in alone]).mean()
            message = f"{term} of {name}: {together} for all, {mean} on average"
            torch.testing.assert_close(together, mean, atol=1e-6, rtol=1e-5, msg=message)
    assert {"coarsen/places/gumbel", "coarsen/dmon", "model/diffpool/gcn"} <= set(compared)
    assert len(compared) > 40


@both
@every
def test_outputs_and_gradients_are_finite_on_odd_graphs(
    name: str, dtype: torch.dtype, request: pytest.FixtureRequest
) -> None:
    if dtype == torch.float32:  # shapes are checked below, on all of them in one batch
        request.getfixturevalue("unchecked_shapes")
    module = OPERATORS[name].module(dtype)
    for odd, graph in ODD.items():
        batch = batch_of([graph.to(dtype)])
        batch.x.requires_grad_()
        module.zero_grad()
        out = module(batch)
        assert out.isfinite().all(), odd
        spoken(out, module).backward()
        assert batch.x.grad is not None
        for where, grad in {"x": batch.x.grad, **gradients(module)}.items():
            assert grad.isfinite().all(), f"{where} on {odd}"


@pytest.mark.parametrize("name", thinned(LEARNING, WHOLE))
def test_outputs_and_gradients_are_finite_while_training_on_all_odd_graphs(name: str) -> None:
    module = OPERATORS[name].module().train()
    for _ in range(3):  # soft sampling draws new noise each time
        module.zero_grad()
        out = module(batch_of([*ODD.values(), *sample()]))
        assert out.isfinite().all()
        spoken(out, module).backward()
        for where, grad in gradients(module).items():
            assert grad.isfinite().all(), where


@unchecked
@both
@pytest.mark.parametrize("name", thinned(LEARNING, WHOLE))
def test_gradients_reach_every_parameter(name: str, dtype: torch.dtype) -> None:
    module = OPERATORS[name].module(dtype)
    spoken(module(batch_of(sample(dtype))), module).backward()
    for where, grad in gradients(module).items():
        alone = name.startswith(LONELY) and where.endswith(UNHEARD)
        assert grad.abs().max() > 0 or (alone and not where.startswith("encoders.0")), where


@unchecked
@torch.no_grad()
@every
def test_eval_mode_is_deterministic(name: str) -> None:
    module, batch = OPERATORS[name].module(), batch_of(sample())
    assert torch.equal(module(batch), module(batch))


@unchecked
@torch.no_grad()
@every
def test_state_dict_round_trip_gives_the_same_answers(name: str) -> None:
    first, second = OPERATORS[name].module(seed=1), OPERATORS[name].module(seed=2)
    batch = batch_of(sample())
    for value in first.state_dict().values():  # weights that start at the same value, statistics
        if value.is_floating_point():
            value.add_(0.2 * torch.rand_like(value))
    if name in LEARNING:
        assert not torch.equal(first(batch), second(batch))
    second.load_state_dict(first.state_dict())
    assert torch.equal(first(batch), second(batch))


def _equal_sizes(dtype: torch.dtype) -> tuple[list[Plain], Tensor, Tensor]:
    graphs = [random_graph(6, seed, weighted=True, loops=True).to(dtype) for seed in range(4)]
    return graphs, torch.stack([g.x for g in graphs]), torch.stack([g.adj for g in graphs])


@unchecked
@both
@pytest.mark.parametrize("name", [n for n in OPERATORS if not n.startswith(("model", "keep"))])
def test_ragged_equals_dense_with_its_gradients(name: str, dtype: torch.dtype) -> None:
    module = OPERATORS[name].module(dtype)
    graphs, x, adj = _equal_sizes(dtype)
    edges = torch.stack([graph.edges for graph in graphs])
    results = []
    for dense in (False, True):
        module.zero_grad()
        if not dense:
            out = module(batch_of(graphs))
        elif isinstance(module, Coarse):
            out = module.read(module.layer(x, adj, edge_attr=edges))
        else:
            assert isinstance(module, Reduced)
            out = module.read(Level(x, adj, edges=edges))
        if name in LEARNING:
            spoken(out, module).backward()
        results.append((out.detach(), [grad.clone() for grad in gradients(module).values()]))
    (ragged, ragged_grads), (dense_out, dense_grads) = results
    torch.testing.assert_close(ragged, dense_out, atol=1e-5, rtol=1e-5)
    for one, other in zip(ragged_grads, dense_grads, strict=True):
        torch.testing.assert_close(one, other, atol=1e-4, rtol=1e-4)


def test_every_method_is_under_contract() -> None:
    names = {name.split("/")[1] for name in OPERATORS if name.startswith("model/")}
    assert names == set(METHODS)


def test_every_pooler_is_under_contract_by_itself() -> None:
    names = {name.split("/")[1] for name in OPERATORS if not name.startswith("model/")}
    assert {name for name, method in METHODS.items() if method.module} <= names


def test_every_assignment_is_under_contract() -> None:
    names = {name.split("/")[1] for name in OPERATORS if name.startswith("coarsen/")}
    assert set(ASSIGNMENTS) <= names


def test_every_module_of_the_package_is_under_contract() -> None:
    covered = {type(part) for op in OPERATORS.values() for part in op.module().modules()}
    missing = []
    for found in pkgutil.walk_packages(graphpool.nn.__path__, "graphpool.nn."):
        # Under tests/nn/pairs/test_pair_contract and tests/nn/test_label_embedding.
        if found.name.startswith(("graphpool.nn.pairs", "graphpool.nn.label_embedding")):
            continue
        source = importlib.import_module(found.name)
        for name, kind in inspect.getmembers(source, inspect.isclass):
            own = kind.__module__ == source.__name__ and issubclass(kind, nn.Module)
            if own and not any(issubclass(other, kind) for other in covered):
                missing.append(f"{found.name}.{name}")
    assert not missing, f"no contract test runs {missing}; add them to OPERATORS"
