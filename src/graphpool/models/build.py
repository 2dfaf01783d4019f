"""Build the network of a task for fitted features."""

from typing import cast

from torch import nn

from graphpool.config import ModelConfig
from graphpool.features.pipeline import FeaturePipeline
from graphpool.graphs.graphset import GraphSet
from graphpool.nn.hierarchy import GraphNetwork
from graphpool.nn.label_embedding import LabelEmbedding, add_label_embedding
from graphpool.nn.pairs.base import PairModel
from graphpool.tasks import Task


def build_network(
    task: Task,
    settings: ModelConfig,
    features: FeaturePipeline,
    mean_nodes: float,
    graphs: GraphSet | None = None,
) -> nn.Module:
    """Build the network of a task for these features, with vectors of labels if they are codes.

    Args:
        graphs: training graphs, which the network measures.
    """
    width, nodes, edges = settings.hidden_channels, features.lookup, features.edge_lookup
    # A vector takes the place of a column of codes.
    channels = features.channels + (0 if nodes is None else width - 1)
    edge_channels = features.edge_channels + (0 if edges is None else width - 1)
    network = cast(
        GraphNetwork | PairModel, task.build(settings, channels, mean_nodes, edge_channels)
    )
    if nodes is not None:
        add_label_embedding(network, LabelEmbedding(*nodes, width))
    if edges is not None:
        add_label_embedding(network, LabelEmbedding(*edges, width), "edge")
    if graphs is not None:
        network.measure(graphs)
    return network
