"""Rules that stand beside models that compare graphs, and what they are called in results."""

from graphpool.data.pairs.pairset import PairSet
from graphpool.data.synthetic.matching.rules import RULES, rule_accuracy

# Pairs that the threshold of a rule is fitted on: more don't move it, and spectra are slow.
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


def rule_accuracies(train: PairSet, test: PairSet) -> dict[str, float]:
    """Accuracy of every rule on the test pairs; eigenvalues are used on small graphs alone."""
    fitted = train.select(slice(RULE_PAIRS))
    largest = max(int(pairs.graphs.node_counts.max()) for pairs in (train, test))
    return {
        name: rule_accuracy(fitted, test, rule)
        for name, rule in RULES.items()
        if name != "spectrum" or largest <= SPECTRUM_NODES
    }


def rule_accuracies_by_halves(pairs: PairSet) -> dict[str, float]:
    """The same where there are no training pairs: each half is judged by the other's threshold.

    Empty for fewer than 4 pairs, or if all are of one kind: then there is nothing to get right.
    """
    if len(pairs) < 4 or bool((pairs.y == pairs.y[0]).all()):
        return {}
    # Every second pair: files are often sorted.
    halves = [pairs.select(slice(begin, None, 2)) for begin in (0, 1)]
    reached = [rule_accuracies(halves[1 - number], half) for number, half in enumerate(halves)]
    return {
        name: sum(
            part[name] * len(half) for part, half in zip(reached, halves, strict=True)
        ) / len(pairs)
        for name in reached[0]
        if name in reached[1]
    }  # fmt: skip
