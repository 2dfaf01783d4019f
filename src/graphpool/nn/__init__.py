"""Networks: encoders, HAP's coarsening, other poolers, readouts, and the hierarchy of them."""

from graphpool.nn import pool
from graphpool.nn.coarsen.outputs import Coarsened, Kept, Trace
from graphpool.nn.encoders import Encoder, GATLayer, GCNLayer, GINLayer
from graphpool.nn.hap import HAPCoarsening
from graphpool.nn.hierarchy import Hierarchy
from graphpool.nn.model import HAP, FlatNetwork, StructureFree
from graphpool.nn.readout import Readout
from graphpool.nn.zoo.build import build_model
from graphpool.nn.zoo.concat import ConcatNetwork
from graphpool.nn.zoo.registry import list_poolers, pooler, register_pooler

__all__ = [
    "Coarsened",
    "ConcatNetwork",
    "Encoder",
    "FlatNetwork",
    "GATLayer",
    "GCNLayer",
    "GINLayer",
    "HAP",
    "HAPCoarsening",
    "Hierarchy",
    "Kept",
    "Readout",
    "StructureFree",
    "Trace",
    "build_model",
    "list_poolers",
    "pool",
    "pooler",
    "register_pooler",
]
