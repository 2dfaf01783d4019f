"""Kill -9 at any time: what is there is whole, and going on gives the uninterrupted result.

60 kills in `make test-faults`, a few of them in `make test`.
"""

import json
import shutil
from pathlib import Path

import pytest
import torch
from killing import Commands
from safetensors.torch import load_file

from graphpool.experiments.records import RecordFile
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
    whole, folder = commands.folder / "whole", commands.folder / "run"

    def again() -> tuple[object, ...]:
        # Before the first file there is nothing to go on with.
        return (*settings, "run", *(["--resume"] if (folder / "config.toml").exists() else []))

    def check() -> None:
        assert same_tensors(folder / "best.safetensors", whole / "best.safetensors")
        results = (json.loads((each / "result.json").read_text()) for each in (whole, folder))
        first, second = (result["test"] for result in results)
        assert first == second
        assert not commands.left_over()
        shutil.rmtree(folder)

    commands.kill_at_random(kills, seconds, again, check)
    assert commands.finish(*again()) == 0, commands.said
    check()


@pytest.mark.parametrize("kills", ALL)
@pytest.mark.parametrize("suffix", [".jsonl", ".safetensors"])
def test_a_killed_import_leaves_the_old_file_or_the_new_one(
    commands: Commands, kills: int, suffix: str
) -> None:
    arguments = ("data", "import", "small.jsonl", "--overwrite", "--out")
    seconds = commands.timed(*arguments, f"whole{suffix}")
    out, whole = commands.folder / f"out{suffix}", (commands.folder / f"whole{suffix}").read_bytes()
    out.write_bytes(b"old")

    def check() -> None:
        assert out.read_bytes() == whole
        assert not commands.left_over()
        out.write_bytes(b"old")

    for number in range(kills):
        commands.kill_at_random(1, seconds, lambda: (*arguments, out), check, seed=number)
        assert out.read_bytes() in (b"old", whole)
    assert commands.finish(*arguments, out) == 0
    check()


@pytest.mark.parametrize("kills", ALL)
def test_a_killed_matrix_goes_on_to_the_same_distances(commands: Commands, kills: int) -> None:
    # A limit on the search that is the same each time, unlike one in seconds.
    arguments = ("ged", "matrix", "small.jsonl", "--max-expanded", 20, "--jobs", 2, "--out")
    seconds = commands.timed(*arguments, "whole.ged")
    whole, out = commands.folder / "whole.ged", commands.folder / "out.ged"

    def check() -> None:
        assert (open_matrix(whole).bounds == open_matrix(out).bounds).all()
        assert not commands.left_over()
        assert not (commands.folder / "out.ged.parts").exists()
        out.unlink()

    commands.kill_at_random(kills, seconds, lambda: (*arguments, out), check)
    assert commands.finish(*arguments, out) == 0, commands.said
    check()


@pytest.mark.parametrize("kills", ALL)
def test_a_killed_comparison_goes_on_to_the_same_results(commands: Commands, kills: int) -> None:
    arguments = ("evaluate", "small.jsonl", "--methods", "sum,mean", "--seeds", 1, "--epochs", 2,
                 "--hidden", 8, "--jobs", 1, "--out")  # fmt: skip
    seconds = commands.timed(*arguments, "whole")
    whole, out = commands.folder / "whole", commands.folder / "out"

    def check() -> None:
        first, second = (
            {key: unit.metrics for key, unit in RecordFile(each / "records.jsonl").latest().items()}
            for each in (whole, out)
        )
        assert len(first) == 10 * len(json.loads((out / "results.json").read_text())["methods"])
        assert first == second
        assert not commands.left_over()
        shutil.rmtree(out)

    commands.kill_at_random(kills, seconds, lambda: (*arguments, out), check)
    assert commands.finish(*arguments, out) == 0, commands.said
    check()
