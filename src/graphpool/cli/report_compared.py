"""`graphpool report` for a run of matching or similarity."""

import json as json_text
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from graphpool.cli.compared_results import RANKING, RULE_NAMES
from graphpool.cli.run_folder import CONFIG, EXAMPLES, RESULT
from graphpool.errors import CheckpointError

if TYPE_CHECKING:
    from graphpool.config import RunConfig
    from graphpool.data.pairs.pairset import PairSet
    from graphpool.models.comparer import Comparer
    from graphpool.report.comparison_data import ComparedRow, ComparerReport

_MATCHING = {"accuracy": "Accuracy, %", "auc": "AUC, %", "f1": "F1, %"}
_RANKED = dict(zip(RANKING, ("Triplets, %", "Spearman", "Kendall", "p@10", "p@20"), strict=True))


def comparer_page(run: Path, config: "RunConfig", root: Path | None) -> str:
    """The page about a finished run, as HTML."""
    from graphpool.models.comparer_file import load_comparer
    from graphpool.report.sections.comparison import render_comparer

    result: dict[str, Any] = json_text.loads((run / RESULT).read_text(encoding="utf-8"))
    make = _matching if config.task == "matching" else _similarity
    return render_comparer(make(run, config, load_comparer(run), result, root))


def _matching(
    run: Path, config: "RunConfig", comparer: "Comparer", result: dict[str, Any], root: Path | None
) -> "ComparerReport":
    from graphpool.models import comparer_report
    from graphpool.report.comparison_data import ComparerReport, Scores

    pairs, test = _test_pairs(run, config, root), result["test"]
    scores = comparer_report.pair_scores(comparer, pairs)
    matches = pairs.y.numpy() > 0.5
    examples = comparer_report.pair_examples(comparer, pairs, scores)
    low, high = (100 * end for end in test["interval"])
    hero = [
        ("Test pairs told apart", f"{100 * test['accuracy']:.1f}", "%",
         f"95 % interval {low:.1f} – {high:.1f}"),
        *_best_rule(result["rules"]),
    ]  # fmt: skip
    if test["auc"] is not None:  # pairs of one kind have none
        hero.append(("Area under ROC", f"{100 * test['auc']:.1f}", "%", "50 is chance"))
    return ComparerReport(
        **_common(run, config, comparer, result),
        hero=hero,
        columns=list(_MATCHING.values()),
        rows=[
            _row(config.model.pooler, test, _MATCHING, main=True),
            *(_row(RULE_NAMES[name], {"accuracy": value}, _MATCHING)
              for name, value in result["rules"].items()),
        ],
        scores=Scores(scores[matches], scores[~matches]),
        pairs=examples,
        labels=comparer_report.node_labels(
            side for each in examples for side in (each.left, each.right)
        ),
    )  # fmt: skip


def _similarity(
    run: Path, config: "RunConfig", comparer: "Comparer", result: dict[str, Any], root: Path | None
) -> "ComparerReport":
    import numpy as np

    from graphpool.cli.train_compared import open_ranking
    from graphpool.models import comparer_report
    from graphpool.report.comparison_data import ComparerReport

    graphs, distances, split, _ = open_ranking(config, run, True, root)
    _check(run, ("distances", "digest"), distances.digest)
    queries = np.array(split.test, dtype=np.int64)
    candidates = np.array(sorted((*split.train, *split.valid)), dtype=np.int64)
    true = distances.values[np.ix_(queries, candidates)]
    predicted = comparer.distances(graphs, queries, candidates)
    examples = comparer_report.query_examples(graphs, predicted, true, queries, candidates)
    test, rules = result["test"], result["rules"]
    hero = [
        ("Triplets in the right order", f"{100 * test['accuracy']:.1f}", "%",
         f"which of two graphs is nearer to a test graph, {len(queries)} of them"),
        *_best_rule({name: figures["accuracy"] for name, figures in rules.items()}),
        ("Spearman’s correlation", f"{test['spearman']:.3f}", "", "mean over test graphs"),
    ]  # fmt: skip
    return ComparerReport(
        **_common(run, config, comparer, result),
        hero=hero,
        columns=list(_RANKED.values()),
        rows=[
            _row(config.model.pooler, test, _RANKED, main=True),
            *(_row(RULE_NAMES[name], figures, _RANKED) for name, figures in rules.items()),
        ],
        distances=comparer_report.distance_plot(predicted, true),
        queries=examples,
        labels=comparer_report.node_labels(
            side for each in examples for side in (each.query, *(one.graph for one in each.nearest))
        ),
    )  # fmt: skip


def _common(
    run: Path, config: "RunConfig", comparer: "Comparer", result: dict[str, Any]
) -> dict[str, Any]:
    """What pages of both tasks have."""
    from graphpool.models.classifier_report import learning_curve
    from graphpool.training.events import EVENTS, read_events

    pooler, counts = config.model.pooler, result["examples"]
    noun = "pairs" if config.task == "matching" else "triplets"
    history = [row for row in read_events(run / EVENTS) if row["event"] == "epoch"]
    rules = {
        name: value if isinstance(value, float) else value["accuracy"]
        for name, value in result["rules"].items()
    }
    no_better = rules and max(rules.values()) >= result["test"]["accuracy"]
    facts = {"mean nodes": round(comparer.mean_nodes, 1)}
    if config.task == "similarity":
        facts = {**{f"{part} graphs": many for part, many in result["graphs"].items()}, **facts}
    return {
        "title": f"{pooler} on {result['data']}: {config.task}",
        "examples": noun,
        "subtitle": f"One model: {counts['train']:,} {noun} trained it, {counts['valid']:,} chose "
        f"the epoch, {counts['test']:,} tested it.",
        "command": f"graphpool train --config {run / CONFIG}",
        "verdict": "The model is no better than the best rule." if no_better else "",
        "dataset": facts,
        "curves": [learning_curve(pooler, history, result["best_epoch"])],
        "environment": {**result["versions"], "seed": config.train.seed},
    }


def _best_rule(rules: Mapping[str, float]) -> list[tuple[str, str, str, str]]:
    if not rules:
        return []
    best = max(rules, key=lambda name: rules[name])
    return [("Best rule", f"{100 * rules[best]:.1f}", "%", RULE_NAMES[best])]


def _row(
    name: str, figures: Mapping[str, Any], columns: Mapping[str, str], main: bool = False
) -> "ComparedRow":
    from graphpool.report.comparison_data import ComparedRow

    shown = {
        title: f"{100 * figures[key]:.1f}" if "%" in title else f"{figures[key]:.3f}"
        for key, title in columns.items()
        if figures.get(key) is not None
    }
    return ComparedRow(name, shown, float(figures["accuracy"]), main)


def _test_pairs(run: Path, config: "RunConfig", root: Path | None) -> "PairSet":
    """The pairs that the run was tested on; drawn ones are drawn again, without the others."""
    from graphpool.data import load as datasets
    from graphpool.data.source import data_digest
    from graphpool.data.synthetic.matching.names import is_matching_name
    from graphpool.tasks.matching_data import matching_data, part_seed

    pairs = (
        datasets.pairs(config.data, config.compare.test, part_seed(config, "test"))
        if is_matching_name(config.data)
        else matching_data(config, root).test
    )
    _check(run, ("parts", "test", "digest"), data_digest(pairs))
    return pairs


def _check(run: Path, keys: tuple[str, ...], found: object) -> None:
    """Refuse examples other than those that the run has written down."""
    path = run / EXAMPLES
    try:
        known: Any = json_text.loads(path.read_text(encoding="utf-8"))
        for key in keys:
            known = known[key]
    except (OSError, ValueError, KeyError, TypeError):
        raise CheckpointError(f"{path}: missing or damaged; train the model anew") from None
    if known != json_text.loads(json_text.dumps(found)):
        raise CheckpointError(
            f"{run}: its graphs, pairs or distances have changed since it was trained; put back "
            "those it was trained with, or train anew"
        )
