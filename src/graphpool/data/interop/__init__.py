"""Graphs of other libraries: NetworkX, PyTorch Geometric, NumPy and SciPy."""

from graphpool.data.interop.as_graphs import Graphs, as_graphs
from graphpool.data.interop.networkx import from_networkx, to_networkx
from graphpool.data.interop.numpy import from_numpy
from graphpool.data.interop.pyg import from_pyg, to_pyg

__all__ = [
    "Graphs", "as_graphs", "from_networkx", "to_networkx", "from_numpy", "from_pyg", "to_pyg",
]  # fmt: skip
