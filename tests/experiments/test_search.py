"""A search for settings: its tries, the choice on validation graphs, records and files."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from plain import CHANNELS, batch_of, random_graph
from small import DATA, QUICK, mutag, opened, run

from graphpool.config import RunConfig
from graphpool.errors import ConfigError
from graphpool.experiments import run_unit as run_unit_module
from graphpool.experiments.engine import find_finished, run_units
from graphpool.experiments.experiment_file import list_experiments, read_experiment
from graphpool.experiments.plan import plan_units, smallest
from graphpool.experiments.records import RecordFile
from graphpool.experiments.run_unit import fit_unit, run_unit
from graphpool.experiments.search import Search
from graphpool.experiments.unit import Unit, changed_settings
from graphpool.nn.random import seeded_weights
from graphpool.nn.zoo.build import build_model
from graphpool.tasks.classification import ClassificationTask

PROJECT = Path(__file__).resolve().parents[2]
SEARCHED = list_experiments(PROJECT)["classification-search"]
PLAIN = replace(QUICK, model=replace(QUICK.model, pooler="sum", clusters=(), readout=("sum",)))
RATES = Search(3, train={"learning_rate": (0.0001, 0.01, 0.1)})
TOY = """
title = "Toy"
task = "classification"
protocol = "cv10"
seeds = [0]
networks_of = "base"

[settings.train]
epochs = 1

[search]
tries = 3
train.learning_rate = [0.001, 0.01]
model.dropout = [0.0, 0.5]

[[data]]
name = "MUTAG"
"""
BASE = """
title = "Base"
task = "classification"
protocol = "cv10"
seeds = [0]

[settings]
features = "auto"
[settings.model]
encoder = "gcn"
hidden_channels = 8
[settings.train]
epochs = 2
batch_size = 16

[[data]]
name = "MUTAG"

[methods.sum]
model = {pooler = "sum"}

[methods.majority]
rule = "majority"
"""


def searched(search: Search = RATES, config: RunConfig = PLAIN) -> Unit:
    return Unit(DATA, config.model.pooler, config, 0, 0, search.tries_of(config))


@pytest.fixture
def toy(tmp_path: Path) -> Callable[..., Path]:
    def write(*changes: tuple[str, str]) -> Path:
        text = TOY
        for old, new in changes:
            assert old in text
            text = text.replace(old, new)
        folder = tmp_path / "experiments"
        folder.mkdir(exist_ok=True)
        (folder / "base.toml").write_text(BASE, encoding="utf-8")
        (folder / "toy.toml").write_text(text, encoding="utf-8")
        return folder / "toy.toml"

    return write


# ---------------------------------------------------------------------- tries


@pytest.mark.parametrize("name", SEARCHED.methods)
def test_every_network_has_the_same_number_of_tries_and_all_differ(name: str) -> None:
    """Networks of two tries differ in channels, in what they compute, or in their training."""
    assert SEARCHED.search is not None
    config = SEARCHED.config(SEARCHED.methods[name], SEARCHED.data[0])
    tries = SEARCHED.search.tries_of(config)
    assert len(tries) == SEARCHED.search.tries == 6
    assert tries[0] == config
    batch = batch_of([random_graph(n, n, channels=CHANNELS) for n in (30, 40)])
    described = []
    for each in tries:
        with seeded_weights(0):
            network = build_model(each.model, CHANNELS, 2, mean_nodes=35.0).eval()
        with seeded_weights(0):
            values = tuple(network(batch).flatten().tolist())
        described.append((values, each.model.dropout, each.train.learning_rate))
    assert len(set(described)) == len(tries)


@pytest.mark.parametrize("name", SEARCHED.methods)
def test_a_network_tries_the_one_setting_that_coarsens_its_graphs(name: str) -> None:
    assert SEARCHED.search is not None
    config = SEARCHED.config(SEARCHED.methods[name], SEARCHED.data[0])
    tries = SEARCHED.search.tries_of(config)
    changed = {key for each in tries for key in changed_settings(config, each)}
    coarse = changed & {"model.clusters", "model.ratio", "model.resolution"}
    flat = ("concat", "sum", "mean", "mean-att", "set2set", "sort", "structure-free")
    assert len(coarse) == (0 if name in flat else 1)
    assert {"model.hidden_channels", "model.dropout", "train.learning_rate"} <= changed


def test_tries_are_drawn_in_one_order_for_all_methods() -> None:
    search = Search(4, 3, {"dropout": (0.0, 0.1, 0.2)}, {"learning_rate": (0.001, 0.1)})
    other = replace(PLAIN, model=replace(PLAIN.model, pooler="mean"))
    ours, theirs = (search.tries_of(config) for config in (PLAIN, other))
    assert [changed_settings(PLAIN, each) for each in ours] == [
        changed_settings(other, each) for each in theirs
    ]
    assert ours == search.tries_of(PLAIN)
    assert ours != replace(search, seed=4).tries_of(PLAIN)


def test_what_a_setting_stands_for_is_not_tried_again() -> None:
    config = replace(PLAIN, model=replace(PLAIN.model, pooler="diffpool"))
    search = Search(2, model={"clusters": ((8, 1), (4, 1)), "ratio": (0.1, 0.2)})
    assert [each.model.clusters for each in search.tries_of(config)] == [(), (4, 1)]
    with pytest.raises(ConfigError, match="diffpool has only 2 different settings"):
        replace(search, tries=3).tries_of(config)


def test_the_readout_is_tried_where_the_clusters_of_a_try_leave_it_something() -> None:
    config = replace(PLAIN, model=replace(PLAIN.model, pooler="hap-paper", clusters=(8,)))
    choices = {"clusters": ((8,), (8, 1)), "readout": (("sum",), ("mean",))}
    tries = Search(3, model=choices).tries_of(config)
    found = {(each.model.clusters, each.model.readout) for each in tries}
    assert found == {((8,), ("sum",)), ((8,), ("mean",)), ((8, 1), ("sum",))}
    one = replace(config, model=replace(config.model, clusters=(8, 1)))
    assert set(Search(3, model=choices).tries_of(one)) == set(tries)
    with pytest.raises(ConfigError, match="hap-paper has only 3 different settings"):
        Search(4, model=choices).tries_of(config)


# ---------------------------------------------------------------------- units


def test_validation_graphs_choose_and_the_chosen_try_alone_is_tested(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    work, tested = searched(), []
    figures = ClassificationTask.figures
    monkeypatch.setattr(
        ClassificationTask,
        "figures",
        lambda task, model, data: tested.append(model.config) or figures(task, model, data),
    )
    found = run(work)
    data = opened().examples(0, 0)
    task = ClassificationTask.of_data(data)
    watch = run_unit_module.Stopwatch()
    valid = [fit_unit(work, each, task, data, watch).best["metrics"] for each in work.tries]
    best = max(range(3), key=lambda i: (valid[i]["accuracy"], -valid[i]["loss"], -i))
    assert [each["accuracy"] for each in found.tries] == pytest.approx(
        [each["accuracy"] for each in valid], abs=1e-6
    )
    assert found.chosen["try"] == best
    assert found.valid["accuracy"] == pytest.approx(valid[best]["accuracy"])
    rates = [config.train.learning_rate for config in tested]
    assert rates == [work.tries[best].train.learning_rate]


def test_of_equal_tries_the_first_is_chosen() -> None:
    work = searched()
    same = replace(work, tries=(work.tries[0],) * 3)
    assert run(same).chosen == {"try": 0}


def test_test_graphs_have_no_say_in_the_choice() -> None:
    graphs, split = mutag(), opened().split(0, 0)
    assert graphs.y is not None
    y = graphs.y.clone()
    y[list(split.test)] = 1 - y[list(split.test)]
    before, after = (
        run_unit(searched(), run_unit_module.Graphs(DATA, each, {0: (split,)}))
        for each in (graphs, replace(graphs, y=y))
    )
    assert (before.tries, before.chosen) == (after.tries, after.chosen)
    assert before.accuracy == pytest.approx(1 - after.accuracy)


def test_try_0_is_the_unit_without_a_search() -> None:
    work = searched()
    plain = run(replace(work, tries=()))
    found = run(work)
    assert found.tries[0]["accuracy"] == pytest.approx(plain.valid["accuracy"], abs=1e-6)
    assert plain.tries == []
    assert plain.key != found.key


def test_records_are_the_same_again_and_are_found_again(tmp_path: Path) -> None:
    work, file = searched(), RecordFile(tmp_path / "records.jsonl", "toy")
    first, second = run(work), run(work)
    assert replace(first, seconds={}) == replace(second, seconds={})
    file.append(first)
    read = find_finished([work], RecordFile(file.path))[work]
    assert (read.tries, read.chosen, read.key) == (first.tries, first.chosen, work.key)
    other = searched(replace(RATES, train={"learning_rate": (0.0002, 0.02, 0.2)}))
    assert not find_finished([other, replace(work, tries=())], file)


def test_a_search_goes_on_from_its_checkpoints(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Tries that were finished before a stop are not trained again, and the record is the same."""
    work, wanted, calls = searched(), run(searched()), []

    def stop_in_the_last_try(*arguments: Any) -> Any:
        calls.append(arguments)
        if len(calls) == 3:
            raise KeyboardInterrupt
        return fit_unit(*arguments)

    with monkeypatch.context() as patched:
        patched.setattr(run_unit_module, "fit_unit", stop_in_the_last_try)
        with pytest.raises(KeyboardInterrupt):
            run_unit(work, opened(), tmp_path / "unit")
    assert sorted(path.name for path in (tmp_path / "unit").iterdir()) == ["try-0", "try-1"]
    found = run_unit(work, opened(), tmp_path / "unit")
    assert replace(found, seconds={}) == replace(wanted, seconds={})
    assert not (tmp_path / "unit").exists()


def test_a_failed_try_is_a_failed_unit(tmp_path: Path) -> None:
    broken = replace(PLAIN, features="attributes")  # MUTAG has none
    work = replace(searched(config=broken), data=replace(DATA, digest=""))
    found = run_units([work], RecordFile(tmp_path / "r.jsonl", "toy"), progress=False)
    assert list(found.failures) == [work]


# ---------------------------------------------------------------------- files


def test_networks_and_settings_of_another_experiment(toy: Callable[..., Path]) -> None:
    made = read_experiment(toy())
    assert list(made.methods) == ["sum"]  # no rules
    config = made.config(made.methods["sum"], made.data[0])
    assert (config.features, config.train.epochs, config.train.batch_size) == ("auto", 1, 16)
    units = plan_units(made)
    assert len(units) == 10
    assert {len(unit.tries) for unit in units} == {3}
    assert len(plan_units(smallest(made))[0].tries) == 2


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("tries = 3", "tries = 6", "toy.toml: methods.sum: search: tries is 6, but sum has only 5"),
        ("tries = 3", "tries = 1", r"toy.toml.search.tries is 1; a search needs at least 2"),
        ("tries = 3\n", "", "toy.toml.search: the key 'tries' is missing"),
        ("tries = 3", "tries = 3\nsede = 1", "toy.toml.search: unknown key 'sede'.*seed"),
        ("[0.0, 0.5]", "[]", "toy.toml.search.model.dropout: give a list"),
        ("[0.0, 0.5]", "0.5", "toy.toml.search.model.dropout: give a list"),
        ("[0.0, 0.5]", "[0.0, 1.5]", r"toy.toml.search.model: .*dropout is 1.5"),
        ("[0.0, 0.5]", '[0.0, "a"]', "toy.toml.search.model.dropout: 'a' is not of type float"),
        ("[0.0, 0.5]", "[0.0, 0.0]", "toy.toml.search.model.dropout: 0.0 stands there twice"),
        ("model.dropout", "model.dropuot", "toy.toml.search.model: 'dropuot' .*dropout"),
        ("model.dropout", "model.pooler", "toy.toml.search.model: 'pooler' can't be searched"),
        ("train.learning_rate", "train.seed", "toy.toml.search.train: 'seed' can't be searched"),
        ('"base"', '"bsae"', "no experiment 'bsae'.*base"),
        ('"base"', '"toy"', "toy.toml.networks_of: toy has its networks from elsewhere"),
    ],
)
def test_bad_files_say_what_is_wrong(
    toy: Callable[..., Path], old: str, new: str, message: str
) -> None:
    with pytest.raises(ConfigError, match=message):
        read_experiment(toy((old, new)))


def test_readouts_has_both_readouts_of_every_pooler() -> None:
    made = list_experiments(PROJECT)["readouts"]
    kinds: dict[tuple[str, str], set[str]] = {}
    for method in made.methods.values():
        model = made.config(method, made.data[0]).model
        gather = model.gather
        if gather == "default":
            gather = "last" if model.pooler == "hap-paper" else "levels"
        kinds.setdefault((model.pooler, model.encoder), set()).add(gather)
    for pooler in ("hap", "hap-one-way", "hap-paper", "gpool", "sagpool", "diffpool", "asap",
                   "structpool", "attpool-global", "attpool-local"):  # fmt: skip
        assert {"levels", "last"} <= kinds[pooler, "gcn"], pooler
