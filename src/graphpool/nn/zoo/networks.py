"""The networks that come with the library."""

from functools import partial
from typing import Any

from graphpool.nn.hap import HAPCoarsening
from graphpool.nn.pool import (
    ASAP,
    AttPoolGlobal,
    AttPoolLocal,
    DiffPool,
    DMoN,
    GatedPool,
    GMTPool,
    MeanAttPool,
    MinCutPool,
    OneCluster,
    ReducePool,
    SAGPool,
    Set2Set,
    SortPool,
    StructPool,
    TopKPool,
)
from graphpool.nn.zoo.families import (
    Module,
    Network,
    concat,
    fitting_gmt,
    flat_network,
    group_network,
    hap,
    hap_by_share,
    later_gmt,
    places_by_share,
    pooler_in_hap,
    pooler_over_hap,
    reduce_network,
    rule_by_share,
    rule_of,
    structure_free,
    topk_network,
)

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


def _mean_cluster(in_channels: int) -> OneCluster:
    return OneCluster(ReducePool(in_channels, ("mean",)))


def _mean_att_cluster(in_channels: int) -> OneCluster:
    return OneCluster(MeanAttPool(in_channels))


def _reading_clusters(name: str, title: str, module: Module, counted: bool = False) -> Network:
    return Network(
        f"{name}-hap", "group", "Liu et al., mirrored", 2021,
        f"{title} over HAP's clusters instead of the nodes",
        _PLACED, _BY_PLACE, pooler_over_hap(module, counted), rule=rule_of, around=name,
    )  # fmt: skip


BUILT_IN: tuple[Network, ...] = (
    Network(
        "hap", "group", "Liu et al., revised", 2021,
        "HAP as we recommend it: clusters are places, off-diagonal coarse graph, "
        "readout of nodes and clusters",
        _PLACED, _BY_PLACE, hap(), HAPCoarsening, rule=rule_of,
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
        pooler_in_hap(SAGPool, "ratio"), SAGPool, "ratio", around="sagpool",
    ),
    Network(
        "hap-diffpool", "group", "Liu et al., ablation", 2021,
        "HAP-DiffPool: the same with DiffPool", _SHARED, _BY_CLUSTER,
        pooler_in_hap(DiffPool, "clusters"), DiffPool, around="diffpool",
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
    _reading_clusters("mean-att", "MeanAttPool", MeanAttPool),
    _reading_clusters("gated", "gated soft attention", GatedPool),
    _reading_clusters("set2set", "Set2Set", Set2Set),
    _reading_clusters("sort", "SortPooling", SortPool, counted=True),
    Network(
        "diffpool", "group", "Ying et al.", 2018,
        "DiffPool: clusters by a graph network, link and entropy losses",
        _SHARED, _BY_CLUSTER, group_network(DiffPool), DiffPool,
    ),
    Network(
        "mincut", "group", "Bianchi et al.", 2020,
        "MinCutPool: few edges between clusters of similar size, by two losses",
        _SHARED, _BY_CLUSTER, group_network(MinCutPool), MinCutPool,
    ),
    Network(
        "dmon", "group", "Tsitsulin et al.", 2023,
        "DMoN: clusters denser than by chance, by a modularity loss",
        _SHARED, _BY_CLUSTER, group_network(DMoN), DMoN,
    ),
    Network(
        "structpool", "group", "Yuan & Ji", 2020,
        "StructPool: neighbours' assignments depend on each other, by a CRF's mean field",
        _SHARED, f"{_BY_CLUSTER} × iterations", group_network(StructPool), StructPool,
    ),
    Network(
        "gmt", "group", "Baek et al.", 2021,
        "Graph Multiset Transformer: learned seeds attend to the nodes",
        "what learned seeds attend to", "edges + nodes × clusters",
        group_network(fitting_gmt, later_gmt), GMTPool,
    ),
    Network(
        "asap", "group", "Ranjan et al.", 2020,
        "ASAP: a cluster around every node, of which the highest-scoring are kept",
        "half of all neighbourhoods", _THREE_STEPS, topk_network(ASAP), ASAP, "ratio",
    ),
    Network(
        "gpool", "top-k", "Gao & Ji", 2019,
        "gPool: nodes with the largest projection on a learned vector", _HALF, "edges",
        topk_network(TopKPool), TopKPool, "ratio",
    ),
    Network(
        "sagpool", "top-k", "Lee et al.", 2019,
        "SAGPool: nodes by the score of a graph convolution", _HALF, "edges",
        topk_network(SAGPool), SAGPool, "ratio",
    ),
    Network(
        "attpool-global", "top-k", "Huang et al.", 2019,
        "AttPool: nodes by attention over the graph", _GATHERED, _THREE_STEPS,
        topk_network(AttPoolGlobal), AttPoolGlobal, "ratio",
    ),
    Network(
        "attpool-local", "top-k", "Huang et al.", 2019,
        "AttPool: nodes by attention among neighbours, times degree", _GATHERED, _THREE_STEPS,
        topk_network(AttPoolLocal), AttPoolLocal, "ratio",
    ),
    Network(
        "flat", "flat", "-", None,
        "no coarsening; configurable readout, sum by default", "set by the readout", "nodes",
        reduce_network(None), ReducePool, "channels",
    ),
    Network(
        "sum", "flat", "Xu et al.", 2019, "SumPool: sum over nodes", "the sum of all nodes",
        "nodes", reduce_network(("sum",)), ReducePool, "channels",
    ),
    Network(
        "mean", "flat", "-", None, "MeanPool: mean over nodes", "the mean node", "nodes",
        reduce_network(("mean",)), partial(ReducePool, reductions=("mean",)), "channels",
    ),
    Network(
        "max", "flat", "-", None, "MaxPool: maximum over nodes", "each channel's largest value",
        "nodes", reduce_network(("max",)), partial(ReducePool, reductions=("max",)), "channels",
    ),
    Network(
        "concat", "flat", "Liu et al., baseline", 2021,
        "GCN-concat: nodes carry all layers' outputs, then the readout",
        "the sum of all layers' nodes", "nodes × layers", concat,
    ),
    Network(
        "mean-att", "flat", "Bai et al.", 2019,
        "MeanAttPool: nodes weighted by their similarity to the mean node",
        "a weighted sum of all nodes", "nodes", flat_network(MeanAttPool), MeanAttPool, "channels",
    ),
    Network(
        "gated", "flat", "Li et al.", 2016,
        "gated soft attention: every node has a gate for each channel",
        "a gated sum of all nodes", "nodes", flat_network(GatedPool), GatedPool, "channels",
    ),
    Network(
        "set2set", "flat", "Vinyals et al.", 2016,
        "Set2Set: an LSTM queries the nodes three times", "the last query and its answer",
        "nodes × steps", flat_network(Set2Set), Set2Set, "channels",
    ),
    Network(
        "sort", "flat", "Zhang et al.", 2018,
        "SortPooling: nodes sorted by a channel, read by a convolution",
        "the first 30 nodes in order", "nodes × log nodes",
        flat_network(SortPool, counted=True), SortPool, "channels",
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
