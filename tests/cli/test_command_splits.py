"""`--split FILE` and protocols with any number of folds."""

import json
from pathlib import Path

from graphpool.config import RunConfig, read_toml
from graphpool.data.load import read

QUICK = ("--epochs", "1", "--hidden", "4", "--threads", "1")


def split_file(small: Path, *, folds: int = 1) -> Path:
    """Splits of the 40 graphs by id; the first ten are of class -1."""
    ids = read(small).ids
    found = []
    for fold in range(folds):
        test, valid = ids[fold::8], ids[fold + 4 :: 8]
        train = [name for name in ids if name not in {*test, *valid}]
        found.append({"train": train, "valid": valid, "test": test})
    path = Path("mine.json")
    path.write_text(json.dumps(found if folds > 1 else found[0]))
    return path


def test_train_uses_the_split_and_remembers_it(cli, small):
    path = split_file(small)
    done = cli("train", small, *QUICK, "--pooler", "sum", "--split", path, "--out", "run")
    assert done.code == 0, done.err
    stored = json.loads(Path("run/split.json").read_text())["splits"][0]
    assert stored["test"] == [0, 8, 16, 24, 32]
    assert json.loads(Path("run/result.json").read_text())["graphs"] == {
        "train": 30, "valid": 5, "test": 5
    }  # fmt: skip
    assert read_toml(RunConfig, "run/config.toml").split == str(path.absolute())
    path.unlink()
    assert cli("report", "run").code == 0
    again = cli(
        "train", small, *QUICK, "--pooler", "sum", "--split", "run/split.json", "--out", "b"
    )
    assert again.code == 0, again.err
    assert json.loads(Path("b/split.json").read_text())["splits"][0] == stored


def test_a_wrong_split_is_one_line_that_names_the_graph(cli, small):
    path = split_file(small)
    content = json.loads(path.read_text())
    content["test"].append("nosuch")
    path.write_text(json.dumps(content))
    done = cli("train", small, *QUICK, "--split", path, "--out", "run")
    assert done.code == 2
    assert "no graph has the id 'nosuch'" in done.err
    assert not Path("run").exists()


def test_several_splits_are_for_evaluate(cli, small):
    path = split_file(small, folds=2)
    done = cli("train", small, *QUICK, "--split", path)
    assert done.code == 2
    assert "use graphpool evaluate" in done.err
    done = cli(
        "evaluate", small, *QUICK, "--methods", "sum", "--seeds", "1", "--split", path,
        "--no-baselines", "--jobs", "1", "--json",
    )  # fmt: skip
    assert done.code == 0, done.err
    result = json.loads(done.out)["results"][0]
    assert result["protocol"].startswith("own-")
    assert len(result["methods"]["sum"]["accuracies"]) == 2
    assert "--protocol" in cli("evaluate", small, "--split", path, "--protocol", "cv5").err


def test_any_number_of_folds(cli, small):
    done = cli(
        "evaluate", small, *QUICK, "--methods", "majority", "--seeds", "1", "--protocol", "cv4",
        "--no-baselines", "--jobs", "1", "--json",
    )  # fmt: skip
    assert done.code == 0, done.err
    result = json.loads(done.out)["results"][0]
    assert result["protocol"] == "cv4"
    assert len(result["methods"]["majority"]["accuracies"]) == 4


def test_folds_must_be_two_or_more(cli, small):
    for name, message in (("cv1", "at least 2"), ("cv", "such as cv5"), ("cv-3", "such as cv5")):
        done = cli("evaluate", small, "--protocol", name)
        assert done.code == 2
        assert message in done.err
    assert cli("evaluate", small, *QUICK, "--protocol", "cv41").code == 2
