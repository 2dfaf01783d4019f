"""Every experiment of the project is valid and can be run; files that are not say what is wrong."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from graphpool.errors import ConfigError, DataError, GraphpoolWarning
from graphpool.experiments.engine import run_units
from graphpool.experiments.experiment_file import list_experiments, read_experiment
from graphpool.experiments.plan import open_sources, plan_units, smallest
from graphpool.experiments.project import run, status, validate
from graphpool.experiments.records import RecordFile

PROJECT = Path(__file__).resolve().parents[2]
EXPERIMENTS = list_experiments(PROJECT)
RUNNABLE = [name for name, each in EXPERIMENTS.items() if each.data]
# Experiments that pages show before all of their units are measured.
BEING_MEASURED = {
    "classification", "classification-search", "paper-protocol", "readouts", "worth",
}  # fmt: skip
TOY = """
title = "Toy"
task = "classification"
protocol = "cv10"
seeds = [0, 1]

[settings]
features = "auto"
[settings.model]
encoder = "gcn"
hidden_channels = 8
[settings.train]
epochs = 2

[[data]]
name = "MUTAG"

[methods.hap]
model = {pooler = "hap-one-way", assignment = "places", connect = "offdiagonal"}

[methods.majority]
rule = "majority"
seeds = [0]

[[blocks]]
page = "README.md"
name = "toy"
"""


@pytest.fixture
def toy(tmp_path: Path) -> Callable[..., Path]:
    def write(*changes: tuple[str, str]) -> Path:
        text = TOY
        for old, new in changes:
            assert old in text
            text = text.replace(old, new)
        path = tmp_path / "experiments" / "toy.toml"
        path.parent.mkdir(exist_ok=True)
        path.write_text(text, encoding="utf-8")
        return path

    return write


def test_every_file_is_valid_and_has_its_blocks() -> None:
    counts = validate(PROJECT)
    assert counts.keys() == EXPERIMENTS.keys()
    assert sum(counts.values()) > 2_000


def test_every_unit_has_a_key_of_its_own_and_none_has_failed() -> None:
    for each in status(PROJECT):
        units = plan_units(EXPERIMENTS[each.name])
        assert len({unit.key for unit in units}) == len(units) == each.units
        assert each.failed == 0, each.name
        # Cells that are not measured yet are left open.
        if EXPERIMENTS[each.name].blocks and each.name not in BEING_MEASURED:
            assert each.missing == 0, each.name


@pytest.mark.parametrize("name", RUNNABLE)
def test_the_smallest_form_runs(name: str, data_root: Path, tmp_path: Path) -> None:
    """One network and one rule of each; the rest are run by the slow test below."""
    small = replace(smallest(EXPERIMENTS[name]))
    units = plan_units(small)
    networks = [unit for unit in units if unit.config is not None]
    rules = [unit for unit in units if unit.config is None]
    few = open_sources([networks[-1], *rules[:1]], tmp_path, data_root, smoke=True)
    records = RecordFile(tmp_path / "records.jsonl", name)
    found = run_units(few, records, sources=tmp_path, progress=False)
    assert not found.failures
    assert len(found.records) == len(few)


@pytest.mark.slow
@pytest.mark.parametrize("name", RUNNABLE)
def test_all_methods_run_in_the_smallest_form(name: str, data_root: Path) -> None:
    found = run(name, PROJECT, smoke=True, root=data_root, progress=False)
    assert not any(each.failures for each in found.values())


def test_records_of_a_set_with_attributes_say_that_labels_alone_were_used() -> None:
    """They were made when `auto` meant labels alone."""
    for name in ("cv10", "paper-protocol", "places", "places-norm", "poolers"):
        experiment = EXPERIMENTS[name]
        for method in experiment.methods.values():
            if not method.rule:
                config = experiment.config(method, experiment.entry("PROTEINS"))
                assert config.features == "labels", name


def test_what_was_hap_by_content_says_so() -> None:
    for name in ("cv10", "paper-protocol"):
        experiment = EXPERIMENTS[name]
        method = experiment.methods["hap-content"]
        model = experiment.config(method, experiment.data[0]).model
        assert (model.assignment, model.clusters) == ("content", (8, 1))


# ---------------------------------------------------------------------- a file of one's own


def test_a_plan_has_every_method_seed_and_fold(toy: Callable[..., Path]) -> None:
    units = plan_units(read_experiment(toy()))
    assert [unit.method for unit in units] == ["hap"] * 20 + ["majority"] * 10
    config = units[0].config
    assert config is not None
    assert (config.model.hidden_channels, config.train.epochs) == (8, 2)


def test_data_have_settings_of_their_own_and_methods_their_data(toy: Callable[..., Path]) -> None:
    more = '[[data]]\nname = "PTC"\nsettings.train.epochs = 7\n\n[methods.hap]\ndata = ["PTC"]'
    units = plan_units(read_experiment(toy(("[methods.hap]", more))))
    networks = [unit for unit in units if unit.config is not None]
    assert {unit.data.name for unit in networks} == {"PTC"}
    assert {unit.config.train.epochs for unit in networks if unit.config} == {7}


def test_what_a_used_experiment_has_measured_is_not_measured_again(
    toy: Callable[..., Path], tmp_path: Path
) -> None:
    page = tmp_path / "README.md"
    page.write_text("<!-- toy -->\n<!-- end -->\n", encoding="utf-8")
    small = ("seeds = [0, 1]", "seeds = [0]")
    text = toy(small).read_text(encoding="utf-8")
    run("toy", tmp_path, methods=["majority"], progress=False)
    second = text.partition("[[blocks]]")[0].replace(
        "seeds = [0]", 'seeds = [0]\nuses = ["toy"]', 1
    )
    (tmp_path / "experiments" / "second.toml").write_text(second, encoding="utf-8")
    found = run("second", tmp_path, methods=["majority"], progress=False)
    assert len(found["second"].records) == 10
    assert not (tmp_path / "results" / "second.jsonl").exists()
    assert {each.name: each.finished for each in status(tmp_path)} == {"toy": 10, "second": 10}


def test_finished_units_of_other_graphs_or_features_are_not_joined_by_new_ones(
    toy: Callable[..., Path], tmp_path: Path
) -> None:
    toy(
        ("seeds = [0, 1]", "seeds = [0]\nfolds = 1"),
        ("[methods.majority]", '[methods.sum]\nmodel = {pooler = "sum"}\n[methods.majority]'),
    )
    (record,) = run("toy", tmp_path, methods=["sum"], progress=False)["toy"].records
    path = tmp_path / "results" / "toy.jsonl"
    text = path.read_text(encoding="utf-8")
    path.write_text(text.replace(record.digest, "0" * 64), encoding="utf-8")
    with pytest.raises(DataError, match="its records of MUTAG belong to another set of that name"):
        run("toy", tmp_path, methods=["sum", "majority"], progress=False)
    path.write_text(
        text.replace(f'"features": "{record.features}"', '"features": "degree"'), encoding="utf-8"
    )
    with pytest.warns(GraphpoolWarning, match="made with the features degree"):
        found = run("toy", tmp_path, methods=["sum", "majority"], progress=False)["toy"]
    assert [each.features for each in found.records] == [record.features, ""]


def test_only_some_data_and_methods_are_run(toy: Callable[..., Path], tmp_path: Path) -> None:
    toy()
    found = run("toy", tmp_path, methods=["majority"], progress=False)["toy"]
    assert {record.method for record in found.records} == {"majority"}
    with pytest.raises(ConfigError, match="toy: no method 'majorty'"):
        run("toy", tmp_path, methods=["majorty"])
    with pytest.raises(ConfigError, match="toy: no data 'PTC'"):
        run("toy", tmp_path, data=["PTC"])


def test_data_and_methods_are_run_by_their_names_in_the_experiment(
    toy: Callable[..., Path], tmp_path: Path
) -> None:
    """A rule may have another name, and so may the data of a seed."""
    changes = (
        ('task = "classification"', 'task = "matching"'),
        ('protocol = "cv10"\n', ""),
        ('name = "MUTAG"', 'name = "small"\nnodes = [10]\ntrain = 8\nvalid = 8\ntest = 8'),
        ('[methods.majority]\nrule = "majority"', '[methods.nodes]\nrule = "size"'),
    )
    toy(*changes)
    found = run("toy", tmp_path, data=["small"], methods=["nodes"], progress=False)["toy"]
    assert [record.method for record in found.records] == ["size"]


def test_the_smallest_form_is_of_the_data_and_methods_that_are_named(
    toy: Callable[..., Path], tmp_path: Path
) -> None:
    more = '[[data]]\nname = "RING"\nset = "ring:graphs=400,seed=1"\n\n[methods.hap]'
    toy(("[methods.hap]", more), ('rule = "majority"', 'rule = "majority"\ndata = ["MUTAG"]'))
    found = run("toy", tmp_path, smoke=True, data=["RING"], progress=False)["toy"]
    assert [(record.data, record.method) for record in found.records] == [("RING", "hap")]
    none = run("toy", tmp_path, data=["RING"], methods=["majority"], progress=False)
    assert none["toy"].records == ()


def test_data_have_seeds_of_their_own(toy: Callable[..., Path]) -> None:
    more = '[[data]]\nname = "PTC"\nseeds = [1]\n\n[methods.sum]\nmodel = {pooler = "sum"}\n'
    only_mutag = ('rule = "majority"', 'rule = "majority"\ndata = ["MUTAG"]')
    experiment = read_experiment(toy(("[methods.hap]", f"{more}\n[methods.hap]"), only_mutag))
    units = [unit for unit in plan_units(experiment) if unit.method == "sum"]
    seeds = {
        name: {unit.seed for unit in units if unit.data.name == name} for name in ("MUTAG", "PTC")
    }
    assert seeds == {"MUTAG": {0, 1}, "PTC": {1}}
    assert {unit.seed for unit in plan_units(smallest(experiment))} == {0}


def test_a_run_is_kept_with_the_project_and_its_budget_is_kept(
    toy: Callable[..., Path], tmp_path: Path
) -> None:
    toy(('protocol = "cv10"', 'protocol = "cv10"\nfolds = 1'))
    none = run("toy", tmp_path, minutes=0.0, progress=False)["toy"]
    assert len(none.missing) == 3
    done = run("toy", tmp_path, progress=False)["toy"]
    assert (len(done.records), done.missing) == (3, ())
    (found,) = status(tmp_path)
    assert (found.units, found.finished, found.missing, found.other_code) == (3, 3, 0, 0)
    before = (tmp_path / "results" / "toy.jsonl").read_bytes()
    run("toy", tmp_path, progress=False)
    assert (tmp_path / "results" / "toy.jsonl").read_bytes() == before


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ('assignment = "places", ', "", "an alias whose meaning may change"),
        ("hidden_channels", "hiden_channels", "did you mean 'hidden_channels'"),
        ('rule = "majority"', 'rule = "majorty"', "did you mean 'majority'"),
        ('pooler = "hap-one-way"', 'pooler = "hpa"', "model.pooler is 'hpa'"),
        ('protocol = "cv10"', 'protocol = "cv1"', "at least 2"),
        ('protocol = "cv10"', 'protocol = "my.json"', "protocol my.json is a file"),
        ('protocol = "cv10"', 'protocol = "vc10"', "unknown split 'vc10'; did you mean 'cv10'"),
        ("seeds = [0]", 'data = ["PTC"]', "no data 'PTC'"),
        ("seeds = [0, 1]\n", "", "give seeds"),
        ('name = "MUTAG"', 'name = "MUTAG"\nseeds = [2]', "MUTAG: seed 2 is not among the seeds"),
        ('name = "MUTAG"', 'name = "MUTAG"\nseeds = [0, 0]', "MUTAG: a seed is named twice"),
        ('name = "MUTAG"', 'name = "MUTAG"\nseeds = ["0"]', "seeds"),
        (
            'name = "MUTAG"',
            'name = "MUTAG"\nseeds = [1]',
            "methods.majority and data MUTAG have no",
        ),
        ('name = "toy"', 'name = "toy"\npaper = ["HAP"]', "no paper.values.HAP"),
        ("[settings.model]", "[settings.modle]", "unknown key 'modle'; did you mean 'model'"),
        ('features = "auto"', "features = 5", "toy.toml.settings.features: 5 is not of type str"),
        ('name = "MUTAG"', 'name = "MUTAG"\nsettings.trian.epochs = 3', "unknown key 'trian'"),
        ('name = "MUTAG"', 'name = "MUTAG"\nsettings.train = 3', "settings.train: 3 is not of"),
        ('name = "MUTAG"', 'name = "MUTAG"\ntrain = 5', "the task classification has no train"),
        ('name = "MUTAG"', 'name = "MUTAG"\nlearn = 5', "learn is of the protocol holdout"),
        ('name = "MUTAG"', 'name = "MUTAG"\n[[data]]\nname = "MUTAG"', "two data are called"),
        ("seeds = [0, 1]", "seeds = [0, 1, 0]", "toy.toml: a seed is named twice"),
        ("seeds = [0]", "seeds = [0, 0]", "methods.majority: a seed is named twice"),
        ("seeds = [0, 1]", "seeds = [-1, 0]", "toy.toml: seed -1 is below 0"),
        ("seeds = [0, 1]", "seeds = [0, 1]\nfolds = 11", "protocol cv10 has 10"),
        ("seeds = [0, 1]", "seeds = [0, 1]\nfolds = -1", "folds is -1"),
        ('rule = "majority"', 'rule = "majority"\ntrain.epochs = 3', "a rule has no features"),
        ('name = "toy"', 'name = "toy"\ndigits = -1', "digits is -1; give 0 to 15"),
        ("[settings]", "[paper.values]\nHAP = 5\n[settings]", "paper.values.HAP: 5 is not of"),
        ("[settings]", '[paper.values.HAP]\nA = "x"\n[settings]', "HAP.A: 'x' is not of type"),
        ("[settings]", 'networks_of = "a/b"\n[settings]', "toy.toml.networks_of: no experiment"),
        (
            'name = "toy"',
            'name = "toy"\ncolumns = [{title = "all", data = "MUTAG / PTC"}]',
            "column 'all' has several data",
        ),
        ("title", "titel", "did you mean 'title'"),
        ("[methods.hap]", "[methods.hap", "not valid TOML"),
    ],
)
def test_what_is_wrong_is_named(toy: Callable[..., Path], old: str, new: str, message: str) -> None:
    with pytest.raises(ConfigError, match=message.replace(".", r"\.")):
        read_experiment(toy((old, new)))


def test_methods_without_data_are_refused(toy: Callable[..., Path]) -> None:
    changes = (('[[data]]\nname = "MUTAG"\n', ""), ("seeds = [0, 1]", 'uses = ["other"]'))
    with pytest.raises(ConfigError, match=r"toy\.toml: methods are measured on \[\[data\]\]"):
        read_experiment(toy(*changes))


def test_what_drawn_examples_do_not_have_is_refused(toy: Callable[..., Path]) -> None:
    changes = (
        ('task = "classification"', 'task = "matching"'),
        ('name = "MUTAG"', 'name = "20"\nnodes = [20]\ntrain = 8\nvalid = 8\ntest = 8'),
        ('rule = "majority"', 'rule = "nodes"'),
    )
    with pytest.raises(ConfigError, match="drawn for each seed; leave protocol and folds out"):
        read_experiment(toy(*changes))
    changes = (*changes, ('protocol = "cv10"\n', ""))
    with pytest.raises(ConfigError, match="data 20: the task matching has no learn"):
        read_experiment(toy(*changes, ("nodes = [20]", "nodes = [20]\nlearn = 3")))


def test_an_experiment_that_is_used_must_be_there(toy: Callable[..., Path], tmp_path: Path) -> None:
    toy(("seeds = [0, 1]", 'seeds = [0, 1]\nuses = ["nope"]'))
    with pytest.raises(ConfigError, match=r"toy\.toml: uses: no experiment 'nope'"):
        run("toy", tmp_path)


@pytest.mark.parametrize("smoke", [False, True])
def test_an_experiment_without_data_runs_those_that_it_uses(
    toy: Callable[..., Path], tmp_path: Path, smoke: bool
) -> None:
    text = 'title = "Only"\ntask = "classification"\nuses = ["toy"]\n'
    toy().with_stem("only").write_text(text, encoding="utf-8")
    found = run("only", tmp_path, smoke=smoke, minutes=0.0, progress=False)
    assert list(found) == ["toy"]
    assert len(found["toy"].missing) == (2 if smoke else 30)


def test_a_missing_block_and_a_missing_experiment_are_named(
    toy: Callable[..., Path], tmp_path: Path
) -> None:
    toy()
    (tmp_path / "README.md").write_text("<!-- other -->\n<!-- end -->\n", encoding="utf-8")
    with pytest.raises(ConfigError, match=r"README\.md has no block <!-- toy -->"):
        validate(tmp_path)
    with pytest.raises(ConfigError, match="did you mean 'toy'"):
        run("toi", tmp_path)
    with pytest.raises(ConfigError, match="run this in a clone"):
        list_experiments(tmp_path / "nowhere")
