import json
from pathlib import Path

import pytest
import torch

from graphpool.data.load import read
from graphpool.estimators.classifier import GraphClassifier
from graphpool.models.model import TrainedModel

QUICK = ("--seeds", "1", "--jobs", "1", "--epochs", "1", "--hidden", "4")


def test_baselines_stand_beside_every_result(cli, small):
    done = cli("evaluate", small, "--methods", "sum", *QUICK, "--out", "e", "--report", "--json")
    assert done.code == 0
    result = json.loads(done.out)["results"][0]
    assert list(result["methods"]) == ["sum", "structure-free", "wl", "majority"]
    # Three of the four graphs in each of ten test parts are of the more frequent class.
    assert result["methods"]["majority"]["mean"] == 0.75
    assert len(result["methods"]["sum"]["accuracies"]) == 10
    assert {"results.json", "results.md", "report.html"} <= {p.name for p in Path("e").iterdir()}
    assert "sum on small" in Path("e/report.html").read_text()


def test_every_split_chooses_its_own_number_of_places(cli, small):
    arguments = ("evaluate", small, "--methods", "hap,hap-paper", "--no-baselines", *QUICK,
                 "--protocol", "cv3")  # fmt: skip
    done = cli(*arguments, "--count", "validation", "--out", "e")
    assert done.code == 0
    assert "Places of hap, chosen on validation graphs: " in done.out
    assert "Places of hap-paper" not in done.out
    document = json.loads(cli(*arguments, "--count", "validation", "--out", "e", "--json").out)
    methods = document["results"][0]["methods"]
    assert all(set(row) == {"count", "resolution"} for row in methods["hap"]["chosen"])
    assert methods["hap-paper"]["chosen"] == [{}] * 3
    assert "Places of hap, chosen on validation graphs" in Path("e/results.md").read_text()


def test_table_for_people_and_no_baselines(cli, small):
    arguments = ("evaluate", small, "--methods", "majority", "--no-baselines", *QUICK)
    done = cli(*arguments)
    assert "majority" in done.out
    assert "75.0" in done.out
    assert "wl" not in done.out
    assert "runs/evaluation-small-cv10" in done.out


def test_several_sets_get_a_folder_each_and_one_table(cli, small, tmp_path):
    other = tmp_path / "other.jsonl"
    other.write_text(small.read_text())
    done = cli("evaluate", small, other, "--methods", "majority", "--no-baselines",
               *QUICK, "--out", "e")  # fmt: skip
    assert done.code == 0
    assert Path("e/small/results.json").exists()
    assert Path("e/other/results.json").exists()
    assert "| method" in done.out


def test_a_trained_model_is_scored_and_the_reader_warned(cli, trained, small):
    done = cli("evaluate", small, "--model", trained)
    assert ", balanced " in done.out
    assert "Majority class of this set: 75.0 %" in done.out
    assert "warning: 36 of these graphs trained the model or chose its epoch" in done.out
    assert "Held-out test graphs alone: accuracy" in done.out


def test_the_models_own_set_is_known_by_its_content_and_its_test_part_scored(cli, trained, small):
    Path("copy.jsonl").write_text(small.read_text())
    document = json.loads(cli("evaluate", "copy.jsonl", "--model", trained, "--json").out)
    score = document["scores"][0]
    assert score["trained_on"] == 36
    tested = json.loads((trained / "result.json").read_text())["test"]
    assert score["held_out"]["graphs"] == 4
    assert score["held_out"]["accuracy"] == tested["accuracy"]


def test_a_model_file_of_the_estimator_knows_its_set_too(cli, small):
    model = GraphClassifier(epochs=1, hidden_channels=4).fit(read(small))
    model.save("mine.safetensors")
    document = json.loads(cli("evaluate", small, "--model", "mine.safetensors", "--json").out)
    assert document["scores"][0]["trained_on"] == 40
    assert "held_out" not in document["scores"][0]


@pytest.mark.parametrize(("name", "warnings"), [("part.jsonl", 0), ("small.jsonl", 1)])
def test_of_part_of_a_set_nothing_is_known_but_its_name(cli, trained, small, name, warnings):
    Path(name).write_text("".join(small.read_text().splitlines(True)[5:20]))
    done = cli("evaluate", name, "--model", trained, "--json")
    score = json.loads(done.out)["scores"][0]
    assert score["trained_on"] is None
    assert "held_out" not in score
    assert sum("a set of the same name" in text for text in score["warnings"]) == warnings


def test_a_model_with_one_answer_for_all_is_told(cli, trained, small):
    model = TrainedModel.load(trained)
    with torch.no_grad():
        for weights in model.network.parameters():
            weights.zero_()
    model.save("flat.safetensors")
    done = cli("evaluate", small, "--model", "flat.safetensors")
    assert "accuracy 25.0 %, balanced 50.0 %" in done.out
    assert "warning: the model answers -1 for every graph" in done.out


def test_graphs_whose_labels_are_all_strange_are_not_scored(cli, trained):
    Path("x.jsonl").write_text('{"node_labels": [98, 99], "edges": [[0, 1]], "y": 1}\n')
    done = cli("evaluate", "x.jsonl", "--model", trained)
    assert done.code == 2
    assert "the model knows none of the node labels" in done.err


def test_score_of_a_model_as_json(cli, trained, small):
    document = json.loads(cli("evaluate", small, "--model", trained, "--json").out)
    score = document["scores"][0]
    assert score["graphs"] == 40
    assert score["accuracy"] * 40 == round(score["accuracy"] * 40)


def test_a_class_that_the_model_does_not_know_is_named(cli, trained):
    Path("other.jsonl").write_text(
        '{"node_labels": [0, 0], "edges": [[0, 1]], "edge_labels": [0], "y": 7}\n'
    )
    done = cli("evaluate", "other.jsonl", "--model", trained)
    assert done.code == 2
    assert "the class 7, which the model does not know; its classes are -1, 1" in done.err


def test_the_page_of_a_comparison_is_not_made_by_report(cli):
    Path("compared").mkdir()
    Path("compared/results.json").write_text("{}")
    done = cli("report", "compared")
    assert done.code == 2
    assert "its page is made by graphpool evaluate --report" in done.err
