"""The networks that come with the library."""

from functools import partial
from typing import Any

from graphpool.nn import pool
from graphpool.nn.hap import HAPCoarsening
from graphpool.nn.zoo.families import (
    Module,
    Network,
    concat,
    family_network,
    fitting_gmt,
    flat_network,
    group_network,
    hap,
    hap_by_share,
    hap_two_way,
    places_by_share,
    pooler_in_hap,
    pooler_over_hap,
    reduce_network,
    structure_free,
    topk_network,
)
from graphpool.nn.zoo.rules import rule_by_share, rule_of, two_way_rule

_SHARED = "all nodes, shared among clusters"
_PLACED = "all nodes, by place and content"
_HALF = "half of the nodes and the edges among them"
_GATHERED = "half of the nodes, each with its neighbourhood"
_BY_CLUSTER = "edges × clusters"
_BY_PLACE = f"{_BY_CLUSTER}; places once per set"
_ACROSS = "edges + nodes × the other graph's nodes"
_ACROSS_LAYERS = f"{_ACROSS}, per layer"
_THREE_STEPS = "edges; at a hub, the square of its degree"

# As in DiffPool: its losses, the plain Sᵀ A S, and clusters that are sums of nodes.
_LIKE_DIFFPOOL: dict[str, Any] = {
    "losses": {"link": 1.0, "entropy": 1.0}, "connect": "plain", "profile": False,
}  # fmt: skip


def _mean_cluster(in_channels: int) -> pool.OneCluster:
    return pool.OneCluster(pool.ReducePool(in_channels, ("mean",)))


def _mean_att_cluster(in_channels: int) -> pool.OneCluster:
    return pool.OneCluster(pool.MeanAttPool(in_channels))


def _reading_clusters(name: str, title: str, module: Module, counted: bool = False) -> Network:
    return Network(
        f"{name}-hap", "group", "Liu et al., mirrored", 2021,
        f"{title} over HAP's clusters instead of the nodes",
        _PLACED, _BY_PLACE, pooler_over_hap(module, counted), rule=rule_of, around=name,
    )  # fmt: skip


BUILT_IN: tuple[Network, ...] = (
    Network(
        "hap", "group", "Liu et al., both ways", 2026,
        "HAP as we recommend it: nodes and their places pass messages side by side, and tell each "
        "other after each layer",
        "all nodes and all places", "edges; places once per set",
        hap_two_way, HAPCoarsening, rule=two_way_rule,
    ),
    Network(
        "hap-one-way", "group", "Liu et al., revised", 2021,
        "HAP from nodes to places and not back: clusters are places, off-diagonal coarse graph, "
        "readout of nodes and clusters",
        _PLACED, _BY_PLACE, hap(), HAPCoarsening, rule=rule_of, around="hap",
    ),
    Network(
        "hap-paper", "group", "Liu et al.", 2021,
        "HAP as printed: static attention, Gumbel soft sampling, last level only",
        _SHARED, _BY_CLUSTER,
        hap(paper=True), partial(HAPCoarsening, assignment="static", connect="gumbel"),
    ),
    Network(
        "hap-meanpool", "flat", "Liu et al., ablation", 2021,
        "HAP-MeanPool: HAP as printed, with the mean node instead of its first clusters",
        "the mean node", "nodes",
        pooler_in_hap(_mean_cluster, "channels"), _mean_cluster, "channels", around="mean",
    ),
    Network(
        "hap-meanattpool", "flat", "Liu et al., ablation", 2021,
        "HAP-MeanAttPool: the same with MeanAttPool",
        "a weighted sum of all nodes", "nodes",
        pooler_in_hap(_mean_att_cluster, "channels"), _mean_att_cluster, "channels",
        around="mean-att",
    ),
    Network(
        "hap-sagpool", "top-k", "Liu et al., ablation", 2021,
        "HAP-SAGPool: the same with SAGPool", _HALF, "edges",
        pooler_in_hap(pool.SAGPool, "ratio"), pool.SAGPool, "ratio", around="sagpool",
    ),
    Network(
        "hap-diffpool", "group", "Liu et al., ablation", 2021,
        "HAP-DiffPool: the same with DiffPool", _SHARED, _BY_CLUSTER,
        pooler_in_hap(pool.DiffPool, "clusters"), pool.DiffPool, around="diffpool",
    ),
    Network(
        "sagpool-hap", "group", "Liu et al., mirrored", 2021,
        "SAGPool's network with HAP's places instead of kept nodes, half as many as nodes",
        _PLACED, _BY_PLACE, hap_by_share, places_by_share, "ratio", rule_by_share, around="hap",
    ),
    Network(
        "diffpool-hap", "group", "Liu et al., mirrored", 2021,
        "DiffPool's network and losses, with HAP's places instead of its assignment",
        _PLACED, _BY_PLACE, hap(**_LIKE_DIFFPOOL),
        partial(HAPCoarsening, **_LIKE_DIFFPOOL), rule=rule_of, around="hap",
    ),
    _reading_clusters("mean-att", "MeanAttPool", pool.MeanAttPool),
    _reading_clusters("gated", "gated soft attention", pool.GatedPool),
    _reading_clusters("set2set", "Set2Set", pool.Set2Set),
    _reading_clusters("sort", "SortPooling", pool.SortPool, counted=True),
    family_network(
        "diffpool", "group", "Ying et al.", 2018,
        "DiffPool: clusters by a graph network, link and entropy losses",
        _SHARED, _BY_CLUSTER, pool.DiffPool,
    ),
    family_network(
        "mincut", "group", "Bianchi et al.", 2020,
        "MinCutPool: few edges between clusters of similar size, by two losses",
        _SHARED, _BY_CLUSTER, pool.MinCutPool,
    ),
    family_network(
        "dmon", "group", "Tsitsulin et al.", 2023,
        "DMoN: clusters denser than by chance, by a modularity loss",
        _SHARED, _BY_CLUSTER, pool.DMoN,
    ),
    family_network(
        "structpool", "group", "Yuan & Ji", 2020,
        "StructPool: neighbours' assignments depend on each other, by a CRF's mean field",
        _SHARED, f"{_BY_CLUSTER} × iterations", pool.StructPool,
    ),
    Network(
        "gmt", "group", "Baek et al.", 2021,
        "Graph Multiset Transformer: learned seeds attend to the nodes",
        "what learned seeds attend to", "edges + nodes × clusters",
        # The later ones pool what was pooled before and look at no graph: the paper's GMPool.
        group_network(fitting_gmt, partial(fitting_gmt, seeds=0, graph=False)), pool.GMTPool,
    ),
    Network(
        "asap", "group", "Ranjan et al.", 2020,
        "ASAP: a cluster around every node, of which the highest-scoring are kept",
        "half of all neighbourhoods", _THREE_STEPS, topk_network(pool.ASAP), pool.ASAP, "ratio",
    ),
    family_network(
        "gpool", "top-k", "Gao & Ji", 2019,
        "gPool: nodes with the largest projection on a learned vector", _HALF, "edges",
        pool.TopKPool,
    ),
    family_network(
        "sagpool", "top-k", "Lee et al.", 2019,
        "SAGPool: nodes by the score of a graph convolution", _HALF, "edges", pool.SAGPool,
    ),
    family_network(
        "attpool-global", "top-k", "Huang et al.", 2019,
        "AttPool: nodes by attention over the graph", _GATHERED, _THREE_STEPS, pool.AttPoolGlobal,
    ),
    family_network(
        "attpool-local", "top-k", "Huang et al.", 2019,
        "AttPool: nodes by attention among neighbours, times degree", _GATHERED, _THREE_STEPS,
        pool.AttPoolLocal,
    ),
    Network(
        "flat", "flat", "-", None,
        "no coarsening; configurable readout, sum by default", "set by the readout", "nodes",
        reduce_network(), pool.ReducePool, "channels",
    ),
    Network(
        "sum", "flat", "Xu et al.", 2019, "SumPool: sum over nodes", "the sum of all nodes",
        "nodes", reduce_network("sum"), pool.ReducePool, "channels",
    ),
    Network(
        "mean", "flat", "-", None, "MeanPool: mean over nodes", "the mean node", "nodes",
        reduce_network("mean"), partial(pool.ReducePool, reductions=("mean",)), "channels",
    ),
    Network(
        "max", "flat", "-", None, "MaxPool: maximum over nodes", "each channel's largest value",
        "nodes", reduce_network("max"), partial(pool.ReducePool, reductions=("max",)), "channels",
    ),
    Network(
        "concat", "flat", "Liu et al., baseline", 2021,
        "GCN-concat: nodes carry all layers' outputs, then the readout",
        "the sum of all layers' nodes", "nodes × layers", concat,
    ),
    family_network(
        "mean-att", "flat", "Bai et al.", 2019,
        "MeanAttPool: nodes weighted by their similarity to the mean node",
        "a weighted sum of all nodes", "nodes", pool.MeanAttPool,
    ),
    family_network(
        "gated", "flat", "Li et al.", 2016,
        "gated soft attention: every node has a gate for each channel",
        "a gated sum of all nodes", "nodes", pool.GatedPool,
    ),
    family_network(
        "set2set", "flat", "Vinyals et al.", 2016,
        "Set2Set: an LSTM queries the nodes three times", "the last query and its answer",
        "nodes × steps", pool.Set2Set,
    ),
    Network(
        "sort", "flat", "Zhang et al.", 2018,
        "SortPooling: nodes sorted by a channel, read by a convolution",
        "the first 30 nodes in order", "nodes × log nodes",
        flat_network(pool.SortPool, counted=True), pool.SortPool, "channels",
    ),
    Network(
        "structure-free", "rule", "-", None,
        "perceptron on summed node features; ignores edges", "the sum of all nodes", "nodes",
        structure_free,
    ),
)  # fmt: skip

# Networks that compare two graphs. Every other network can, too, by its graph vectors.
PAIR_NETWORKS: tuple[Network, ...] = (
    Network(
        "gmn", "pair", "Li et al.", 2019,
        "graph matching network: nodes attend to the other graph's nodes",
        "a gated sum of all nodes", _ACROSS_LAYERS, around="gated",
    ),
    Network(
        "gmn-hap", "pair", "Liu et al.", 2021,
        "GMN with HAP's coarsening instead of its pooling", _PLACED, _ACROSS_LAYERS,
        around="hap",
    ),
    Network(
        "simgnn", "pair", "Bai et al.", 2019,
        "SimGNN: attention readout, tensor network, histogram of node similarities",
        "a weighted sum of all nodes", _ACROSS, around="mean-att",
    ),
    Network(
        "simgnn-hap", "pair", "Liu et al.", 2021,
        "SimGNN with HAP's coarsening instead of its pooling", _PLACED, _ACROSS, around="hap",
    ),
)  # fmt: skip
