"""Full disks, folders in use and hostile ids: one line, exit code 2, and no file is lost.

The long forms, with real disks and kill -9, are in `tests/faults`.
"""

import csv
import errno
import os
from pathlib import Path

import pytest
import torch

from graphpool.data.formats import save
from graphpool.data.load import read
from graphpool.locks import LOCK, file_lock, folder_lock

QUICK = ("--epochs", "1", "--hidden", "8")


@pytest.fixture
def full_disk(monkeypatch):
    def full(descriptor):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr("graphpool.files.os.fsync", full)


@pytest.mark.parametrize(
    ("arguments", "path"),
    [
        (("train", "{small}", *QUICK, "--out", "new/run"), "new/run/split.json"),
        (("data", "import", "{small}", "--out", "new.safetensors"), "new.safetensors"),
        (("data", "import", "{small}", "--out", "new.jsonl"), "new.jsonl"),
        (("predict", "{trained}", "{small}", "--out", "new.csv"), "new.csv"),
        (("report", "{trained}", "--out", "new.html"), "new.html"),
        (("ged", "matrix", "{small}", "--method", "label", "--out", "new.ged"), "new.ged"),
        (("ged", "pair", "{small}:#0", "{small}:#1", "--draw", "new.svg"), "new.svg"),
    ],
    ids=lambda value: value if isinstance(value, str) else " ".join(value[:2]),
)
def test_a_full_disk_is_one_line_with_the_path_and_code_2(
    cli, tmp_path, small, trained, full_disk, arguments, path
):
    done = cli(*(each.format(small=small, trained=trained) for each in arguments))
    assert done.code == 2
    line = done.err.splitlines()[-1]
    assert line.startswith("graphpool: error: ")
    assert "can't be written: the disk is full; free some space there, or choose another" in line
    assert path in line
    assert not [each for each in tmp_path.rglob("*") if each.is_file()]


def test_a_full_folder_for_temporary_files_names_the_variable_to_set(cli, small, full_disk):
    done = cli("evaluate", small, "--methods", "sum", "--jobs", "1", *QUICK, "--out", "new")
    assert done.code == 2
    line = done.err.splitlines()[-1]
    assert "the disk is full; free some space there, or set TMPDIR to another folder" in line


def test_a_disk_that_fills_up_in_training_leaves_a_run_that_goes_on(
    cli, small, monkeypatch, tmp_path
):
    real, count = os.fsync, []

    def filling(descriptor):
        count.append(descriptor)
        if len(count) > 10:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        real(descriptor)

    every = ("--set", "train.checkpoint_seconds=0")
    arguments = ("train", small, "--epochs", "3", "--hidden", "8", *every, "--out")
    assert cli(*arguments, "whole").code == 0
    with monkeypatch.context() as patch:
        patch.setattr("graphpool.files.os.fsync", filling)
        done = cli(*arguments, "run")
    assert done.code == 2
    assert "safetensors: can't be written: the disk is full" in done.err.splitlines()[-1]
    assert cli("train", "--resume", "--out", "run").code == 0
    whole, gone_on = (Path(name) / "best.safetensors" for name in ("whole", "run"))
    from safetensors.torch import load_file

    first, second = load_file(whole), load_file(gone_on)
    assert first.keys() == second.keys()
    assert all(torch.equal(first[key], second[key]) for key in first)
    assert {each.name for each in Path("whole").iterdir()} == {
        each.name for each in Path("run").iterdir()
    }


def test_standard_output_on_a_full_disk_is_one_line(cli, monkeypatch):
    def full(*arguments, **options):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr("graphpool.cli.output.json.dump", full)
    done = cli("list", "--json")
    assert done.code == 2
    assert done.err == (
        "graphpool: error: standard output can't be written: No space left on device; "
        "send it to another file\n"
    )


@pytest.mark.parametrize("more", [(), ("--overwrite",)])
def test_training_in_a_folder_in_use_is_refused_and_names_the_process(cli, small, more):
    Path("run").mkdir()
    Path("run/config.toml").write_text(Path(small).name)
    with folder_lock("run"):
        before = {path: path.read_bytes() for path in Path("run").iterdir()}
        done = cli("train", small, *QUICK, "--out", "run", *more)
        assert done.code == 2
        assert f"run: in use by process {os.getpid()} on " in done.err
        assert {path: path.read_bytes() for path in Path("run").iterdir()} == before


def test_a_run_that_another_process_began_meanwhile_is_not_replaced(cli, small, monkeypatch):
    from graphpool.models.run_folder import RunFolder

    real = RunFolder.lock

    def late(self):
        real(self)
        (self.path / "last.safetensors").write_bytes(b"of another process")

    monkeypatch.setattr(RunFolder, "lock", late)
    done = cli("train", small, *QUICK, "--out", "run")
    assert done.code == 2
    assert "already holds a run" in done.err
    assert Path("run/last.safetensors").read_bytes() == b"of another process"


def test_comparing_and_matrices_in_use_are_refused(cli, small):
    with folder_lock("ev"), file_lock("m.ged"):
        done = cli("evaluate", small, "--methods", "sum", "--jobs", "1", *QUICK, "--out", "ev")
        assert done.code == 2
        assert "ev: in use by process" in done.err
        done = cli("ged", "matrix", small, "--method", "label", "--out", "m.ged")
        assert done.code == 2
        assert "m.ged: in use by process" in done.err


def test_a_finished_run_holds_no_lock(trained):
    assert not (trained / LOCK).exists()
    assert not list(trained.glob(".*"))


def test_ids_that_are_formulas_are_escaped_in_csv_only(cli, trained, small):
    graphs = read(small, features=None)[list(range(3))]
    ids = ("=1+1", "-5", "@SUM(A1)")
    from dataclasses import replace

    save(replace(graphs, ids=ids), Path("mine.safetensors"))
    assert cli("predict", trained, "mine.safetensors", "--out", "p.csv").code == 0
    with Path("p.csv").open(newline="") as handle:
        assert [row["id"] for row in csv.DictReader(handle)] == ["'=1+1", "-5", "'@SUM(A1)"]
    done = cli("predict", trained, "mine.safetensors", "--json")
    assert all(f'"id": "{name}"' in done.out for name in ids)
