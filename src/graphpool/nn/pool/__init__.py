"""Poolers: group, Top-K and flat ones, one file each."""

from graphpool.nn.coarsen.base import GroupPool, Pooler
from graphpool.nn.pool.asap import ASAP
from graphpool.nn.pool.attpool import AttPoolGlobal, AttPoolLocal
from graphpool.nn.pool.diffpool import DiffPool
from graphpool.nn.pool.dmon import DMoN
from graphpool.nn.pool.flat import FlatPool, OneCluster, ReducePool
from graphpool.nn.pool.gated import GatedPool
from graphpool.nn.pool.gmt import GMTPool
from graphpool.nn.pool.mean_att import MeanAttPool
from graphpool.nn.pool.mincut import MinCutPool
from graphpool.nn.pool.sag import SAGPool
from graphpool.nn.pool.set2set import Set2Set
from graphpool.nn.pool.sort import SortPool
from graphpool.nn.pool.structpool import StructPool
from graphpool.nn.pool.topk import TopKPool
from graphpool.nn.pool.topk_base import NodePool

__all__ = [
    "ASAP",
    "AttPoolGlobal",
    "AttPoolLocal",
    "DMoN",
    "DiffPool",
    "FlatPool",
    "GMTPool",
    "GatedPool",
    "GroupPool",
    "MeanAttPool",
    "MinCutPool",
    "NodePool",
    "OneCluster",
    "Pooler",
    "ReducePool",
    "SAGPool",
    "Set2Set",
    "SortPool",
    "StructPool",
    "TopKPool",
]
