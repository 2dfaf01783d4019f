"""Networks: encoders, poolers, readouts, and the hierarchy of them."""

from graphpool.graphs.cluster_mask import ClusterMask
from graphpool.nn import pool
from graphpool.nn.coarsen.outputs import NodeSelection, PoolOutput, Trace
from graphpool.nn.encoders import Encoder, GATLayer, GCNLayer, GINLayer, GraphConvLayer
from graphpool.nn.hap import HAPCoarsening
from graphpool.nn.hierarchy import Hierarchy
from graphpool.nn.level import FlatGraphs, Level
from graphpool.nn.model import HAP, ConcatNetwork, FlatNetwork, StructureFree
from graphpool.nn.readout import Readout
from graphpool.nn.two_way import TwoWayHAP
from graphpool.nn.zoo import build_model, list_networks, list_poolers, pooler, register_pooler

__all__ = [
    "ClusterMask",
    "ConcatNetwork",
    "Encoder",
    "FlatGraphs",
    "FlatNetwork",
    "GATLayer",
    "GCNLayer",
    "GINLayer",
    "GraphConvLayer",
    "HAP",
    "HAPCoarsening",
    "Hierarchy",
    "Level",
    "NodeSelection",
    "PoolOutput",
    "Readout",
    "StructureFree",
    "Trace",
    "TwoWayHAP",
    "build_model",
    "list_networks",
    "list_poolers",
    "pool",
    "pooler",
    "register_pooler",
]
