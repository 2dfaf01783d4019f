"""`GraphSet` from and to the graphs of PyTorch Geometric.

PyG has one object per graph, so these functions loop over graphs; everything after them does not.
An undirected edge is stored in both directions, in PyG and in a `GraphSet`. Reading PyG graphs
needs no extra package; `to_pyg` needs PyG itself, which `pip install 'graphpool[pyg]'` installs.
"""

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

import torch
from torch import Tensor
from torch.utils.data import Dataset

from graphpool.data.interop.common import answers, list_graphs, unused_note, warn_unused
from graphpool.errors import DataError, plural
from graphpool.graphs.checks import check_finite
from graphpool.graphs.graphset import GraphSet, Name
from graphpool.graphs.vocabulary import target_names as default_names
from graphpool.imports import optional_module

if TYPE_CHECKING:
    from torch_geometric.data import Batch, Data
    from torch_geometric.data import Dataset as PyGDataset
    from torch_geometric.loader import DataLoader

_NODE = ("x", "node_label", "node_attr")
_EDGE = ("edge_label", "edge_attr", "edge_weight")
_POSITIONS = "pos"
_LABELS = {"node_label": ("z", "node_type"), "edge_label": ("edge_type",)}
"""Fields that PyG users keep labels in, where there are none under our own name."""

_READ = {
    *_NODE, *_EDGE, _POSITIONS, "target", "graph_attr", "edge_index", "num_nodes", "id", "batch",
    "ptr",
}  # fmt: skip
_NO_EDGES = torch.zeros(2, 0, dtype=torch.long)


def from_pyg(
    data: "Data | Batch | PyGDataset | DataLoader | Iterable[Data | Batch]",
    name: str = "graphs",
    *,
    y: str | Sequence[Any] | Tensor | None = "y",
    classes: tuple[Name, ...] | None = None,
    target_names: tuple[str, ...] | None = None,
    node_label_names: tuple[Name, ...] | None = None,
    edge_label_names: tuple[Name, ...] | None = None,
) -> GraphSet:
    """Make a `GraphSet` of PyG graphs.

    Reads `x`, `edge_index`, `edge_attr`, `edge_weight`, `y` and what `to_pyg` adds: `node_label`,
    `node_attr`, `edge_label`, `graph_attr`, `target`, `id`. Whole numbers in `z` or `node_type` and
    in `edge_type` are labels, and so are those of an `x` or `edge_attr` with one column, as in
    PyG's ZINC. `pos` holds attributes of nodes, and text of every graph, such as
    `smiles`, is kept in `GraphSet.columns`. A warning names other fields, which are not used.

    One whole number per graph in `y` is its class; numbers with a fraction, and several numbers
    per graph, `[targets]` or `[1, targets]`, are numbers to predict, NaN for unknown ones. NaN in
    `x` is a missing value; other numbers that are not finite are an error.

    Args:
        data: a data set or part of one, a list of graphs, a batch, a loader, or one graph; each
            field must be in all graphs or in none.
        name: of the set.
        y: the class of each graph or the numbers to predict, or the field that holds them; None
            leaves both out.
        classes: names of the codes in `y`; without it the classes are the numbers that occur.
        target_names: names of the numbers to predict.
        node_label_names: likewise for `node_label`, `edge_label_names` for `edge_label`.
    """
    data = list_graphs(_graphs(data), "edge_index", name)
    counts = [item.num_nodes or 0 for item in data]
    indices = [_NO_EDGES if item.edge_index is None else item.edge_index for item in data]
    rows = {"node": counts, "edge": [index.shape[1] for index in indices]}
    used = {key: found for key, others in _LABELS.items() if (found := _field(data, key, others))}
    fields: dict[str, Any] = {
        key: _joined(data, used.get(key, key), name, rows[unit], unit)
        for unit, keys in (("node", _NODE), ("edge", _EDGE))
        for key in keys
    }
    for key, label in (("x", "node_label"), ("edge_attr", "edge_label")):
        if fields[label] is None and _are_kinds(fields[key]):
            fields[label], fields[key] = fields[key], None
    for key in ("node_attr", "edge_attr", "x"):
        fields[key] = _as_table(fields[key])
    positions = _as_table(_joined(data, _POSITIONS, name, counts, "node"))
    if positions is not None:
        own = fields["node_attr"]
        fields["node_attr"] = positions if own is None else torch.cat([own, positions], dim=1)
    if fields["edge_weight"] is not None and fields["edge_weight"].shape[1:] == (1,):
        fields["edge_weight"] = fields["edge_weight"].flatten()
    if fields["x"] is not None and not fields["x"].is_floating_point():
        fields["x"] = fields["x"].float()
    for key, names in (("node_label", node_label_names), ("edge_label", edge_label_names)):
        fields[key], fields[f"{key}_names"] = _coded(fields[key], names, key, name)
    fields |= _answers(data, y, classes, target_names, name)
    keys = {key for item in data for key in (item.keys() if hasattr(item, "keys") else ())}
    columns = _text(data, keys - _READ)
    unused = keys - _READ - {"y", y if isinstance(y, str) else "y", *used.values(), *columns}
    note = unused_note({"of PyG": unused})
    warn_unused(name, note, "put numbers of nodes that count into x")
    ids = [getattr(item, "id", None) for item in data]
    graphs = GraphSet.build(
        name,
        torch.tensor(counts, dtype=torch.long),
        torch.tensor(rows["edge"], dtype=torch.long),
        torch.cat([index.cpu() for index in indices], dim=1) if indices else _NO_EDGES,
        ids=[str(identity) for identity in ids] if ids and None not in ids else None,
        graph_attr=_joined(data, "graph_attr", name, [1] * len(data), "graph"),
        notes=note,
        columns=columns,
        **fields,
    )
    check_finite(graphs, missing=("x", "node_attr", "graph_attr"))
    return graphs


def to_pyg(graphs: GraphSet) -> "list[Data]":
    """Convert a set to one PyG `Data` per graph.

    `y` and labels are codes, as PyG's losses and layers need them; without classes, `y` is
    `[1, targets]`, the numbers to predict. With classes these are `target`.
    """
    data = optional_module("torch_geometric.data", extra="pyg")
    converted = []
    for graph in graphs:
        fields = {key: getattr(graph, key) for key in (*_NODE, *_EDGE)}
        if graph.graph_attr is not None:
            fields["graph_attr"] = graph.graph_attr.unsqueeze(0)
        if graph.y is not None:
            fields["y"] = torch.tensor([graph.y], device=graphs.device)
        if graph.target is not None:
            fields["target" if graph.y is not None else "y"] = graph.target.unsqueeze(0)
        present = {key: value for key, value in fields.items() if value is not None}
        converted.append(
            data.Data(
                edge_index=graph.edge_index, num_nodes=graph.num_nodes, id=graph.id, **present
            )
        )
    return converted


def _graphs(data: Any) -> Any:
    """Return a data set, batch, loader or list as a list of graphs; one graph as it is."""
    if isinstance(data, GraphSet):
        raise DataError(f"{data.name} is a GraphSet already; use it as it is")
    if isinstance(data, Dataset):  # of a data set in memory, `edge_index` is that of all graphs
        # A dataset of torch has a length by convention only.
        data = [data[position] for position in range(len(data))]  # type: ignore[arg-type]
    if hasattr(data, "to_data_list"):
        data = [data]
    if hasattr(data, "edge_index"):
        return data
    return [
        graph
        for item in data
        for graph in (_unbatched(item) if hasattr(item, "to_data_list") else [item])
    ]


def _unbatched(batch: Any) -> Any:
    try:
        return batch.to_data_list()
    except RuntimeError as error:
        raise DataError(
            f"this batch can't be taken apart ({error}); give the list of its graphs"
        ) from None


def _answers(
    data: "Sequence[Data]",
    y: Any,
    classes: tuple[Name, ...] | None,
    names: tuple[str, ...] | None,
    name: str,
) -> dict[str, Any]:
    """Return classes as codes and what they mean, or numbers to predict and their names."""
    if y is None:
        return {}
    if not isinstance(y, (str, Tensor)):
        return answers(y, len(data), name)
    fields: dict[str, Any] = {}
    table = _table(data, y, name)
    target = _table(data, "target", name)
    if table is not None and table.shape[1] == 1 and torch.equal(table.long().to(table), table):
        fields["y"], fields["classes"] = _coded(table, classes, "y", name)
    elif table is not None:
        target = table
    if target is not None:
        if bool(target.isinf().any()):
            raise DataError(f"{name}: y holds a number that is not finite; leave that graph out")
        fields |= {"target": target.float()}
        fields["target_names"] = names or default_names(target.shape[1])
    return fields


def _table(data: "Sequence[Data]", key: str | Tensor, name: str) -> Tensor | None:
    """Return the numbers of each graph in one field, `[graphs, numbers]`; those of nodes are none.

    Args:
        key: of the field, or the numbers of all graphs.
    """
    given = _values(data, key, name) if isinstance(key, str) else list(key.cpu())
    if given is None:
        return None
    widths = {value.numel() for value in given}
    sizes = [item.num_nodes for item in data]
    of_nodes = widths != {1} and [len(value) for value in given if value.ndim == 1] == sizes
    several = any(value.ndim > 2 or (value.ndim == 2 and len(value) != 1) for value in given)
    if len(given) != len(data) or len(widths) > 1 or of_nodes or several:
        found = plural(sum(value.numel() for value in given), "value")
        raise DataError(
            f"{name}: y has {found} for {plural(len(data), 'graph')}; give one class each, or as "
            "many numbers for each, in y=, or y=None"
        )
    return torch.stack([value.flatten() for value in given])


def _values(data: "Sequence[Data]", key: str, name: str) -> list[Tensor] | None:
    """Return one field of all graphs; None where no graph has it."""
    values = [getattr(item, key, None) for item in data]
    missing = [position for position, value in enumerate(values) if value is None]
    if len(missing) == len(values):
        return None
    if missing:
        raise DataError(
            f"{name}, graph {missing[0]}: no {key}, which other graphs have; "
            "give it to all graphs or to none"
        )
    return [torch.as_tensor(value).cpu() for value in values]


def _joined(
    data: "Sequence[Data]", key: str, name: str, rows: Sequence[int], unit: str
) -> Tensor | None:
    """Concatenate one field of all graphs, which has a row for each node, edge or graph."""
    parts = _values(data, key, name)
    if parts is None:
        return None
    parts = [part.reshape(1) if part.ndim == 0 else part for part in parts]
    for position, (part, count) in enumerate(zip(parts, rows, strict=True)):
        if len(part) != count:
            raise DataError(
                f"{name}, graph {position}: {key} has {plural(len(part), 'row')} for "
                f"{plural(count, unit)}"
            )
    return torch.cat(parts)


def _field(data: "Sequence[Data]", key: str, others: Sequence[str]) -> str:
    """Return the field that holds labels: `key`, or one of the others with a whole number each."""
    if any(getattr(item, key, None) is not None for item in data):
        return key
    for other in others:
        values = [getattr(item, other, None) for item in data]
        if values and all(
            isinstance(value, Tensor) and value.ndim == 1 and not value.is_floating_point()
            for value in values
        ):
            return other
    return ""


def _are_kinds(values: Tensor | None) -> bool:
    """Whether values are one whole number each: types of atoms or bonds, as in PyG's ZINC."""
    if values is None or values.is_floating_point() or values.dtype == torch.bool:
        return False
    return values.numel() > 0 and (values.ndim == 1 or values.shape[1:] == (1,))


def _as_table(values: Tensor | None) -> Tensor | None:
    """Return one number each as a column, and truth values as numbers."""
    if values is None:
        return None
    values = values.float() if values.dtype == torch.bool else values
    return values.unsqueeze(1) if values.ndim == 1 else values


def _text(data: "Sequence[Data]", keys: Iterable[str]) -> dict[str, tuple[str, ...]]:
    """Return the fields that hold text in every graph."""
    found = {key: tuple(getattr(item, key, None) for item in data) for key in sorted(keys)}
    return {key: values for key, values in found.items() if set(map(type, values)) == {str}}


def _coded(
    values: Tensor | None, names: tuple[Name, ...] | None, key: str, where: str
) -> tuple[Tensor | None, tuple[Name, ...]]:
    """Return numbers as codes 0, 1, 2, …, and what the codes mean."""
    if values is None:
        return None, ()
    values = values.flatten()
    whole = values.long()
    if values.is_floating_point() and not torch.equal(whole.to(values), values):
        raise DataError(
            f"{where}: {key} has values that are not whole numbers, so they are not classes; "
            f"remove {key} from the graphs, or give classes"
        )
    if names is None:
        distinct, codes = torch.unique(whole, return_inverse=True)
        return codes, tuple(distinct.tolist())
    if whole.numel() and not 0 <= int(whole.min()) <= int(whole.max()) < len(names):
        raise DataError(f"{where}: {key} holds codes beyond its {len(names)} names")
    return whole, names
