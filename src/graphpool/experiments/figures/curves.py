"""Learning curves: loss and accuracy of trained networks by epoch."""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from graphpool.experiments.figure_entry import FigureEntry
from graphpool.experiments.figures.kind import FigureKind, MeasuredSet, Numbers
from graphpool.experiments.figures.trained import TrainedUnit
from graphpool.report.draw.curve_grid import MethodCurve, Panel, curve_grid


class Quantity(NamedTuple):
    """What is measured once an epoch, where the history has it, and how it is shown."""

    name: str
    part: str
    key: str
    digits: int
    percent: bool = False


QUANTITIES = (
    Quantity("training loss", "train", "loss", 5),
    Quantity("training accuracy", "train", "accuracy", 4, percent=True),
    Quantity("validation accuracy", "valid", "accuracy", 4, percent=True),
)


class CurveKind(FigureKind):
    """A row of charts for each of the data, one for each quantity, a line for each method."""

    def measure(self, figure: FigureEntry, trained: TrainedUnit) -> tuple[Numbers, Numbers]:
        """Every epoch of the training, and the one that was chosen."""
        result, split = trained.model.result, trained.split
        assert result is not None
        facts = {f"{name} graphs": len(getattr(split, name)) for name in ("train", "valid", "test")}
        numbers: Numbers = {"accuracy": trained.accuracy, "chosen": result.best_epoch}
        for each in QUANTITIES:
            values = [row[each.part].get(each.key) for row in result.history]
            if None not in values:  # not every task counts the same while it trains
                numbers[each.name] = " ".join(f"{value:.{each.digits}g}" for value in values)
        return facts, numbers

    def draw(self, figure: FigureEntry, sets: Sequence[MeasuredSet]) -> str | None:
        """Draw charts of the quantities that all methods have."""
        shared = [
            each
            for each in QUANTITIES
            if all(each.name in numbers for data in sets for _, numbers in data.methods)
        ]
        if not shared:
            return None
        rows = {_title(each): [_panel(quantity, each) for quantity in shared] for each in sets}
        note = "The loss includes what a pooler adds to it." if shared[0] == QUANTITIES[0] else ""
        return curve_grid(rows, figure.title, note)


def _title(data: MeasuredSet) -> str:
    facts = data.facts
    return (
        f"{data.name}: {facts['train graphs']:,} graphs train, {facts['valid graphs']:,} choose "
        "the epoch"
    )


def _panel(quantity: Quantity, data: MeasuredSet) -> Panel:
    curves = [
        MethodCurve(title, _values(numbers[quantity.name], quantity), numbers["chosen"])
        for title, numbers in data.methods
    ]
    return Panel(quantity.name + (", %" if quantity.percent else ""), curves, quantity.percent)


def _values(text: str, quantity: Quantity) -> Any:
    return np.array(text.split(), dtype=float) * (100 if quantity.percent else 1)
