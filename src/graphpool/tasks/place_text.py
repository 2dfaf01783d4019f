"""The number of places in words: how many graphs have, and how that number was chosen."""

from typing import Any

from graphpool.config import ModelConfig, RunConfig
from graphpool.errors import plural
from graphpool.evaluation.format import percent
from graphpool.graphs.graphset import GraphSet
from graphpool.nn.zoo.build import place_rule, uses_places
from graphpool.training.select_place_rule import (
    UNITS,
    VALIDATION,
    candidates,
    describe,
    pilot_epochs,
    selects,
)

Counts = dict[str, int | float]


def place_counts(graphs: GraphSet, settings: ModelConfig) -> Counts | None:
    """Return the fewest, mean and most places of a graph; None for a model without places."""
    rule = place_rule(settings)
    if rule is None or not len(graphs):
        return None
    counts = graphs.places(rule).counts
    return {
        "least": int(counts.min()),
        "mean": float(counts.double().mean()),
        "most": int(counts.max()),
    }


def counts_text(counts: Counts) -> str:
    """`3 to 9 places in a graph, 5.1 on average`."""
    least, most = counts["least"], counts["most"]
    if least == most:
        return f"{most:.0f} {'place' if most == 1 else 'places'} in every graph"
    return f"{least:.0f} to {most:.0f} places in a graph, {counts['mean']:.1f} on average"


def plan_text(graphs: GraphSet, run: RunConfig) -> str:
    """Say what is known of places before training; empty for a model without places."""
    if selects(run.model):
        tried = plural(pilot_epochs(run.train.epochs), "epoch")
        if run.model.units == VALIDATION:
            return f"validation graphs choose what places are: every way is tried for {tried}"
        return (
            f"validation graphs choose how many places a graph has: {len(candidates(run.model))} "
            f"ways are tried for {tried} each"
        )
    if run.model.units == "recurring" and uses_places(run.model.pooler):
        return "places are parts that recur, learned from the training graphs"
    counts = place_counts(graphs, run.model)
    return "" if counts is None else counts_text(counts)


def choice_lines(choice: dict[str, Any]) -> list[str]:
    """Say what validation graphs chose, and list what was tried."""
    chosen = described(choice)
    tried = plural(choice["epochs"], "epoch")
    lines = [f"Places: {chosen}, chosen on validation graphs after {tried} each:"]
    for pilot in choice["pilots"]:
        name = described(pilot)
        metric, value = next(iter(pilot["metrics"].items()))
        reached = percent(value) if metric == "accuracy" else f"{metric} {value:.3f}"
        lines.append(f"  {name:<29} {pilot['places']:>5.1f} places a graph  {reached:>7}")
    return lines


def choice_facts(document: dict[str, Any], settings: ModelConfig) -> dict[str, str | int | float]:
    """Return how many places graphs have and how they are found; empty for models without places.

    Args:
        settings: of the trained model.
    """
    facts: dict[str, str | int | float] = {}
    if counts := document.get("places"):
        least, most, mean = (counts[key] for key in ("least", "most", "mean"))
        several = f"{least:.0f} to {most:.0f}, mean {mean:.1f}"
        facts["places"] = f"{most:.0f}" if least == most else several
        facts["places found by"] = rule_text(settings)
    if choice := document.get("choice"):
        facts["places found by"] = f"{described(choice)}, chosen on validation graphs"
    return facts


def rule_text(settings: ModelConfig) -> str:
    """Say by what the places of a model are found; empty for a model without places."""
    rule = place_rule(settings)
    if rule is None:
        return ""
    if rule.units == "recurring":
        return f"{UNITS['recurring']}, learned from the training graphs"
    if rule.most == 1:
        return UNITS["graph"]
    words = "rings, and modularity between them" if rule.units == "rings" else UNITS[rule.units]
    number = {
        "auto": "",
        "eigengap": ", as many as the eigengap says",
        "given": f", {rule.clusters} at most",
        "ratio": f", {rule.ratio:g} times as many as nodes",
    }
    return words + number[rule.count]


def described(rule: dict[str, Any]) -> str:
    """Describe a choice, or one of its pilots; older ones have no units."""
    return describe(rule["count"], rule["resolution"], rule.get("units", ""))
