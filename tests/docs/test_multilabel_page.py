"""The example of docs/multilabel.md runs, and its table names every metric."""

import re
import subprocess
import sys
from pathlib import Path

from pages import fenced

from graphpool.config.run import SCORING
from graphpool.evaluation.multilabel import LABEL_METRICS

PAGE = (Path(__file__).resolve().parents[2] / "docs" / "multilabel.md").read_text("utf-8")


def test_the_example_runs(tmp_path: Path) -> None:
    (code,) = fenced(PAGE, "python")
    done = subprocess.run(
        [sys.executable, "-c", code.replace("epochs=30", "epochs=2")],
        cwd=tmp_path, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert "ROC-AUC" in done.stdout
    assert (tmp_path / "sizes.html").exists()


def test_the_table_of_metrics_is_complete() -> None:
    named = set(re.findall(r"^\| `(\w+)` \|", PAGE, re.MULTILINE))
    assert named - {"class_weight", "balanced"} == set(LABEL_METRICS)
    assert set(SCORING["multilabel"]) <= {*LABEL_METRICS, "loss"}
