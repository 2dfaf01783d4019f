"""The data model: sets of graphs, single graphs, batches, and what is computed from structure.

`graphpool.statistics` describes a set; `places` finds the parts of graphs, and `parts`
those that recur.
"""

from typing import TYPE_CHECKING

from graphpool.imports import lazy_names

if TYPE_CHECKING:
    from graphpool.graphs.adjacency import Adjacency as Adjacency
    from graphpool.graphs.batch import GraphBatch as GraphBatch
    from graphpool.graphs.canonical import canonical_order as canonical_order
    from graphpool.graphs.canonical import reordered as reordered
    from graphpool.graphs.combine import concatenate as concatenate
    from graphpool.graphs.edge_features import EdgeFeatures as EdgeFeatures
    from graphpool.graphs.graph import Graph as Graph
    from graphpool.graphs.graphset import GraphSet as GraphSet
    from graphpool.graphs.parts import RecurringParts as RecurringParts
    from graphpool.graphs.places import PlaceRule as PlaceRule
    from graphpool.graphs.places import Places as Places
    from graphpool.graphs.refinement import colour_rounds as colour_rounds
    from graphpool.graphs.refinement import graph_colours as graph_colours
    from graphpool.graphs.refinement import node_colours as node_colours
    from graphpool.graphs.segments import Segments as Segments
    from graphpool.graphs.statistics import Statistics as Statistics
    from graphpool.graphs.vocabulary import Name as Name

# Lazily: processes that compute edit distances use `hashing` without loading torch.
__getattr__, __dir__, __all__ = lazy_names(
    __name__,
    {
        "graphset": ("GraphSet",),
        "graph": ("Graph",),
        "batch": ("GraphBatch",),
        "adjacency": ("Adjacency",),
        "edge_features": ("EdgeFeatures",),
        "segments": ("Segments",),
        "vocabulary": ("Name",),
        "combine": ("concatenate",),
        "statistics": ("Statistics",),
        "refinement": ("node_colours", "graph_colours", "colour_rounds"),
        "canonical": ("canonical_order", "reordered"),
        "places": ("PlaceRule", "Places"),
        "parts": ("RecurringParts",),
    },
    modules=("parts", "places", "statistics"),
)
