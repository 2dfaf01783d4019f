"""What comparers reach on pairs and in ranking, beside simple rules: as a document and in words."""

from typing import TYPE_CHECKING, Any

from graphpool.cli.output import percent, plural, print_line, print_table

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from graphpool.data.pairs.pairset import PairSet
    from graphpool.graphs.graphset import GraphSet
    from graphpool.models.comparer import Comparer
    from graphpool.tasks.matching_data import MatchingData
    from graphpool.tasks.similarity_data import SimilarityData

# Pairs that the threshold of a rule is found on: more don't move it, and spectra take their time.
RULE_PAIRS = 4000
# Nodes beyond which spectra would take longer than the model.
SPECTRUM_NODES = 2000
RULE_NAMES = {
    "size": "numbers of nodes",
    "edges": "numbers of edges",
    "degrees": "sorted degrees",
    "wl": "colour refinement (1-WL)",
    "spectrum": "eigenvalues",
    "label-edge": "labels and edges counted",
}
RANKING = ("accuracy", "spearman", "kendall", "precision@10", "precision@20")


def matching_document(comparer: "Comparer", data: "MatchingData") -> dict[str, Any]:
    """Figures of the test pairs, and of rules that were fitted on training pairs."""
    return {
        "task": "matching",
        "data": data.train.name,
        "examples": {name: len(getattr(data, name)) for name in ("train", "valid", "test")},
        "test": pairs_figures(comparer, data.test),
        "rules": rule_figures(data.train, data.test),
    }


def pairs_figures(comparer: "Comparer", pairs: "PairSet") -> dict[str, Any]:
    """Metrics, the number of right answers and an interval of their share."""
    from graphpool.evaluation.statistics import wilson

    metrics = comparer.score(pairs)
    correct = round(metrics["accuracy"] * len(pairs))
    return {**metrics, "correct": correct, "interval": wilson(correct, len(pairs))}


def rule_figures(train: "PairSet", test: "PairSet") -> dict[str, float]:
    """Accuracy of every rule on the test pairs; that of eigenvalues on small graphs alone."""
    from graphpool.data.synthetic.matching.rules import RULES, rule_accuracy

    learnt = train.select(slice(RULE_PAIRS))
    largest = max(int(pairs.graphs.node_counts.max()) for pairs in (train, test))
    return {
        name: rule_accuracy(learnt, test, rule)
        for name, rule in RULES.items()
        if name != "spectrum" or largest <= SPECTRUM_NODES
    }


def rule_figures_by_halves(pairs: "PairSet") -> dict[str, float]:
    """The same for pairs beside which there are no others: each half has the other's threshold.

    Nothing if there are fewer than 4, or all of one kind: then there is nothing to be right about.
    """
    if len(pairs) < 4 or bool((pairs.y == pairs.y[0]).all()):
        return {}
    # Every second pair: files are often sorted.
    halves = [pairs.select(slice(begin, None, 2)) for begin in (0, 1)]
    found = [rule_figures(halves[1 - number], half) for number, half in enumerate(halves)]
    return {
        name: sum(
            part[name] * len(half) for part, half in zip(found, halves, strict=True)
        ) / len(pairs)
        for name in found[0]
        if name in found[1]
    }  # fmt: skip


def similarity_document(comparer: "Comparer", data: "SimilarityData") -> dict[str, Any]:
    """How test graphs rank all others, and how well a rule does that counts."""
    parts = {name: len(getattr(data, name)) for name in ("train", "valid", "test")}
    graphs = {name: len(getattr(data.split, name)) for name in parts}
    scored = comparer.score(data.test)
    return {
        "task": "similarity",
        "data": data.graphs.name,
        "graphs": graphs,
        "examples": parts,
        "distances": data.true.origin,
        "split": data.facts["split"],
        **ranking_figures(comparer, data.graphs, data.true.values, data.queries, data.candidates),
        "triplets": {name: scored[name] for name in ("accuracy", "error", "loss")},
    }


def ranking_figures(
    comparer: "Comparer",
    graphs: "GraphSet",
    true: "NDArray[np.float64]",
    queries: "NDArray[np.int64]",
    candidates: "NDArray[np.int64]",
) -> dict[str, Any]:
    """Metrics of the comparer and of the rule, over all triplets of these graphs."""
    import numpy as np

    from graphpool.evaluation.baselines.distances import label_edge_rule
    from graphpool.evaluation.ranking import ranking_metrics
    from graphpool.models.comparer import ranked

    known = true[np.ix_(queries, candidates)]
    known[queries[:, None] == candidates] = np.nan
    rule = label_edge_rule(graphs, queries, candidates)
    return {
        "test": ranked(comparer, graphs, true, queries, candidates),
        "rules": {"label-edge": ranking_metrics(rule, known)},
    }


def print_matching(document: dict[str, Any]) -> None:
    """Accuracy, and under it what rules reach that compare one thing of both graphs."""
    test = document["test"]
    low, high = (100 * end for end in test["interval"])
    pairs = plural(document["examples"]["test"], "pair")
    print_line(
        f"Test accuracy   {percent(test['accuracy']):>7}  {test['correct']:,} of {pairs}, "
        f"95 % interval {low:.1f} to {high:.1f}"
    )
    print_line(f"Area under ROC  {percent(test['auc']):>7}")
    print_line(f"F1              {percent(test['f1']):>7}")
    if document["rules"]:
        print_line(
            "\nRules that compare one thing of both graphs, with a threshold from other pairs:"
        )
        for name, reached in document["rules"].items():
            print_line(f"  {RULE_NAMES[name]:<25}{percent(reached):>7}")
        best = max(document["rules"], key=lambda name: float(document["rules"][name]))
        if document["rules"][best] >= test["accuracy"]:
            print_line(f"The model is no better than the rule of {RULE_NAMES[best]}.")
        print_line()


def print_similarity(document: dict[str, Any]) -> None:
    """Order of all triplets and rank correlations, with the rule beside the model."""
    rows = {"model": document["test"]}
    rows |= {RULE_NAMES[name]: figures for name, figures in document["rules"].items()}
    names = ("accuracy, %", "Spearman", "Kendall", "p@10", "p@20")
    table = []
    for who, figures in rows.items():
        first, *rest = (figures[key] for key in RANKING)
        table.append((who, f"{100 * first:.1f}", *map(_number, rest)))
    print_table(("on test graphs", *names), table, right=names)
    print_line(
        "\nAccuracy is over all triplets of a test graph and two others; the rest is the mean over "
        "test graphs."
    )
    if document["rules"]["label-edge"]["accuracy"] >= document["test"]["accuracy"]:
        print_line("The model is no better than the rule.")


def _number(value: float | None) -> str:
    return "–" if value is None or value != value else f"{value:.3f}"
