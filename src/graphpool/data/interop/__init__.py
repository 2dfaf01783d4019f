"""Graphs of other libraries: NetworkX and PyTorch Geometric."""

from graphpool.data.interop.as_graphs import Graphs, as_graphs
from graphpool.data.interop.networkx import from_networkx, to_networkx
from graphpool.data.interop.pyg import from_pyg, to_pyg

__all__ = ["Graphs", "as_graphs", "from_networkx", "to_networkx", "from_pyg", "to_pyg"]
