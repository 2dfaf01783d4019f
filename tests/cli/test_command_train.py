import json
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from graphpool.config import RENAMED, RunConfig, original_names, read_toml
from graphpool.data.load import read
from graphpool.graphs.places.rule import PlaceRule
from graphpool.models.model import TrainedModel
from graphpool.models.run_folder import RunFolder
from graphpool.tasks.classification import ClassificationTask
from graphpool.training.checkpoint import read_checkpoint, write_checkpoint

QUICK = ("--epochs", "2", "--hidden", "8", "--threads", "1")


HARD = PlaceRule(units="auto", steps=0, most=1024)  # what hap finds


def weights(folder):
    return {
        name: value.tolist()
        for name, value in read_checkpoint(folder / "best.safetensors")[1].items()
    }


def test_a_run_leaves_everything_about_it_in_its_folder(trained):
    names = {path.name for path in trained.iterdir()}
    assert names == {
        "config.toml", "split.json", "events.jsonl", "result.json", "last.safetensors",
        "best.safetensors",
    }  # fmt: skip


def test_json_is_the_only_thing_on_stdout_and_is_what_the_file_says(cli, small):
    done = cli("train", small, *QUICK, "--out", "run", "--json")
    assert json.loads(done.out) == json.loads(Path("run/result.json").read_text())


def test_result_counts_right_answers_beside_the_majority(trained, small):
    result = json.loads((trained / "result.json").read_text())
    run = RunFolder(trained)
    data = ClassificationTask.open(run.config(), store=run)
    graphs, split = data.graphs, data.split
    assert result["graphs"] == {"train": 32, "valid": 4, "test": 4}
    # 10 of class -1 and 30 of class 1, dealt out evenly: one and three of the four test graphs.
    assert graphs.y[list(split.test)].tolist().count(1) == 3
    assert result["majority"] == 0.75
    assert result["test"]["accuracy"] == result["test"]["correct"] / 4
    counts = graphs.places(HARD).counts
    tested = counts[list(split.test)].double().mean()
    assert result["health"]["level1/clusters"] == pytest.approx(float(tested))
    assert result["places"] == {
        "least": int(counts.min()), "mean": pytest.approx(float(counts.double().mean())),
        "most": int(counts.max()),
    }  # fmt: skip
    assert result["choice"] is None
    assert result["config"]["model"]["hidden_channels"] == 8


def test_output_for_people_names_accuracy_majority_and_levels(cli, small):
    done = cli("train", small, *QUICK, "--out", "run")
    assert "Test accuracy" in done.out
    assert "\nBalanced " in done.out
    assert "Majority class   75.0 %" in done.out
    counts = read(small).places(HARD).counts
    mean = f"{counts.double().mean():.1f}"
    told = f"{counts.min()} to {counts.max()} places in a graph, {mean} on average"
    assert f"Level 1: {told}" in done.out
    assert told in done.err
    assert "graphpool predict run FILE" in done.out
    assert "32 train, 4 choose the epoch, 4 test" in done.err


def test_parts_that_recur_are_learned_kept_and_used_again(cli, small):
    run = ("train", small, *QUICK, "--pooler", "hap", "--units", "recurring")
    done = json.loads(cli(*run, "--out", "run", "--json").out)
    model = TrainedModel.load("run")
    assert model.features.parts is not None
    assert model.config.model.parts == model.features.parts.digest
    assert done["places"]["mean"] >= 1
    assert cli("report", "run").code == 0
    assert cli("predict", "run", small, "--out", "classes.csv").code == 0
    wrong = cli(*run, "--set", "model.ratio=0.1", "--out", "other")
    assert wrong.code == 2
    assert "leave out one of them" in wrong.err


def test_options_of_places_reach_the_settings(cli, small):
    done = cli("train", small, *QUICK, "--pooler", "hap-one-way", "--assignment", "places-only",
               "--connect", "plain", "--count", "eigengap", "--resolution", "3",
               "--set", "model.max_clusters=4", "--out", "run")  # fmt: skip
    assert done.code == 0
    model = read_toml(RunConfig, "run/config.toml").model
    assert (model.assignment, model.connect, model.cluster_count) == (
        "places-only",
        "plain",
        "eigengap",
    )
    assert (model.resolution, model.max_clusters) == (3.0, 4)
    assert json.loads(Path("run/result.json").read_text())["places"]["most"] <= 4


@pytest.mark.parametrize(
    ("given", "message"),
    [
        (("--units", "recurring", "--resolution", "6"), "beside model.units = 'recurring'"),
        (("--units", "graph", "--resolution", "6"), "beside model.units = 'graph'"),
        (("--clusters", "20,4", "--resolution", "3"), "beside model.clusters = [20, 4]"),
        (("--units", "nodes", "--set", "model.gate=on"), "--set model.gate=on changes nothing"),
        (("--set", "model.down=never", "--set", "model.gate=on"), "beside model.down = 'never'"),
        (("--units", "recurring", "--set", "model.parts=abc"), "training finds the parts"),
    ],
)
def test_options_that_others_leave_without_effect_are_refused(cli, small, given, message):
    done = cli("train", small, *QUICK, *given, "--out", "run")
    assert done.code == 2
    assert message in done.err
    assert not Path("run").exists()


def test_given_clusters_are_told_as_clusters_where_there_are_no_places(cli, small):
    done = cli("train", small, *QUICK, "--clusters", "5,1", "--pooler", "hap-one-way",
               "--assignment", "content", "--out", "run")  # fmt: skip
    assert "Level 1: 5 clusters; test graphs use" in done.out
    assert "places in a graph" not in done.out + done.err


def test_a_collapsed_level_is_told(cli, small):
    done = cli("train", small, *QUICK, "--pooler", "hap-paper", "--out", "run")
    assert "warning: level 1 has collapsed" in done.out
    assert done.err.count("collapsed") == 0


def test_one_answer_for_all_test_graphs_is_told(cli, small):
    done = cli("train", small, "--epochs", "1", "--hidden", "4", "--threads", "1", "--pooler",
               "hap-one-way", "--out", "run")  # fmt: skip
    assert "warning: the model answers -1 for every graph" in done.out


def test_help_names_the_default_set(cli):
    assert "by default MUTAG" in " ".join(cli("train", "--help").out.replace("│", " ").split())


def test_options_override_set_and_config_file(cli, small):
    Path("run.toml").write_text(
        f'data = "{small}"\n[model]\nhidden_channels = 4\ndropout = 0.5\n[train]\nepochs = 9\n'
    )
    done = cli("train", "--config", "run.toml", "--epochs", "1", "--set", "model.dropout=0.25",
               "--set", "model.readout=['sum']", "--out", "run")  # fmt: skip
    assert done.code == 0
    config = read_toml(RunConfig, Path("run/config.toml"))
    assert (config.train.epochs, config.model.dropout, config.model.hidden_channels) == (1, 0.25, 4)
    assert config.model.readout == ("sum",)


def test_the_same_run_twice_is_the_same_to_the_bit(cli, small):
    for name in ("a", "b"):
        assert cli("train", small, *QUICK, "--out", name).code == 0
    assert weights(Path("a")) == weights(Path("b"))


def test_a_folder_with_a_run_is_not_written_over(cli, small):
    arguments = ("train", small, *QUICK, "--out", "run")
    cli(*arguments)
    before = Path("run/last.safetensors").read_bytes()
    done = cli(*arguments)
    assert done.code == 2
    assert "already holds a run; go on with it with --resume" in done.err
    assert Path("run/last.safetensors").read_bytes() == before
    assert cli(*arguments, "--overwrite", "--seed", "5").code == 0
    assert json.loads(Path("run/result.json").read_text())["config"]["train"]["seed"] == 5


def test_resume_without_a_run_is_an_error(cli):
    done = cli("train", "--resume", "--out", "nothing")
    assert done.code == 2
    assert "no run to go on with" in done.err


def test_resume_with_another_setting_names_it(cli, small):
    cli("train", small, *QUICK, "--learning-rate", "0.01", "--out", "run")
    done = cli("train", "--resume", "--out", "run", "--learning-rate", "0.5")
    assert done.code == 2
    assert "config.learning_rate is 0.01 in the checkpoint and 0.5 now" in done.err


@pytest.mark.parametrize("option", [("--hidden", "4"), ("--seed", "1"), ("--epochs", "1")])
def test_a_refused_resume_leaves_the_settings_of_the_run_alone(cli, small, option):
    cli("train", small, *QUICK, "--out", "run")
    before = Path("run/config.toml").read_text()
    assert cli("train", "--resume", "--out", "run", *option).code == 2
    assert Path("run/config.toml").read_text() == before
    assert cli("train", "--resume", "--out", "run").code == 0


def test_resume_in_the_default_folder_keeps_the_settings_of_the_run(cli, small):
    cli("train", small, *QUICK, "--dropout", "0.2")
    assert cli("train", small, "--resume", "--epochs", "3").code == 0
    kept = read_toml(RunConfig, "runs/small-hap-0/config.toml")
    assert (kept.model.dropout, kept.model.hidden_channels, kept.train.epochs) == (0.2, 8, 3)


def test_a_run_that_never_began_does_not_hold_its_folder(cli, small):
    arguments = ("train", small, *QUICK, "--out", "run")
    assert cli(*arguments, "--features", "attributes").code == 2
    assert cli(*arguments).code == 0


def test_a_folder_that_cannot_be_made_is_named(cli, small):
    Path("file").write_text("")
    done = cli("train", small, *QUICK, "--out", "file/run")
    assert done.code == 2
    assert "file/run: can't be written: a file stands where a folder is needed" in done.err


def test_resume_goes_on_to_more_epochs(cli, small):
    cli("train", small, *QUICK, "--out", "run")
    assert cli("train", "--resume", "--out", "run", "--epochs", "4").code == 0
    assert json.loads(Path("run/result.json").read_text())["epochs"] == 4


def as_0_1_0(folder):
    """Give the settings in the files of a run as graphpool 0.1.0 had them."""
    path = folder / "config.toml"
    text = path.read_text()
    for names in RENAMED.values():
        for old, new in names.items():
            text = text.replace(f"\n{new} =", f"\n{old} =")
    assert "\nlayers = 2" in text
    text = text.replace('pooler = "hap-one-way"', 'pooler = "hap"')
    newer = "residual|units|parts|down|whole_graph|gate|gather"
    path.write_text(re.sub(rf"\n({newer}) = [^\n]*", "", text))
    for name in ("last.safetensors", "best.safetensors"):
        _, tensors, header = read_checkpoint(folder / name)
        header["config"] = original_names({"train": header["config"]})["train"]
        header["extra"] = original_names(header["extra"])
        assert "most" in header["extra"]["model"]
        model = header["extra"]["model"]
        assert model.pop("residual") == "off"
        for name_of_newer in newer.split("|")[1:]:
            del model[name_of_newer]
        assert model["pooler"] == "hap-one-way"
        model["pooler"] = "hap"
        write_checkpoint(folder / name, tensors, header)


def test_a_run_of_0_1_0_is_read_and_resumed(cli, small):
    quick = (*QUICK, "--encoder", "gcn", "--pooler", "hap-one-way")
    cli("train", small, *quick, "--out", "run")
    cli("train", small, *quick, "--epochs", "4", "--out", "whole")
    as_0_1_0(Path("run"))
    model = TrainedModel.load("run").config.model
    assert (model.pooler, model.num_layers) == ("hap-one-way", 2)
    assert cli("evaluate", small, "--model", "run").code == 0
    assert cli("report", "run").code == 0
    assert cli("train", "--resume", "--out", "run", "--epochs", "4").code == 0
    assert weights(Path("run")) == weights(Path("whole"))
    assert "num_layers = 2" in Path("run/config.toml").read_text()


def test_resuming_a_finished_run_mends_its_best_weights(cli, small):
    cli("train", small, *QUICK, "--out", "run")
    before = weights(Path("run"))
    Path("run/best.safetensors").write_bytes(b"damaged")
    assert cli("train", "--resume", "--out", "run").code == 0
    assert weights(Path("run")) == before


def test_graphs_without_classes_are_refused(cli):
    Path("plain.jsonl").write_text('{"nodes": 2, "edges": [[0, 1]]}\n' * 1)
    done = cli("train", "plain.jsonl")
    assert done.code == 2
    assert "has no classes" in done.err


def test_too_few_graphs_are_refused_with_the_number_that_is_needed(cli):
    rows = [f'{{"nodes": 2, "edges": [[0, 1]], "y": {row % 2}}}\n' for row in range(9)]
    Path("few.jsonl").write_text("".join(rows))
    done = cli("train", "few.jsonl")
    assert done.code == 2
    assert "few has 9 graphs; at least 10 are needed" in done.err


def test_graphs_of_one_class_are_refused(cli):
    Path("one.jsonl").write_text('{"nodes": 2, "edges": [[0, 1]], "y": "a"}\n' * 12)
    done = cli("train", "one.jsonl")
    assert done.code == 2
    assert "all graphs of one are of one class" in done.err


@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_a_stopped_run_exits_with_its_signal_and_resumes_to_the_bit(cli, small, number, code):
    arguments = [str(small), "--epochs", "60", "--hidden", "8", "--threads", "1"]
    command = [sys.executable, "-m", "graphpool.cli.main", "train", *arguments, "--out", "cut"]
    process = subprocess.Popen(command, stderr=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    events = Path("cut/events.jsonl")
    end = time.monotonic() + 60
    while not (events.exists() and '"epoch": 3' in events.read_text()):
        assert time.monotonic() < end, "the run never got under way"
        time.sleep(0.005)
    process.send_signal(number)
    out, err = process.communicate(timeout=60)
    assert process.returncode == code
    assert out == ""
    assert f"stopped by {number.name}; go on with: graphpool train --resume --out cut" in err
    assert "Traceback" not in err
    assert not Path("cut/result.json").exists()
    if number is signal.SIGINT:
        assert cli("train", "--resume", "--out", "cut").code == 0
        assert cli("train", *arguments, "--out", "whole").code == 0
        assert weights(Path("cut")) == weights(Path("whole"))


VALIDATION = ("--count", "validation", "--threads", "1", "--hidden", "8")
PLACES = (*(f"modularity at resolution {at}" for at in (0.75, 1.5, 3, 6)), "eigengap")


def test_what_validation_graphs_chose_is_told_and_kept_with_the_model(cli, small):
    done = cli("train", small, *VALIDATION, "--epochs", "2", "--out", "run")
    assert "5 ways are tried for 5 epochs each" in done.err
    result = json.loads(Path("run/result.json").read_text())
    choice, kept = result["choice"], TrainedModel.load("run")
    assert f"Places: {kept.choice}, chosen on validation graphs after 5 epochs each:" in done.out
    assert done.out.count(" places a graph  ") == 5
    assert (kept.config.model.cluster_count, kept.config.model.resolution) == (
        choice["count"], choice["resolution"],
    )  # fmt: skip
    assert result["config"]["model"]["cluster_count"] == choice["count"]
    # What the user asked for stays in the settings of the run, to be asked for again.
    assert read_toml(RunConfig, "run/config.toml").model.cluster_count == "validation"
    assert cli("predict", "run", small).code == 0
    assert cli("report", "run").code == 0
    page = Path("run/report.html").read_text()
    assert "chosen on validation graphs" in page
    table = page[page.index("How places were chosen") :]
    assert [f'<th scope="row">{name}' in table for name in PLACES] == [True] * 5
    assert table.count('<span class="badge">chosen</span>') == 1
    assert f'{kept.choice} <span class="badge">chosen</span>' in table
    for pilot in choice["pilots"]:
        assert f">{100 * pilot['metrics']['accuracy']:.1f} %<" in table


def test_a_run_stopped_while_it_chooses_resumes_to_the_bit(cli, small, monkeypatch):
    arguments = (small, *VALIDATION, "--epochs", "6")
    steps = iter(range(100))

    def stopped(task, model, batch, plain=ClassificationTask.step):
        if next(steps) == 8:  # in the second pilot: each has five steps
            assert Path("cut/pilots/1/events.jsonl").exists()
            signal.raise_signal(signal.SIGTERM)
        return plain(task, model, batch)

    with monkeypatch.context() as patch:
        patch.setattr(ClassificationTask, "step", stopped)
        done = cli("train", *arguments, "--out", "cut")
    assert done.code == 143
    assert "go on with: graphpool train --resume --out cut" in done.err
    assert not Path("cut/places.json").exists()
    refused = cli("train", *arguments, "--out", "cut")
    assert "already holds a run; go on with it with --resume" in refused.err
    assert cli("train", "--resume", "--out", "cut").code == 0
    assert cli("train", *arguments, "--out", "whole").code == 0
    assert weights(Path("cut")) == weights(Path("whole"))
    chosen = [json.loads(Path(name, "places.json").read_text()) for name in ("cut", "whole")]
    assert chosen[0] == chosen[1]
    assert not Path("cut/pilots").exists()


def test_more_epochs_keep_the_choice_that_was_made(cli, small):
    cli("train", small, *VALIDATION, "--epochs", "2", "--patience", "0", "--out", "run")
    before = Path("run/places.json").read_bytes()
    # 50 epochs would have given each pilot 10.
    assert cli("train", "--resume", "--out", "run", "--epochs", "50").code == 0
    assert Path("run/places.json").read_bytes() == before
    assert json.loads(Path("run/result.json").read_text())["epochs"] == 50


def test_a_new_run_in_the_folder_of_another_drops_its_choice(cli, small):
    cli("train", small, *VALIDATION, "--epochs", "2", "--out", "run")
    assert cli("train", small, *QUICK, "--out", "run", "--overwrite").code == 0
    assert not Path("run/places.json").exists()
