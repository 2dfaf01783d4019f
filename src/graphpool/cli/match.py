"""`graphpool match`: how alike two graphs are, by a network that was trained to compare graphs."""

from pathlib import Path
from typing import Annotated, Any

import typer

from graphpool.cli.data_arguments import load_model, open_one
from graphpool.cli.options import Device, Json, Root
from graphpool.cli.output import print_result
from graphpool.errors import FeatureWarning, collect_warnings
from graphpool.evaluation.format import Lines, Table

_GRAPH = "A file with one graph, or FILE:ID or SET:ID for one of several (SET:#0 by position)."


def match(
    left: Annotated[str, typer.Argument(metavar="A", help=_GRAPH)],
    right: Annotated[str, typer.Argument(metavar="B", help="Another one.")],
    model: Annotated[
        Path, typer.Option(help="Run of graphpool train --task matching or similarity, or a file.")
    ],
    device: Device = "cpu",
    root: Root = None,
    json: Json = False,
) -> None:
    """Compare two graphs: distance and score of every level and of all together.

    Which graph comes first makes no difference. Equal graphs are at distance 0, except for simgnn.
    """
    comparer = load_model(model, device, takes="pairs")
    sides = [open_one(text, root) for text in (left, right)]
    with collect_warnings(FeatureWarning):  # printed below, for each graph
        result = comparer.compare(sides[0][0], sides[1][0])
        warnings = [
            f"{unknown} of {graph.num_nodes} nodes of {name} have labels that the model has not "
            "seen; it takes them for nodes without a label"
            for graph, name in sides
            if (unknown := comparer.unknown_labels(graph))
        ]
    levels = enumerate(zip(result.distances, result.scores, strict=True), start=1)
    threshold = comparer.task.threshold
    document = {
        "model": str(model),
        "task": comparer.task.name,
        "left": sides[0][1],
        "right": sides[1][1],
        "levels": [
            {"level": number, "distance": distance, "score": score}
            for number, (distance, score) in levels
        ],
        "distance": result.distance,
        "score": result.score,
        "match": None if threshold is None else result.score > threshold,
        "warnings": list(dict.fromkeys(warnings)),
    }
    print_result(json, document, _lines(document, threshold))


def _lines(document: dict[str, Any], threshold: float | None) -> Lines:
    rows = [*document["levels"], {**document, "level": "all"}]
    lines: Lines = [
        Table(
            ("level", "distance", "score"),
            [(row["level"], f"{row['distance']:.4f}", f"{row['score']:.4f}") for row in rows],
            right=("distance", "score"),
        )
    ]
    both = f"{document['left']} and {document['right']}"
    if document["match"] is None:
        lines += [
            f"\n{both}: distance {document['distance']:.2f}.",
            "The model has learned distances, not matches: scores only say which pair is nearer.",
        ]
    else:
        verdict = "they match" if document["match"] else "no match"
        score = f"score {document['score']:.3f}, a match above {threshold}"
        lines.append(f"\n{both}: {verdict} ({score}).")
    return lines + [f"warning: {warning}" for warning in document["warnings"]]
