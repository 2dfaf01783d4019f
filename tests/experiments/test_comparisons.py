"""Comparisons: examples are drawn once, every unit is done once, none takes others down."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from small import write_records

from graphpool.config import ModelConfig, RunConfig, defaults_for
from graphpool.data.pairs.distances import Distances
from graphpool.data.synthetic.matching.build import matching_pairs
from graphpool.data.synthetic.matching.rules import RULES, rule_accuracy
from graphpool.errors import ConfigError, GraphpoolWarning
from graphpool.experiments.engine import RunOutcome, _plan, run_units
from graphpool.experiments.example_files import ExampleFiles, Opened, add_source
from graphpool.experiments.examples import Data, GraphData, PairData, TripletData
from graphpool.experiments.executor import LocalExecutor
from graphpool.experiments.records import Record, RecordFile
from graphpool.experiments.unit import Unit
from graphpool.features import labels
from graphpool.graphs.graphset import GraphSet
from graphpool.graphs.places.rule import PlaceRule
from graphpool.tasks.matching import MatchingData
from graphpool.tasks.similarity import SimilarityData
from graphpool.training.signals import Interrupted

PAPER = PairData("paper", (8,), train=40, valid=10, test=20)
FEATURES = "constant+logdegree"


def quick(task: Any = "matching", pooler: str = "sum", **train: Any) -> RunConfig:
    base = defaults_for(task)
    settings = {"epochs": 1, "batch_size": 16, **train}
    return replace(
        base,
        features=FEATURES,
        model=ModelConfig(pooler=pooler, hidden_channels=4, num_layers=1),
        train=replace(base.train, **settings),
    )


def paths(copies: int = 1) -> tuple[GraphSet, Distances]:
    """Paths of 2 to 21 nodes, and the differences of their nodes and edges as distances."""
    nodes = np.tile(np.arange(2, 22), copies)
    edges = np.concatenate([np.stack([np.arange(n - 1), np.arange(1, n)]) for n in nodes], axis=1)
    graphs = GraphSet.build(
        "paths", torch.from_numpy(nodes), torch.from_numpy(nodes - 1), torch.from_numpy(edges),
        ids=[str(at) for at in range(len(nodes))], undirected=True,
    )  # fmt: skip
    apart = 2.0 * np.abs(nodes[:, None] - nodes)
    test = np.arange(len(nodes)) % 5 == 0
    return graphs, Distances("paths", graphs.ids, apart, is_test=test)


@pytest.fixture
def source(tmp_path: Path) -> tuple[Path, str]:
    graphs, distances = paths()
    return tmp_path / "sources", add_source(tmp_path / "sources", "paths", graphs, distances)


def triplets(digest: str, **changes: Any) -> TripletData:
    return replace(TripletData("paths", digest, train=60, valid=10), **changes)


def prepared(
    data: Data, folder: Path, sources: Path | None = None, rules: tuple[PlaceRule, ...] = ()
) -> Opened:
    files = ExampleFiles(data, FEATURES, rules, folder, sources or folder)
    files.draw()
    return files.open()


# ---------------------------------------------------------------------- examples


def test_pairs_are_those_of_their_seeds_with_features_and_places(tmp_path: Path) -> None:
    data, rule = replace(PAPER, seed=3, tested=(8, 12)), PlaceRule()
    opened = prepared(data, tmp_path, rules=(rule,))
    assert isinstance(opened, MatchingData)
    drawn = {
        "train": matching_pairs("paper", 8, 40, 30),
        "valid": matching_pairs("paper", 8, 10, 31),
        "8": matching_pairs("paper", 8, 20, 32),
        "12": matching_pairs("paper", 12, 20, 32),
    }
    for name, there in {"train": opened.train, "valid": opened.valid, **opened.tests}.items():
        assert torch.equal(there.y, drawn[name].y)
        assert torch.equal(there.left, drawn[name].left)
        assert torch.equal(there.graphs.edge_index, drawn[name].graphs.edge_index)
        assert there.graphs.x is not None
        assert there.graphs.x.shape[1] == 2
        assert rule in there.graphs._places
        places = drawn[name].graphs.places(rule)
        assert torch.equal(there.graphs._places[rule].cluster, places.cluster)


def test_test_graphs_ask_and_are_never_trained_on(tmp_path: Path, source: tuple[Path, str]) -> None:
    opened = prepared(triplets(source[1], seed=1), tmp_path, source[0])
    assert isinstance(opened, SimilarityData)
    assert opened.queries.tolist() == [0, 5, 10, 15]
    assert sorted([*opened.queries, *opened.candidates]) == list(range(20))
    trained = {
        int(graph)
        for part in (opened.train.query, opened.train.first, opened.train.second)
        for graph in part
    }
    assert not trained & set(opened.queries.tolist())
    asked = set(opened.valid.query.tolist())
    assert asked
    assert not asked & (trained | set(opened.queries.tolist()))
    for part in (opened.train, opened.valid):
        matrix = opened.distances.values
        nearer = matrix[part.query, part.first] - matrix[part.query, part.second]
        assert np.array_equal(part.r.numpy(), nearer.astype(np.float32))


def test_isomorphic_graphs_stay_in_one_part(tmp_path: Path) -> None:
    graphs, distances = paths(copies=3)
    digest = add_source(tmp_path, "paths", graphs, distances)
    opened = prepared(triplets(digest, split="classes", seed=2), tmp_path)
    assert isinstance(opened, SimilarityData)
    sizes = graphs.node_counts.numpy()
    assert not set(sizes[opened.queries]) & set(sizes[opened.candidates])


def test_a_set_without_a_published_split_says_so(tmp_path: Path) -> None:
    graphs, distances = paths()
    digest = add_source(tmp_path, "paths", graphs, replace(distances, is_test=None))
    with pytest.raises(ConfigError, match="no published split"):
        prepared(triplets(digest), tmp_path)


# ---------------------------------------------------------------------- units


def unit(method: str, data: Data = PAPER, config: RunConfig | None = None) -> Unit:
    assert not isinstance(data, GraphData)
    return Unit(data, method, config, data.seed)


def run(units: list[Unit], folder: Path, **options: Any) -> RunOutcome:
    jobs = options.pop("jobs", 1)
    file = RecordFile(folder / "records.jsonl", "test")
    return run_units(units, file, executor=LocalExecutor(jobs), progress=False, **options)


def test_keys_know_what_decides_a_result() -> None:
    def key(data: PairData = PAPER, method: str = "sum", **train: Any) -> str:
        return unit(method, data, quick(**train)).key

    assert key() == key(device="cuda") == key(threads=3) == key(method="another name")
    different = {
        key(), key(epochs=2), key(replace(PAPER, seed=1)), key(replace(PAPER, test=30)),
        key(replace(PAPER, tested=(9,))), unit("sum", PAPER, quick(pooler="mean")).key,
        unit("size").key, unit("edges").key,
    }  # fmt: skip
    assert len(different) == 8


def test_unknown_rules_are_named() -> None:
    with pytest.raises(ConfigError, match="did you mean 'size'"):
        unit("sise")


def test_rules_are_fitted_on_training_pairs(tmp_path: Path) -> None:
    found = run([unit(name) for name in RULES], tmp_path)
    train, test = matching_pairs("paper", 8, 40, 0), matching_pairs("paper", 8, 20, 2)
    for record in found.records:
        wanted = rule_accuracy(train, test, RULES[record.method])
        assert record.metrics["8"]["accuracy"] == wanted
    assert found.records[0].accuracy == 1  # the size says it all


def test_networks_and_rules_rank_the_same_graphs(tmp_path: Path, source: tuple[Path, str]) -> None:
    data = triplets(source[1])
    units = [unit("sum", data, quick("similarity")), unit("label-edge", data), unit("beam1", data)]
    found = run(units, tmp_path / "out", sources=source[0])
    assert not found.failures
    network, rule, beam = (record.metrics["ranking"] for record in found.records)
    assert rule["accuracy"] == 1  # which these distances are
    assert set(network) == set(rule) == set(beam)
    assert [record.kind for record in found.records] == ["network", "rule", "edit distance"]
    assert found.records[0].parameters > 0
    assert found.records[0].seconds["train"] > 0


def test_labels_as_codes_are_looked_up_by_the_network(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Drawn examples come with features; codes among them would be taken for numbers."""
    graphs, distances = paths()
    coded = torch.arange(graphs.num_nodes) % 3
    graphs = replace(graphs, node_label=coded, node_label_names=("C", "N", "O"))
    sources = tmp_path / "sources"
    data = triplets(add_source(sources, "paths", graphs, distances))
    config, parameters = replace(quick("similarity"), features="labels"), []
    for one_hot in (128, 1):
        monkeypatch.setattr(labels, "ONE_HOT", one_hot)
        found = run([unit("sum", data, config)], tmp_path / str(one_hot), sources=sources)
        parameters.append(found.records[0].parameters)
    # 3 rows of W of 4 channels; 4 rows of them, and 4 vectors of 4 channels.
    assert parameters[1] - parameters[0] == 4 + 16


def test_splits_at_random_say_how_many_graphs_they_share(
    tmp_path: Path, source: tuple[Path, str]
) -> None:
    for split, known in (("published", False), ("graphs", True)):
        data = triplets(source[1], split=split)
        (record,) = run([unit("label-edge", data)], tmp_path / split, sources=source[0]).records
        assert bool(record.sizes) == known
    assert record.sizes == {"train": 18, "test": 2}


# ---------------------------------------------------------------------- many of them


def some_units() -> list[Unit]:
    networks = [unit(name, PAPER, quick(pooler=name)) for name in ("hap", "sum")]
    return [*networks, unit("size")]


def plain(records: Any) -> list[tuple[str, Any]]:
    return [(record.method, record.metrics) for record in records]


def test_every_unit_is_done_once(tmp_path: Path) -> None:
    done: list[str] = []

    def finished(unit: Unit, record: Record) -> None:
        done.append(unit.method)

    first = run(some_units(), tmp_path, finished=finished)
    assert sorted(done) == ["hap", "size", "sum"]
    second = run([*some_units(), *some_units()], tmp_path, finished=finished)
    assert len(done) == 3
    assert plain(second.records) == plain(first.records)
    more = unit("sum", PAPER, quick(epochs=2))
    assert run([more], tmp_path, finished=finished).records[0].epochs == 2
    assert done[3:] == ["sum"]


def test_processes_give_what_one_gives(tmp_path: Path) -> None:
    one = run(some_units(), tmp_path / "one")
    two = run(some_units(), tmp_path / "two", jobs=2)
    assert plain(one.records) == plain(two.records)


def test_units_of_the_same_data_and_features_share_their_examples(tmp_path: Path) -> None:
    assert len({files for _, files in _plan(some_units(), tmp_path, tmp_path)}) == 1
    other = unit("sum", PAPER, replace(quick(), features="constant"))
    assert (
        len({files.folder for _, files in _plan([*some_units(), other], tmp_path, tmp_path)}) == 2
    )


def test_results_of_other_code_are_made_again_when_asked(tmp_path: Path) -> None:
    size = unit("size")
    (record,) = run([size], tmp_path).records
    older = replace(record, versions={**record.versions, "code": "older"})
    write_records(tmp_path / "records.jsonl", [older], "test")
    with pytest.warns(GraphpoolWarning, match="other code"):
        (kept,) = run([size], tmp_path).records
    assert kept.versions["code"] == "older"
    assert run([size], tmp_path, again=True).records[0].versions["code"] != "older"


def test_a_unit_that_fails_leaves_the_others(tmp_path: Path) -> None:
    bad = unit("bad", PAPER, replace(quick(), features="labels"))
    wild = unit("wild", PAPER, quick(learning_rate=1e30, epochs=3, clip_norm=0.0))
    found = run([*some_units(), bad, wild], tmp_path)
    assert [record.method for record in found.records] == ["hap", "sum", "size"]
    assert "labels" in found.failures[bad]
    assert set(found.failures) == {bad, wild}


def test_what_is_finished_when_stopped_is_kept(tmp_path: Path) -> None:
    def stop(unit: Unit, record: Record) -> None:
        raise KeyboardInterrupt

    with pytest.raises(Interrupted, match="1 of 3 units are finished"):
        run(some_units(), tmp_path, finished=stop)
    left: list[str] = []
    run(some_units(), tmp_path, finished=lambda unit, record: left.append(unit.method))
    assert len(left) == 2
