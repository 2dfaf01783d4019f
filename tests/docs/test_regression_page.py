"""The example of docs/regression.md runs, and its tables name every metric, loss and interval."""

import re
from pathlib import Path

from pages import fenced, printed_by

from graphpool.config import TrainConfig, settings_in
from graphpool.config.run import SCORING
from graphpool.evaluation.regression import NUMBER_METRICS

PAGE = (Path(__file__).resolve().parents[2] / "docs" / "regression.md").read_text("utf-8")


def test_the_example_runs(tmp_path: Path) -> None:
    (code,) = fenced(PAGE, "python")
    assert "R2" in printed_by(code.replace("epochs=30", "epochs=2"), tmp_path)
    assert (tmp_path / "rings.html").exists()


def test_the_tables_are_complete() -> None:
    settings = {item.name: item for item in settings_in(TrainConfig)}
    named = set(re.findall(r"^\| `(\w+)` \|", PAGE, re.MULTILINE))
    assert named - {"loss", "interval"} == {
        *NUMBER_METRICS,
        *settings["loss"].choices,
        *settings["interval"].choices,
    }
    assert set(SCORING["regression"]) == {*NUMBER_METRICS, "loss"}
