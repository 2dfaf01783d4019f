"""Encoders: layers of message passing, each in a ragged and a dense form with the same weights."""

from graphpool.nn.encoders.base import EncoderLayer, MessagePassing
from graphpool.nn.encoders.gat import GATLayer
from graphpool.nn.encoders.gcn import GCNLayer
from graphpool.nn.encoders.gin import GINLayer, GraphConvLayer
from graphpool.nn.encoders.stack import ConcatEncoder, Encoder, encoder_names

__all__ = [
    "ConcatEncoder",
    "Encoder",
    "EncoderLayer",
    "GATLayer",
    "GCNLayer",
    "GINLayer",
    "GraphConvLayer",
    "MessagePassing",
    "encoder_names",
]
