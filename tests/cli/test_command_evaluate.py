import json
from pathlib import Path

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
    assert "Majority class of this set: 75.0 %" in done.out
    assert "trained on graphs of this set: this is no test accuracy" in done.out


def test_score_of_a_model_as_json(cli, trained, small):
    document = json.loads(cli("evaluate", small, "--model", trained, "--json").out)
    score = document["scores"][0]
    assert score["graphs"] == 40
    assert score["accuracy"] * 40 == round(score["accuracy"] * 40)


def test_a_class_that_the_model_does_not_know_is_named(cli, trained):
    Path("other.jsonl").write_text('{"node_labels": [0, 0], "edges": [[0, 1]], "y": 7}\n')
    done = cli("evaluate", "other.jsonl", "--model", trained)
    assert done.code == 2
    assert "the class 7, which the model does not know; its classes are -1, 1" in done.err


def test_the_page_of_a_comparison_is_not_made_by_report(cli):
    Path("compared").mkdir()
    Path("compared/results.json").write_text("{}")
    done = cli("report", "compared")
    assert done.code == 2
    assert "its page is made by graphpool evaluate --report" in done.err
