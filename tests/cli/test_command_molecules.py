"""Molecules from the command line: columns, predictions in the order of the file, bad lines."""

import csv
import io
import json
from pathlib import Path

import pytest

from graphpool.cli.main import run
from graphpool.data.data_string import join_data, split_data

CHAINS = "\n".join(f"m{n},{'C' * (2 + n // 2)}{'O' if n % 2 else 'N'},{n % 2}" for n in range(40))
TABLE = f"name,structure x,p\n{CHAINS}\n"


@pytest.fixture(scope="module")
def trained_on_smiles(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("molecules")
    (folder / "mine.csv").write_text(TABLE.replace("m7,CCCCCO", "m7,c1cc"))
    columns = ["--smiles", "structure x", "--target", "p", "--id", "name", "--skip-bad"]
    settings = ["--epochs", "2", "--hidden", "8", "--encoder", "gcn"]
    with pytest.raises(SystemExit) as stop:
        run(["train", str(folder / "mine.csv"), *columns, *settings, "--out", str(folder / "run")])
    assert stop.value.code == 0
    return folder / "run"


def test_a_run_knows_its_columns_and_what_it_left_out(trained_on_smiles: Path) -> None:
    text = (trained_on_smiles / "config.toml").read_text()
    assert "mine.csv:smiles=structure%20x,target=p,id=name,skip_bad=true" in text
    rows = (trained_on_smiles / "left-out.jsonl").read_text().splitlines()
    assert [json.loads(row)["line"] for row in rows] == [9]


def test_predict_reads_the_columns_of_the_model(cli, trained_on_smiles: Path) -> None:
    Path("new.csv").write_text("structure x,name\nCCO,a\nCCN,b\n")
    done = cli("predict", trained_on_smiles, "new.csv")
    rows = list(csv.DictReader(io.StringIO(done.out)))
    assert [(row["id"], row["smiles"]) for row in rows] == [("a", "CCO"), ("b", "CCN")]
    assert all(row["class"] in ("0", "1") for row in rows)
    Path("other.smi").write_text("CCO x\n")
    assert cli("predict", trained_on_smiles, "other.smi").out.splitlines()[1].startswith("x,CCO,")


def test_bad_lines_keep_their_rows_without_a_prediction(cli, trained_on_smiles: Path) -> None:
    Path("new.csv").write_text("structure x,name\nc1cc,a\nCCN,b\nC(,c\n")
    refused = cli("predict", trained_on_smiles, "new.csv")
    assert refused.code == 2
    assert "new.csv, line 2: rdkit can't read 'c1cc'" in refused.err
    done = cli("predict", trained_on_smiles, "new.csv", "--skip-bad", "--out", "a.csv")
    assert done.code == 0
    with Path("a.csv").open() as file:
        rows = list(csv.DictReader(file))
    assert [(row["id"], bool(row["class"]), bool(row["left out"])) for row in rows] == [
        ("a", False, True), ("b", True, False), ("c", False, True)
    ]  # fmt: skip


def test_predict_counts_what_it_left_out(cli, trained_on_smiles: Path) -> None:
    Path("new.csv").write_text("structure x\nc1cc\nCCN\nCC\n")
    done = cli("predict", trained_on_smiles, "new.csv", "--skip-bad", "--out", "a.csv")
    assert "a.csv: 2 graphs, 1 line left out without a prediction" in done.err


def test_train_tells_what_it_left_out(cli) -> None:
    rows = TABLE.splitlines()
    Path("mine.csv").write_text("\n".join([*rows[:5], "bad,c1cc,1", *rows[5:]]))
    columns = ["--smiles", "structure x", "--target", "p", "--skip-bad"]
    done = cli("train", "mine.csv", *columns, "--epochs", "1", "--pooler", "sum", "--out", "run")
    assert "warning: mine: 1 line of 41 was left out: line 6: rdkit can't read" in done.err
    assert "listed in run/left-out.jsonl" in done.err


def test_columns_that_have_no_values_are_named(cli) -> None:
    table = "smiles,empty,p\n" + "\n".join(f"{'C' * (n + 1)},,{n % 2}" for n in range(12))
    Path("mine.csv").write_text(table)
    assert "no graph has a known value of empty" in cli("train", "mine.csv", "--target=empty").err
    spoilt = "\n".join(f"{'C' * (n + 1)},{'' if n % 2 else f'{n}.5%'},0" for n in range(12))
    Path("spoilt.csv").write_text(f"smiles,empty,p\nCO,0.5%,1\nCN,7.5%,1\nCF,1.5%,1\n{spoilt}")
    err = cli("train", "spoilt.csv", "--target=empty", "--skip-bad").err
    assert "value of empty; 9 lines of 15 were left out: line 2: '0.5%' in empty is no numb" in err
    assert "name a column with --target (y=): p" in cli("train", "mine.csv").err


def test_a_model_is_scored_on_a_file_with_its_columns(cli, trained_on_smiles: Path) -> None:
    Path("new.csv").write_text(TABLE)
    done = cli("evaluate", "--model", trained_on_smiles, "new.csv")
    assert done.code == 0
    assert "on 40 graphs" in done.out


def test_show_and_import_take_columns(cli) -> None:
    Path("mine.csv").write_text(TABLE)
    shown = cli("data", "show", "mine.csv", "--smiles", "structure x", "--target", "p")
    assert "0 (20), 1 (20)" in " ".join(shown.out.split())
    Path("bad.csv").write_text("smiles,y\nCC,1\nx,0\n")
    done = cli("data", "import", "bad.csv", "--skip-bad", "--out", "o.jsonl")
    assert "o.left-out.jsonl: 1 line left out" in done.out
    assert json.loads(Path("o.left-out.jsonl").read_text())["line"] == 3


def test_columns_without_a_file_are_refused(cli) -> None:
    assert "name the file" in cli("train", "--smiles", "smiles").err
    assert "--smiles" in cli("train", "MUTAG", "--smiles", "smiles").err


@pytest.mark.parametrize("name", ["a", "a,b", "a=b:c", "50%", "a+b", "ä ö", "x/y"])
def test_columns_of_any_name_go_into_the_settings_and_back(name: str) -> None:
    text = join_data("d/mine.csv", name, [name, "other"], name, True)
    plain, options = split_data(text)
    assert plain == "d/mine.csv"
    assert (options.smiles, options.y, options.id) == (name, (name, "other"), name)
    assert options.bad.skip
