"""Arguments that name graphs: a known set or a file, one argument for both."""

import functools
import inspect
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from graphpool.cli.output import print_status
from graphpool.config import RunConfig
from graphpool.data.catalogue import is_path as is_path
from graphpool.data.catalogue import short_name as short_name
from graphpool.data.data_string import join_data, split_data
from graphpool.errors import ConfigError, DataError, nearest

if TYPE_CHECKING:
    from graphpool.graphs.graphset import GraphSet
    from graphpool.models.model import TrainedModel


_COLUMNS = {
    "smiles": Annotated[
        str | None,
        typer.Option(help="Column of SMILES in a CSV file; by default the one called so."),
    ],
    "target": Annotated[
        str | None,
        typer.Option(help="Column of the values to predict; several are joined by commas."),
    ],
    "id": Annotated[
        str | None, typer.Option(help="Column of names of graphs; by default they are numbered.")
    ],
    "skip_bad": Annotated[
        bool, typer.Option("--skip-bad", help="Leave out lines that can't be read, and list them.")
    ],
}


def with_columns(
    argument: str, without: Sequence[str] = ()
) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Give a command the options that say how a file is read, as parts of its argument for data.

    Args:
        argument: the one that names graphs, or several of them.
        without: options that the command has no use for.
    """
    names = [name for name in _COLUMNS if name not in without]

    def decorate(command: Callable[..., None]) -> Callable[..., None]:
        @functools.wraps(command)
        def run(**arguments: Any) -> None:
            given = {name: arguments.pop(name) for name in names}
            if any(given.values()):
                arguments[argument] = _with_options(arguments[argument], given)
            command(**arguments)

        about = inspect.signature(command)
        own = [
            inspect.Parameter(
                name,
                inspect.Parameter.KEYWORD_ONLY,
                default=False if name == "skip_bad" else None,
                annotation=_COLUMNS[name],
            )
            for name in names
        ]
        kept = list(about.parameters.values())
        last = next((i for i, each in enumerate(kept) if each.name in ("root", "config")), 1)
        keyword = [each.replace(kind=inspect.Parameter.KEYWORD_ONLY) for each in kept[last:]]
        parameters = [*kept[:last], *own, *keyword]
        run.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
        run.__annotations__ = {item.name: item.annotation for item in parameters}
        return run

    return decorate


def _with_options(data: Any, given: Mapping[str, Any]) -> Any:
    if data is None:
        raise ConfigError("name the file that these columns are of")
    if isinstance(data, list):
        return [_with_options(each, given) for each in data]
    target = [part.strip() for part in (given.get("target") or "").split(",") if part.strip()]
    return join_data(data, given["smiles"], target, given["id"], given["skip_bad"])


def open_graphs(data: str, root: Path | None = None, trained: str | None = None) -> "GraphSet":
    """Open the set of this name, file or folder, without features.

    Args:
        trained: the data of a trained model, whose columns are used if `data` names none.
    """
    from dataclasses import replace

    from graphpool.data.load import load_with

    plain, options = split_data(data)
    if trained is not None and options.is_default:
        own = split_data(trained)[1]
        options = replace(own, strict=False, bad=options.bad)
    return load_with(plain, options, root)


def as_trained(data: str, trained: str) -> str:
    """Return a file of molecules with the columns of a trained model's data, if it names none."""
    from graphpool.data.formats.smiles import column_names

    plain, options = split_data(data)
    own = split_data(trained)[1]
    if not options.is_default or own.is_default or not Path(plain).is_file():
        return data
    wanted = {own.smiles, *own.y} - {""}
    return join_data(data, own.smiles, own.y) if wanted <= set(column_names(Path(plain))) else data


def open_one(text: str, root: Path | None = None) -> "tuple[GraphSet, str]":
    """Open the graph that `text` names, as a set of its own, and return what to call it.

    `text` is a file with one graph, SET:ID, or SET:#N for the graph at position N from 0.
    """
    data, mark, which = text.rpartition(":")
    if not mark or Path(text).exists():
        graphs = open_graphs(text, root)
        if len(graphs) != 1:
            raise DataError(
                f"{text} has {len(graphs)} graphs; choose one as {text}:ID or {text}:#NUMBER, "
                "with numbers from 0"
            )
        return graphs, graphs.name
    graphs = open_graphs(data, root)
    return graphs[[graph_position(graphs, data, which)]], f"{graphs.name}:{which}"


def graph_position(graphs: "GraphSet", data: str, which: str) -> int:
    """Return the position of the graph with this id, or of #NUMBER."""
    if which.startswith("#"):
        number = which[1:]
        if not number.isdecimal() or int(number) >= len(graphs):
            raise DataError(f"{data}:{which}: graphs are #0 to #{len(graphs) - 1}")
        return int(number)
    if which not in graphs.ids:
        near = nearest(which, graphs.ids)
        hint = near if near.startswith("did") else f"ids are {some_ids(graphs.ids)};"
        raise DataError(f"{data} has no graph {which!r}; {hint} {data}:#NUMBER goes by position")
    return graphs.ids.index(which)


def some_ids(ids: tuple[str, ...]) -> str:
    """List the first few ids."""
    return ", ".join(ids[:5]) + (", …" if len(ids) > 5 else "")


def with_task(given: Mapping[str, Any], data: str | None, root: Path | None) -> dict[str, Any]:
    """Return the options with the task that the graphs pose, if it is not classification.

    Args:
        given: options by dotted key, without a task.
        data: what the user named, if anything.
    """
    if data is None:
        return dict(given)
    from graphpool.data.synthetic.matching.names import is_matching_name
    from graphpool.tasks import task_of_graphs

    if is_matching_name(data):
        return dict(given)
    graphs = open_graphs(data, root)
    task = task_of_graphs(graphs)
    if task == RunConfig.task:
        return dict(given)
    names = ", ".join(graphs.target_names[:3]) + (", …" if len(graphs.target_names) > 3 else "")
    what = "numbers" if task == "regression" else "labels of 0 and 1"
    print_status(
        f"{graphs.name} has {what} to predict ({names}) and no classes: --task {task} is assumed"
    )
    return {**given, "task": task}


def file_name(data: str) -> str:
    """Return a name for a file or folder of this set, without the colon of its settings."""
    return short_name(data).replace(":", "-")


def load_model(path: Path, device: str, takes: str | None = None) -> "TrainedModel":
    """Load a trained model that is asked about what `takes` says; check the device first."""
    from graphpool.models.model import TrainedModel
    from graphpool.training.device import find_device

    find_device(device, "--device")
    return TrainedModel.load(path, device, takes=takes)
