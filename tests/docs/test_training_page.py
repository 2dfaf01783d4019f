"""The examples of docs/training.md run as they stand, and its table names every metric."""

import json
import re
from pathlib import Path

from graphpool.config import TrainConfig, settings_in
from graphpool.config.run import SCORING
from graphpool.data.own_splits import PARTS
from graphpool.evaluation.metrics import CLASS_METRICS

TEXT = (Path(__file__).resolve().parents[2] / "docs" / "training.md").read_text(encoding="utf-8")


def blocks(kind: str) -> list[str]:
    return re.findall(rf"^ *```{kind}\n(.*?)^ *```$", TEXT, re.DOTALL | re.MULTILINE)


def test_the_example_prints_every_metric(capsys):
    (example,) = blocks("python")
    exec(example.replace("epochs=30", "epochs=2"), {})
    assert set(CLASS_METRICS) <= {line.split()[0] for line in capsys.readouterr().out.splitlines()}


def test_the_split_has_every_part():
    (example,) = blocks("json")
    assert tuple(json.loads(example)) == PARTS


def test_the_page_names_all_metrics_and_the_default_patience():
    assert set(re.findall(r"^\| `(\w+)` \|", TEXT, re.MULTILINE)) >= set(CLASS_METRICS)
    (scoring,) = (item for item in settings_in(TrainConfig) if item.name == "scoring")
    assert set(SCORING["classification"]) == {*CLASS_METRICS, "loss"} <= set(scoring.choices)
    assert f"stops after {TrainConfig().patience} epochs" in TEXT
