"""What untrained networks tell apart: never isomorphic graphs, and more than colour refinement."""

from pathlib import Path
from typing import Any

import networkx as nx
import pytest
from hard_pairs import bicyclopentyl, csl, decalin, plain, rook, shrikhande, shuffled, triangles

import graphpool as gp
from graphpool.config import ModelConfig, RunConfig
from graphpool.errors import ConfigError, DataError

METHODS = ("flat", "hap-one-way", "hap")
SAME = [
    nx.empty_graph(1), nx.empty_graph(5), triangles(), decalin(), rook(), shrikhande(), csl(3),
    nx.hypercube_graph(4), nx.grid_2d_graph(5, 5), nx.path_graph(40), nx.star_graph(9),
    nx.petersen_graph(), nx.karate_club_graph(), nx.barbell_graph(6, 3), nx.complete_graph(7),
    *(nx.gnp_random_graph(30, p, seed=seed) for seed in range(4) for p in (0.05, 0.2)),
    *(nx.random_regular_graph(3, 24, seed=seed) for seed in range(3)),
    *(nx.random_labeled_tree(25, seed=seed) for seed in range(3)),
]  # fmt: skip


def pairs_of(*graphs: nx.Graph) -> gp.GraphSet:
    return gp.from_networkx([plain(graph) for graph in graphs], name="pairs")


@pytest.mark.parametrize("encoder", ["gcn", "gin"])
def test_isomorphic_graphs_are_never_told_apart(encoder: Any) -> None:
    graphs = [each for at, one in enumerate(SAME) for each in (plain(one), shuffled(one, at))]
    config = RunConfig(model=ModelConfig(encoder=encoder))
    methods = (*METHODS, "hap-paper", "diffpool", "sagpool", "asap", "sort", "set2set")
    found = gp.tell_apart(gp.from_networkx(graphs), methods, config, seeds=2)
    assert found.counts == dict.fromkeys(("size", "colour refinement", *methods), 0)


def test_pairs_that_refinement_finds_alike() -> None:
    # Parts differ in the first two; the others are regular, and one part.
    graphs = pairs_of(decalin(), bicyclopentyl(), triangles(), nx.cycle_graph(6), rook(),
                      shrikhande(), csl(2), csl(3), csl(4), csl(9))  # fmt: skip
    told = gp.tell_apart(graphs, METHODS, seeds=1).told_apart
    for name in ("size", "colour refinement", "flat"):
        assert not told[name].any(), name
    for name in ("hap-one-way", "hap"):
        assert told[name].tolist() == [True, True, False, False, False], name


def test_what_size_and_refinement_tell_apart_flat_does_too() -> None:
    graphs = pairs_of(nx.path_graph(4), nx.star_graph(3), nx.path_graph(4), nx.path_graph(5))
    found = gp.tell_apart(graphs, ["flat"], seeds=1)
    assert found.counts == {"size": 1, "colour refinement": 2, "flat": 2}


def test_random_walks_tell_regular_graphs_apart_but_not_strongly_regular_ones() -> None:
    config = RunConfig(features="constant+rw:6")
    graphs = pairs_of(csl(2), csl(3), rook(), shrikhande())
    told = gp.tell_apart(graphs, METHODS, config, seeds=1).told_apart
    assert all(told[name].tolist() == [True, False] for name in METHODS)


@pytest.mark.parametrize(("name", "refined"), [("EXP", 0), ("CEXP", 20)])
def test_pairs_of_exp_and_cexp(name: str, refined: int, data_root: Path) -> None:
    graphs = gp.load(name, root=data_root, cache=False)[:80]  # with features, made anew here
    found = gp.tell_apart(graphs, METHODS, seeds=1)
    assert found.pairs == 40
    assert found.counts == {
        "size": found.counts["size"], "colour refinement": refined, "flat": refined, "hap": 40,
        "hap-one-way": 40,
    }  # fmt: skip


@pytest.mark.slow
@pytest.mark.parametrize(("name", "refined"), [("EXP", 0), ("CEXP", 300)])
def test_all_pairs_of_exp_and_cexp(name: str, refined: int, data_root: Path) -> None:
    counts = gp.tell_apart(name, METHODS, seeds=1, root=data_root).counts
    assert (counts["colour refinement"], counts["flat"]) == (refined, refined)
    assert (counts["hap-one-way"], counts["hap"]) == (600, 600)


def test_features_of_edges_count_for_encoders_that_use_them() -> None:
    rings = [nx.cycle_graph(6) for _ in range(2)]
    for ring, double in zip(rings, ({0, 2, 4}, {0, 1, 2}), strict=True):
        for at, edge in enumerate(nx.cycle_graph(6).edges):
            ring.edges[edge]["label"] = "double" if at in double else "single"
    graphs = gp.from_networkx(rings)
    for model, count in ((ModelConfig(encoder="gine"), 1), (ModelConfig(encoder="gcn"), 0)):
        counts = gp.tell_apart(graphs, ["flat"], RunConfig(model=model)).counts
        assert counts["flat"] == count


def test_the_document_lists_what_is_not_told_apart() -> None:
    graphs = pairs_of(nx.path_graph(4), nx.star_graph(3), nx.cycle_graph(6), triangles())
    document = gp.tell_apart(graphs, ["flat"], seeds=[3, 5]).document()
    assert (document["name"], document["pairs"], document["seeds"]) == ("pairs", 2, [3, 5])
    row = document["methods"][-1]
    assert (row["method"], row["told_apart"]) == ("flat", 1)
    assert row["not_told_apart"] == [{"pair": 1, "ids": ["2", "3"]}]


def test_wrong_calls() -> None:
    graphs = pairs_of(nx.path_graph(2), nx.path_graph(3))
    with pytest.raises(DataError, match="give pairs"):
        gp.tell_apart(graphs[:1])
    with pytest.raises(ConfigError, match="did you mean 'hap'"):
        gp.tell_apart(graphs, ["happ"])
    with pytest.raises(ConfigError, match="at least one method"):
        gp.tell_apart(graphs, [])
    with pytest.raises(ConfigError, match="copies"):
        gp.tell_apart(graphs, copies=1)
    with pytest.raises(ConfigError, match="nothing is trained"):
        gp.tell_apart(graphs, config=RunConfig(model=ModelConfig(cluster_count="validation")))


def test_graphs_of_networkx_and_one_method_by_name_are_taken() -> None:
    found = gp.tell_apart([decalin(), bicyclopentyl()], "hap", seeds=1)
    assert found.counts == {"size": 0, "colour refinement": 0, "hap": 1}


def test_settings_of_another_kind_are_refused() -> None:
    graphs = pairs_of(decalin(), bicyclopentyl())
    with pytest.raises(ConfigError, match="config is a dict; give a RunConfig"):
        gp.tell_apart(graphs, config={"model": {}})  # type: ignore[arg-type]


def test_parts_that_recur_are_learned_from_the_pairs() -> None:
    graphs = gp.load("MUTAG", features=None)[:20]
    config = RunConfig(model=ModelConfig(units="recurring"))
    found = gp.tell_apart(graphs, ("hap", "flat"), seeds=1, config=config)
    assert found.counts["hap"] >= found.counts["flat"] > 0
