"""The example of docs/multilabel.md runs, and its table names every metric."""

import re
from pathlib import Path

from pages import fenced, printed_by

from graphpool.config.run import SCORING
from graphpool.evaluation.multilabel import LABEL_METRICS

PAGE = (Path(__file__).resolve().parents[2] / "docs" / "multilabel.md").read_text("utf-8")


def test_the_example_runs(tmp_path: Path) -> None:
    (code,) = fenced(PAGE, "python")
    assert "ROC-AUC" in printed_by(code.replace("epochs=30", "epochs=2"), tmp_path)
    assert (tmp_path / "sizes.html").exists()


def test_the_table_of_metrics_is_complete() -> None:
    named = set(re.findall(r"^\| `(\w+)` \|", PAGE, re.MULTILINE))
    assert named - {"class_weight", "balanced"} == set(LABEL_METRICS)
    assert set(SCORING["multilabel"]) <= {*LABEL_METRICS, "loss"}
