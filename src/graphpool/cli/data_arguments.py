"""Arguments that name graphs: a known set or a file, one argument for both."""

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from graphpool.cli.output import print_status
from graphpool.config import RunConfig
from graphpool.data.catalogue import is_path as is_path
from graphpool.data.catalogue import short_name as short_name
from graphpool.errors import DataError, nearest

if TYPE_CHECKING:
    from graphpool.graphs.graphset import GraphSet
    from graphpool.models.model import TrainedModel


def open_graphs(data: str, root: Path | None = None) -> "GraphSet":
    """Open the set of this name, file or folder, without features."""
    from graphpool.data.load import find

    return find(data, root, features=None)


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
    return graphs[[_position(graphs, data, which)]], f"{graphs.name}:{which}"


def _position(graphs: "GraphSet", data: str, which: str) -> int:
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
    print_status(
        f"{graphs.name} has numbers to predict ({names}) and no classes: --task {task} is assumed"
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
