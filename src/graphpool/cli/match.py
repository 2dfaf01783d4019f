"""`graphpool match`: how alike two graphs are, by a network that was trained to compare graphs."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from graphpool.cli.data_arguments import Root, open_one
from graphpool.cli.output import Json, print_json, print_line, print_table, quiet_log

if TYPE_CHECKING:
    from graphpool.tasks.pairwise import PairComparison

_GRAPH = "A file with one graph, or FILE:ID or SET:ID for one of several (SET:#0 by position)."


def match(
    left: Annotated[str, typer.Argument(metavar="A", help=_GRAPH)],
    right: Annotated[str, typer.Argument(metavar="B", help="Another one.")],
    model: Annotated[
        Path, typer.Option(help="Run of graphpool train --task matching or similarity, or a file.")
    ],
    device: Annotated[str, typer.Option(help="cpu, cuda, cuda:1, mps.")] = "cpu",
    root: Root = None,
    json: Json = False,
) -> None:
    """Compare two graphs: distance and score of every level and of all together.

    Which graph comes first makes no difference. Equal graphs are at distance 0, except for simgnn.
    """
    from graphpool.models.model import TrainedModel
    from graphpool.training.device import find_device

    find_device(device, "--device")
    comparer = TrainedModel.load(model, device, takes="pairs")
    sides = [open_one(text, root) for text in (left, right)]
    with quiet_log("graphpool.features.labels"):  # printed below, for each graph
        found = comparer.compare(sides[0][0], sides[1][0])
        warnings = [
            f"{unknown} of {graph.num_nodes} nodes of {name} have labels that the model has not "
            "seen; it takes them for nodes without a label"
            for graph, name in sides
            if (unknown := comparer.unknown_labels(graph))
        ]
    names = [name for _, name in sides]
    document = _document(comparer.task.name, found, model, names, list(dict.fromkeys(warnings)))
    if json:
        print_json(document)
    else:
        _print(document)


def _document(
    task: str,
    found: "PairComparison",
    model: Path,
    names: list[str],
    warnings: list[str],
) -> dict[str, Any]:
    levels = [
        {"level": number, "distance": distance, "score": score}
        for number, (distance, score) in enumerate(
            zip(found.distances, found.scores, strict=True), start=1
        )
    ]
    return {
        "model": str(model),
        "task": task,
        "left": names[0],
        "right": names[1],
        "levels": levels,
        "distance": found.distance,
        "score": found.score,
        "match": found.score > 0.5 if task == "matching" else None,
        "warnings": warnings,
    }


def _print(document: dict[str, Any]) -> None:
    rows = [(str(row["level"]), row["distance"], row["score"]) for row in document["levels"]]
    rows.append(("all", document["distance"], document["score"]))
    print_table(
        ("level", "distance", "score"),
        [(name, f"{distance:.4f}", f"{score:.4f}") for name, distance, score in rows],
        right=("distance", "score"),
    )
    both = f"{document['left']} and {document['right']}"
    if document["match"] is None:
        print_line(f"\n{both}: distance {document['distance']:.2f}.")
        print_line(
            "The model has learned distances, not matches: scores only say which pair is nearer."
        )
    else:
        print_line(
            f"\n{both}: {'they match' if document['match'] else 'no match'} (score "
            f"{document['score']:.3f}, a match above 0.5)."
        )
    for warning in document["warnings"]:
        print_line(f"warning: {warning}")
