"""Matching and similarity from the command line: trained, gone on with, scored, and refused."""

import json
import re
import shutil
import signal
from pathlib import Path

import pytest
import torch

from graphpool.cli.main import run
from graphpool.config import RunConfig, defaults_for, read_toml
from graphpool.data.formats.jsonl_write import write_jsonl
from graphpool.data.load import load, read
from graphpool.data.synthetic.matching.build import matching_pairs
from graphpool.estimators.comparer import GraphComparer
from graphpool.evaluation.baselines.pairs import rule_accuracies_by_halves
from graphpool.ged.partial_results import parts_folder
from graphpool.models.run_folder import DISTANCES, RunFolder
from graphpool.tasks.pairwise import PairwiseTask
from graphpool.training.checkpoint import read_checkpoint

SMALL = ("--hidden", "8", "--layers", "1", "--threads", "1", "--set", "train.batch_size=8")
FEW = ("--examples", "24", "--set", "compare.valid=8", "--set", "compare.test=8")
MATCHING = ("train", "--task", "matching", "matching-paper-8", *SMALL, *FEW)
SIMILARITY = ("train", "--task", "similarity", *SMALL, *FEW)


def called(*arguments):
    with pytest.raises(SystemExit) as stop:
        run([str(argument) for argument in arguments])
    return stop.value.code


@pytest.fixture(scope="module", autouse=True)
def own_cache(tmp_path_factory):
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("GRAPHPOOL_CACHE", str(tmp_path_factory.mktemp("cache")))
        yield


@pytest.fixture(scope="module")
def own(tmp_path_factory):
    """24 molecules of at most 13 atoms, as a file of a user's own."""
    graphs = load("MUTAG", features=None)
    path = tmp_path_factory.mktemp("own") / "own.jsonl"
    write_jsonl(graphs[(graphs.node_counts <= 13).nonzero()[:24, 0]], path)
    return path


@pytest.fixture(scope="module")
def matched(tmp_path_factory):
    """A finished run of matching."""
    folder = tmp_path_factory.mktemp("runs") / "matching"
    assert called(*MATCHING, "--epochs", "2", "--out", folder) == 0
    return folder


@pytest.fixture(scope="module")
def similar(own, tmp_path_factory):
    """A finished run of similarity, with distances that it computed."""
    folder = tmp_path_factory.mktemp("runs") / "similarity"
    assert called(*SIMILARITY, own, "--epochs", "2", "--out", folder) == 0
    return folder


def tensors(folder, name="best.safetensors"):
    return read_checkpoint(folder / name).tensors


def test_a_run_leaves_everything_about_it_in_its_folder(matched, similar):
    common = {
        "config.toml", "examples.json", "events.jsonl", "result.json", "last.safetensors",
        "best.safetensors",
    }  # fmt: skip
    assert {path.name for path in matched.iterdir()} == common
    assert {path.name for path in similar.iterdir()} == common | {DISTANCES, "split.json"}
    result = json.loads((matched / "result.json").read_text())
    assert result["examples"] == {"train": 24, "valid": 8, "test": 8}
    assert result["rules"]["size"] == 1  # in the paper's pairs sizes tell all
    assert set(result["rules"]) == {"size", "edges", "degrees", "wl", "spectrum"}
    assert result["test"]["correct"] == round(8 * result["test"]["accuracy"])
    result = json.loads((similar / "result.json").read_text())
    assert set(result["test"]) == {
        "accuracy", "spearman", "kendall", "precision@10", "precision@20",
    }  # fmt: skip
    assert result["rules"]["label-edge"]["accuracy"] > 0.5
    assert (result["distances"], result["split"]) == ("computed", "graphs")


def test_a_task_begins_with_its_own_settings_and_options_are_put_upon_them(cli, matched):
    config, begun = read_toml(RunConfig, matched / "config.toml"), defaults_for("matching")
    assert (config.model.encoder, config.model.norm) == (begun.model.encoder, "batch")
    assert config.features == begun.features
    assert config.model.hidden_channels == 8
    Path("run.toml").write_text('task = "similarity"\n[model]\nnum_layers = 2\n')
    done = cli("train", "--config", "run.toml", "--split", "sideways")
    assert "with --task similarity give published, graphs or classes" in done.err


def test_people_are_told_of_rules_and_machines_get_a_document(cli, own, similar):
    done = cli(*MATCHING, "--epochs", "1", "--pooler", "gmn", "--score", "exp", "--out", "run")
    assert done.code == 0, done.err
    assert "Test accuracy" in done.out
    assert "numbers of nodes         100.0 %" in done.out
    assert "no better than the rule of numbers of nodes" in done.out
    assert "graphpool match A B --model run" in done.out
    assert "24 train, 8 choose the epoch, 8 test" in done.err
    done = cli(*SIMILARITY, own, "--epochs", "1", "--distances", similar / DISTANCES,
               "--split", "classes", "--distance", "euclidean", "--json")  # fmt: skip
    folder = Path("runs/own-similarity-hap-one-way-0")
    assert json.loads(done.out) == json.loads((folder / "result.json").read_text())
    assert "own" not in done.err
    assert not (folder / DISTANCES).exists()


@pytest.mark.parametrize("kind", ["matching", "similarity"])
def test_a_stopped_run_goes_on_to_the_same_bits(cli, kind, own, monkeypatch):
    begun = MATCHING if kind == "matching" else (*SIMILARITY, own)
    begun = (*begun, "--epochs", "4", "--pooler", "gmn-hap" if kind == "matching" else "hap")
    whole, cut = Path("whole"), Path("cut")
    assert cli(*begun, "--out", whole).code == 0
    steps = iter(range(100))

    def stopped(task, model, batch, plain=PairwiseTask.step):
        if next(steps) == 4:  # in the middle of the second epoch
            signal.raise_signal(signal.SIGINT)
        return plain(task, model, batch)

    with monkeypatch.context() as patch:
        patch.setattr(PairwiseTask, "step", stopped)
        done = cli(*begun, "--out", cut)
    assert done.code == 130
    assert "go on with: graphpool train --resume --out cut" in done.err
    assert not (cut / "result.json").exists()
    assert cli("train", "--resume", "--out", cut).code == 0
    for name in ("best.safetensors", "last.safetensors"):
        ours, theirs = tensors(whole, name), tensors(cut, name)
        assert ours.keys() == theirs.keys()
        assert all(torch.equal(ours[key], theirs[key]) for key in ours)
    results = [json.loads((folder / "result.json").read_text()) for folder in (whole, cut)]
    assert results[0]["test"] == results[1]["test"]


def test_going_on_with_other_settings_or_examples_is_refused(cli, matched, similar, own):
    for given, said in (
        (("--examples", "25"), "compare.examples is 24 in the checkpoint and 25 now"),
        (("--task", "similarity"), 'task is "matching"'),
        (("--score", "exp"), 'model.score is "learned"'),
        (("--set", "train.seed=1"), "seed is 0"),
    ):
        done = cli("train", "--resume", "--out", matched, *given)
        assert done.code == 2
        assert said in done.err
    done = cli("train", "matching-paper-9", "--resume", "--out", matched)
    assert "begun with other examples" in done.err
    assert read_toml(RunConfig, matched / "config.toml").data == "matching-paper-8"
    assert "already holds a run" in cli(*MATCHING, "--out", matched).err
    assert cli("train", "--resume", "--out", matched).code == 0


def test_unfinished_distances_count_as_a_run(tmp_path, cli, own):
    parts_folder(tmp_path / DISTANCES).mkdir()
    assert RunFolder(tmp_path).unfinished_distances
    assert "already holds a run" in cli(*SIMILARITY, own, "--out", tmp_path).err


def test_a_trained_comparer_is_scored_on_other_sets(cli, matched, similar, own):
    done = cli("evaluate", "--model", matched, "matching-paper-10", "--json")
    (score,) = json.loads(done.out)["scores"]
    assert score["data"] == "matching-paper-10"
    assert score["examples"] == {"test": 8}
    assert score["rules"]["size"] == 1
    again = cli("evaluate", "--model", matched, "matching-paper-8", "--json")
    result = json.loads((matched / "result.json").read_text())
    assert json.loads(again.out)["scores"][0]["test"] == result["test"]
    done = cli("evaluate", "--model", similar, own, "--json")
    (score,) = json.loads(done.out)["scores"]
    # The run's own set: what it tested is tested again.
    result = json.loads((similar / "result.json").read_text())
    assert score["graphs"]["queries"] == result["graphs"]["test"]
    assert score["test"] == result["test"]
    assert "ranking" in cli("evaluate", "--model", similar, own).out


def test_a_comparer_that_was_made_in_python_is_scored(cli, own, tmp_path):
    graphs = read(own)
    quick = {"epochs": 1, "hidden_channels": 8, "num_layers": 1, "triplets": 50, "threads": 1}
    saved = GraphComparer(**quick).fit(graphs).save(tmp_path / "comparer.safetensors")
    done = cli("evaluate", "--model", saved, own)
    assert done.code == 0, done.err
    assert "24 graphs ranking the others" in done.out
    assert "all of these graphs trained the model" in done.out


def test_pairs_of_ones_own_are_learnt_and_scored(cli, own):
    rows = [json.loads(line)["id"] for line in own.read_text().splitlines()]
    lines = [f"{rows[2 * i]},{rows[2 * i + 1]},{i % 2}" for i in range(12)]
    Path("pairs.csv").write_text("left,right,match\n" + "\n".join(lines))
    done = cli("train", own, "--task", "matching", "--pairs", "pairs.csv", *SMALL,
               "--epochs", "1", "--out", "run")  # fmt: skip
    assert done.code == 0, done.err
    assert "12 groups of pairs that share no graph" in done.err
    done = cli("evaluate", "--model", "run", own, "--pairs", "pairs.csv")
    assert "12 pairs" in done.out
    assert "this is no test accuracy" in done.out
    assert "with a threshold from other pairs:\n  numbers of nodes" in done.out
    Path("bad.csv").write_text(f"{rows[0]},{rows[1]},1\n{rows[0]},nobody,0\n")
    done = cli("train", own, "--task", "matching", "--pairs", "bad.csv", "--out", "other")
    assert done.code == 2
    assert "bad.csv, line 2: there is no graph 'nobody'" in done.err
    assert not Path("other").exists()


def test_rules_beside_pairs_of_ones_own_are_fitted_on_the_other_half() -> None:
    pairs = matching_pairs("paper", 10, 40, 0, verify=False)
    order = torch.argsort(pairs.y)  # files are often sorted
    assert rule_accuracies_by_halves(pairs.select(order))["size"] == 1
    assert rule_accuracies_by_halves(pairs.select(order[:20])) == {}  # no pair that matches
    assert rule_accuracies_by_halves(pairs.select(order[19:21])) == {}


@pytest.mark.parametrize(
    ("given", "said"),
    [
        (("train", "--task", "matchin"), "did you mean 'matching'?"),
        (("train", "MUTAG", "--task", "matching"), "Give --pairs FILE"),
        (("train", "matching-paper-x", "--task", "matching"), "what is 'x'?"),
        (("train", "matching-paper-8"), "graphpool train --task matching"),
        (("train", "MUTAG", "--task", "similarity"), "give distances with --distances"),
        (("train", "--pairs", "x.csv"), "--pairs is for --task matching"),
        (
            ("train", "--task", "matching", "--split", "random"),
            "matching-balanced-hard-20 draws its own pairs for each part; leave out --split",
        ),
        (("train", "--pooler", "gmn"), "--task matching or --task similarity"),
        (("train", "--task", "matching", "--pooler", "simgn"), "did you mean 'simgnn'?"),
        (
            ("train", "--task", "matching", "--count", "validation"),
            "is for tasks over single graphs",
        ),
        (("train", "--task", "similarity", "--examples", "0"), "must be positive"),
        (
            ("train", "--task", "matching", "--pooler", "gmn", "--distance", "sorted"),
            "--distance is for hap, hap-one-way, flat",
        ),
        (("train", "matching-paper-", "--task", "matching"), "what is ''?"),
        (("train", "matching-paper", "--task", "matching"), "it names no number of nodes. Sets"),
    ],
)
def test_what_cannot_be_trained_is_said_in_one_line(cli, given, said):
    done = cli(*given)
    assert done.code == 2
    assert said in done.err
    assert not Path("runs").exists()


def test_models_of_another_kind_are_refused_with_their_command(cli, matched, similar, trained, own):
    assert "use it with graphpool match A B" in cli("predict", matched, own).err
    assert "use it with graphpool predict" in cli("match", own, own, "--model", trained).err
    said = cli("evaluate", "--model", trained, own, "--pairs", "x.csv").err
    assert "a model for classification takes no --pairs" in said
    assert "go with --model" in cli("evaluate", own, "--pairs", "x.csv").err
    assert "a model for matching takes no --distances" in cli(
        "evaluate", "--model", matched, own, "--distances", "x.ged").err  # fmt: skip


@pytest.mark.parametrize(
    ("task", "sections"),
    [
        ("matching", ["Results beside rules", "Scores of test pairs", "Pairs, right and wrong"]),
        ("similarity", ["Results beside rules", "Predicted and true distance", "Nearest graphs"]),
    ],
)
def test_a_run_has_its_page(cli, task, sections, matched, similar):
    folder = matched if task == "matching" else similar
    done = cli("report", folder, "--out", "page.html", "--json")
    assert done.code == 0, done.err
    assert json.loads(done.out) == {"path": "page.html"}
    page = Path("page.html").read_text(encoding="utf-8")
    assert re.findall("<h2>(.*?)</h2>", page) == [
        *sections, "Learning curves", "How to repeat it",
    ]  # fmt: skip
    result = json.loads((folder / "result.json").read_text())
    assert f'<p class="big">{100 * result["test"]["accuracy"]:.1f}<small>%' in page


def test_pages_are_of_the_graphs_that_were_tested(cli, matched, similar):
    for folder, keys in ((matched, ("parts", "test")), (similar, ("distances",))):
        copy = Path(folder.name)
        shutil.copytree(folder, copy)
        facts = json.loads((copy / "examples.json").read_text())
        place = facts
        for key in keys:
            place = place[key]
        place["digest"] = "of others"
        (copy / "examples.json").write_text(json.dumps(facts))
        done = cli("report", copy)
        assert done.code == 2
        assert "have changed since it was trained" in done.err
        (copy / "examples.json").unlink()
        assert "train the model anew" in cli("report", copy).err


def test_pair_networks_are_listed(cli):
    rows = {row["name"]: row for row in json.loads(cli("list", "poolers", "--json").out)["poolers"]}
    pairs = [name for name, row in rows.items() if row["family"] == "pair"]
    assert pairs == ["gmn", "gmn-hap", "simgnn", "simgnn-hap"]
    assert "gmn-hap" in cli("list").out
