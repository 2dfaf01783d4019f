import pytest

from graphpool.config import (
    USES_EDGES,
    ModelConfig,
    RunConfig,
    completed_model,
    resolve,
    resolve_shared,
    to_dict,
    with_gates,
)
from graphpool.config.resolve import DEEP, MANY_GRAPHS, SHALLOW, resolve_model
from graphpool.nn import encoders


def test_without_features_of_edges_the_settings_are_those_of_gcn() -> None:
    resolved = resolve_model(ModelConfig("sum"))
    assert (resolved.encoder, resolved.num_layers) == ("gcn", SHALLOW)
    assert (resolved.norm, resolved.residual) == ("none", "off")


def test_both_ways_need_nodes_that_are_normalised() -> None:
    resolved = resolve_model(ModelConfig("hap"))
    assert (resolved.encoder, resolved.num_layers) == ("gcn", DEEP)
    assert (resolved.norm, resolved.residual) == ("batch", "on")


def test_with_features_of_edges_encoder_layers_norm_and_residual_go_together() -> None:
    resolved = resolve_model(ModelConfig("sum"), edge_features=True)
    assert (resolved.encoder, resolved.num_layers) == ("gine", DEEP)
    assert (resolved.norm, resolved.residual) == ("batch", "on")


def test_what_is_given_is_kept() -> None:
    given = ModelConfig(
        encoder="gin", num_layers=7, norm="none", residual="off", readout=("max",), max_clusters=9,
        gate="off",
    )  # fmt: skip
    assert resolve_model(given, edge_features=True) == given
    named = resolve_model(ModelConfig(encoder="gated", norm="none"))
    assert (named.norm, named.residual, named.num_layers) == ("none", "on", DEEP)


def test_resolving_twice_changes_nothing() -> None:
    config = resolve(RunConfig(), edge_features=True)
    assert resolve(config, edge_features=False) == config


def test_older_settings_are_completed_with_values_that_change_nothing() -> None:
    old = to_dict(resolve_model(ModelConfig(encoder="graphconv", norm="batch", num_layers=3)))
    del old["residual"]
    assert completed_model(old) == {**old, "residual": "off"}


def test_what_hap_was_in_0_1_0_is_hap_one_way() -> None:
    old = to_dict(resolve_model(ModelConfig(pooler="hap-one-way", encoder="gcn")))
    for newer in ("down", "gate", "whole_graph", "units", "gather"):
        del old[newer]
    completed = completed_model({**old, "pooler": "hap"})
    assert completed == to_dict(resolve_model(ModelConfig(pooler="hap-one-way", encoder="gcn")))


@pytest.mark.parametrize(
    ("pooler", "gate"), [("hap", "on"), ("hap-one-way", "off"), ("sum", "off")]
)
def test_gates_are_on_with_hap_unless_they_are_set(pooler: str, gate: str) -> None:
    assert resolve_model(ModelConfig(pooler=pooler)).gate == gate
    assert resolve_model(ModelConfig(pooler=pooler, gate="off")).gate == "off"


@pytest.mark.parametrize("pooler", ["hap", "sum"])
@pytest.mark.parametrize(("graphs", "gate"), [(MANY_GRAPHS - 1, "on"), (MANY_GRAPHS, "off")])
def test_many_graphs_need_no_gates(pooler: str, graphs: int, gate: str) -> None:
    open_one = RunConfig(model=ModelConfig(pooler=pooler))
    expected = gate if pooler == "hap" else "off"
    assert resolve(open_one, graphs=graphs).model.gate == expected
    shared = with_gates(resolve_shared(open_one), graphs)
    assert resolve_model(shared.model).gate == expected
    given = RunConfig(model=ModelConfig(pooler="hap", gate="on"))
    assert resolve(given, graphs=graphs).model.gate == "on"
    assert with_gates(resolve_shared(given), graphs).model.gate == "on"


@pytest.mark.parametrize(("written", "meant"), [(True, "on"), (False, "off"), ("on", "on")])
def test_gates_that_were_written_as_yes_or_no_are_read(written: bool | str, meant: str) -> None:
    settings = to_dict(resolve_model(ModelConfig(pooler="hap", encoder="gcn")))
    assert completed_model({**settings, "gate": written})["gate"] == meant


def test_encoders_that_use_edges_are_known_by_one_name() -> None:
    assert set(encoders.USES_EDGES) == set(USES_EDGES)


@pytest.mark.parametrize(
    ("pooler", "readout"), [("hap-one-way", ("sum",)), ("hap", ("mean", "scaled_sum"))]
)
def test_the_readout_and_most_places_depend_on_the_network(
    pooler: str, readout: tuple[str, ...]
) -> None:
    resolved = resolve_model(ModelConfig(pooler=pooler))
    assert resolved.readout == readout
    assert resolved.max_clusters == (1024 if pooler == "hap" else 16)


def test_what_networks_share_leaves_open_what_depends_on_each() -> None:
    shared = resolve_shared(RunConfig(), edge_features=True)
    assert (shared.model.encoder, shared.model.num_layers) == ("gine", DEEP)
    assert (shared.model.readout, shared.model.max_clusters) == ((), 0)
    given = ModelConfig(readout=("max",), max_clusters=5)
    kept = resolve_shared(RunConfig(model=given)).model
    assert (kept.readout, kept.max_clusters) == (("max",), 5)
