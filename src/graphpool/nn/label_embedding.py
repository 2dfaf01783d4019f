"""Learned vectors of labels, for sets with more labels than columns could hold.

The first layer of every network multiplies node features by a matrix; of one-hot labels that is a
row of the matrix for each node. With 41,325 labels the one-hot columns of half a million nodes
would take 80 GB to say no more than one number a node does. So
`graphpool.features.Labels` then makes one column of codes, and the network begins with this lookup:
each node gets a vector of its label, beside its other features. Encoders, poolers and tasks see a
network of ordinary inputs; batches, files of graphs and devices see an ordinary `x`. Labels of
edges go the same way, once for each distinct row of `edge_x`.
"""

from typing import Literal

import torch
from torch import Tensor, nn

from graphpool.graphs.batch import GraphBatch
from graphpool.graphs.checks import derived
from graphpool.nn.module import Module

# The attribute of a network that holds the vectors of labels of nodes, or of edges.
_NAMES = {"node": "label_embedding", "edge": "edge_label_embedding"}


class LabelEmbedding(Module):
    """Put a learned vector in place of a column of codes.

    Args:
        column: which of the columns of `x`, or of `edge_x`, holds codes.
        codes: how many there are; code 0, no known label, is a vector of zeros and is not learned.
        channels: of a vector; a vector is about as long as a one-hot row, 1, at the start.
    """

    shown = ("column",)

    def __init__(self, column: int, codes: int, channels: int) -> None:
        super().__init__()
        self.column = column
        self.table = nn.Embedding(codes, channels, padding_idx=0)
        self.reset_parameters()

    def reset_parameters(self) -> None:
        """Draw the initial vectors again."""
        nn.init.normal_(self.table.weight, std=self.table.embedding_dim**-0.5)
        with torch.no_grad():
            self.table.weight[0] = 0.0

    def forward(self, x: Tensor) -> Tensor:
        """Replace the column, `[rows, columns]` to `[rows, columns - 1 + channels]`."""
        before, codes, after = x.split([self.column, 1, x.shape[1] - self.column - 1], dim=1)
        return torch.cat([before, self.table(codes.squeeze(1).long()), after], dim=1)


def add_label_embedding(
    network: nn.Module, embedding: LabelEmbedding, of: Literal["node", "edge"] = "node"
) -> None:
    """Let a network of the zoo, one of graphs or of pairs, begin with the lookup."""
    # A network that compares graphs by their vectors reads them with another one.
    inner = getattr(network, "network", network)
    setattr(inner, _NAMES[of], embedding)


def reset_labels(network: nn.Module) -> None:
    """Draw the initial vectors of the labels again, if the network has any: they come last."""
    for name in _NAMES.values():
        if isinstance(embedding := getattr(network, name, None), LabelEmbedding):
            embedding.reset_parameters()


def embed_labels(network: nn.Module, batch: GraphBatch) -> GraphBatch:
    """Return the batch with the vectors of its labels, if the network has any."""
    nodes, edges = (getattr(network, name, None) for name in _NAMES.values())
    if nodes is not None:
        batch = batch.with_x(nodes(batch.x))
    if edges is not None and batch.edges is not None:
        batch = derived(batch, edges=batch.edges.with_table(edges(batch.edges.table)))
    return batch
