from dataclasses import replace
from typing import Any

import pytest
import torch
from plain import CHANNELS, batch_of, random_graph

import graphpool as gp
from graphpool.config import ModelConfig
from graphpool.errors import ConfigError, GraphpoolWarning, collect_warnings
from graphpool.experiments.methods import model_of
from graphpool.graphs.batch import GraphBatch
from graphpool.graphs.places.find import places_of
from graphpool.graphs.places.rule import PlaceRule
from graphpool.nn.encoders import encoder_names
from graphpool.nn.hap.moa import ContentAttention, StaticAttention
from graphpool.nn.hap.places import PlaceAttention
from graphpool.nn.zoo import METHODS, PAIR_METHODS, build_model, place_rule
from graphpool.nn.zoo.build import check_settings

LISTED = {"name", "family", "paper", "year", "summary", "keeps", "cost"}
SMALL = {"hidden_channels": 8, "clusters": (4, 1)}
ONE_WAY = "hap-one-way"


def batch(channels: int = CHANNELS) -> GraphBatch:
    return batch_of([random_graph(n, n, channels=channels) for n in (6, 9, 3)])


@pytest.mark.parametrize("encoder", encoder_names())
@pytest.mark.parametrize("name", METHODS)
def test_every_method_runs_with_every_encoder(name: str, encoder: str) -> None:
    config = ModelConfig(pooler=name, encoder=encoder, **SMALL)  # type: ignore[arg-type]
    model = build_model(config, CHANNELS, 3)
    trace = model.trace(batch())
    assert trace.logits.shape == (3, 3)
    assert trace.embedding.shape[0] == 3
    assert torch.equal(model(batch()), trace.logits) or name == "hap-paper"  # noise in training


def test_unknown_pooler_names_the_nearest() -> None:
    with pytest.raises(ConfigError, match="unknown pooler 'hap-papr'; did you mean 'hap-paper'"):
        build_model(ModelConfig(pooler="hap-papr"), 3, 2)
    with pytest.raises(ConfigError, match="unknown pooler 'hep'; did you mean 'hap'"):
        gp.nn.pooler("hep", in_channels=3, clusters=2)


@pytest.mark.parametrize(("mean", "clusters"), [(17.9, (5, 1)), (4.0, (2, 1)), (100.0, (25, 1))])
def test_ratio_sets_the_clusters_from_the_mean_size(mean: float, clusters: tuple[int, ...]) -> None:
    config = ModelConfig(ONE_WAY, ratio=0.25, assignment="content")
    model = build_model(config, 3, 2, mean_nodes=mean)
    assert tuple(module.clusters for module in model.coarsenings) == clusters


@pytest.mark.parametrize(
    ("settings", "kept"), [({}, 30), ({"clusters": (12, 1)}, 12), ({"ratio": 0.7}, 13)]
)
def test_sort_reads_as_many_nodes_as_the_first_level_has(
    settings: dict[str, Any], kept: int
) -> None:
    model = build_model(ModelConfig("sort", **settings), CHANNELS, 2, mean_nodes=17.9)
    assert model.learned[0].k == kept


@torch.no_grad()
def test_ratio_sets_the_places_of_each_graph_from_its_own_size() -> None:
    model = build_model(ModelConfig(ONE_WAY, ratio=0.25), CHANNELS, 2, mean_nodes=20.0)
    given = [random_graph(nodes, nodes) for nodes in (7, 8, 21, 33)]
    # max(2, ceil(nodes / 4)), which graphs without symmetries reach; then one.
    first, last = model.levels(batch_of(given))
    assert first.counts.tolist() == [2, 2, 6, 9]
    assert last.clusters == 1


def test_without_clusters_each_graph_has_its_places() -> None:
    model = build_model(ModelConfig(ONE_WAY, max_clusters=3, resolution=2.0), CHANNELS, 2)
    given = batch()
    wanted = places_of(given.adjacency, given.segments, PlaceRule(resolution=2.0, most=3))
    first, last = model.levels(given)
    assert first.counts.tolist() == wanted.counts.tolist()
    assert last.clusters == 1


def test_methods_without_places_have_eight_clusters_unless_told() -> None:
    content = ModelConfig(ONE_WAY, assignment="content")
    for config in (ModelConfig("hap-paper"), ModelConfig("diffpool"), content):
        model = build_model(config, CHANNELS, 2)
        assert [module.clusters for module in model.coarsenings] == [8, 1]


def test_places_are_those_of_the_first_level_alone() -> None:
    model = build_model(ModelConfig(ONE_WAY, clusters=(6, 4, 1), cut_loss=0.5), CHANNELS, 2)
    first, second, last = model.coarsenings
    assert isinstance(first.assign, PlaceAttention)
    assert isinstance(second.assign, ContentAttention)
    assert last.assign is None
    assert [module.profile is not None for module in model.coarsenings] == [True, False, False]
    assert [module.losses for module in model.coarsenings] == [{"cut": 0.5}, {}, {}]


@pytest.mark.parametrize(
    ("config", "rule"),
    [
        (ModelConfig(ONE_WAY), PlaceRule()),
        (ModelConfig(ONE_WAY, max_clusters=5, resolution=0.5), PlaceRule(most=5, resolution=0.5)),
        (ModelConfig(ONE_WAY, cluster_count="eigengap"), PlaceRule("eigengap")),
        (ModelConfig(ONE_WAY, ratio=0.2), PlaceRule("ratio", ratio=0.2)),
        (ModelConfig(ONE_WAY, units="rings"), PlaceRule(units="rings")),
        (
            ModelConfig(ONE_WAY, units="auto", ratio=0.2),
            PlaceRule("ratio", ratio=0.2, units="auto"),
        ),
        (ModelConfig(ONE_WAY, clusters=(6, 1)), PlaceRule("given", clusters=6, most=6)),
        (ModelConfig(ONE_WAY, clusters=(1,)), None),
        (ModelConfig(ONE_WAY, assignment="content"), None),
        (ModelConfig("hap-paper"), None),
        (ModelConfig("diffpool"), None),
        (ModelConfig("sum"), None),
    ],
    ids=str,
)
def test_place_rule_is_that_of_the_model(config: ModelConfig, rule: PlaceRule | None) -> None:
    assert place_rule(config) == rule
    model = build_model(config, CHANNELS, 2, mean_nodes=10.0)
    rules = [module.rule for module in model.coarsenings if hasattr(module, "rule")]
    assert (rules[0] if rules else None) == rule
    assert rules[1:] == [None] * len(rules[1:])


@pytest.mark.parametrize(
    ("config", "rules"),
    [
        (ModelConfig(), (PlaceRule(units="auto", steps=0, most=1024),)),
        (ModelConfig(max_clusters=5), (PlaceRule(units="auto", steps=0, most=5),)),
        (ModelConfig(units="none"), (PlaceRule(steps=0, most=1024),)),
        (ModelConfig(clusters=(6,)), (PlaceRule("given", clusters=6, most=6, steps=0),)),
        (ModelConfig(units="graph"), (PlaceRule("given", clusters=1, most=1, steps=0),)),
        (ModelConfig(units="nodes"), ()),
    ],
    ids=str,
)
def test_places_of_both_ways_are_hard(config: ModelConfig, rules: tuple[PlaceRule, ...]) -> None:
    assert place_rule(config) == (rules[0] if rules else None)
    assert build_model(config, CHANNELS, 2, mean_nodes=10.0).rules == rules


@pytest.mark.parametrize("config", [ModelConfig(assignment="content"), ModelConfig(cut_loss=0.1)])
def test_settings_of_soft_clusters_are_refused_with_both_ways(config: ModelConfig) -> None:
    with pytest.raises(ConfigError, match="is a setting of hap-one-way"):
        build_model(config, CHANNELS, 2)


@pytest.mark.parametrize("name", [ONE_WAY, "hap-paper", "sum", "gmn"])
@pytest.mark.parametrize(
    "setting",
    [{"down": "never"}, {"gate": "on"}, {"whole_graph": True}, {"gather": "nodes"}],
    ids=lambda s: next(iter(s)),
)
def test_settings_of_both_ways_are_refused_with_other_networks(
    name: str, setting: dict[str, Any]
) -> None:
    config = ModelConfig(pooler=name, **setting)
    with pytest.raises(ConfigError, match="is a setting of the pooler hap; use that"):
        check_settings(config)
    check_settings(model_of(name, config))  # beside hap in a comparison
    assert model_of("hap", config) == replace(config, pooler="hap")


def test_a_share_and_a_number_of_places_exclude_each_other_in_both_ways() -> None:
    with pytest.raises(ConfigError, match="leave out one"):
        build_model(ModelConfig(ratio=0.3, clusters=(8, 4)), CHANNELS, 2, mean_nodes=10.0)


@pytest.mark.parametrize("units", ["graph", "nodes", "recurring"])
def test_hap_as_printed_has_no_places_and_needs_no_units(units: Any) -> None:
    torch.manual_seed(0)
    plain = build_model(ModelConfig("hap-paper"), CHANNELS, 2)
    torch.manual_seed(0)
    beside = build_model(ModelConfig("hap-paper", units=units), CHANNELS, 2)
    assert beside.state_dict().keys() == plain.state_dict().keys()


def test_units_and_a_number_of_clusters_exclude_each_other() -> None:
    with pytest.raises(ConfigError, match=r"model.units 'rings' .* leave out one"):
        ModelConfig(units="rings", clusters=(8, 1))


def test_trying_several_numbers_of_places_is_no_model() -> None:
    for name in ("hap", ONE_WAY):
        with pytest.raises(ConfigError, match="build the model with 'modularity'"):
            build_model(ModelConfig(name, cluster_count="validation"), CHANNELS, 2)
        with pytest.raises(ConfigError, match="build the model with 'auto' or 'none'"):
            build_model(ModelConfig(name, units="validation"), CHANNELS, 2)


def test_ratio_without_sizes_is_refused() -> None:
    with pytest.raises(ConfigError, match="mean number of nodes"):
        build_model(ModelConfig(ratio=0.25), 3, 2)


def test_hap_one_way_and_hap_paper_differ_as_documented() -> None:
    ours, paper = (
        build_model(ModelConfig(pooler=n, **SMALL), 3, 2)  # type: ignore[arg-type]
        for n in (ONE_WAY, "hap-paper")
    )
    assert isinstance(ours.coarsenings[0].assign, PlaceAttention)
    assert ours.coarsenings[0].profile is not None
    assert paper.coarsenings[0].profile is None
    assert isinstance(paper.coarsenings[0].assign, StaticAttention)
    assert [m.connect for m in ours.coarsenings] == ["offdiagonal"] * 2
    assert [m.connect for m in paper.coarsenings] == ["gumbel"] * 2
    # Nodes and the single last cluster, which is the sum of the others; or that one alone.
    assert ours.embedding_channels == 8 + 8
    assert paper.embedding_channels == 8


@torch.no_grad()
def test_graph_vector_is_the_readout_of_every_level() -> None:
    model = gp.nn.HAP(CHANNELS, 8, (4, 1), 2, readout=("sum", "max"))
    given = batch()
    first, last = model.levels(given)
    nodes = model.encoders[0](given.x, given.adjacency).split(given.ptr.diff().tolist())
    clusters = model.encoders[1](first.x, first.adj)
    total = torch.stack([part.sum(0) for part in nodes])
    top = torch.stack([part.amax(0) for part in nodes])
    # The sum over the clusters is the last level itself.
    torch.testing.assert_close(last.x.squeeze(1), clusters.sum(1))
    wanted = torch.cat([total, top, clusters.amax(1), clusters.sum(1)], -1)
    torch.testing.assert_close(model.embed(given), wanted)
    hidden = model.head[0](wanted).relu()
    torch.testing.assert_close(model(given), model.head[1](hidden))


COARSENING = [
    "hap", ONE_WAY, "hap-paper", "gpool", "sagpool", "diffpool", "asap", "structpool",
    "attpool-global", "attpool-local",
]  # fmt: skip


@pytest.mark.parametrize("name", COARSENING)
def test_gather_says_which_levels_are_read_out(name: str) -> None:
    clusters = () if name == "hap" else (4, 1)
    models = {}
    for gather in ("default", "levels", "last"):
        torch.manual_seed(0)
        config = ModelConfig(
            name, encoder="gcn", hidden_channels=8, clusters=clusters, gather=gather
        )
        models[gather] = build_model(config, CHANNELS, 2).eval()
    vectors = {gather: model.trace(batch()).vectors for gather, model in models.items()}
    usual = "last" if name == "hap-paper" else "levels"
    assert torch.equal(models["default"](batch()), models[usual](batch()))
    assert len(vectors["last"]) == 1
    assert len(vectors["levels"]) == 2
    assert models["last"].embedding_channels == vectors["last"][0].shape[1]


@pytest.mark.parametrize(("gather", "level"), [("nodes", 0), ("last", -1)])
def test_gather_reads_nodes_or_places_of_both_ways(gather: Any, level: int) -> None:
    given = batch()
    model = build_model(
        ModelConfig(encoder="gcn", hidden_channels=8, readout=("max",), gather=gather), CHANNELS, 2
    ).eval()
    trace = model.trace(given)
    x, segments = trace.nodes[level].flat()
    wanted = torch.stack([part.amax(0) for part in x.split(segments.ptr.diff().tolist())])
    assert torch.equal(trace.embedding, wanted)


def test_options_of_the_config_reach_the_coarsening() -> None:
    config = ModelConfig(ONE_WAY, assignment="static", relaxation="sort", connect="plain", **SMALL)  # type: ignore[arg-type]
    module = build_model(config, 3, 2).coarsenings[0]
    assert isinstance(module.assign, StaticAttention)
    assert (module.assign.relaxation, module.connect) == ("sort", "plain")
    soft = {"assignment": "places-only", "cluster_profile": False, "balance": 0.5}
    config = ModelConfig(ONE_WAY, **soft, **SMALL)  # type: ignore[arg-type]
    module = build_model(config, 3, 2).coarsenings[0]
    assert module.assign.content is None
    assert module.profile is None
    assert module.losses == {"balance": 0.5}


@pytest.mark.parametrize("clusters", [(1,), (4,), (1, 1), (1, 4, 1), (5, 2), (4, 3, 2)])
@pytest.mark.parametrize("gather", ["levels", "last"])
def test_any_numbers_of_clusters_fit_together(clusters: tuple[int, ...], gather: str) -> None:
    model = gp.nn.HAP(CHANNELS, 8, clusters, 2, gather=gather)
    assert model(batch()).shape == (3, 2)
    assert model.embed(batch()).shape == (3, model.embedding_channels)
    assert [level.adj.shape[-1] for level in model.levels(batch())] == list(clusters)


@pytest.mark.parametrize(
    ("clusters", "readout", "blind"),
    [((8,), ("sum",), True), ((8, 4), ("sum", "mean"), True), ((8,), ("sum", "max"), False),
     ((8, 1), ("sum",), False)],
)  # fmt: skip
@pytest.mark.parametrize(
    "options",
    [{"assignment": "content"}, {"profile": False}, {"profile": None}],
    ids=["content", "places", "places with profile"],
)
def test_a_last_coarsening_that_no_readout_sees_is_warned_of(
    clusters: tuple[int, ...],
    readout: tuple[str, ...],
    blind: bool,
    options: dict[str, Any],
) -> None:
    torch.manual_seed(0)
    # A profile is more than a sum over the nodes, and only the first level has one.
    blind = blind and (len(clusters) > 1 or "assignment" in options or options["profile"] is False)
    with collect_warnings(GraphpoolWarning) as texts:
        model = gp.nn.HAP(CHANNELS, 8, clusters, 2, readout=readout, **options)
    assert any("learns nothing" in text for text in texts) == blind
    model(batch()).square().sum().backward()
    last = model.coarsenings[-1] if clusters[-1] > 1 else model.coarsenings[0]
    moved = max(float(weight.grad.abs().max()) for weight in last.parameters())
    assert (moved < 1e-6) == blind


def test_no_clusters_are_refused() -> None:
    with pytest.raises(ConfigError, match="at least one level"):
        gp.nn.HAP(3, clusters=())


@pytest.mark.parametrize(
    ("reductions", "message"),
    [
        (("meen",), "did you mean 'mean'"),
        ((), "at least one of"),
        (("max", "sum", "max"), "'max' stands twice"),
    ],
)
def test_wrong_reductions_are_refused(reductions: tuple[str, ...], message: str) -> None:
    with pytest.raises(ConfigError, match=message):
        gp.nn.Readout(reductions)


def test_flat_methods_are_a_readout_of_the_encoder() -> None:
    given = batch()
    parts = given.x.new_empty(0)
    for name, reduce in (("sum", torch.sum), ("mean", torch.mean), ("max", torch.amax)):
        model = build_model(ModelConfig(pooler=name, hidden_channels=8), CHANNELS, 2)
        h = model.encoders[0](given.x, given.adjacency)
        parts = torch.stack([reduce(part, 0) for part in h.split(given.ptr.diff().tolist())])
        torch.testing.assert_close(model.embed(given), parts)


def test_structure_free_looks_at_no_edge() -> None:
    model = build_model(ModelConfig(pooler="structure-free"), CHANNELS, 2)
    graph = random_graph(6)
    bare = random_graph(6)
    bare.adj = torch.zeros(6, 6)
    torch.testing.assert_close(model(batch_of([graph])), model(batch_of([bare])))
    assert model.levels(batch()) == ()


def test_the_layer_of_the_design_page() -> None:
    given = batch(64)
    x, edge_index, numbers = given.x, given.edge_index, given.batch
    layer = gp.nn.HAPCoarsening(in_channels=64, clusters=8)
    out = layer(x, edge_index, numbers)
    assert out.x.shape == (3, 8, 64)
    assert out.adj.shape == (3, 8, 8)
    assert out.assignment.shape == (len(x), 8)
    assert out.losses == {}
    again = layer(out.x, out.adj)
    assert again.x.shape == (3, 8, 64)
    assert again.assignment.shape == (3, 8, 8)


def test_the_model_of_the_design_page() -> None:
    given = batch(7)
    model = gp.nn.HAP(in_channels=7, hidden_channels=64, clusters=(8, 1), out_channels=2)
    assert model(given).shape == (3, 2)
    assert model.embed(given).shape == (3, model.embedding_channels)
    first, last = model.levels(given)
    assert (first.clusters, last.clusters) == (8, 1)


def test_the_poolers_of_the_design_page() -> None:
    rows = gp.list_networks()
    assert [row["name"] for row in rows] == [*METHODS, *PAIR_METHODS]
    assert {row["name"] for row in gp.list_poolers()} < set(METHODS)
    assert all(set(row) == LISTED for row in rows)
    given = batch(64)
    out = gp.nn.pooler("hap", in_channels=64, clusters=8)(given.x, given.edge_index, given.batch)
    assert out.x.shape == (3, 8, 64)


@torch.no_grad()
@pytest.mark.parametrize("name", ["flat", "hap-one-way", "sagpool"])
def test_a_scaled_sum_is_the_sum_in_units_of_the_training_graphs(name: str) -> None:
    vectors = []
    for readout in ("sum", "scaled_sum"):
        torch.manual_seed(0)
        config = ModelConfig(pooler=name, encoder="gcn", hidden_channels=8, readout=(readout,))
        model = build_model(config, CHANNELS, 2, mean_nodes=12.5).eval()
        vectors.append(model.embed(batch_of([random_graph(9, 1), random_graph(14, 2)])))
    torch.testing.assert_close(vectors[1], vectors[0] / 12.5)


def test_the_pooler_of_hap_is_listed_once() -> None:
    listed = {row["name"] for row in gp.list_poolers()}
    assert "hap" in listed
    assert ONE_WAY not in listed
