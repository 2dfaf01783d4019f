"""Test graphs that a model predicts worst and best, drawn for a page."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from graphpool.graphs.graphset import GraphSet
from graphpool.report.draw.side import node_labels, set_side
from graphpool.report.pictures import Array, ExampleGraph, ExampleGroup

MOST_GRAPHS = 12  # of a group


def prediction_examples(
    graphs: GraphSet,
    error: Array,
    say: Callable[[int], tuple[Sequence[str], bool | None]],
    doubt: Array | None = None,
    doubt_title: str = "Least certain",
) -> list[ExampleGroup]:
    """Return the graphs predicted worst and best, and those of which the model is least certain.

    No graph is in two groups; each has at most a third of the graphs.

    Args:
        error: `[graphs]`, how wrong each prediction is; NaN where that is unknown.
        say: what stands beneath a graph, and whether its class is right, if it has one.
        doubt: `[graphs]`, how uncertain the model is.
    """
    known = np.flatnonzero(np.isfinite(error))
    order = known[np.argsort(-error[known], kind="stable")]
    each = min(MOST_GRAPHS, -(-len(order) // 3))
    groups = {"Predicted worst": order[:each], "Predicted best": order[each:][::-1][:each]}
    if doubt is not None:
        shown = np.concatenate(list(groups.values()))
        rest = np.setdiff1d(known, shown)
        groups[doubt_title] = rest[np.argsort(-doubt[rest], kind="stable")][:each]
    return [
        ExampleGroup(
            title, [ExampleGraph(set_side(graphs, at), *say(at)) for at in chosen.tolist()]
        )
        for title, chosen in groups.items()
        if len(chosen)
    ]


def example_parts(groups: Sequence[ExampleGroup]) -> dict[str, Any]:
    """Return the fields of `Report` that show these groups."""
    return {
        "examples": groups,
        "examples_title": "Best and worst predictions",
        "examples_words": "Test graphs, which the model has not seen, and what it predicts.",
        "labels": node_labels(each.graph for group in groups for each in group.graphs),
    }
