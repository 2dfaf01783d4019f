"""Features of nodes and edges, fitted on training graphs, applied to any, stored as plain values.

Start with `FeaturePipeline("labels+rw:8")`; `KINDS` lists what can be in the string.
"""

from graphpool.features.attributes import Attributes, EdgeAttributes, OwnX
from graphpool.features.base import Feature
from graphpool.features.constant import Constant
from graphpool.features.degree import BinnedDegree, Degree, LogDegree
from graphpool.features.eigenvectors import Eigenvectors
from graphpool.features.given import Given
from graphpool.features.labels import EdgeLabels, Labels
from graphpool.features.pipeline import KINDS, FeaturePipeline, has_edge_features
from graphpool.features.randomwalk import RandomWalk
from graphpool.features.summary import features_line

__all__ = [
    "FeaturePipeline", "features_line", "KINDS", "Feature", "Labels", "Degree", "BinnedDegree",
    "LogDegree", "Constant", "Attributes", "RandomWalk", "Eigenvectors", "OwnX", "Given",
    "EdgeLabels", "EdgeAttributes", "has_edge_features",
]  # fmt: skip
