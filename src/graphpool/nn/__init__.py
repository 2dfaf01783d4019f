"""Networks: encoders, HAP's coarsening, readouts, and the hierarchy that alternates them."""

from graphpool.nn.build import build_model, list_poolers, pooler
from graphpool.nn.coarsened import Coarsened, Trace
from graphpool.nn.encoders import Encoder, GATLayer, GCNLayer, GINLayer
from graphpool.nn.hap import HAPCoarsening
from graphpool.nn.hierarchy import Hierarchy
from graphpool.nn.model import HAP, FlatNetwork, StructureFree
from graphpool.nn.readout import Readout

__all__ = [
    "Coarsened",
    "Encoder",
    "FlatNetwork",
    "GATLayer",
    "GCNLayer",
    "GINLayer",
    "HAP",
    "HAPCoarsening",
    "Hierarchy",
    "Readout",
    "StructureFree",
    "Trace",
    "build_model",
    "list_poolers",
    "pooler",
]
