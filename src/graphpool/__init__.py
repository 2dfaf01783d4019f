"""graphpool: learn from whole graphs with hierarchical adaptive pooling (HAP).

Names are imported when first used, so that `import graphpool` and `graphpool --help` are quick.
"""

from typing import TYPE_CHECKING

from graphpool.imports import lazy_names

__version__ = "0.1.0"

if TYPE_CHECKING:
    from graphpool.data.formats import save as save
    from graphpool.data.interop import from_networkx as from_networkx
    from graphpool.data.interop import from_numpy as from_numpy
    from graphpool.data.interop import from_pyg as from_pyg
    from graphpool.data.interop import to_networkx as to_networkx
    from graphpool.data.interop import to_pyg as to_pyg
    from graphpool.data.load import load as load
    from graphpool.data.load import read as read
    from graphpool.errors import GraphpoolError as GraphpoolError
    from graphpool.errors import GraphpoolWarning as GraphpoolWarning
    from graphpool.estimators.classifier import GraphClassifier as GraphClassifier
    from graphpool.estimators.comparer import GraphComparer as GraphComparer
    from graphpool.estimators.matcher import GraphMatcher as GraphMatcher
    from graphpool.estimators.multilabel import (
        GraphMultiLabelClassifier as GraphMultiLabelClassifier,
    )
    from graphpool.estimators.regressor import GraphRegressor as GraphRegressor
    from graphpool.experiments.comparison import evaluate as evaluate
    from graphpool.experiments.tell_apart import tell_apart as tell_apart
    from graphpool.graphs import Graph as Graph
    from graphpool.graphs import GraphBatch as GraphBatch
    from graphpool.graphs import GraphSet as GraphSet
    from graphpool.graphs import concatenate as concatenate
    from graphpool.graphs.statistics import statistics as statistics
    from graphpool.limits import Limits as Limits
    from graphpool.limits import use_limits as use_limits
    from graphpool.nn.zoo import list_networks as list_networks
    from graphpool.nn.zoo import list_poolers as list_poolers

__getattr__, __dir__, __all__ = lazy_names(
    __name__,
    {
        "graphs": ("GraphSet", "Graph", "GraphBatch", "concatenate"),
        "graphs.statistics": ("statistics",),
        "data.load": ("load", "read"),
        "data.formats": ("save",),
        "data.interop": (
            "from_pyg", "to_pyg", "from_networkx", "to_networkx", "from_numpy",
        ),
        "estimators.classifier": ("GraphClassifier",),
        "estimators.multilabel": ("GraphMultiLabelClassifier",),
        "estimators.regressor": ("GraphRegressor",),
        "estimators.matcher": ("GraphMatcher",),
        "estimators.comparer": ("GraphComparer",),
        "experiments.comparison": ("evaluate",),
        "experiments.tell_apart": ("tell_apart",),
        "nn.zoo": ("list_networks", "list_poolers"),
        "errors": ("GraphpoolError", "GraphpoolWarning"),
        "limits": ("Limits", "use_limits"),
    },
    modules=(
        "graphs", "data", "features", "ged", "nn", "tasks", "training", "evaluation", "report",
        "models", "experiments", "estimators", "config", "errors",
    ),
)  # fmt: skip
