"""`graphpool report`: one HTML page about a trained run."""

import json as json_text
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from graphpool.cli.data_arguments import Root
from graphpool.cli.options import CLASSIFICATION
from graphpool.cli.output import Json, print_json, print_line
from graphpool.cli.run_folder import REPORT, RESULT, graphs_of, read_config
from graphpool.errors import CheckpointError

if TYPE_CHECKING:
    from graphpool.data.splits import Split
    from graphpool.graphs.graphset import GraphSet
    from graphpool.report import Report


def report(
    run: Annotated[Path, typer.Argument(help="The folder of a run of graphpool train.")],
    out: Annotated[Path | None, typer.Option(help="By default report.html in the run.")] = None,
    root: Root = None,
    json: Json = False,
) -> None:
    """Write a page about a run: accuracy, curves, its test graphs or pairs, some of them drawn."""
    from graphpool.report import write
    from graphpool.report.page import write_page

    config = read_config(run)
    if not (run / RESULT).is_file():
        raise CheckpointError(
            f"{run}: the run is not finished; go on with it: graphpool train --resume --out {run}"
        )
    if config.task == CLASSIFICATION:
        graphs, split = graphs_of(run, root)
        path = write(_build(run, graphs, split), out or run / REPORT)
    else:
        from graphpool.cli.report_compared import comparer_page

        path = write_page(comparer_page(run, config, root), out or run / REPORT)
    if json:
        print_json({"path": str(path)})
    else:
        print_line(f"Report: {path}")


def _build(run: Path, graphs: "GraphSet", split: "Split") -> "Report":
    from graphpool.models import classifier_report as model_report
    from graphpool.models.classifier import load_model
    from graphpool.report import Report, ResultRow
    from graphpool.training.events import EVENTS, read_events

    result: dict[str, Any] = json_text.loads((run / RESULT).read_text(encoding="utf-8"))
    model, test = load_model(run), graphs[split.test]
    history = [row for row in read_events(run / EVENTS) if row["event"] == "epoch"]
    pooler = model.config.model.pooler
    health = model_report.health_rows(result["health"], model.config.model)
    examples = []
    if health:
        position = model_report.typical_graph(model, test)
        examples = [model_report.hierarchy_example(model, test, position)]
    return Report(
        title=f"{pooler} on {graphs.name}",
        subtitle=f"One model on one split: {len(split.train)} graphs trained it, "
        f"{len(split.valid)} chose the epoch, {len(split.test)} tested it.",
        command=f"graphpool train --config {run / 'config.toml'}",
        dataset={
            "graphs": len(graphs),
            "classes": len(graphs.classes),
            "mean nodes": round(model.mean_nodes, 1),
            **_places(result),
        },
        results=[
            ResultRow(pooler, "ours", [result["test"]["accuracy"]]),
            ResultRow("majority class", "rule", [result["majority"]]),
        ],
        curves=[model_report.learning_curve(pooler, history, result["best_epoch"])],
        embedding=model_report.graph_map(
            model, test, f"These are the {len(test)} test graphs; the model has not seen them."
        ),
        hierarchy=examples,
        health=health,
        warnings=result["warnings"],
        environment={**result["versions"], "seed": model.config.train.seed},
    )


def _places(result: dict[str, Any]) -> dict[str, str | float]:
    """How many places graphs have, and who chose that; nothing of runs without them."""
    from graphpool.cli.places import short_counts
    from graphpool.training.select_place_rule import describe

    facts: dict[str, str | float] = {}
    if counts := result.get("places"):
        facts["places"] = short_counts(counts)
    if choice := result.get("choice"):
        chosen = describe(choice["count"], choice["resolution"])
        facts["places found by"] = f"{chosen}, chosen on validation graphs"
    return facts
