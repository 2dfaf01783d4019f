"""Encoders: layers of message passing, each in a ragged and a dense form with the same weights."""

from graphpool.config import USES_EDGES
from graphpool.nn.encoders.base import EncoderLayer, MessagePassing
from graphpool.nn.encoders.gat import GATLayer
from graphpool.nn.encoders.gated import GatedLayer
from graphpool.nn.encoders.gatv2 import GATv2Layer
from graphpool.nn.encoders.gcn import GCNLayer
from graphpool.nn.encoders.gin import GINLayer, GraphConvLayer
from graphpool.nn.encoders.gine import GINELayer
from graphpool.nn.encoders.stack import ConcatEncoder, Encoder, encoder_names

__all__ = [
    "USES_EDGES",
    "ConcatEncoder",
    "Encoder",
    "EncoderLayer",
    "GATLayer",
    "GATv2Layer",
    "GCNLayer",
    "GINELayer",
    "GINLayer",
    "GatedLayer",
    "GraphConvLayer",
    "MessagePassing",
    "encoder_names",
]
