"""Make a `Level` of the arguments of a module, which PyTorch Geometric's modules take too."""

from dataclasses import replace

import torch
from torch import Tensor, nn

from graphpool.errors import InputError
from graphpool.graphs.adjacency import Adjacency
from graphpool.graphs.batch import GraphBatch, check_inside
from graphpool.graphs.checks import FLOATS, check_tensor, trusted
from graphpool.graphs.cluster_mask import ClusterMask
from graphpool.graphs.edge_features import EdgeFeatures
from graphpool.graphs.segments import Segments
from graphpool.nn.level import Level

Features = Tensor | Level | GraphBatch
Edges = Tensor | Adjacency | None
Batch = Tensor | Segments | ClusterMask | None


def read_level(
    x: Features,
    edge_index: Edges = None,
    batch: Batch = None,
    edge_weight: Tensor | None = None,
    module: object = None,
    edge_attr: Tensor | EdgeFeatures | None = None,
) -> Level:
    """Make a `Level` of a module's arguments, and check them.

    A `Level` or a `GraphBatch` is taken as it is. So are an `Adjacency`, `Segments` and a
    `ClusterMask`, which checked themselves when they were made.

    Args:
        x: `[nodes, channels]`, or dense `[graphs, nodes, channels]`; a `Level` or `GraphBatch`
            stands for all arguments.
        edge_index: `[2, edges]`, source and target of every edge, or an `Adjacency`; of dense
            features weights `[graphs, nodes, nodes]`. `None`: no edges.
        batch: `[nodes]`, the graph of each node, sorted, or `Segments`; one graph if absent. Of
            dense features a mask `[graphs, nodes]` or `ClusterMask`; all rows are nodes if absent.
        edge_weight: `[edges]`; 1 for every edge if absent.
        module: whose arguments they are; where it has `in_channels`, so must the features, and
            where it has `edge_channels`, so must those of edges.
        edge_attr: `[edges, channels]` features of edges, or `EdgeFeatures`; of a dense level
            `[graphs, nodes, nodes, channels]`.
    """
    if not isinstance(x, Level | GraphBatch):
        level = _level(x, edge_index, batch, edge_weight)
        if edge_attr is not None:
            level = replace(level, edges=_edge_features(level, edge_index, edge_attr))
    elif not (edge_index is batch is edge_weight is edge_attr is None):
        raise InputError(f"a {type(x).__name__} holds its edges and batch; give it alone")
    else:
        level = x if isinstance(x, Level) else Level.from_batch(x)
    expected = getattr(module, "in_channels", None)
    if expected is not None and level.x.shape[-1] != expected:
        raise InputError(
            f"x has {level.x.shape[-1]} channels; this {type(module).__name__} takes "
            f"in_channels={expected}"
        )
    wanted = getattr(module, "edge_channels", 0)
    if wanted and level.edge_channels != wanted:
        raise InputError(
            f"edges have {level.edge_channels} channels; this {type(module).__name__} takes "
            f"edge_channels={wanted}: give edge_attr, or GraphSet.with_edge_x"
        )
    if isinstance(module, nn.Module):
        _check_weights(level.x, module)
        if isinstance(level.adjacency, Adjacency) and level.adjacency.weight.dtype != level.x.dtype:
            raise InputError(
                f"the adjacency has weights of {level.adjacency.weight.dtype}, x is "
                f"{level.x.dtype}; bring them to one type"
            )
    return level


def _edge_features(
    level: Level, edge_index: Edges, edge_attr: Tensor | EdgeFeatures
) -> EdgeFeatures | Tensor:
    """Features of edges in the slots of a ragged level, or as they are."""
    adjacency = level.adjacency
    if isinstance(edge_attr, EdgeFeatures) or not isinstance(adjacency, Adjacency):
        return edge_attr
    given = edge_index if isinstance(edge_index, Tensor) else None
    edges = int(adjacency.present.sum()) if given is None else given.shape[1]
    check_tensor("edge_attr", edge_attr, FLOATS, (edges, None), level.x.device)
    return EdgeFeatures.of_edges(edge_attr, adjacency, given)


def _check_weights(x: Tensor, module: nn.Module) -> None:
    """Refuse features of another type or on another device than the weights of a module."""
    weight = next(module.parameters(), None)
    if weight is None or (weight.dtype == x.dtype and weight.device == x.device):
        return
    if weight.device != x.device or not torch.is_autocast_enabled(x.device.type):
        raise InputError(
            f"x is {x.dtype} on {x.device}, the weights of this {type(module).__name__} are "
            f"{weight.dtype} on {weight.device}; bring them to one type and device"
        )


def _level(x: Tensor, edge_index: Edges, batch: Batch, edge_weight: Tensor | None) -> Level:
    if not isinstance(x, Tensor):
        raise InputError(f"x is a {type(x).__name__}; give a tensor [nodes, channels]")
    if not x.is_floating_point():
        raise InputError(f"x has dtype {x.dtype}; give floating point features, such as x.float()")
    if x.ndim == 3:
        if edge_weight is not None:
            raise InputError("a dense adjacency holds its weights; leave out edge_weight")
        if isinstance(batch, Tensor) and batch.dtype == torch.bool:
            batch = ClusterMask(batch)
        if batch is not None and not isinstance(batch, ClusterMask):
            raise InputError(
                f"features {tuple(x.shape)} are dense and take ClusterMask or a boolean mask "
                "[graphs, nodes] as batch"
            )
        if edge_index is not None and not isinstance(edge_index, Tensor):
            raise InputError("dense features need a dense adjacency [graphs, nodes, nodes]")
        return Level(x, edge_index, None, batch)
    if x.ndim != 2 or not x.shape[0]:
        raise InputError(f"x has shape {tuple(x.shape)}; give [nodes, channels] with some nodes")
    segments = _segments(x, batch)
    _check_layout("x", x)
    adjacency = _adjacency(x, edge_index, edge_weight, segments, batch)
    return trusted(Level, x=x, adjacency=adjacency, segments=segments)


def _segments(x: Tensor, batch: Batch) -> Segments:
    if isinstance(batch, Segments):
        if int(batch.ptr[-1]) != x.shape[0] or batch.ptr.device != x.device:
            raise InputError(
                f"Segments of {int(batch.ptr[-1])} nodes on {batch.ptr.device} for {x.shape[0]} "
                f"nodes on {x.device}"
            )
        if int(batch.ptr.diff().min()) < 1:
            raise InputError("the segments have a graph without nodes; leave that graph out")
        return batch
    if batch is None:
        return Segments.trusted(torch.tensor([0, x.shape[0]], device=x.device))
    if isinstance(batch, ClusterMask):
        raise InputError(
            f"features {tuple(x.shape)} are ragged and need a batch vector or Segments, "
            "not ClusterMask"
        )
    _check_index("batch", batch, x)
    if batch.shape != (x.shape[0],):
        raise InputError(
            f"batch has shape {tuple(batch.shape)} for {x.shape[0]} nodes; give one graph a node"
        )
    batch = batch.long()
    step = batch.diff(prepend=batch[:1])
    if int(batch[0]) or bool(((step < 0) | (step > 1)).any()):
        raise InputError(
            "batch must be sorted and number the graphs 0, 1, 2, …, as PyTorch Geometric's batches "
            "do; sort the nodes by graph, and leave out graphs without nodes"
        )
    return Segments.from_batch(batch)


def _adjacency(
    x: Tensor, edge_index: Edges, edge_weight: Tensor | None, segments: Segments, batch: Batch
) -> Adjacency:
    nodes = x.shape[0]
    if isinstance(edge_index, Adjacency):
        if edge_weight is not None:
            raise InputError("an Adjacency holds its weights; leave out edge_weight")
        if edge_index.num_nodes != nodes:
            raise InputError(f"an adjacency of {edge_index.num_nodes} nodes for {nodes} nodes")
        check_inside(edge_index, segments)
        return edge_index
    if edge_index is None:
        if edge_weight is not None:
            raise InputError("edge_weight needs edge_index")
        edge_index = torch.zeros(2, 0, dtype=torch.long, device=x.device)
    _check_index("edge_index", edge_index, x)
    if edge_index.ndim != 2 or edge_index.shape[0] != 2:
        raise InputError(f"edge_index has shape {tuple(edge_index.shape)}; give [2, edges]")
    edges = edge_index.shape[1]
    if edge_weight is None:
        edge_weight = x.new_ones(edges)
    else:
        edge_weight = _checked_weight(edge_weight, edges, x)
    if edges and not 0 <= int(edge_index.min()) <= int(edge_index.max()) < nodes:
        raise InputError(
            f"edge_index names nodes {int(edge_index.min())} … {int(edge_index.max())} of {nodes}; "
            f"number them from 0 to {nodes - 1}"
        )
    if batch is not None and edges:
        source, target = segments.batch[edge_index.long()]
        if bool((source != target).any()):
            raise InputError("edge_index joins nodes of different graphs; check batch")
    return Adjacency.from_edge_index(edge_index, nodes, edge_weight)


def _checked_weight(edge_weight: Tensor, edges: int, x: Tensor) -> Tensor:
    if not isinstance(edge_weight, Tensor) or edge_weight.is_complex():
        raise InputError("edge_weight must be a tensor of real numbers, one an edge")
    if edge_weight.shape not in ((edges,), (edges, 1)):
        raise InputError(
            f"edge_weight has shape {tuple(edge_weight.shape)} for {edges} edges; give one an edge"
        )
    if edge_weight.device != x.device:
        raise InputError(f"edge_weight is on {edge_weight.device}, x on {x.device}")
    _check_layout("edge_weight", edge_weight)
    return edge_weight.reshape(edges).to(x.dtype)


def _check_index(name: str, index: Tensor, x: Tensor) -> None:
    if not isinstance(index, Tensor):
        raise InputError(f"{name} is a {type(index).__name__}; give a tensor of integers")
    if index.is_floating_point() or index.is_complex() or index.dtype == torch.bool:
        raise InputError(f"{name} has dtype {index.dtype}; give integers, such as {name}.long()")
    if index.device != x.device:
        raise InputError(f"{name} is on {index.device}, x on {x.device}; move one to the other")
    _check_layout(name, index)


def _check_layout(name: str, value: Tensor) -> None:
    if value.is_meta or value.layout is not torch.strided:
        raise InputError(f"{name} is {value.layout} on {value.device}; give a plain tensor")
