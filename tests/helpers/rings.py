"""Rings of equal nodes whose classes differ in the labels of their bonds alone."""

import torch

from graphpool.graphs import GraphSet

ONE_DOUBLE = ((0, 0, 0, 0, 0, 0), (0, 0, 0, 0, 0, 1))
ARRANGED = ((0, 1, 0, 1, 0, 1), (0, 0, 0, 1, 1, 1))
"""As many double bonds in both classes, one after the other or side by side."""


def rings(bonds: tuple[tuple[int, ...], tuple[int, ...]] = ONE_DOUBLE, count: int = 60) -> GraphSet:
    """Rings of one size; node i is bound to node i + 1, and the bond has the given label."""
    size = len(bonds[0])
    y = torch.arange(count) % 2
    nodes = torch.arange(size)
    return GraphSet.build(
        "rings",
        torch.full((count,), size),
        torch.full((count,), size),
        torch.stack([nodes, (nodes + 1) % size]).repeat(1, count),
        undirected=True,
        node_label=torch.zeros(size * count, dtype=torch.long),
        node_label_names=("C",),
        edge_label=torch.tensor(bonds)[y].flatten(),
        edge_label_names=("single", "double"),
        y=y,
        classes=("no", "yes"),
    )
