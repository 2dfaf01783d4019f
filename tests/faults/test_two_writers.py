"""Two processes that train in one folder at once: one of them does, the other says who holds it."""

import pytest
from killing import Commands

from graphpool.models import TrainedModel


@pytest.mark.parametrize(
    "rounds", [pytest.param(1, id="short"), pytest.param(10, id="long", marks=pytest.mark.faults)]
)
def test_two_trainings_in_one_folder_do_not_mix(commands: Commands, rounds: int) -> None:
    for number in range(rounds):
        out = commands.folder / f"run{number}"
        widths = (8, 12)
        started = [
            commands.start("train", "small.jsonl", "--epochs", 4, "--hidden", width, "--out", out)
            for width in widths
        ]
        for process in started:
            process.join(300)
        codes = [process.exitcode for process in started]
        assert sorted(codes) == [0, 2], commands.said
        winner, loser = (started[codes.index(code)] for code in (0, 2))
        said = commands.log.read_text()
        assert (
            f"{out}: in use by process {winner.pid} on " in said
            or f"{out} already holds a run" in said  # the other had ended
        )
        assert "Traceback" not in said
        assert loser.pid != winner.pid
        model = TrainedModel.load(out)
        assert model.config.model.hidden_channels == widths[codes.index(0)]
        text = f"hidden_channels = {widths[codes.index(0)]}"
        assert text in (out / "config.toml").read_text()
    assert not commands.left_over()
