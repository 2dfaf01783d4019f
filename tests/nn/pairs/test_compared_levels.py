"""Which levels are compared: those that `gather` says, by whatever distance."""

from dataclasses import replace
from typing import Any

import pytest
import torch
from plain import CHANNELS, batch_of, open_gates, random_graph

from graphpool.config import ModelConfig
from graphpool.errors import ConfigError
from graphpool.nn.coarsen.outputs import Trace
from graphpool.nn.pairs.siamese import MULTISETS, Siamese
from graphpool.nn.zoo.pairs import build_pair_model

BATCH = batch_of([random_graph(n, n) for n in (9, 12, 6, 13, 15)])
LEFT, RIGHT = torch.tensor([0, 3, 2, 4]), torch.tensor([1, 2, 3, 0])


def built(pooler: str = "hap", **options: Any) -> Siamese:
    torch.manual_seed(0)
    settings = ModelConfig(pooler, encoder="gcn", hidden_channels=8, **options)
    model = build_pair_model(settings, CHANNELS, 7.0)
    assert isinstance(model, Siamese)
    open_gates(model)
    return model.eval()


def read_levels(model: Siamese, monkeypatch: pytest.MonkeyPatch) -> tuple[list[bool], Trace]:
    """Whether distances depend on the nodes of each level, and the levels."""
    trace = model.network.trace(BATCH)
    plain = model.compare(BATCH, LEFT, RIGHT).distances
    read = []
    for number, level in enumerate(trace.nodes):
        other = level.with_x(level.x + torch.rand_like(level.x))
        nodes = (*trace.nodes[:number], other, *trace.nodes[number + 1 :])
        monkeypatch.setattr(model.network, "trace", lambda _, n=nodes: replace(trace, nodes=n))
        read.append(not torch.equal(model.compare(BATCH, LEFT, RIGHT).distances, plain))
    return read, trace


@torch.no_grad()
@pytest.mark.parametrize("distance", MULTISETS)
@pytest.mark.parametrize(
    ("options", "expected"),
    [
        ({}, [True, True]),
        ({"gather": "levels"}, [True, True]),
        ({"gather": "last"}, [False, True]),
        ({"gather": "nodes"}, [True, False]),
        ({"gather": "last", "clusters": (6, 3)}, [False, False, True]),
        ({"gather": "nodes", "clusters": (6, 3)}, [True, False, False]),
        ({"whole_graph": True}, [True, True]),
        ({"units": "nodes", "gather": "last"}, [True]),
        ({"pooler": "hap-one-way"}, [True, True]),
        ({"pooler": "hap-one-way", "clusters": (6, 3), "readout": ("max",)}, [True, True, True]),
        ({"pooler": "hap-one-way", "gather": "last", "clusters": (6, 3), "readout": ("max",)},
         [False, False, True]),
        ({"pooler": "flat"}, [True]),
    ],
)  # fmt: skip
def test_levels_that_are_read_out_are_compared(
    options: dict[str, Any], expected: list[bool], distance: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    model = built(**options, distance=distance)
    read, trace = read_levels(model, monkeypatch)
    assert read == expected
    assert model.levels == sum(expected) + 1
    assert model.network.level_channels == tuple(level.x.shape[-1] for level in trace.nodes)


@torch.no_grad()
@pytest.mark.parametrize(("gather", "number"), [("nodes", 0), ("last", 1)])
def test_the_distance_is_that_of_the_level_alone(gather: str, number: int) -> None:
    """Without messages down a level has the same states, whether others are read or not."""
    every, alone = built(down="never"), built(down="never", gather=gather)
    assert every.multisets is not None
    assert alone.multisets is not None
    alone.network.load_state_dict(every.network.state_dict())
    alone.multisets.maps[0].load_state_dict(every.multisets.maps[number].state_dict())
    rows = every.compare(BATCH, LEFT, RIGHT).distances
    found = alone.compare(BATCH, LEFT, RIGHT).distances
    # Places weigh e^-4 at first beside nodes, and 1 alone.
    expected = rows[number] / every.multisets.weight[number, 0]
    torch.testing.assert_close(found, torch.stack([expected, expected]))


@pytest.mark.parametrize("distance", MULTISETS)
@pytest.mark.parametrize(
    "options",
    [{"whole_graph": True}, {"units": "graph"}, {"clusters": (8, 1)}, {"pooler": "hap-one-way"}],
)
def test_one_cluster_of_each_graph_is_refused_and_euclidean_takes_it(
    options: dict[str, Any], distance: str
) -> None:
    with pytest.raises(ConfigError, match=r"model\.gather 'last' .* distance 'euclidean'"):
        built(**options, gather="last", distance=distance)
    assert built(**options, gather="last", distance="euclidean").levels == 1


@torch.no_grad()
def test_by_default_all_levels_are_compared_to_the_bit() -> None:
    for pooler in ("hap", "hap-one-way"):
        default, levels = built(pooler), built(pooler, gather="levels")
        assert list(default.state_dict()) == list(levels.state_dict())
        assert torch.equal(
            default.compare(BATCH, LEFT, RIGHT).distances,
            levels.compare(BATCH, LEFT, RIGHT).distances,
        )
