"""What every network over pairs must keep, over everything that can be built by name."""

import importlib
import inspect
import math
import pkgutil
from typing import Any

import pytest
import torch
from plain import CHANNELS, EDGE_CHANNELS, batch_of, odd_graphs, open_gates, random_graph, sample
from torch import Tensor, nn

import graphpool.nn.pairs
from graphpool.config import ModelConfig
from graphpool.nn.pairs import PairDistances, PairModel
from graphpool.nn.pairs.siamese import Siamese
from graphpool.nn.zoo.build import METHODS
from graphpool.nn.zoo.pairs import PAIR_METHODS, build_pair_model

ODD = odd_graphs()
DTYPES = {"compiled": torch.float32, "tensors": torch.float64}
HAP_LIKE = ("gmn-hap", "simgnn-hap")
VARIANTS: dict[str, dict[str, Any]] = {
    **{name: {"pooler": name} for name in (*PAIR_METHODS, *METHODS)},
    **{
        f"{name}/{assignment}": {"pooler": name, "assignment": assignment, "clusters": (4, 3, 1)}
        for name in HAP_LIKE
        for assignment in ("content", "static")
    },
    **{f"{name}/batch norm": {"pooler": name, "norm": "batch"} for name in PAIR_METHODS},
    **{
        f"{name}/all readouts": {"pooler": name, "readout": ("sum", "mean", "max"), "cut_loss": 0.5}
        for name in (*HAP_LIKE, "hap-one-way")
    },
    **{
        f"{name}/gine": {"pooler": name, "encoder": "gine", "num_layers": 2}
        for name in ("simgnn", "simgnn-hap", "gmn-hap", "hap-one-way", "hap")
    },
    "gmn/learned": {"pooler": "gmn", "score": "learned"},
    "simgnn/learned": {"pooler": "simgnn", "score": "learned"},
    "hap/learned": {"pooler": "hap", "score": "learned"},
    **{
        f"{name}/{distance}": {"pooler": name, "distance": distance}
        for name in ("hap", "hap-one-way")
        for distance in ("euclidean", "nodes", "sorted")
    },
    "hap/last": {"pooler": "hap", "gather": "last"},
    "hap/nodes alone": {"pooler": "hap", "gather": "nodes"},
    "hap-one-way/last": {
        "pooler": "hap-one-way",
        "gather": "last",
        "clusters": (4, 3),
        "readout": ("max",),
    },
}
BY_DISTANCE = [name for name in VARIANTS if not name.startswith("simgnn")]
OWN = [name for name, options in VARIANTS.items() if options["pooler"] in PAIR_METHODS]
# Networks of the registry are under a contract of their own, in both precisions: here some are
# enough for what the pairs around them can't break.
SOME = [
    *OWN,
    "hap",
    "hap/learned",
    "hap/euclidean",
    "hap-one-way",
    "hap-one-way/nodes",
    "hap-one-way/sorted",
    "hap-one-way/all readouts",
    "sum",
    "sagpool",
    "diffpool",
]
unchecked = pytest.mark.usefixtures("unchecked_shapes")  # those on odd graphs check them
every = pytest.mark.parametrize("name", VARIANTS)
some = pytest.mark.parametrize("name", SOME)
both = pytest.mark.parametrize(
    ("name", "dtype"),
    [
        pytest.param(name, dtype, id=f"{name}-{kind}")
        for name in SOME
        for kind, dtype in DTYPES.items()
        if kind == "compiled" or name in OWN
    ],
)
LEFT, RIGHT = torch.tensor([0, 3, 2, 4, 0, 1]), torch.tensor([1, 2, 3, 0, 3, 4])


def built(
    name: str, dtype: torch.dtype = torch.float32, seed: int = 0, opened: bool = True
) -> PairModel:
    torch.manual_seed(seed)
    options = dict(VARIANTS[name])
    score = options.pop("score", "exp")
    settings = ModelConfig(hidden_channels=16, **options)
    edges = EDGE_CHANNELS if "encoder" in options else 0
    model = build_pair_model(settings, CHANNELS, 7.0, score, edges)
    if opened:
        open_gates(model)
    return model.to(dtype).eval()


def total_loss(model: PairModel, compared: PairDistances) -> Tensor:
    """A scalar that depends on every score, each in its own way, and on losses."""
    yes, no = model.log_scores(compared)
    draw = torch.Generator().manual_seed(3)
    pull = torch.rand(yes.shape, generator=draw).to(yes.dtype)
    return (-pull * yes - (1 - pull) * no).sum() + sum(compared.losses.values())


def gradients(model: nn.Module) -> dict[str, Tensor]:
    found = {name: weight.grad for name, weight in model.named_parameters()}
    assert all(grad is not None for grad in found.values()), found
    return {name: grad for name, grad in found.items() if grad is not None}


@unchecked
@torch.no_grad()
@both
@pytest.mark.parametrize("directed", [False, True], ids=["undirected", "directed"])
def test_distances_do_not_depend_on_the_order_of_nodes(
    name: str, directed: bool, dtype: torch.dtype
) -> None:
    model, graphs = built(name, dtype), sample(dtype, directed)
    shuffled = [graph.permuted(torch.randperm(graph.nodes)) for graph in graphs]
    one = model.compare(batch_of(graphs), LEFT, RIGHT).distances
    other = model.compare(batch_of(shuffled), LEFT, RIGHT).distances
    torch.testing.assert_close(one, other, atol=1e-5, rtol=1e-5)


@unchecked
@torch.no_grad()
@every
def test_swapping_two_graphs_changes_no_bit(name: str) -> None:
    model, batch = built(name), batch_of([*sample(), *ODD.values()])
    left, right = torch.randint(batch.num_graphs, (2, 40))
    there, back = model.compare(batch, left, right), model.compare(batch, right, left)
    assert torch.equal(there.distances, back.distances)
    assert torch.equal(model.scores(there), model.scores(back))
    # Both ways round in one call, among other pairs.
    mixed = model.compare(batch, torch.cat([left, right]), torch.cat([right, left])).distances
    assert torch.equal(mixed[:, :40], mixed[:, 40:])


@torch.no_grad()
@pytest.mark.parametrize("name", BY_DISTANCE)
def test_a_graph_matches_itself(name: str) -> None:
    model, graphs = built(name), [*sample(), *ODD.values()]
    for value in model.parameters():  # wherever training may lead
        value.add_(0.3 * torch.randn_like(value))
    same = torch.arange(len(graphs))
    compared = model.compare(batch_of(graphs), same, same)
    assert compared.distances.min() >= 0
    assert model.scores(compared).min() >= 0.999


@unchecked
@torch.no_grad()
@both
def test_a_pair_does_not_see_its_batch_mates(name: str, dtype: torch.dtype) -> None:
    model, graphs = built(name, dtype), [*sample(dtype), ODD["no edges"].to(dtype)]
    left, right = torch.tensor([0, 3, 2, 5, 5]), torch.tensor([1, 2, 3, 0, 5])
    together = model.compare(batch_of(graphs), left, right).distances
    first, second = torch.tensor([0]), torch.tensor([1])
    alone = [
        model.compare(batch_of([graphs[i], graphs[j]]), first, second).distances
        for i, j in zip(left.tolist(), right.tolist(), strict=True)
    ]
    relative = 1e-5 if dtype == torch.float32 else 1e-9
    torch.testing.assert_close(together, torch.cat(alone, 1), atol=1e-6, rtol=relative)


@both
def test_results_and_gradients_are_finite_on_odd_graphs(name: str, dtype: torch.dtype) -> None:
    model = built(name, dtype)
    plain = random_graph(5, 5).to(dtype)
    for odd, graph in ODD.items():
        batch = batch_of([graph.to(dtype), plain])
        batch.x.requires_grad_()
        model.zero_grad()
        compared = model.compare(batch, torch.tensor([0, 0]), torch.tensor([0, 1]))
        assert compared.distances.isfinite().all(), odd
        assert compared.distances.min() >= 0, odd
        total_loss(model, compared).backward()
        assert batch.x.grad is not None
        for where, grad in {"x": batch.x.grad, **gradients(model)}.items():
            assert grad.isfinite().all(), f"{where} on {odd}"


@some
def test_gradients_are_finite_while_training_on_all_odd_graphs(name: str) -> None:
    model, batch = built(name).train(), batch_of([*ODD.values(), *sample()])
    left, right = torch.randint(batch.num_graphs, (2, 30))
    total_loss(model, model.compare(batch, left, right)).backward()
    for where, grad in gradients(model).items():
        assert grad.isfinite().all(), where


@unchecked
@every
def test_gradients_reach_every_parameter(name: str) -> None:
    # One seed may turn a whole ReLU off, and which one does depends on the processor.
    reached: dict[str, float] = {}
    for seed in range(3):
        model = built(name, seed=seed)
        total_loss(model, model.compare(batch_of(sample()), LEFT, RIGHT)).backward()
        for where, grad in gradients(model).items():
            reached[where] = max(reached.get(where, 0.0), float(grad.abs().max()))
        if min(reached.values()) > 0:
            return
    assert not [where for where, largest in reached.items() if not largest]


@torch.no_grad()
@some
def test_state_dict_round_trip_gives_the_same_distances(name: str) -> None:
    first, second, batch = built(name, seed=1), built(name, seed=2), batch_of(sample())
    for value in first.state_dict().values():
        if value.is_floating_point():
            value.add_(0.2 * torch.rand_like(value))
    assert not torch.equal(first(batch, LEFT, RIGHT), second(batch, LEFT, RIGHT))
    second.load_state_dict(first.state_dict())
    assert torch.equal(first(batch, LEFT, RIGHT), second(batch, LEFT, RIGHT))


@torch.no_grad()
@some
def test_there_are_as_many_levels_as_the_model_says(name: str) -> None:
    model = built(name)
    compared = model.compare(batch_of(sample()), LEFT, RIGHT)
    assert compared.distances.shape == (model.levels, len(LEFT))
    expected = model.overall(model.scores(compared))
    torch.testing.assert_close(model(batch_of(sample()), LEFT, RIGHT), expected)


def test_every_module_of_the_package_is_under_contract() -> None:
    covered = {type(part) for name in VARIANTS for part in built(name).modules()}
    missing = []
    for found in pkgutil.walk_packages(graphpool.nn.pairs.__path__, "graphpool.nn.pairs."):
        source = importlib.import_module(found.name)
        for name, kind in inspect.getmembers(source, inspect.isclass):
            own = kind.__module__ == source.__name__ and issubclass(kind, nn.Module)
            if own and not any(issubclass(other, kind) for other in covered):
                missing.append(f"{found.name}.{name}")
    assert not missing, f"no contract test runs {missing}; add them to VARIANTS"


@torch.no_grad()
@pytest.mark.parametrize("name", VARIANTS)
def test_a_reset_draws_every_weight_again(name: str) -> None:
    network = built(name, seed=3, opened=False)
    first = {key: value.clone() for key, value in network.state_dict().items()}
    for value in network.state_dict().values():
        value.fill_(3)
    torch.manual_seed(3)
    network.reset_parameters()
    again = network.state_dict()
    if name in OWN:  # HAP's own encoder is drawn and left out there, so the draws come later
        assert not any(bool((value == 3).any()) for value in again.values())
    else:
        assert all(torch.equal(first[key], again[key]) for key in first)


@pytest.mark.parametrize(("pooler", "start"), [("hap", math.exp(-4.0)), ("hap-one-way", 1.0)])
def test_hard_places_weigh_little_at_first(pooler: str, start: float) -> None:
    model = build_pair_model(ModelConfig(pooler=pooler, encoder="gcn"), channels=3, nodes=10.0)
    assert isinstance(model, Siamese)
    assert model.multisets is not None
    assert torch.allclose(model.multisets.weight[1:], torch.tensor(start))
