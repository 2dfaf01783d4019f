"""graphpool: learn from whole graphs with hierarchical adaptive pooling (HAP).

Names are imported when first used, so that `import graphpool` and `graphpool --help` are quick.
"""

import importlib
from typing import TYPE_CHECKING, Any

__version__ = "0.1.0"

_HOMES = {
    "GraphSet": "graphpool.graphs.graphset",
    "Graph": "graphpool.graphs.graphset",
    "GraphBatch": "graphpool.graphs.batch",
    "load": "graphpool.data.load",
    "read": "graphpool.data.load",
    "save": "graphpool.data.formats.safetensors",
    "concatenate": "graphpool.graphs.combine",
    "statistics": "graphpool.graphs.statistics",
    "from_pyg": "graphpool.data.interop.convert",
    "to_pyg": "graphpool.data.interop.convert",
    "from_networkx": "graphpool.data.interop.convert",
    "to_networkx": "graphpool.data.interop.convert",
    "GraphClassifier": "graphpool.estimators.classifier",
    "GraphComparer": "graphpool.estimators.comparer",
    "list_poolers": "graphpool.nn.zoo.build",
    "evaluate": "graphpool.experiments.comparison",
    "GraphpoolError": "graphpool.errors",
}
_ROOMS = (
    "graphs",
    "data",
    "features",
    "ged",
    "nn",
    "tasks",
    "training",
    "evaluation",
    "report",
    "models",
    "experiments",
    "estimators",
)

if TYPE_CHECKING:
    from graphpool.data.formats.safetensors import save as save
    from graphpool.data.interop.convert import from_networkx as from_networkx
    from graphpool.data.interop.convert import from_pyg as from_pyg
    from graphpool.data.interop.convert import to_networkx as to_networkx
    from graphpool.data.interop.convert import to_pyg as to_pyg
    from graphpool.data.load import load as load
    from graphpool.data.load import read as read
    from graphpool.errors import GraphpoolError as GraphpoolError
    from graphpool.estimators.classifier import GraphClassifier as GraphClassifier
    from graphpool.estimators.comparer import GraphComparer as GraphComparer
    from graphpool.experiments.comparison import evaluate as evaluate
    from graphpool.graphs.batch import GraphBatch as GraphBatch
    from graphpool.graphs.combine import concatenate as concatenate
    from graphpool.graphs.graphset import Graph as Graph
    from graphpool.graphs.graphset import GraphSet as GraphSet
    from graphpool.graphs.statistics import statistics as statistics
    from graphpool.nn.zoo.build import list_poolers as list_poolers


def __getattr__(name: str) -> Any:
    if name in _HOMES:
        return getattr(importlib.import_module(_HOMES[name]), name)
    if name in _ROOMS:
        return importlib.import_module(f"graphpool.{name}")
    raise AttributeError(f"module 'graphpool' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted([*_HOMES, *_ROOMS, "__version__"])
