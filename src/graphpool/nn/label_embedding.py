"""Learned vectors of node labels, for sets with more labels than columns could hold.

The first layer of every network multiplies node features by a matrix; of one-hot labels that is a
row of the matrix for each node. With 41,325 labels the one-hot columns of half a million nodes
would take 80 GB to say no more than one number a node does. So
`graphpool.features.Labels` then makes one column of codes, and the network begins with this lookup:
each node gets a vector of its label, beside its other features. Encoders, poolers and tasks see a
network of ordinary inputs; batches, files of graphs and devices see an ordinary `x`.
"""

import torch
from torch import Tensor, nn

from graphpool.graphs.batch import GraphBatch
from graphpool.nn.module import Module


class LabelEmbedding(Module):
    """Put a learned vector in place of a column of codes.

    Args:
        column: which of the columns of `x` holds codes.
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
        """Replace the column, `[nodes, columns]` to `[nodes, columns - 1 + channels]`."""
        before, codes, after = x.split([self.column, 1, x.shape[1] - self.column - 1], dim=1)
        return torch.cat([before, self.table(codes.squeeze(1).long()), after], dim=1)


def add_label_embedding(network: nn.Module, embedding: LabelEmbedding) -> None:
    """Let a network of the zoo, one of graphs or of pairs, begin with the lookup."""
    # A network that compares graphs by their vectors reads them with another one.
    inner = getattr(network, "network", network)
    inner.label_embedding = embedding


def reset_labels(network: nn.Module) -> None:
    """Draw the initial vectors of the labels again, if the network has any: they come last."""
    if isinstance(embedding := getattr(network, "label_embedding", None), LabelEmbedding):
        embedding.reset_parameters()


def embed_labels(network: nn.Module, batch: GraphBatch) -> GraphBatch:
    """Return the batch with the vectors of its labels, if the network has any."""
    embedding = getattr(network, "label_embedding", None)
    if embedding is None:
        return batch
    return batch.with_x(embedding(batch.x))
