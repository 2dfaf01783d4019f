"""`graphpool ged`: the edit distance of two graphs, of all pairs of a set, and its methods."""

import math
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from graphpool.cli.data_arguments import file_name, open_graphs, open_one
from graphpool.cli.ged_arguments import (
    CostList,
    EdgeLabels,
    MaxExpanded,
    MethodName,
    TimeLimit,
    read_costs,
    read_pairs,
)
from graphpool.cli.options import Json, Overwrite, Root, SetName, command_group
from graphpool.cli.output import aligned, print_result, print_status
from graphpool.errors import ConfigError, FeatureWarning, collect_warnings
from graphpool.evaluation.format import Lines, Table, decimal, percent, plural
from graphpool.files import check_free

if TYPE_CHECKING:
    from graphpool.ged.compare import MethodScore
    from graphpool.ged.result import EditDistance
    from graphpool.graphs.graphset import GraphSet

STOPPED = 130

ged_app = command_group(
    "Graph edit distance: of a pair, of a whole set, and how its methods compare."
)

OneGraph = Annotated[str, typer.Argument(help="SET:ID, SET:#NUMBER, or a file with one graph.")]
Seed = Annotated[int, typer.Option(help="Of the drawing of pairs.")]


@ged_app.command()
def pair(
    first: OneGraph,
    second: OneGraph,
    method: MethodName = "exact",
    time_limit: TimeLimit = None,
    max_expanded: MaxExpanded = None,
    costs: CostList = None,
    edge_labels: EdgeLabels = True,
    draw: Annotated[Path | None, typer.Option(help="FILE.svg or FILE.png to draw into.")] = None,
    overwrite: Overwrite = False,
    root: Root = None,
    json: Json = False,
) -> None:
    """Tell how to turn one graph into another with the least edits.

    \b
    graphpool ged pair MUTAG:#0 MUTAG:#1 --draw edits.svg
    """
    from graphpool.ged import distance

    if draw is not None and draw.suffix.lower() not in (".svg", ".png"):
        raise ConfigError(f"--draw {draw}: end it with .svg or .png")
    if draw is not None:
        check_free(draw, overwrite, "--overwrite", "--draw ")
    (one, name), (two, other) = open_one(first, root), open_one(second, root)
    _load(method)
    with collect_warnings(FeatureWarning) as notes:  # printed below
        found = distance(
            one[0], two[0], method=method, costs=read_costs(costs), time_limit=time_limit,
            max_nodes_expanded=max_expanded, edge_labels=edge_labels,
        )  # fmt: skip
    if draw is not None:
        from graphpool.report.draw.edit_path import draw_edit_path

        draw_edit_path(one[0], two[0], found, draw, names=(name, other), edge_labels=edge_labels)
    drawn = None if draw is None else str(draw)
    document = {"first": name, "second": other, **found.to_dict(), "drawn": drawn, "notes": notes}
    print_result(json, document, [*_describe(found, (one, name), (two, other)), *_notes(notes)])
    if drawn and not json:
        print_status(f"drawn: {drawn}")


def _notes(notes: list[str]) -> Lines:
    return [f"note: {note}" for note in notes]


def _load(*methods: str) -> None:
    """Load the compiled code, which is not to be timed, and say so where people wait for it."""
    from contextlib import nullcontext

    from rich.console import Console

    from graphpool.ged import distance

    waiting = "loading compiled code; the first time it is compiled, for up to 20 s"
    console = Console(stderr=True)
    with console.status(waiting) if console.is_terminal else nullcontext():
        for method in methods:
            distance((1, ()), (1, ()), method=method, time_limit=1.0)


def _describe(
    found: "EditDistance", first: "tuple[GraphSet, str]", second: "tuple[GraphSet, str]"
) -> Lines:
    if found.optimal:
        verdict = f"{found.distance:g}, proved"
    elif math.isinf(found.upper):
        verdict = f"at least {found.lower:g}"
    else:
        verdict = f"between {found.lower:g} and {found.upper:g}, not proved"
    rows = [
        ("first", f"{first[1]}, {plural(first[0].num_nodes, 'node')}"),
        ("second", f"{second[1]}, {plural(second[0].num_nodes, 'node')}"),
        ("distance", verdict),
        ("method", f"{found.method}, {_time(found.seconds)}, {found.expanded:,} expanded"),
    ]
    if found.path or found.mapping:
        images = (f"{v}→{'–' if u is None else u}" for v, u in enumerate(found.mapping))
        rows.append(("mapping", " ".join(images)))
    lines: Lines = [*aligned(rows)]
    if found.path:
        lines.append(f"\nedit path, {plural(len(found.path), 'edit')}:")
        lines += aligned([(f"  {step}", f"{step.cost:g}") for step in found.path])
    return lines


def _time(seconds: float) -> str:
    if seconds < 1e-3:
        return f"{1e6 * seconds:.0f} µs"
    return f"{1e3 * seconds:.1f} ms" if seconds < 1 else f"{seconds:.2f} s"


@ged_app.command()
def matrix(
    data: SetName,
    out: Annotated[Path | None, typer.Option(help="File to write; SET.ged if absent.")] = None,
    overwrite: Annotated[
        bool, typer.Option("--overwrite", help="Replace the file, and parts of other settings.")
    ] = False,
    jobs: Annotated[int | None, typer.Option(help="Threads; all cores if absent.")] = None,
    pairs: Annotated[
        Path | None, typer.Option(help="File with two ids on each line: only these pairs.")
    ] = None,
    sample: Annotated[int | None, typer.Option(help="Only so many pairs, drawn at random.")] = None,
    seed: Seed = 0,
    method: MethodName = "exact",
    time_limit: TimeLimit = None,
    max_expanded: MaxExpanded = None,
    costs: CostList = None,
    edge_labels: EdgeLabels = True,
    root: Root = None,
    json: Json = False,
) -> None:
    """Compute the distances of all pairs of a set into one file; go on after a stop.

    The same command again continues where a stopped one was. From Python,
    graphpool.ged.open_matrix("SET.ged").values gives the distances.
    """
    from graphpool import ged
    from graphpool.ged.compare import sample_pairs

    if pairs is not None and sample is not None:
        raise ConfigError("--pairs and --sample exclude each other; give one of them")
    graphs = open_graphs(data, root)
    target = out or Path(f"{file_name(data)}.ged")
    chosen = None
    if pairs is not None:
        chosen = read_pairs(pairs, graphs)
    elif sample is not None:
        chosen = sample_pairs(len(graphs), sample, seed)
    finished = target.is_file() and not overwrite
    if not finished:
        _load(method)
    try:
        with collect_warnings(FeatureWarning) as notes:  # printed below
            found = ged.matrix(
                graphs, method=method, costs=read_costs(costs), jobs=jobs, pairs=chosen,
                time_limit=time_limit, max_nodes_expanded=max_expanded, edge_labels=edge_labels,
                out=target, overwrite=overwrite, progress=not json,
            )  # fmt: skip
    except KeyboardInterrupt as stop:
        print_status(str(stop) or "stopped")
        raise typer.Exit(STOPPED) from None
    document = {"path": str(target), **_summary(found, chosen), **found.header, "notes": notes}
    if finished and not json:
        print_status(f"{target} was there already; --overwrite computes it again")
    counts = found.header["counts"]
    rest = ", the others have isomorphic graphs" if counts["solved"] < counts["pairs"] else ""
    rate = f"{document['pairs_per_second']:,.0f} solved a second"
    rows = [
        ("method", method),
        ("pairs", f"{counts['solved']:,} solved{rest}"),
        ("time", f"{_time(found.header['seconds'])}, {rate}"),
    ]
    if counts["pairs"]:
        spread = f"{document['mean']:.3f}, {document['least']:g} to {document['most']:g}"
        rows += [("mean", spread), ("proved", percent(document["proved_share"]))]
    size = f"{plural(counts['graphs'], 'graph')}, {plural(counts['pairs'], 'pair')}"
    print_result(json, document, [f"{target}: {size}", *aligned(rows), *_notes(notes)])


def _summary(found: Any, chosen: Any) -> dict[str, float]:
    """Figures over the pairs that were asked for."""
    import numpy as np

    size = len(found)
    if chosen is not None:
        first, second = chosen.T
    elif found.header["symmetric"]:
        first, second = np.triu_indices(size, 1)
    else:
        first, second = np.nonzero(~np.eye(size, dtype=bool))
    values, proved = found.values[first, second], found.optimal[first, second]
    if not len(values):
        values, proved = np.full(1, np.nan), np.full(1, np.nan)
    return {
        "mean": float(values.mean()),
        "least": float(values.min()),
        "most": float(values.max()),
        "proved_share": float(proved.mean()),
        "pairs_per_second": found.header["counts"]["solved"] / max(found.header["seconds"], 1e-9),
    }


@ged_app.command()
def compare(
    data: SetName,
    sample: Annotated[int, typer.Option(help="Pairs to draw.")] = 1000,
    seed: Seed = 0,
    methods: Annotated[
        list[str] | None,
        typer.Option("--method", help="Only this one; may be given several times."),
    ] = None,
    time_limit: TimeLimit = 10.0,
    max_expanded: MaxExpanded = None,
    costs: CostList = None,
    edge_labels: EdgeLabels = True,
    root: Root = None,
    json: Json = False,
) -> None:
    """Measure every method against the exact distance on the same pairs, on one core."""
    from graphpool.ged import METHODS
    from graphpool.ged.compare import compare as measure

    graphs = open_graphs(data, root)
    _load(*(methods or METHODS))
    with collect_warnings(FeatureWarning) as notes:  # printed below
        found = measure(
            graphs, sample, seed, methods=methods or None, costs=read_costs(costs),
            time_limit=time_limit, max_nodes_expanded=max_expanded, edge_labels=edge_labels,
        )  # fmt: skip
    columns = ("method", "answer", "error", "relative", "exact", "Spearman", "Kendall", "order",
               "µs a pair")  # fmt: skip
    lines: Lines = [
        f"{graphs.name}: {plural(found.pairs, 'pair')}, mean distance {found.mean_distance:.2f}, "
        f"{plural(found.triplets, 'triplet')}\n",
        Table(columns, [_score_row(score) for score in found.scores], right=columns[2:]),
    ]
    basis = f"every row is measured on the {plural(found.proved, 'pair')} whose distance is proved"
    if left := found.pairs - found.proved:
        basis += f"; {plural(left, 'pair')}, the hardest, are left out of all rows"
    lines += [f"\n{basis}", *_notes(notes)]
    document = {"data": graphs.name, "seed": seed, **found.to_dict(), "notes": notes}
    print_result(json, document, lines)


def _score_row(score: "MethodScore") -> tuple[str, ...]:
    answer = {"upper": "upper bound", "lower": "lower bound"}.get(score.answer, score.answer)
    if score.proved is not None and score.proved < 1:
        answer = f"{answer}, {percent(score.proved)} proved"
    return (
        score.method,
        answer,
        f"{score.mean_error:+.3f}",
        percent(score.relative_error),
        percent(score.exactly_right),
        decimal(score.spearman),
        decimal(score.kendall),
        percent(score.order_accuracy),
        f"{score.microseconds:,.1f}",
    )
