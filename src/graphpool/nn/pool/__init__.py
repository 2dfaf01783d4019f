"""Poolers of other papers: coarsenings, those that keep nodes, and readouts that learn."""

from graphpool.nn.coarsen.base import Grouping
from graphpool.nn.coarsen.outputs import Kept
from graphpool.nn.pool.asap import ASAP
from graphpool.nn.pool.attpool import AttPoolGlobal, AttPoolLocal
from graphpool.nn.pool.diffpool import DiffPool
from graphpool.nn.pool.dmon import DMoN
from graphpool.nn.pool.flat import FlatPool, ReducePool
from graphpool.nn.pool.gated import GatedPool
from graphpool.nn.pool.gmt import GMTPool
from graphpool.nn.pool.mean_att import MeanAttPool
from graphpool.nn.pool.mincut import MinCutPool
from graphpool.nn.pool.one_cluster import OneCluster
from graphpool.nn.pool.sag import SAGPool
from graphpool.nn.pool.set2set import Set2Set
from graphpool.nn.pool.sort import SortPool
from graphpool.nn.pool.structpool import StructPool
from graphpool.nn.pool.topk import TopKPool

__all__ = [
    "ASAP",
    "AttPoolGlobal",
    "AttPoolLocal",
    "DMoN",
    "DiffPool",
    "FlatPool",
    "GMTPool",
    "GatedPool",
    "Grouping",
    "Kept",
    "MeanAttPool",
    "MinCutPool",
    "OneCluster",
    "ReducePool",
    "SAGPool",
    "Set2Set",
    "SortPool",
    "StructPool",
    "TopKPool",
]
