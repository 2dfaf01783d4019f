"""`--split` of every kind, and protocols with any number of folds."""

import json
from dataclasses import replace
from importlib.util import find_spec
from pathlib import Path

from graphpool.config import RunConfig, read_toml
from graphpool.data.formats.jsonl_write import write_jsonl
from graphpool.data.load import load, read

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


def test_resume_with_another_split_is_refused_and_names_both(cli, small):
    path = split_file(small)
    train = ("train", small, *QUICK, "--pooler", "sum", "--out", "run")
    assert cli(*train, "--split", path).code == 0
    content = json.loads(path.read_text())
    Path("same.json").write_text(json.dumps([content]))
    content["test"], content["valid"] = content["valid"], content["test"]
    Path("other.json").write_text(json.dumps(content))
    assert cli(*train, "--resume", "--split", "same.json").code == 0
    done = cli(*train, "--resume", "--split", "other.json")
    assert done.code == 2
    assert "same.json" in done.err
    assert "other.json" in done.err
    Path("same.json").write_text(json.dumps(content))
    assert "it has changed since" in cli("train", "--resume", "--out", "run").err
    Path("same.json").unlink()
    assert cli("train", "--resume", "--out", "run").code == 0
    plain = ("train", small, *QUICK, "--pooler", "sum", "--out", "plain")
    assert cli(*plain).code == 0
    done = cli(*plain, "--resume", "--split", path)
    assert done.code == 2
    assert "begun with the split of its seed, and it is to go on with" in done.err


def molecules() -> list[str]:
    """Ids of 20 small graphs in `own.jsonl`."""
    graphs = load("MUTAG", features=None)
    few = graphs[graphs.node_counts.argsort()[:20]]
    write_jsonl(few, "own.jsonl")
    return list(few.ids)


def test_similarity_takes_a_split_file(cli):
    ids = molecules()
    parts = {"train": ids[:12], "valid": ids[12:15], "test": ids[15:]}
    Path("mine.json").write_text(json.dumps(parts))
    sizes = ("--examples", "20", "--set", "compare.valid=5", "--set", "compare.test=5")
    train = ("train", "own.jsonl", "--task", "similarity", *QUICK, *sizes, "--pooler", "sum",
             "--out", "run")  # fmt: skip
    done = cli(*train, "--split", "mine.json")
    assert done.code == 0, done.err
    assert "there is no" not in done.out + done.err
    stored = json.loads(Path("run/split.json").read_text())["splits"][0]
    assert stored == {"train": [*range(12)], "valid": [12, 13, 14], "test": [*range(15, 20)]}
    result = json.loads(Path("run/result.json").read_text())
    assert (result["split"], result["graphs"]["test"]) == ("own", 5)
    Path("mine.json").unlink()
    assert cli("report", "run").code == 0
    done = cli(*train, "--resume", "--split", "graphs")
    assert done.code == 2
    assert "mine.json, and it is to go on with graphs" in done.err
    Path("mine.json").write_text(json.dumps(parts))
    done = cli("evaluate", "own.jsonl", "--task", "similarity", "--split", "mine.json")
    assert done.code == 2
    assert "graphpool train --split FILE" in done.err


def test_matching_takes_a_split_file(cli):
    ids = molecules()
    rows = [f"{ids[at]},{ids[at + 1]},{at % 2}" for at in range(19)]
    Path("pairs.csv").write_text("left,right,match\n" + "\n".join(rows) + "\n")
    parts = {"train": ids[:12], "valid": ids[12:16], "test": ids[16:]}
    Path("mine.json").write_text(json.dumps(parts))
    train = ("train", "own.jsonl", "--task", "matching", "--pairs", "pairs.csv", *QUICK,
             "--pooler", "sum")  # fmt: skip
    done = cli(*train, "--split", "mine.json", "--out", "run")
    assert done.code == 0, done.err
    assert "2 of 19 pairs left out, with graphs of two parts" in done.out + done.err
    result = json.loads(Path("run/result.json").read_text())
    assert result["examples"] == {"train": 11, "valid": 3, "test": 3}
    parts = {"train": ids[:18], "valid": ids[18:19], "test": ids[19:]}
    Path("mine.json").write_text(json.dumps(parts))
    done = cli(*train, "--split", "mine.json", "--out", "b")
    assert done.code == 2
    assert "has both of its graphs in valid" in done.err


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
    for name, message in (("cv1", "at least 2"), ("cv", "cvN"), ("cv-3", "cvN")):
        done = cli("evaluate", small, "--protocol", name)
        assert done.code == 2
        assert message in done.err
    assert cli("evaluate", small, *QUICK, "--protocol", "cv41").code == 2


def with_columns(small: Path) -> Path:
    """The 40 graphs with a split, a group, a date and SMILES that have scaffolds."""
    graphs = read(small)
    rings = ("c1ccccc1", "C1CCCCC1", "c1ccncc1", "C1CC1", "c1ccoc1", "C1CCC1", "C1CCNCC1", "CC")
    order = [(7 * at) % 40 for at in range(40)]
    columns = {
        "split": tuple("test" if at % 8 == 0 else "val" if at % 8 == 4 else "train"
                       for at in range(40)),
        "site": tuple(f"s{at % 13}" for at in range(40)),
        "date": tuple(f"2020-01-{1 + at % 28:02d}" for at in order),
        "smiles": tuple("C" * (at // 8) + rings[at % 8] for at in range(40)),
    }  # fmt: skip
    path = Path("columns.jsonl")
    write_jsonl(replace(graphs, columns=columns), path)
    return path


def parts_of(run: str) -> dict[str, list[int]]:
    return json.loads(Path(run, "split.json").read_text())["splits"][0]


def test_a_set_that_brings_a_split_is_split_by_it(cli, small):
    path = with_columns(small)
    train = ("train", path, *QUICK, "--pooler", "sum")
    done = cli(*train, "--out", "a")
    assert done.code == 0, done.err
    assert "2 classes; split published: 30 train, 5 choose the epoch, 5 test" in done.err
    assert "; split published" in done.out
    assert parts_of("a")["test"] == [0, 8, 16, 24, 32]
    assert read_toml(RunConfig, "a/config.toml").split == "published"
    again = cli(*train, "--out", "b", "--split", "published", "--seed", "5")
    assert again.code == 0, again.err
    assert parts_of("b") == parts_of("a")
    assert cli("report", "a").code == 0
    assert "published" in Path("a/report.html").read_text()
    other = cli(*train, "--out", "c", "--split", "cv10")
    assert other.code == 0, other.err
    assert parts_of("c") != parts_of("a")


def test_resume_knows_the_split_that_was_the_default(cli, small):
    path = with_columns(small)
    train = ("train", path, *QUICK, "--pooler", "sum", "--out", "a")
    assert cli(*train).code == 0
    assert cli(*train, "--resume").code == 0
    assert cli(*train, "--resume", "--split", "published").code == 0
    refused = cli(*train, "--resume", "--split", "group:site")
    assert refused.code == 2
    assert "begun with the split published, and it is to go on with group:site" in refused.err


def test_every_word_splits_a_set_of_ones_own(cli, small):
    path = with_columns(small)
    texts = ["random", "random:6:2:2", "group:site", "time:date", "cv4:site", "column:split"]
    if find_spec("rdkit"):
        texts += ["scaffold:6:2:2"]
    for text in texts:
        folder = text.replace(":", "-")
        done = cli("train", path, *QUICK, "--pooler", "sum", "--split", text, "--out", folder)
        assert done.code == 0, done.err
        assert f"split {text}: " in done.err
        assert json.loads(Path(folder, "split.json").read_text())["protocol"] == text
    late = parts_of("time-date")
    dates = read(path).columns["date"]
    assert max(dates[at] for at in late["train"]) <= min(dates[at] for at in late["test"])
    missing = cli("train", path, *QUICK, "--split", "group:sites")
    assert missing.code == 2
    assert "no column 'sites'; did you mean 'site'" in missing.err


def test_evaluate_on_one_split_says_so(cli, small):
    path = with_columns(small)
    asked = ("evaluate", path, *QUICK, "--methods", "sum", "--no-baselines", "--jobs", "1")
    done = cli(*asked, "--seeds", "2", "--out", "e")
    assert done.code == 0, done.err
    assert "columns, published, 2 seeds, 1 split" in done.out
    assert "over seeds, all on the same split" in done.out
    first, second = (
        json.loads(Path(f"e/splits/published-seed{seed}.json").read_text())["splits"]
        for seed in (0, 1)
    )
    assert first == second
    assert "the same for every seed" in Path("e/results.md").read_text()
    assert "nothing of other splits" in Path("e/results.md").read_text()
    grouped = cli(*asked, "--seeds", "1", "--split", "cv3:site", "--out", "g", "--json")
    assert grouped.code == 0, grouped.err
    result = json.loads(grouped.out)["results"][0]
    assert result["protocol"] == "cv3:site"
    assert len(result["methods"]["sum"]["accuracies"]) == 3
