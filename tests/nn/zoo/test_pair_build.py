"""Pair networks from settings, and the graph vectors of each level that they compare."""

import pytest
import torch
from plain import CHANNELS, batch_of, random_graph

from graphpool.config import ModelConfig
from graphpool.errors import ConfigError
from graphpool.graphs.graphset import GraphSet
from graphpool.nn.hap import HAPCoarsening
from graphpool.nn.pairs import GMN, LearnedScore, Siamese, SimGNN
from graphpool.nn.two_way import TwoWayHAP
from graphpool.nn.zoo.build import METHODS, build_model, check_settings
from graphpool.nn.zoo.pairs import PAIR_METHODS, build_pair_model, pair_place_rule

GRAPHS = [random_graph(n, n) for n in (9, 2, 6, 13, 5)]


@torch.no_grad()
@pytest.mark.parametrize("name", METHODS)
def test_vectors_of_the_levels_make_the_embedding(name: str) -> None:
    settings = ModelConfig(pooler=name, hidden_channels=16, readout=("sum", "max"))
    model = build_model(settings, CHANNELS, 2).eval()
    trace = model.trace(batch_of(GRAPHS))
    assert torch.equal(torch.cat(trace.vectors, 1), trace.embedding)
    assert tuple(vector.shape[1] for vector in trace.vectors) == model.vector_channels


@torch.no_grad()
@pytest.mark.parametrize("name", METHODS)
def test_a_network_of_no_classes_has_no_head_and_the_same_vectors(name: str) -> None:
    settings = ModelConfig(pooler=name, hidden_channels=16)
    whole = build_model(settings, CHANNELS, 2).eval()
    bare = build_model(settings, CHANNELS, 0).eval()
    rest = {k: value for k, value in whole.state_dict().items() if not k.startswith("head")}
    assert len(rest) < len(whole.state_dict())
    bare.load_state_dict(rest)
    batch = batch_of(GRAPHS)
    assert bare(batch).shape == (len(GRAPHS), 0)
    assert torch.equal(bare.embed(batch), whole.embed(batch))


def test_every_graph_is_embedded_once_however_many_pairs_it_is_in() -> None:
    model = build_pair_model(ModelConfig("hap-one-way", hidden_channels=8), CHANNELS, 7.0)
    assert isinstance(model, Siamese)
    seen = []
    model.network.encoders[0].register_forward_hook(lambda *call: seen.append(len(call[2])))
    batch = batch_of(GRAPHS)
    left, right = torch.randint(5, (2, 100))
    model.compare(batch, left, right)
    assert seen == [batch.num_nodes]


def test_names_give_the_networks_they_name() -> None:
    kinds = {name: GMN if name.startswith("gmn") else SimGNN for name in PAIR_METHODS}
    for name, kind in kinds.items():
        model = build_pair_model(ModelConfig(pooler=name), CHANNELS, 7.0)
        assert type(model) is kind
        coarse = any(isinstance(part, HAPCoarsening) for part in model.modules())
        assert coarse == name.endswith("-hap")


@pytest.mark.parametrize("assignment", ["places", "content", "static"])
@pytest.mark.parametrize("name", ["gmn-hap", "simgnn-hap"])
def test_hap_inside_goes_by_the_settings(name: str, assignment: str) -> None:
    settings = ModelConfig(pooler=name, assignment=assignment, clusters=(5, 3, 1))  # type: ignore[arg-type]
    model = build_pair_model(settings, CHANNELS, 7.0)
    parts = [part for part in model.modules() if isinstance(part, HAPCoarsening)]
    assert [part.clusters for part in parts] == [5, 3, 1]
    one_way = ModelConfig("hap-one-way", assignment=assignment, clusters=(5, 3, 1))  # type: ignore[arg-type]
    alone = build_model(one_way, 64, 2)
    assert type(parts[0].assign) is type(alone.coarsenings[0].assign)
    assert pair_place_rule(settings) == parts[0].rule
    assert (parts[0].rule is None) == (assignment != "places")


@pytest.mark.parametrize("name", [*PAIR_METHODS, *METHODS])
def test_the_rule_of_places_is_that_of_the_network(name: str) -> None:
    settings = ModelConfig(pooler=name)
    model = build_pair_model(settings, CHANNELS, 7.0)
    rules = [part.rule for part in model.modules() if isinstance(part, HAPCoarsening)]
    rules += [part.rules[0] for part in model.modules() if isinstance(part, TwoWayHAP)]
    assert pair_place_rule(settings) == next((rule for rule in rules if rule), None)


def test_ratio_sets_the_clusters_by_the_mean_number_of_nodes() -> None:
    settings = ModelConfig(pooler="gmn-hap", assignment="content", ratio=0.25)
    model = build_pair_model(settings, CHANNELS, 40.0)
    counts = [part.clusters for part in model.modules() if isinstance(part, HAPCoarsening)]
    assert counts == [10, 1]


def test_rounds_of_gmn_are_as_many_as_hap_has() -> None:
    model = build_pair_model(ModelConfig(pooler="gmn", num_layers=3, clusters=(8, 4, 1)), 5, 7.0)
    assert isinstance(model, GMN)
    assert model.layers == 9
    model = build_pair_model(ModelConfig(pooler="gmn-hap", num_layers=3), 5, 7.0)
    assert isinstance(model, GMN)
    assert model.layers == 3


def test_learned_score_has_a_row_for_every_level() -> None:
    settings = ModelConfig("hap-one-way", clusters=(8, 4, 1), distance="euclidean")
    model = build_pair_model(settings, CHANNELS, 7.0, "learned")
    assert isinstance(model.score, LearnedScore)
    assert model.score.bias.shape == (model.levels, 1) == (3, 1)


def test_unknown_names_are_refused_with_the_nearest() -> None:
    with pytest.raises(ConfigError, match="did you mean 'simgnn'"):
        build_pair_model(ModelConfig(pooler="simgn"), CHANNELS, 7.0)
    with pytest.raises(ConfigError, match="did you mean 'learned'"):
        build_pair_model(ModelConfig(), CHANNELS, 7.0, "learnt")


@torch.no_grad()
@pytest.mark.parametrize("name", ["gmn-hap", "simgnn-hap", "hap"])
def test_places_come_from_the_set_that_a_batch_is_of(name: str) -> None:
    counts = torch.tensor([graph.nodes for graph in GRAPHS])
    edges = [graph.adj.nonzero().t() for graph in GRAPHS]
    whole = GraphSet.build(
        "some", counts, torch.tensor([e.shape[1] for e in edges]), torch.cat(edges, 1),
        undirected=False,
    ).with_x(torch.cat([graph.x for graph in GRAPHS]))  # fmt: skip
    settings = ModelConfig(pooler=name, hidden_channels=16)
    model = build_pair_model(settings, CHANNELS, 7.0).eval()
    taken = whole.batch([3, 1, 0])
    asked = []
    kept = taken.places_of_set
    assert kept is not None
    object.__setattr__(taken, "places_of_set", lambda rule: asked.append(rule) or kept(rule))
    left, right = torch.tensor([0, 0, 1]), torch.tensor([1, 2, 2])
    found = model.compare(taken, left, right).distances
    assert asked == [pair_place_rule(settings)]
    by_hand = batch_of([GRAPHS[3], GRAPHS[1], GRAPHS[0]])
    torch.testing.assert_close(found, model.compare(by_hand, left, right).distances)


@pytest.mark.parametrize("name", [*PAIR_METHODS, "sum", "hap-one-way"])
def test_units_of_both_ways_are_refused_where_there_are_other_places(name: str) -> None:
    settings = ModelConfig(pooler=name, units="graph")
    if name.endswith("-hap") or name == "hap-one-way":
        with pytest.raises(ConfigError, match="is for the pooler hap"):
            check_settings(settings)
    else:
        check_settings(settings)
