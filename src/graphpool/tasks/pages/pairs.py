"""Scores of pairs, distances and drawn graphs, for pages about models that compare graphs."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from graphpool import ged
from graphpool.data.pairs.pairset import PairSet
from graphpool.errors import FeatureWarning, collect_warnings
from graphpool.evaluation.baselines.pairs import RULE_NAMES
from graphpool.evaluation.ranking import pair_counts
from graphpool.features.summary import features_text
from graphpool.ged.result import EditDistance
from graphpool.graphs.graphset import GraphSet
from graphpool.report.data import DistancePlot, FigureRow, FigureTable, HeroFigure, Report
from graphpool.report.draw.side import one_side, two_sides
from graphpool.report.pictures import Neighbour, PairExample, QueryExample, Side
from graphpool.tasks.base import Document, History, TaskModel
from graphpool.tasks.pages.levels import learning_curve
from graphpool.tasks.pairwise import compare_two

Array = NDArray[Any]

NEAREST = 5
# Nodes beyond which two graphs are not drawn upon each other; then how long the mapping of one
# onto the other is looked for: not by the clock, so that a page is the same on every machine.
MOST_NODES = 60
MOST_EXPANDED = 20_000


def pair_examples(model: TaskModel, pairs: PairSet, scores: Array) -> list[PairExample]:
    """Of either kind of pair a typical one that is right, and one of the worst mistakes.

    Both are the sparsest among a third of those that are right or wrong, since a picture of many
    edges shows none of them.
    """
    matches = pairs.y.cpu().numpy() > 0.5
    edges = pairs.graphs.edge_counts.cpu().numpy()
    many = edges[pairs.left.cpu().numpy()] + edges[pairs.right.cpu().numpy()]
    right, examples = (scores > 0.5) == matches, []
    for good in (True, False):
        for kind in (True, False):
            found = np.flatnonzero((matches == kind) & (right == good))
            if not len(found):
                continue
            # By how sure the model is: from the middle of the right ones, the end of the others.
            order = found[np.argsort(np.abs(scores[found] - 0.5), kind="stable")]
            third = len(order) // 3
            shown = order[third : len(order) - third] if good else order[2 * third :]
            why = "typical of its kind" if good else "of the worst mistakes"
            examples.append(_pair(model, pairs, int(shown[many[shown].argmin()]), why))
    return examples


def distance_plot(predicted: Array, true: Array) -> DistancePlot:
    """All pairs whose true distance is known, from two matrices `[queries, candidates]`."""
    known = np.isfinite(true)
    return DistancePlot(true[known], predicted[known])


def query_examples(
    graphs: GraphSet,
    predicted: Array,
    true: Array,
    queries: NDArray[np.int64],
    candidates: NDArray[np.int64],
) -> list[QueryExample]:
    """A query whose candidates are ordered about as well as usual, and the one ordered worst.

    Args:
        predicted, true: `[queries, candidates]`, the latter NaN where it is not known.
    """
    counts = pair_counts(predicted, true)
    total = counts.concordant + counts.discordant + counts.undecided
    asked = np.flatnonzero(total > 0)
    if not len(asked):
        return []
    share = (counts.concordant + 0.5 * counts.undecided)[asked] / total[asked]
    order = np.argsort(share, kind="stable")
    chosen = dict.fromkeys((int(order[len(order) // 2]), int(order[0])))
    words = ("A typical test graph", "The test graph whose others are ordered worst")
    return [
        QueryExample(
            title=title,
            query=one_side(graphs[int(queries[asked[at]])], _name(graphs, queries[asked[at]])),
            nearest=_nearest(graphs, predicted[asked[at]], true[asked[at]], candidates),
            note=f"{100 * share[at]:.1f} % of its triplets are in the right order",
        )
        for title, at in zip(words, chosen, strict=False)
    ]


def _nearest(
    graphs: GraphSet, predicted: Array, true: Array, candidates: NDArray[np.int64]
) -> list[Neighbour]:
    known = np.flatnonzero(np.isfinite(true))
    near = known[np.argsort(predicted[known], kind="stable")][:NEAREST]
    return [
        Neighbour(
            graph=one_side(graphs[int(candidates[at])], _name(graphs, candidates[at])),
            predicted=float(predicted[at]),
            true=float(true[at]),
            rank=1 + int((true[known] < true[at]).sum()),
        )
        for at in near.tolist()
    ]


def _pair(model: TaskModel, pairs: PairSet, at: int, why: str) -> PairExample:
    ends = int(pairs.left[at]), int(pairs.right[at])
    found = compare_two(model, *(pairs.graphs[[end]] for end in ends))
    # A single level says the same as all levels together.
    levels = () if len(found.scores) == 1 else found.scores
    scores = {f"level {number}": score for number, score in enumerate(levels, start=1)}
    left, right, aligned, note = _sides(pairs.graphs, ends)
    return PairExample(
        title=f"Pair {pairs.graphs.ids[ends[0]]} and {pairs.graphs.ids[ends[1]]}, {why}",
        left=left,
        right=right,
        aligned=aligned,
        matches=float(pairs.y[at]) > 0.5,
        scores={**scores, "all together": found.score},
        note=note,
    )


def _sides(graphs: GraphSet, ends: tuple[int, int]) -> tuple[Side, Side, bool, str]:
    """Two graphs, whether the second is drawn upon the first, and how far apart they are."""
    names = _name(graphs, ends[0]), _name(graphs, ends[1])
    alone = tuple(one_side(graphs[end], name) for end, name in zip(ends, names, strict=True))
    if max(len(side.slot) for side in alone) <= MOST_NODES:
        path = _edit_path(graphs, ends)
        # With most edges changed, colours would say nothing.
        if 2 * path.upper <= sum(len(side.edges) for side in alone):
            aligned = two_sides(graphs[ends[0]], graphs[ends[1]], path, names, edge_labels=False)
            return *aligned, True, _apart(path)
    return alone[0], alone[1], False, ""


def _edit_path(graphs: GraphSet, ends: Sequence[int]) -> EditDistance:
    """Return the shortest edit path that is found in a short time."""
    first, second = (graphs[end] for end in ends)
    with collect_warnings(FeatureWarning):  # the path is drawn of nodes and edges alone
        tried = [
            ged.distance(
                first, second, "exact", max_nodes_expanded=MOST_EXPANDED, edge_labels=False
            ),
            ged.distance(first, second, "beam80", edge_labels=False),
        ]
    best = min(tried, key=lambda found: found.upper)
    lower = max(found.lower for found in tried)
    return replace(best, lower=lower, optimal=lower == best.upper)


def _apart(path: EditDistance) -> str:
    if path.upper == 0:
        return "the same graph, numbered otherwise"
    edits = "1 edit" if path.upper == 1 else f"{path.upper:g} edits"
    return f"{edits} apart" if path.optimal else f"at most {edits} apart"


def _name(graphs: GraphSet, at: int | np.int64) -> str:
    return f"graph {graphs.ids[int(at)]}"


def comparison_page(
    model: TaskModel,
    document: Document,
    history: History,
    columns: Mapping[str, str],
    rules: Mapping[str, Mapping[str, Any]],
    first: Sequence[HeroFigure],
    last: Sequence[HeroFigure],
    *,
    noun: str,
    **parts: Any,
) -> Report:
    """Put together the page about a model that compares graphs.

    Args:
        columns: title of each figure, by its key.
        rules: figures of each rule.
        first, last: figures at the top, before and after that of the best rule.
        noun: what examples are called.
        parts: fields of `Report` that the task fills.
    """
    columns = {key: title[:1].upper() + title[1:] for key, title in columns.items()}
    config, counts, test = model.config, document["examples"], document["test"]
    pooler = config.model.pooler
    facts: dict[str, str | int | float] = {"mean nodes": round(model.mean_nodes, 1)}
    if "graphs" in document:
        graphs = {f"{part} graphs": count for part, count in document["graphs"].items()}
        facts = {**graphs, **facts}
    reached = {name: float(figures["accuracy"]) for name, figures in rules.items()}
    middle, verdict = [], ""
    if reached:
        best = max(reached, key=lambda name: reached[name])
        value = f"{100 * reached[best]:.1f}"
        middle = [HeroFigure("Best rule", value, "%", RULE_NAMES[best])]
        if reached[best] >= test["accuracy"]:
            verdict = "The model is no better than the best rule."
    trained = ""
    if "train" in counts:
        trained = f"{counts['train']:,} {noun} trained it, {counts['valid']:,} chose the epoch, "
    # Without test triplets, whole rankings of test graphs are tested.
    tested = f"{counts['test']:,}" if "test" in counts else f"{document['graphs']['test']:,} graphs"
    return Report(
        title=f"{pooler} on {document['data']}: {config.task}",
        subtitle=f"One model: {trained}{tested} tested it.",
        command=document.get("command", ""),
        noun=noun,
        hero=[*first, *middle, *last],
        verdict=verdict,
        dataset=facts,
        tables=[
            FigureTable(
                "Results beside rules",
                "A model has learned something only where it is above the rules: they compare one "
                "property of both graphs, and learn at most a threshold.",
                list(columns.values()),
                [
                    _figure_row(pooler, test, columns, main=True),
                    *(_figure_row(RULE_NAMES[name], row, columns) for name, row in rules.items()),
                ],
                badge="this model",
            )
        ],
        curves=[learning_curve(pooler, history, document["best_epoch"])] if history else [],
        environment={
            "features": features_text(model.features.about()),
            **document["versions"],
            "seed": config.train.seed,
        },
        **parts,
    )


def _figure_row(
    name: str, figures: Mapping[str, Any], columns: Mapping[str, str], main: bool = False
) -> FigureRow:
    shown = {
        title: f"{100 * figures[key]:.1f}" if "%" in title else f"{figures[key]:.3f}"
        for key, title in columns.items()
        if figures.get(key) is not None and np.isfinite(figures[key])
    }
    return FigureRow(name, shown, float(figures["accuracy"]), main)
