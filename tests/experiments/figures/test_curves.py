"""What is kept of a training, and which charts are drawn of it."""

import json
import re
from pathlib import Path

from toy_figures import CURVES, write_project

from graphpool.experiments.figure_entry import FigureEntry
from graphpool.experiments.figures import make_figures
from graphpool.experiments.figures.curves import CurveKind
from graphpool.experiments.figures.kind import MeasuredSet, Numbers
from graphpool.experiments.pages import write_pictures
from graphpool.experiments.records import RecordFile

FIGURE = FigureEntry("curves", "curves.svg", "curves", title="How networks learn")
FACTS = {"train graphs": 8, "valid graphs": 2, "test graphs": 2}


def numbers(**more: str) -> Numbers:
    return {"accuracy": 0.5, "chosen": 2, "training loss": "3 2 1", **more}


def drawn_titles(picture: str | None) -> list[str]:
    assert picture is not None
    return re.findall(r'font-size="12">([^<]*)</text>', picture)


def test_every_epoch_and_the_chosen_one_are_kept(tmp_path: Path) -> None:
    write_project(tmp_path, CURVES)
    (path,) = make_figures("toy", tmp_path)
    measured = json.loads(path.read_text())["sets"]["MUTAG"]
    records = {each.method: each for each in RecordFile(tmp_path / "results" / "toy.jsonl").read()}
    for method, kept in measured["methods"].items():
        record = records[method]
        assert kept["chosen"] == record.best_epoch
        loss, valid = (kept[name].split() for name in ("training loss", "validation accuracy"))
        assert (len(loss), len(valid)) == (3, 3)
        chosen = float(valid[record.best_epoch - 1])
        assert abs(chosen - record.valid["accuracy"]) < 1e-4
    assert sum(measured[f"{part} graphs"] for part in ("train", "valid", "test")) == 188


def test_titles_are_those_of_the_methods_without_marks(tmp_path: Path) -> None:
    write_project(tmp_path, CURVES)
    make_figures("toy", tmp_path)
    write_pictures(tmp_path)
    assert ">as printed</text>" in (tmp_path / "curves.svg").read_text(encoding="utf-8")


def test_only_quantities_that_all_methods_have_are_drawn() -> None:
    own = {"training accuracy": "0.5 0.6 0.7", "validation accuracy": "0.5 0.6 0.6"}
    methods = [("hap", numbers(**own)), ("sum", numbers(**{"validation accuracy": "0.4 0.5 0.6"}))]
    picture = CurveKind().draw(FIGURE, [MeasuredSet("A", FACTS, methods)])
    assert drawn_titles(picture) == ["training loss (logarithmic)", "validation accuracy, %"]


def test_nothing_in_common_gives_no_picture() -> None:
    methods = [("hap", {"chosen": 1}), ("sum", numbers())]
    assert CurveKind().draw(FIGURE, [MeasuredSet("A", FACTS, methods)]) is None
