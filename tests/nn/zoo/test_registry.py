"""Methods by name: their networks have one size, and a user's own pooler is a method too."""

from collections.abc import Iterator
from pathlib import Path

import pytest
import torch
from plain import CHANNELS, LARGE, Largest, Plain, batch_of, large_graph, random_graph
from torch import Tensor, nn

import graphpool as gp
from graphpool.config import ModelConfig, RunConfig, TrainConfig
from graphpool.errors import ConfigError
from graphpool.experiments.comparison import evaluate
from graphpool.experiments.methods import check_methods, family_of, registered_here
from graphpool.graphs.batch import GraphBatch
from graphpool.nn.level import Level
from graphpool.nn.ops.products import segment_sum
from graphpool.nn.pool import FlatPool, GroupPool, SAGPool
from graphpool.nn.zoo.build import METHODS, build_model, count_parameters


class Halves(GroupPool):
    def __init__(self, in_channels: int, clusters: int) -> None:
        super().__init__(clusters, losses={"cut": 1.0}, connect="offdiagonal")
        self.scores = nn.Linear(in_channels, clusters)

    def assign(self, level: Level) -> Tensor:
        scores: Tensor = self.scores(level.x)
        return scores.softmax(-1)


class Scaled(FlatPool):
    def __init__(self, in_channels: int) -> None:
        super().__init__()
        self.in_channels = self.out_channels = in_channels
        self.scale = nn.Parameter(torch.ones(in_channels))

    def pool_level(self, level: Level) -> Tensor:
        x, segments = level.flat()
        return segment_sum(x * self.scale, segments)


OWN = {"group": Halves, "top-k": SAGPool, "flat": Scaled}


@pytest.fixture(autouse=True)
def _forget() -> Iterator[None]:
    known = dict(METHODS)
    yield
    METHODS.clear()
    METHODS.update(known)


def graphs() -> list[Plain]:
    return [random_graph(n, n) for n in (6, 9, 3)]


@pytest.mark.parametrize("family", OWN)
def test_an_own_pooler_is_built_trained_and_evaluated_by_name(family: str, tmp_path: Path) -> None:
    gp.nn.register_pooler("mine", OWN[family], family=family, paper="I", year=2026)  # type: ignore[arg-type]
    model = build_model(ModelConfig("mine", hidden_channels=8), CHANNELS, 3)
    assert any(isinstance(part, OWN[family]) for part in model.modules())
    assert model(batch_of(graphs())).shape == (3, 3)
    assert gp.list_poolers()[-1]["paper"] == "I"
    assert check_methods(["mine"]) == ("mine",)
    assert family_of("mine") == family
    assert registered_here(["sum", "mine"])
    assert not registered_here(["sum", "wl"])
    few = gp.load("MUTAG")[:40]
    fitted = gp.GraphClassifier("mine", epochs=1, hidden_channels=8).fit(few)
    fitted.save(tmp_path / "model")
    again = gp.GraphClassifier.load(tmp_path / "model")
    assert (again.predict(few) == fitted.predict(few)).all()


def test_an_experiment_with_an_own_pooler_needs_no_other_process(
    tmp_path: Path,
) -> None:
    gp.nn.register_pooler("mine", Halves, family="group")
    config = RunConfig(model=ModelConfig(hidden_channels=8), train=TrainConfig(epochs=1))
    found = evaluate(
        gp.load("MUTAG", features=None)[:60], ["mine"], "cv10", (0,), config, tmp_path,
        baselines=False, jobs=4, progress=False,
    )  # fmt: skip
    assert len(found.units) == 10
    assert not found.failures


def test_a_taken_name_and_an_unknown_family_are_refused() -> None:
    with pytest.raises(ConfigError, match="there is a pooler 'hap' already"):
        gp.nn.register_pooler("hap", Halves, family="group")
    with pytest.raises(ConfigError, match="unknown family 'grop'; did you mean 'group'"):
        gp.nn.register_pooler("mine", Halves, family="grop")
    assert "mine" not in METHODS


def test_a_group_pooler_must_say_how_many_clusters_it_makes() -> None:
    gp.nn.register_pooler("mine", nn.Linear, family="group")
    with pytest.raises(ConfigError, match="attribute `clusters`"):
        build_model(ModelConfig("mine"), CHANNELS, 2)


def test_every_pooler_can_be_made_by_name_with_its_options() -> None:
    given = batch_of(graphs())
    options = {"clusters": {"clusters": 4}, "ratio": {"ratio": 0.5}, "channels": {}}
    for name in (row["name"] for row in gp.list_poolers()):
        heads = {"heads": 1} if name == "gmt" else {}
        made = gp.nn.pooler(name, CHANNELS, **options[METHODS[name].takes], **heads)
        out = made(given.x, given.edge_index, given.batch)
        assert isinstance(out, Tensor) == isinstance(made, FlatPool), name


def test_wrong_names_of_poolers_and_options_are_refused() -> None:
    with pytest.raises(ConfigError, match="'sagpool' has no option 'ratoi'; did you mean 'ratio'"):
        gp.nn.pooler("sagpool", in_channels=4, ratoi=0.2)
    with pytest.raises(ConfigError, match="'concat' is a whole network"):
        gp.nn.pooler("concat", in_channels=4)


def test_parameters_are_those_of_the_module_alone() -> None:
    assert count_parameters("sum") == 0
    assert count_parameters("gpool") == 64  # p
    assert count_parameters("mincut") == 64 * 8 + 8  # a linear map
    assert count_parameters("set2set") == 4 * 64 * (128 + 64) + 2 * 4 * 64  # an LSTM's
    assert count_parameters("concat") is None


@pytest.mark.parametrize("clusters", [(), (6, 4, 1)])
def test_group_and_top_k_networks_have_the_same_encoders_and_head(
    clusters: tuple[int, ...],
) -> None:
    sizes = set()
    for name, method in METHODS.items():
        # Ablations read the last level alone; without a module of its own it is the readout's.
        # HAP in both directions has levels side by side and one encoder.
        theirs = name.startswith("hap") or method.module is None
        if method.family in ("group", "top-k") and not theirs:
            model = build_model(ModelConfig(name, clusters=clusters), CHANNELS, 2)
            encoders = sum(weight.numel() for weight in model.encoders.parameters())
            sizes.add((len(model.encoders), encoders, model.embedding_channels))
    assert len(sizes) == 1, sizes


def test_nodes_are_kept_by_the_ratio_of_the_settings() -> None:
    for config, ratio in ((ModelConfig("gpool"), 0.5), (ModelConfig("gpool", ratio=0.2), 0.2)):
        model = build_model(config, CHANNELS, 2, mean_nodes=20.0)
        assert [module.ratio for module in model.coarsenings] == [ratio]
        (level,) = model.levels(batch_of([random_graph(20)]))
        assert level.selection is not None


@torch.no_grad()
@pytest.mark.parametrize("name", METHODS)
def test_a_large_graph_takes_memory_in_proportion_to_its_size(name: str) -> None:
    x, adjacency = large_graph()
    batch = GraphBatch(
        x=x,
        adjacency=adjacency,
        batch=torch.zeros(LARGE, dtype=torch.long),
        ptr=torch.tensor([0, LARGE]),
        index=torch.tensor([0]),
    )
    model = build_model(ModelConfig(name, hidden_channels=8), CHANNELS, 2)
    with Largest() as seen:
        assert model(batch).isfinite().all()
    # Edges up to three steps apart are more, but few in a sparse graph; all pairs are 400 million.
    assert seen.numbers <= 200 * LARGE
