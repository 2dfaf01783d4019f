"""Kill -9 at any time: what is there is whole, and going on gives the uninterrupted result.

60 kills in `make test-faults`, a few of them in `make test`.
"""

import json
from pathlib import Path

import pytest
import torch
from killing import Commands
from safetensors.torch import load_file

from graphpool.ged import open_matrix

KILLS = [
    pytest.param(2, id="short"),
    pytest.param(15, id="long", marks=pytest.mark.faults),
]
ALL = [pytest.param(15, id="long", marks=pytest.mark.faults)]


def same_tensors(first: Path, second: Path) -> bool:
    one, two = load_file(first), load_file(second)
    return one.keys() == two.keys() and all(torch.equal(one[key], two[key]) for key in one)


@pytest.mark.parametrize("kills", KILLS)
def test_a_killed_training_goes_on_to_the_same_bits(commands: Commands, kills: int) -> None:
    settings = ("train", "small.jsonl", "--epochs", 12, "--hidden", 8, "--patience", 0,
                "--set", "train.checkpoint_seconds=0", "--out")  # fmt: skip
    seconds = commands.timed(*settings, "whole")
    folder = commands.folder / "run"

    def again() -> tuple[object, ...]:
        # Before the first file there is nothing to go on with.
        return (*settings, "run", *(["--resume"] if (folder / "config.toml").exists() else []))

    died = commands.kill_at_random(kills, seconds, again)
    assert died or kills < 5
    assert commands.finish(*again()) == 0, commands.said
    assert same_tensors(folder / "best.safetensors", commands.folder / "whole/best.safetensors")
    first, second = (
        json.loads((commands.folder / name / "result.json").read_text())
        for name in ("whole", "run")
    )
    assert first["test"] == second["test"]
    assert not commands.left_over()


@pytest.mark.parametrize("kills", ALL)
def test_a_killed_import_leaves_the_old_file_or_the_new_one(commands: Commands, kills: int) -> None:
    arguments = ("data", "import", "small.jsonl", "--overwrite", "--out")
    seconds = commands.timed(*arguments, "whole.jsonl")
    out, whole = commands.folder / "out.jsonl", (commands.folder / "whole.jsonl").read_bytes()
    for number in range(kills):
        out.write_bytes(b"old")
        commands.kill_at_random(1, seconds, lambda: (*arguments, out), seed=number)
        assert out.read_bytes() in (b"old", whole)
    assert commands.finish(*arguments, out) == 0
    assert out.read_bytes() == whole
    assert not commands.left_over()


@pytest.mark.parametrize("kills", ALL)
def test_a_killed_matrix_goes_on_to_the_same_distances(commands: Commands, kills: int) -> None:
    arguments = ("ged", "matrix", "small.jsonl", "--jobs", 2, "--out")
    seconds = commands.timed(*arguments, "whole.ged")
    commands.kill_at_random(kills, seconds, lambda: (*arguments, "out.ged"))
    assert commands.finish(*arguments, "out.ged") == 0, commands.said
    whole, out = (open_matrix(commands.folder / name) for name in ("whole.ged", "out.ged"))
    assert (whole.bounds == out.bounds).all()
    assert not commands.left_over()
    assert not (commands.folder / "out.ged.parts").exists()


@pytest.mark.parametrize("kills", ALL)
def test_a_killed_comparison_goes_on_to_the_same_results(commands: Commands, kills: int) -> None:
    arguments = ("evaluate", "small.jsonl", "--methods", "sum,mean", "--seeds", 1, "--epochs", 2,
                 "--hidden", 8, "--jobs", 1, "--out")  # fmt: skip
    seconds = commands.timed(*arguments, "whole")
    commands.kill_at_random(kills, seconds, lambda: (*arguments, "out"))
    assert commands.finish(*arguments, "out") == 0, commands.said
    whole, out = (
        json.loads((commands.folder / name / "results.json").read_text())
        for name in ("whole", "out")
    )
    assert [unit["metrics"] for unit in whole["units"]] == [
        unit["metrics"] for unit in out["units"]
    ]
    assert len(out["units"]) == 10 * len(out["methods"])
    assert not commands.left_over()
