"""Read a set from GEXF files in `train` and `test` folders, as edit-distance sets come.

Graphs stand in the order train, test, each by ascending id: that of PyTorch Geometric and of the
`.npz` files of these sets. Node labels are the attribute `type`, edge labels `valence`, or the
only attribute there is.
"""

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import torch
from torch import Tensor

from graphpool.data.formats.gexf import GexfGraph, parse_gexf
from graphpool.data.formats.gexf_files import GexfFiles
from graphpool.errors import DataError
from graphpool.graphs.graphset import GraphSet, Name
from graphpool.graphs.vocabulary import coded

VERSION = 1
"""Changes whenever the same files would give another `GraphSet`; caches depend on it."""


def read_gexf_set(path: str | Path, name: str | None = None) -> GraphSet:
    """Read the set at `path`, a folder or a zip; `name` says which, where there are several."""
    files = GexfFiles.find(path, name)
    if files is None:
        raise DataError.at(path, "holds no train/ID.gexf or test/ID.gexf", hint="check the path")
    ids = files.ids()
    graphs, places = [], []
    for where, data in files.contents():
        graphs.append(parse_gexf(data, where))
        places.append(where)
    node_label, node_names = _labels(places, [graph.node_labels for graph in graphs], "node")
    # A graph without edges need not declare what they would be labelled with.
    edge_labels = [graph.edge_labels if graph.edges else [] for graph in graphs]
    edge_label, edge_names = _labels(places, edge_labels, "edge")
    ends = np.array([edge for graph in graphs for edge in graph.edges], dtype=np.int64)
    return GraphSet.build(
        files.name,
        torch.tensor([graph.nodes for graph in graphs]),
        torch.tensor([len(graph.edges) for graph in graphs]),
        torch.from_numpy(np.ascontiguousarray(ends.reshape(-1, 2).T)),
        ids=ids,
        undirected=True,
        edge_label=edge_label,
        node_label=node_label,
        node_label_names=node_names,
        edge_label_names=edge_names,
        notes=_notes(files, graphs),
    )


def _labels(
    places: Sequence[str], labels: Sequence[list[Name] | None], kind: str
) -> tuple[Tensor | None, tuple[Name, ...]]:
    """Codes of all graphs end to end; labels are there for all graphs or for none."""
    if not any(labels):
        return None, ()
    if None in labels:
        raise DataError.at(
            places[labels.index(None)],
            f"no attribute of {kind}s is declared, and other graphs have one",
            hint="label the nodes or edges of all graphs, or of none",
        )
    codes, names = coded([name for each in labels for name in each or ()])
    return torch.from_numpy(codes), names


def _notes(files: GexfFiles, graphs: Sequence[GexfGraph]) -> list[str]:
    notes = [
        f"{file} was not opened, for a pickle can run any code; distances are read from "
        f"{files.name}.npz"
        for file in files.pickles
    ]
    unread = sorted({what for graph in graphs for what in graph.unread})
    return [*notes, f"not read: {', '.join(unread)}"] if unread else notes
