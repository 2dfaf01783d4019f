"""Graphs, pairs and costs of edit-distance commands, as they are written on the command line."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from graphpool.cli.data_arguments import some_ids
from graphpool.documents import read_json, read_lines
from graphpool.errors import ConfigError, DataError

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from graphpool.ged.costs import Costs
    from graphpool.graphs.graphset import GraphSet

MethodName = Annotated[str, typer.Option("--method", help="exact, beam80, hungarian, vj, …")]
CostList = Annotated[
    list[str] | None,
    typer.Option(
        "--costs",
        help="FILE.json, or NAME=VALUE such as node_substitution=2; may be given several times.",
    ),
]
TimeLimit = Annotated[
    float | None,
    typer.Option(help="Seconds for one pair; then the bounds found so far count."),
]
MaxExpanded = Annotated[
    int | None, typer.Option("--max-expanded", help="Partial mappings for one pair, likewise.")
]
EdgeLabels = Annotated[
    bool, typer.Option("--edge-labels/--no-edge-labels", help="Whether labels of edges count.")
]


def read_pairs(path: Path, graphs: "GraphSet") -> "NDArray[np.int64]":
    """Pairs of graphs, `[pairs, 2]`, from lines of two ids with a comma or blanks between."""
    import numpy as np

    if not path.is_file():
        raise DataError.at(path, "no such file", hint="give one with two ids on each line")
    position = {name: number for number, name in enumerate(graphs.ids)}
    pairs = []
    for number, line in read_lines(path):
        words = line.replace(",", " ").split()
        if not words or words[0].startswith("#"):
            continue
        if len(words) != 2:
            raise DataError.at(path, f"{len(words)} words", line=number, hint="give two ids")
        for word in words:
            if word not in position:
                hint = f"ids are {some_ids(graphs.ids)}"
                raise DataError.at(path, f"no graph {word!r}", line=number, hint=hint)
        pairs.append([position[word] for word in words])
    if not pairs:
        raise DataError.at(path, "holds no pairs", hint="give two ids on each line")
    return np.array(pairs, dtype=np.int64)


def read_costs(given: list[str] | None) -> "Costs":
    """Costs from files and settings; later ones count."""
    from graphpool.ged.costs import Costs

    made: dict[str, Any] = {}
    for text in given or ():
        name, mark, value = text.partition("=")
        if not mark:
            made |= _cost_file(Path(text))
            continue
        try:
            made[name] = float(value)
        except ValueError:
            raise ConfigError(f"--costs {text}: {value!r} is no number") from None
    return Costs.from_dict(made)


def _cost_file(path: Path) -> dict[str, Any]:
    from graphpool.ged.costs import Costs

    if not path.is_file():
        raise ConfigError(f"--costs {path}: no such file; give FILE.json or NAME=VALUE")
    values = read_json(path, error=ConfigError)
    if not isinstance(values, dict):
        raise ConfigError(f'{path}: not an object of costs; write {{"node_substitution": 2}}')
    try:
        Costs.from_dict(values)
    except ConfigError as error:
        raise ConfigError(f"{path}: {error}") from None
    return values
