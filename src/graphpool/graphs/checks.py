"""Checks of tensors before they become a graph, a set or a batch; errors say what to give.

`GraphSet`, `Graph`, `GraphBatch`, `Adjacency`, `Segments`, `ClusterMask`, `Places` and
`graphpool.nn.Level` check what they are made of. One that exists can therefore be handed to a
compiled loop, which follows every index without looking. Parts and batches of such an object need
no second check: `trusted` makes them.
"""

import itertools
from collections.abc import Mapping, Sequence
from dataclasses import fields
from typing import Any, TypeVar, cast

import torch
from torch import Tensor

from graphpool.errors import DataError, InputError, brief, plural
from graphpool.graphs.columns import check_columns
from graphpool.graphs.vocabulary import target_names

T = TypeVar("T")

# The fields of a `GraphSet` that may be absent, and what they have one entry per.
UNITS = {
    "y": "graphs",
    "target": "graphs",
    "graph_attr": "graphs",
    "graph_weight": "graphs",
    "node_label": "nodes",
    "node_attr": "nodes",
    "x": "nodes",
    "edge_label": "edges",
    "edge_attr": "edges",
    "edge_weight": "edges",
    "edge_x": "edges",
}
# The fields that hold codes, and the names that the codes refer to; -1 stands for none.
CODED = {"node_label": "node_label_names", "edge_label": "edge_label_names", "y": "classes"}
# The names, and what `x` was made from.
NAMES = ("classes", "target_names", "node_label_names", "edge_label_names", "x_from")
_LENGTHS = {"ids": "graphs", "edge_counts": "graphs", **UNITS}
_WIDE = ("graph_attr", "node_attr", "edge_attr", "x", "edge_x", "target")
_KINDS = {
    "int32 or int64": {torch.int32, torch.int64},
    "integers": {torch.uint8, torch.int8, torch.int16, torch.int32, torch.int64},
    "floating point numbers": {torch.float16, torch.bfloat16, torch.float32, torch.float64},
    "booleans": {torch.bool},
}
_KINDS["numbers"] = _KINDS["integers"] | _KINDS["floating point numbers"]
INTEGERS, CODES, FLOATS, BOOLEANS, NUMBERS = _KINDS
_MOST = torch.iinfo(torch.int32).max  # nodes are numbered in 32 bits
_BLOCK = 1 << 20  # edges that are checked at a time


def trusted(kind: type[T], /, **values: Any) -> T:
    """Make a dataclass of values that are known to be right, without its checks."""
    made = object.__new__(kind)
    made.__dict__.update(values)
    return made


def derived(instance: T, **changes: Any) -> T:
    """Copy a dataclass with some fields changed to values that are known to be right."""
    values = {item.name: getattr(instance, item.name) for item in fields(cast(Any, instance))}
    return trusted(type(instance), **(values | changes))


def check_tensor(
    name: str,
    value: Any,
    kind: str,
    shape: tuple[int | None, ...],
    device: torch.device | None = None,
) -> None:
    """Refuse anything but a tensor with data, of this kind of numbers, shape and device.

    Args:
        kind: `INTEGERS` (positions), `CODES`, `FLOATS`, `BOOLEANS` or `NUMBERS`.
        shape: None stands for any length.
    """
    if not isinstance(value, Tensor):
        raise InputError(f"{name} is a {type(value).__name__}; give a tensor of {kind}")
    if value.is_meta or value.layout is not torch.strided:
        what = "on the meta device" if value.is_meta else f"stored as {value.layout}"
        raise InputError(f"{name} is {what}; give a plain tensor with data")
    if value.dtype not in _KINDS[kind]:
        raise InputError(f"{name} has dtype {value.dtype}; give {kind}")
    if value.ndim != len(shape) or any(
        length not in (None, found) for length, found in zip(shape, value.shape, strict=True)
    ):
        wanted = ", ".join("any" if length is None else str(length) for length in shape)
        raise InputError(f"{name} has shape {tuple(value.shape)}; give [{wanted}]")
    if device is not None and value.device != device:
        raise InputError(f"{name} is on {value.device}, the rest on {device}; move it there")


def check_range(name: str, value: Tensor, low: int, high: int) -> None:
    """Refuse numbers outside of `low` … `high`."""
    if value.numel():
        least, most = (int(end) for end in torch.aminmax(value))
        if least < low or most > high:
            wrong = least if least < low else most
            raise InputError(f"{name} holds {wrong}; its numbers lie in {low} to {high}")


def check_pointer(name: str, ptr: Any, end: int | None, least: int = 0) -> None:
    """Refuse anything but int64 positions from 0 to `end` that rise by at least `least` each."""
    check_tensor(name, ptr, INTEGERS, (None,))
    good = ptr.dtype is torch.int64 and ptr.shape[0] > 0 and int(ptr[0]) == 0
    if not good or (ptr.shape[0] > 1 and int(ptr.diff().min()) < least):
        raise InputError(
            f"{name} must be int64, begin with 0 and "
            + ("never fall" if not least else f"rise by at least {least} with each number")
        )
    if end is not None and int(ptr[-1]) != end:
        raise InputError(f"{name} ends with {int(ptr[-1])}; it must end with {end}")


def check_fields(where: str, counts: Mapping[str, int], values: Mapping[str, Any]) -> None:
    """Refuse fields of a set or graph with a wrong length, type or device, and codes without name.

    Args:
        where: the set or graph, for messages.
        counts: numbers of `graphs`, `nodes` and `edges`.
        values: fields of `UNITS` and their names (`NAMES`), and `edge_index`, whose device counts.
    """
    device = values["edge_index"].device
    for key, unit in UNITS.items():
        value = values[key]
        if value is None:
            continue
        if isinstance(value, Tensor) and value.ndim and value.shape[0] != counts[unit]:
            raise InputError(
                f"{where}: {key} has {value.shape[0]} entries for {counts[unit]} {unit}"
            )
        if key == "y" and isinstance(value, Tensor) and value.is_floating_point():
            raise InputError(
                f"{where}: y holds numbers on a scale, and is for codes of classes, whole numbers "
                "from 0; give them as target, [graphs, targets], to GraphRegressor"
            )
        shape = (counts[unit], None) if key in _WIDE else (counts[unit],)
        kind = CODES if key in CODED else NUMBERS if key.endswith("attr") else FLOATS
        check_tensor(f"{where}: {key}", value, kind, shape, device)
    for key, vocabulary in CODED.items():
        names = values[vocabulary]
        if not isinstance(names, tuple) or not set(map(type, names)) <= {int, str}:
            raise InputError(f"{where}: {vocabulary} must be a tuple of words and whole numbers")
        if values[key] is not None:
            last = len(names) - 1 if names else _MOST
            check_range(f"{where}: {key}", values[key], -1, last)
    check_target_names(where, values["target"], values["target_names"])


def check_target_names(where: str, target: Tensor | None, names: Any) -> None:
    """Refuse anything but a name for each target, each once."""
    if not isinstance(names, tuple) or not all(isinstance(name, str) for name in names):
        raise InputError(f"{where}: target_names must be a tuple of words")
    if len(names) != (0 if target is None else target.shape[1]) or len({*names}) < len(names):
        raise InputError(f"{where}: target_names must name each column of target, each once")


def checked_target(graphs: Any, target: Any, names: Sequence[str] = ()) -> dict[str, Any]:
    """Return the fields of a set about numbers to predict; names are made up for none."""
    if target is None:
        return {"target": None, "target_names": ()}
    check_tensor(f"{graphs.name}: target", target, FLOATS, (len(graphs), None), graphs.device)
    named = tuple(names) or target_names(target.shape[1])
    check_target_names(graphs.name, target, named)
    return {"target": target, "target_names": named}


def check_name(name: Any) -> None:
    """Refuse the name of a set that is not text."""
    if not isinstance(name, str):
        raise InputError(f"the name of a set is a {type(name).__name__}; give a word")


def check_set(graphs: Any) -> None:
    """Refuse pointers, edges, fields and names that don't make a `GraphSet`."""
    name, node_ptr, edge_ptr, ids = graphs.name, graphs.node_ptr, graphs.edge_ptr, graphs.ids
    check_name(name)
    check_pointer(f"{name}: node_ptr", node_ptr, None, least=1)
    check_pointer(f"{name}: edge_ptr", edge_ptr, None)
    if edge_ptr.shape != node_ptr.shape or edge_ptr.device != node_ptr.device:
        raise InputError(f"{name}: edge_ptr must be as long as node_ptr, and on the same device")
    counts = {"graphs": len(graphs), "nodes": int(node_ptr[-1]), "edges": int(edge_ptr[-1])}
    if counts["nodes"] > _MOST:
        raise InputError(f"{name}: {counts['nodes']} nodes; a set has up to {_MOST}")
    shape = (2, counts["edges"])
    check_tensor(f"{name}: edge_index", graphs.edge_index, INTEGERS, shape, node_ptr.device)
    for key, words in (("ids", ids), ("notes", graphs.notes)):
        if not isinstance(words, tuple) or not set(map(type, words)) <= {str}:
            raise InputError(f"{name}: {key} must be a tuple of words")
    if not isinstance(graphs.x_from, str):
        raise InputError(f"{name}: x_from is a {type(graphs.x_from).__name__}; give a word")
    if len(ids) != counts["graphs"]:
        raise InputError(
            f"{name}: ids has {len(ids)} entries for {plural(counts['graphs'], 'graph')}"
        )
    check_fields(name, counts, vars(graphs))
    check_columns(name, graphs.columns, counts["graphs"])
    for first, last in _blocks(edge_ptr):
        _check_block(graphs, first, last)


def _blocks(ptr: Tensor) -> list[tuple[int, int]]:
    """Divide graphs into runs of about `_BLOCK` edges, so that checks take little memory."""
    ends = torch.tensor(range(_BLOCK, int(ptr[-1]), _BLOCK), dtype=ptr.dtype, device=ptr.device)
    cuts = torch.searchsorted(ptr, ends).tolist()
    return list(itertools.pairwise(sorted({0, *cuts, len(ptr) - 1})))


def _check_block(graphs: Any, first: int, last: int) -> None:
    """Check the edges of the graphs from `first` until `last`."""
    name, ptr = graphs.name, graphs.edge_ptr[first : last + 1]
    node_counts, edge_counts = graphs.node_ptr[first : last + 1].diff(), ptr.diff()
    source, target = graphs.edge_index[:, int(ptr[0]) : int(ptr[-1])].long()
    within_block = torch.arange(last - first, device=ptr.device)
    owner = torch.repeat_interleave(within_block, edge_counts, output_size=source.shape[0])
    check_edges(name, graphs.ids[first:last], owner, source, target, node_counts)
    within = torch.where(source == target, 0, source + 1)
    widest = int(node_counts.max()) + 1
    starts = graphs.node_ptr[first:last] - graphs.node_ptr[first]
    rank = (starts[owner] + target) * widest + within
    if not bool((rank.diff() > 0).all()):
        raise InputError(
            f"{name}: edges must come once and in order, by target and then by source; "
            "GraphSet.build sorts them"
        )


def check_given(
    name: str, node_counts: Any, edge_counts: Any, edge_index: Any, edges: Mapping[str, Any]
) -> None:
    """Refuse what `GraphSet.build` can't work on; what it makes is checked by `check_set`."""
    check_name(name)
    for key, value in (("node_counts", node_counts), ("edge_counts", edge_counts)):
        check_tensor(f"{name}: {key}", value, CODES, (None,))
        check_range(f"{name}: {key}", value, 0, _MOST)
    device = node_counts.device
    check_tensor(f"{name}: edge_index", edge_index, INTEGERS, (2, None), device)
    for key, value in edges.items():
        if value is not None:
            shape = (None, None) if key in _WIDE else (None,)
            check_tensor(f"{name}: {key}", value, NUMBERS, shape, device)


def check_lengths(name: str, counts: Mapping[str, int], given: Mapping[str, object]) -> None:
    """Refuse a field that does not have one entry per graph, node or edge."""
    for key, value in given.items():
        unit = _LENGTHS.get(key)
        if value is None or unit is None:
            continue
        try:
            found = len(value)  # type: ignore[arg-type]
        except TypeError:
            raise InputError(f"{name}: {key} is {brief(value)}; give one entry each") from None
        if found != counts[unit]:
            raise DataError(f"{name}: {key} has {found} entries for {counts[unit]} {unit}")
    edge_counts = given["edge_counts"]
    if isinstance(edge_counts, Tensor) and int(edge_counts.sum()) != counts["edges"]:
        raise DataError(
            f"{name}: edge_counts add up to {int(edge_counts.sum())}, but edge_index holds "
            f"{counts['edges']} edges"
        )


def check_edges(
    name: str,
    ids: Sequence[str] | None,
    owner: Tensor,
    source: Tensor,
    target: Tensor,
    node_counts: Tensor,
) -> None:
    """Refuse a graph without nodes and an edge that leaves its graph."""

    def label(graph: int) -> str:
        return str(graph) if ids is None else ids[graph]

    empty = (node_counts < 1).nonzero().flatten()
    if len(empty):
        raise DataError(f"{name}, graph {label(int(empty[0]))} has no nodes; leave it out")
    limit = node_counts[owner]
    bad = (source < 0) | (target < 0) | (source >= limit) | (target >= limit)
    if bad.any():
        edge = int(bad.nonzero()[0])
        graph = int(owner[edge])
        raise DataError(
            f"{name}, graph {label(graph)}: edge {int(source[edge])} -> {int(target[edge])} "
            f"leaves its {int(node_counts[graph])} nodes"
        )


def check_finite(graphs: Any, missing: Sequence[str] = ()) -> None:
    """Refuse a set with attributes, features or weights that are not finite.

    Args:
        missing: fields in which NaN stands for a value that is not known; `target` always is one.
    """
    for key in (*_WIDE, "edge_weight"):
        value = getattr(graphs, key)
        if value is None or bool(value.isfinite().all()):
            continue
        wrong = value.isinf() if key in ("target", *missing) else ~value.isfinite()
        if not bool(wrong.any()):
            continue
        row = int(wrong.reshape(len(value), -1).any(1).nonzero()[0])
        number = float(value[row][wrong[row]].flatten()[0])
        where = _row_name(graphs, UNITS[key], row)
        raise DataError(
            f"{graphs.name}, {where}: {key} holds {number}, which is not finite; correct or remove "
            "it"
        )


def _row_name(graphs: Any, unit: str, row: int) -> str:
    """Name a row of a field, such as `graph 7, edge 0-3`."""
    if unit == "graphs":
        return f"graph {graphs.ids[row]}"
    ptr = graphs.node_ptr if unit == "nodes" else graphs.edge_ptr
    graph = int(torch.searchsorted(ptr, row, right=True)) - 1
    if unit == "nodes":
        return f"graph {graphs.ids[graph]}, node {row - int(ptr[graph])}"
    return (
        f"graph {graphs.ids[graph]}, edge {'-'.join(map(str, graphs.edge_index[:, row].tolist()))}"
    )


def find_device(device: torch.device | str) -> torch.device:
    """Return the device of this name; one that does not exist is an error."""
    try:
        return torch.device(device)
    except (TypeError, RuntimeError):
        raise InputError(f"there is no device {brief(device)}; give 'cpu' or 'cuda'") from None
