"""What commands say about places: how many graphs have, and how that number was chosen."""

from typing import TYPE_CHECKING, Any

from graphpool.cli.output import percent

if TYPE_CHECKING:
    from graphpool.config import RunConfig
    from graphpool.graphs.graphset import GraphSet


def place_counts(graphs: "GraphSet", run: "RunConfig") -> dict[str, int | float] | None:
    """Fewest, mean and most places of a graph; None for a model that looks for none."""
    from graphpool.nn.zoo.build import place_rule

    rule = place_rule(run.model)
    if rule is None or not len(graphs):
        return None
    counts = graphs.places(rule).counts
    return {
        "least": int(counts.min()),
        "mean": float(counts.double().mean()),
        "most": int(counts.max()),
    }


def short_counts(counts: dict[str, int | float]) -> str:
    """`3 to 9, mean 5.1`."""
    least, most = counts["least"], counts["most"]
    return (
        f"{most:.0f}" if least == most else f"{least:.0f} to {most:.0f}, mean {counts['mean']:.1f}"
    )


def counts_text(counts: dict[str, int | float]) -> str:
    """`3 to 9 places in a graph, 5.1 on average`."""
    least, most = counts["least"], counts["most"]
    if least == most:
        return f"{most:.0f} {'place' if most == 1 else 'places'} in every graph"
    return f"{least:.0f} to {most:.0f} places in a graph, {counts['mean']:.1f} on average"


def plan_text(graphs: "GraphSet", run: "RunConfig") -> str:
    """What is known of places before the training; nothing for a model that looks for none."""
    from graphpool.training.select_place_rule import VALIDATION, candidates, pilot_epochs

    if run.model.cluster_count == VALIDATION:
        return (
            f"validation graphs choose how many places a graph has: {len(candidates(run.model))} "
            f"ways are tried for {pilot_epochs(run.train.epochs)} epochs each"
        )
    counts = place_counts(graphs, run)
    return "" if counts is None else counts_text(counts)


def choice_lines(choice: dict[str, Any]) -> list[str]:
    """What validation graphs chose, and under it what was tried."""
    from graphpool.training.select_place_rule import describe

    chosen = describe(choice["count"], choice["resolution"])
    lines = [f"Places: {chosen}, chosen on validation graphs after {choice['epochs']} epochs each:"]
    for pilot in choice["pilots"]:
        name = describe(pilot["count"], pilot["resolution"])
        reached = percent(pilot["metrics"]["accuracy"])
        lines.append(f"  {name:<29} {pilot['places']:>5.1f} places a graph  {reached:>7}")
    return lines
