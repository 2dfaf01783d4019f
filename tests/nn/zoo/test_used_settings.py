from dataclasses import replace
from typing import Any

import pytest
import torch
from plain import CHANNELS, batch_of, random_graph

from graphpool.config import ModelConfig
from graphpool.errors import ConfigError
from graphpool.nn.random import seeded_weights
from graphpool.nn.zoo import METHODS, build_model
from graphpool.nn.zoo.pairs import BY_NODES, build_pair_model
from graphpool.nn.zoo.used_settings import (
    coarsening_setting,
    explicit_model,
    idle_settings,
    unused_settings,
)

BATCH = batch_of([random_graph(n, n, channels=CHANNELS) for n in (30, 40, 20)])
OTHER: dict[str, Any] = {
    "clusters": (4, 1),
    "ratio": 0.25,
    "resolution": 6.0,
    "readout": ("mean",),
    "heads": 2,
    "norm": "layer",
}


def config_of(name: str, **changes: Any) -> ModelConfig:
    plain = ModelConfig(
        name, encoder="gcn", hidden_channels=8, num_layers=2, norm="none", readout=("sum",)
    )
    return replace(plain, **changes)


def outputs(config: ModelConfig) -> list[float]:
    """What the network of these settings, always drawn from one seed, says about some graphs."""
    with seeded_weights(0):
        network = build_model(config, CHANNELS, 2, mean_nodes=30.0).eval()
        found: list[float] = network(BATCH).flatten().tolist()
    return found


@pytest.mark.parametrize("setting", OTHER)
@pytest.mark.parametrize("name", METHODS)
def test_a_setting_is_used_if_it_changes_the_network(name: str, setting: str) -> None:
    plain = config_of(name)
    try:
        other = outputs(replace(plain, **{setting: OTHER[setting]}))
    except ConfigError:
        return  # nobody can set it
    coarsening = ("clusters", "ratio", "resolution")
    if setting in coarsening and setting != coarsening_setting(plain) is not None:
        return  # another way to say how coarse graphs are
    if name == "sort" and setting in coarsening:
        return  # it reads so many nodes
    assert (other == outputs(plain)) == (setting in unused_settings(plain))


@pytest.mark.parametrize("name", METHODS)
def test_gather_is_used_if_it_changes_the_network(name: str) -> None:
    """Which of two values is the default depends on the network."""
    levels, last = (config_of(name, gather=gather) for gather in ("levels", "last"))
    assert (outputs(levels) == outputs(last)) == ("gather" in unused_settings(levels))
    assert ("gather" in unused_settings(levels)) == ("gather" in unused_settings(last))


@torch.no_grad()
@pytest.mark.parametrize("distance", ["aligned", "nodes", "sorted", "euclidean"])
@pytest.mark.parametrize("name", BY_NODES)
def test_gather_is_used_if_it_changes_distances(name: str, distance: Any) -> None:
    left, right = torch.tensor([0, 1]), torch.tensor([1, 2])
    found, last_of_several = [], {"clusters": (4, 2), "readout": ("max",)}
    for gather in ("levels", "last"):
        config = config_of(name, gather=gather, distance=distance, **last_of_several)
        with seeded_weights(0):
            model = build_pair_model(config, CHANNELS, 30.0).eval()
        compared = model.compare(BATCH, left, right)
        found.append(model.overall(compared.distances))
    used = "gather" not in unused_settings(config)
    assert torch.equal(*found) != used


@pytest.mark.parametrize("name", METHODS)
def test_explicit_settings_build_the_same_network(name: str) -> None:
    assert outputs(explicit_model(config_of(name))) == outputs(config_of(name))


@pytest.mark.parametrize(
    ("config", "setting"),
    [
        (config_of("hap"), "resolution"),
        (config_of("hap-one-way"), "resolution"),
        (config_of("hap-one-way", clusters=(8, 1)), "clusters"),
        (config_of("hap-one-way", assignment="content"), "clusters"),
        (config_of("hap-one-way", ratio=0.3), "ratio"),
        (config_of("hap", units="nodes"), None),
        (config_of("hap-paper"), "clusters"),
        (config_of("diffpool"), "clusters"),
        (config_of("asap"), "ratio"),
        (config_of("sagpool"), "ratio"),
        (config_of("sum"), None),
    ],
)
def test_coarsening_setting(config: ModelConfig, setting: str | None) -> None:
    assert coarsening_setting(config) == setting


def test_the_readout_is_used_where_several_clusters_are_read() -> None:
    used = {gather: config_of("hap-paper", gather=gather) for gather in ("levels", "last")}
    assert "readout" not in unused_settings(used["levels"])
    assert "readout" in unused_settings(used["last"])
    assert "readout" in unused_settings(config_of("hap-paper"))
    assert "readout" in unused_settings(config_of("diffpool", gather="last"))
    assert "readout" not in unused_settings(config_of("sagpool", gather="last"))
    assert "readout" not in unused_settings(config_of("hap-meanpool", gather="levels"))
    assert "readout" in unused_settings(config_of("hap-meanpool", clusters=(4, 2)))


@pytest.mark.parametrize(
    "settings",
    [
        {"pooler": "hap", "units": "graph"},
        {"pooler": "hap", "units": "nodes"},
        {"pooler": "hap", "units": "nodes", "whole_graph": True},
        {"pooler": "hap", "clusters": (6, 2)},
        {"pooler": "hap", "cluster_count": "eigengap"},
        {"pooler": "hap", "ratio": 0.3},
        {"pooler": "hap", "down": "never"},
        {"pooler": "hap-one-way", "clusters": (6, 1)},
        {"pooler": "hap-one-way", "cluster_count": "eigengap"},
        {"pooler": "hap-one-way", "ratio": 0.3},
    ],
    ids=str,
)
def test_idle_settings_change_nothing_beside_others(settings: dict[str, Any]) -> None:
    gate = "on" if settings["pooler"] == "hap" else "off"
    config = replace(config_of("hap"), gate=gate, readout=("sum", "max"), **settings)
    values = {
        "clusters": (4, 2), "cluster_count": "eigengap", "max_clusters": 3, "ratio": 0.6,
        "resolution": 6.0, "units": "rings", "down": "once", "gate": "off", "gather": "nodes",
    }  # fmt: skip
    assert set(idle_settings(config)) <= set(values)
    for key in idle_settings(config):
        assert getattr(config, key) != values[key]
        try:
            other = outputs(replace(config, **{key: values[key]}))
        except ConfigError:
            continue  # nobody can set both
        assert other == outputs(config), key
    assert idle_settings(config) or "ratio" in settings or "cluster_count" in settings
