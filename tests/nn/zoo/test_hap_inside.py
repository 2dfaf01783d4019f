"""HAP's coarsening inside other networks: what is replaced, and that the rest is theirs."""

import pytest
import torch
from plain import CHANNELS, batch_of, random_graph

from graphpool.config import MOST_SOFT, ModelConfig
from graphpool.graphs.batch import GraphBatch
from graphpool.graphs.places.rule import PlaceRule
from graphpool.nn.hap import HAPCoarsening
from graphpool.nn.model import PoolerNetwork
from graphpool.nn.pool import GatedPool, MeanAttPool, Set2Set, SortPool
from graphpool.nn.zoo.build import METHODS, build_model, chooses_places, place_rule

READING = {
    "mean-att-hap": MeanAttPool,
    "gated-hap": GatedPool,
    "set2set-hap": Set2Set,
    "sort-hap": SortPool,
}
MIRRORED = [*READING, "sagpool-hap", "diffpool-hap"]


def batch() -> GraphBatch:
    return batch_of([random_graph(n, n) for n in (14, 9, 3, 21)])


def config(name: str, **settings: object) -> ModelConfig:
    return ModelConfig(name, hidden_channels=8, **settings)  # type: ignore[arg-type]


@torch.no_grad()
@pytest.mark.parametrize("name", READING)
def test_a_flat_pooler_reads_the_clusters_of_each_graph_and_nothing_else(name: str) -> None:
    model = build_model(config(name), CHANNELS, 2).eval()
    given = batch()
    (level,) = model.levels(given)
    (pool,) = model.learned
    assert isinstance(pool, READING[name])
    assert len(model.encoders) == 2
    rows = []
    for graph, count in enumerate(level.counts.tolist()):  # one at a time, with no others beside
        x, adj = level.x[graph, :count], level.adj[graph, :count, :count]
        rows.append(pool(model.encoders[1](x.unsqueeze(0), adj.unsqueeze(0)).squeeze(0)))
    torch.testing.assert_close(model.embed(given), torch.cat(rows))
    assert len(set(level.counts.tolist())) > 1, "graphs with different numbers of places"


@torch.no_grad()
@pytest.mark.parametrize("name", READING)
def test_its_clusters_are_those_of_hap(name: str) -> None:
    model = build_model(config(name), CHANNELS, 2).eval()
    plain = build_model(config("hap-one-way"), CHANNELS, 2).eval()
    plain.encoders.load_state_dict(model.encoders.state_dict())
    plain.coarsenings.load_state_dict(model.coarsenings.state_dict())  # the last has no weights
    one, other = model.levels(batch())[0], plain.levels(batch())[0]
    assert torch.equal(one.x, other.x)
    assert torch.equal(one.adj, other.adj)


@torch.no_grad()
def test_sagpools_network_around_places_is_that_of_sagpool() -> None:
    """Assembled as `sagpool` is: two encoders, one pooling between them, both levels read."""
    model = build_model(config("sagpool-hap", readout=("sum", "max")), CHANNELS, 2).eval()
    pooling = HAPCoarsening(8, rule=PlaceRule("ratio", ratio=0.5))
    kept = PoolerNetwork(
        CHANNELS, 8, 2, coarsenings=[pooling], encoders=2, readout=("sum", "max")
    ).eval()  # fmt: skip
    kept.encoders.load_state_dict(model.encoders.state_dict())
    kept.coarsenings.load_state_dict(model.coarsenings.state_dict())
    nodes, clusters = kept.embed(batch()).split(16, -1)
    total, largest = clusters.split(8, -1)
    # The sum over the last level stands behind its maximum, as a coarsening to one cluster.
    torch.testing.assert_close(model.embed(batch()), torch.cat([nodes, largest, total], -1))
    assert model.embedding_channels == kept.embedding_channels


@torch.no_grad()
def test_it_has_as_many_places_as_sagpool_keeps_nodes() -> None:
    given = batch_of([random_graph(n, n) for n in (8, 9, 21)])  # graphs without symmetries
    for settings in ({}, {"ratio": 0.3}):
        places, nodes = (
            build_model(config(name, **settings), CHANNELS, 2, mean_nodes=12.0).levels(given)[0]
            for name in ("sagpool-hap", "sagpool")
        )
        assert places.counts.tolist() == nodes.counts.tolist()


@torch.no_grad()
def test_diffpools_network_has_haps_assignment_and_diffpools_losses() -> None:
    model = build_model(config("diffpool-hap", clusters=(4, 1)), CHANNELS, 2).eval()
    theirs = build_model(config("diffpool", clusters=(4, 1)), CHANNELS, 2).eval()
    graph = random_graph(12, 5)
    given = batch_of([graph])
    trace = model.trace(given)
    level, _ = trace.levels
    share, x = level.assignment, model.encoders[0](given.x, given.adjacency)
    torch.testing.assert_close(level.x[0], share.t() @ x)
    torch.testing.assert_close(level.adj[0], share.t() @ graph.adj @ share)
    assert set(trace.losses) == set(theirs.trace(given).losses) == {"level1/link", "level1/entropy"}
    link = torch.linalg.matrix_norm(graph.adj - share @ share.t()) / 12
    torch.testing.assert_close(trace.losses["level1/link"], link)
    entropy = torch.special.entr(share).sum(-1).mean()
    torch.testing.assert_close(trace.losses["level1/entropy"], entropy)
    assert model.embedding_channels == theirs.embedding_channels
    # The places of the graph, not DiffPool's scores, say which node belongs where.
    assert model.coarsenings[0].rule == PlaceRule("given", clusters=4, most=4)


def test_settings_of_places_and_losses_reach_it() -> None:
    model = build_model(config("diffpool-hap", connect="offdiagonal", cut_loss=0.5), CHANNELS, 2)
    assert model.coarsenings[0].connect == "offdiagonal"
    assert model.coarsenings[0].losses == {"cut": 0.5, "link": 1.0, "entropy": 1.0}
    model = build_model(config("set2set-hap", assignment="static", clusters=(5, 1)), CHANNELS, 2)
    assert (model.coarsenings[0].clusters, model.coarsenings[0].rule) == (5, None)


def test_sort_reads_all_clusters() -> None:
    assert build_model(config("sort-hap"), CHANNELS, 2).learned[0].k == MOST_SOFT
    assert build_model(config("sort-hap", clusters=(6, 4, 1)), CHANNELS, 2).learned[0].k == 4


@pytest.mark.parametrize("name", MIRRORED)
@pytest.mark.parametrize(
    "settings", [{}, {"ratio": 0.2}, {"clusters": (6, 1)}, {"max_clusters": 5}]
)
def test_places_are_looked_for_by_the_rule_of_the_model(
    name: str, settings: dict[str, object]
) -> None:
    asked = config(name, **settings)
    model = build_model(asked, CHANNELS, 2, mean_nodes=20.0)
    assert place_rule(asked) == model.coarsenings[0].rule
    assert place_rule(asked) is not None


def test_count_chooses_the_places_of_methods_whose_number_is_open() -> None:
    assert {name for name in METHODS if chooses_places(name)} == {
        "hap", "hap-one-way", "diffpool-hap", *READING
    }  # fmt: skip
