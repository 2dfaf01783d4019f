"""Maps: the graph vectors of trained networks, laid out by t-SNE."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from graphpool.experiments.figure_entry import GRAPHS, FigureEntry
from graphpool.experiments.figures.kind import FigureKind, MeasuredSet, Numbers
from graphpool.experiments.figures.trained import TrainedUnit
from graphpool.report.draw.map_grid import Map, map_grid
from graphpool.report.draw.tsne import layout

NEIGHBOURS = 5
SCALE = 1000  # of stored coordinates, from 0 on

Array = NDArray[Any]


class MapKind(FigureKind):
    """A row of maps for each of the data, one for each method."""

    def request(self, figure: FigureEntry, data: str) -> Numbers:
        """How many graphs are asked for, if not the usual number."""
        most = figure.most_graphs
        return {} if most == GRAPHS[figure.kind] else {"asked": most}

    def measure(self, figure: FigureEntry, trained: TrainedUnit) -> tuple[Numbers, Numbers]:
        """Coordinates and classes of the graphs that are drawn."""
        vectors = trained.model.embed(trained.graphs)
        assert trained.graphs.y is not None
        y, split, seed = trained.graphs.y.numpy(), trained.split, trained.unit.seed
        others = [*split.train, *split.valid]
        shown = chosen_graphs(split.test, others, figure.most_graphs, seed)
        tested = np.isin(shown, np.array(split.test))
        train, test = list(split.train), list(split.test)
        plane = layout(vectors[shown], seed)
        plane = (plane - plane.min(0)) / max(float(np.ptp(plane, axis=0).max()), 1e-9)
        facts = {
            "test graphs": int(tested.sum()),
            "class": " ".join(map(str, y[shown].tolist())),
            "tested": " ".join(map(str, tested.astype(int).tolist())),
        }
        return facts, {
            "accuracy": trained.accuracy,
            "neighbours": neighbour_accuracy(vectors[train], y[train], vectors[test], y[test]),
            "points": " ".join(map(str, np.rint(SCALE * plane).astype(int).ravel().tolist())),
        }

    def draw(self, figure: FigureEntry, sets: Sequence[MeasuredSet]) -> str:
        """Draw maps with the accuracies above them."""
        rows = {}
        for each in sets:
            maps = [_map(title, numbers, each.facts) for title, numbers in each.methods]
            others = len(maps[0].y) - int(maps[0].strong.sum())
            rows[
                f"{each.name}: {each.facts['test graphs']:,} test graphs (dark) and {others:,} "
                "that trained or chose the epoch (pale)"
            ] = maps
        return map_grid(rows, figure.title)


def neighbour_accuracy(train: Array, y: Array, test: Array, wanted: Array) -> float:
    """Share of test vectors whose nearest training vectors are mostly of their class."""
    from sklearn.neighbors import KNeighborsClassifier

    judge = KNeighborsClassifier(min(NEIGHBOURS, len(y))).fit(train, y)
    return float((judge.predict(test) == wanted).mean())


def chosen_graphs(tested: Sequence[int], others: Sequence[int], most: int, seed: int) -> Array:
    """Positions of graphs to draw, in order: test graphs, then random ones of the others."""
    drawn = np.random.default_rng(seed)
    first = np.array(tested, dtype=np.int64)
    if len(first) > most:
        first = drawn.choice(first, most, replace=False)
    rest = np.array(others, dtype=np.int64)
    free = most - len(first)
    rest = drawn.choice(rest, free, replace=False) if len(rest) > free else rest
    return np.sort(np.concatenate([first, rest]))


def _map(title: str, numbers: Numbers, facts: Numbers) -> Map:
    words = (
        f"accuracy {100 * numbers['accuracy']:.1f} %, "
        f"{NEIGHBOURS} neighbours {100 * numbers['neighbours']:.1f} %"
    )
    points = np.array(numbers["points"].split(), dtype=float).reshape(-1, 2) / SCALE
    return Map(title, words, points, _flags(facts["class"]), _flags(facts["tested"]) > 0)


def _flags(text: str) -> Array:
    return np.array(text.split(), dtype=int)
