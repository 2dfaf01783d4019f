"""The settings of a network: `ModelConfig`, each field declared once with `setting`."""

import math
from dataclasses import dataclass
from typing import Literal

from graphpool.config.setting import CheckedConfig, Range, setting
from graphpool.errors import ConfigError

COMPARING = ("matching", "similarity")
MODEL_PANEL, COMPARE_PANEL = "Model", "Comparing graphs"
LOSS_PANEL = "Auxiliary losses"
POSITIVE, FINITE = Range(above=0, below=math.inf), Range(low=0, below=math.inf)
NOT_NEGATIVE = Range(low=0)
# Values of `model.units` that leave nothing open about places.
_COMPLETE = ("recurring", "graph", "nodes", "validation")


@dataclass(frozen=True)
class ModelConfig(CheckedConfig):
    """The network; `graphpool list settings` explains the fields."""

    pooler: str = setting("hap", "Pooling method; see graphpool list.", option="--pooler")
    encoder: Literal["auto", "gcn", "gat", "gin", "graphconv", "gine", "gatv2", "gated"] = setting(
        "auto",
        "Graph convolution before each coarsening.",
        choices={
            "auto": "gine where edges of the training graphs differ in labels or attributes, else "
            "gcn",
            "gcn": "graph convolution (Kipf & Welling 2017)",
            "gat": "graph attention, several heads (Veličković et al. 2018)",
            "gin": "graph isomorphism network (Xu et al. 2019)",
            "graphconv": "sum over neighbours and the node itself, each with its weights (Morris "
            "et al. 2019)",
            "gine": "gin with features of edges (Hu et al. 2020)",
            "gatv2": "attention to nodes and edges, several heads (Brody et al. 2022)",
            "gated": "a gate for each edge and channel, GatedGCN (Bresson & Laurent 2018)",
        },
        option="--encoder",
    )
    hidden_channels: int = setting(64, "Width of every layer.", range=POSITIVE, option="--hidden")
    num_layers: int = setting(
        0,
        "Encoder layers before each coarsening; 0 takes 2, or 3 with hap, gine, gatv2 and gated.",
        range=NOT_NEGATIVE,
        option="--layers",
    )
    heads: int = setting(4, "Attention heads of the encoders gat and gatv2.", range=POSITIVE)
    clusters: tuple[int, ...] = setting(
        (),
        "Clusters of each level, such as 8,1; by default as many as a graph has places, then 1 "
        "but for hap (methods without places: 8, then 1).",
        range=Range(low=1),
        option="--clusters",
    )
    ratio: float = setting(
        0.0,
        "Share of the nodes that become clusters, or that top-k poolers keep; 0 uses clusters as "
        "they are given, and half of the nodes in top-k poolers.",
        range=Range(low=0, below=1),
    )
    dropout: float = setting(
        0.0, "Dropout, in [0, 1).", range=Range(low=0, below=1), option="--dropout"
    )
    norm: Literal["auto", "none", "batch", "layer"] = setting(
        "auto",
        "Normalisation after each encoder layer.",
        choices={
            "auto": "batch with hap, gine, gatv2 and gated, else none",
            "none": "no normalisation",
            "batch": "batch normalisation over all nodes",
            "layer": "layer normalisation over the channels of a node",
        },
    )
    residual: Literal["auto", "on", "off"] = setting(
        "auto",
        "Whether each encoder layer adds its input to its output.",
        choices={
            "auto": "on with hap, gine, gatv2 and gated, else off",
            "on": "it does; a linear map brings the first input to the width of the layers",
            "off": "it does not",
        },
    )
    jumping_knowledge: bool = setting(
        False, "Mix the outputs of all encoder layers instead of using only the last."
    )
    readout: tuple[Literal["sum", "mean", "max", "scaled_sum"], ...] = setting(
        (),
        "How the nodes of a level become one vector; several are concatenated. By default sum, "
        "and mean,scaled_sum with hap.",
        choices={
            "sum": "sum over the nodes",
            "mean": "mean over the nodes",
            "max": "largest value of each channel",
            "scaled_sum": "sum divided by the mean number of nodes of the training graphs",
        },
    )
    gather: Literal["default", "levels", "last", "nodes"] = setting(
        "default",
        "Which levels are read out in networks that coarsen, and compared in those for pairs.",
        choices={
            "default": "what the pooler stands for: last for hap-paper, levels for most others",
            "levels": "every level, nodes included; their vectors are concatenated",
            "last": "the last level alone; in hap, places",
            "nodes": "nodes alone, which have heard from their places; for hap",
        },
    )
    assignment: Literal["default", "places", "places-only", "content", "static"] = setting(
        "default",
        "How hap-one-way and hap-paper assign nodes to clusters.",
        choices={
            "default": "what the pooler stands for: places for hap-one-way, static for hap-paper",
            "places": "clusters are places, parts of the graph dense in edges, weighted by content",
            "places-only": "the same without content: the edges alone assign a node",
            "content": "standardised dot product of a node's row with the cluster's column",
            "static": "the paper's additive attention; every node gets nearly the same clusters",
        },
        option="--assignment",
    )
    relaxation: Literal["gram", "sort", "truncate", "tile"] = setting(
        "gram",
        "How HAP brings cluster columns to one length.",
        choices={
            "gram": "a column becomes its products with all columns; permutation invariant",
            "sort": "its largest values; permutation invariant",
            "truncate": "its first entries; depends on the order of the nodes",
            "tile": "what the authors' code does; depends on the order of the nodes",
        },
    )
    connect: Literal["default", "offdiagonal", "gumbel", "offdiagonal-gumbel", "plain"] = setting(
        "default",
        "How hap-one-way and hap-paper weight the edges between clusters.",
        choices={
            "default": "what the pooler stands for: offdiagonal for hap-one-way, gumbel for "
            "hap-paper",
            "offdiagonal": "zero diagonal, then symmetric normalisation",
            "gumbel": "the paper's soft sampling; nearly the identity",
            "offdiagonal-gumbel": "zero diagonal, then soft sampling",
            "plain": "the coarse adjacency as it is",
        },
        option="--connect",
    )
    cluster_count: Literal["modularity", "eigengap", "validation"] = setting(
        "modularity",
        "How the number of places is found, unless clusters gives it.",
        choices={
            "modularity": "as many places as modularity finds at model.resolution, for each graph",
            "eigengap": "where the spectrum of the graph has its largest gap",
            "validation": "modularity from coarse to fine and eigengap, each tried for a fifth of "
            "the epochs; validation graphs choose",
        },
        option="--count",
    )
    resolution: float = setting(
        1.5,
        "How fine places are: a higher one gives more and smaller places.",
        range=Range(low=1 / 16, high=64),
        option="--resolution",
    )
    max_clusters: int = setting(
        0,
        "Largest number of places of a graph, unless they are parts that recur; 0 takes 16, or "
        "1024 with hap.",
        range=NOT_NEGATIVE,
    )
    units: Literal[
        "default", "none", "rings", "auto", "recurring", "graph", "nodes", "validation"
    ] = setting(
        "default",
        "What places never divide.",
        choices={
            "default": "what the pooler stands for: auto for hap, none for hap-one-way",
            "none": "nothing: places are those of modularity",
            "rings": "rings and systems of rings of up to 32 nodes, which are places of their own; "
            "modularity divides the rest",
            "auto": "systems of at most 4 rings in graphs with at most 4 edges for 3 nodes, such "
            "as molecules; nothing in denser ones",
            "recurring": "parts that occur again and again in the training graphs, learned from "
            "labels of nodes and edges",
            "graph": "the whole graph, which is one place: a virtual node; for hap",
            "nodes": "single nodes, which then need no places: a flat network; for hap",
            "validation": "auto, none, recurring, graph and nodes, each tried for a fifth of the "
            "epochs; validation graphs choose",
        },
        option="--units",
    )
    parts: str = setting(
        "",
        "Digest of the parts that units 'recurring' has learned; set by training.",
        estimator=False,
    )
    cluster_profile: bool = setting(
        True, "Add the size, inner edges and outer edges of a place to its cluster's features."
    )
    down: Literal["each", "once", "never"] = setting(
        "each",
        "When nodes hear from their places in hap.",
        choices={
            "each": "after each layer",
            "once": "once, half way",
            "never": "never: from nodes to places only",
        },
    )
    whole_graph: bool = setting(False, "Add a node for the whole graph above the places of hap.")
    gate: Literal["auto", "on", "off"] = setting(
        "auto",
        "Whether what nodes hear from their places is multiplied by learned numbers.",
        choices={
            "auto": "on with hap where graphs are compared or fewer than 8,000 train, else off",
            "on": "a number for each layer and channel, 0 at first",
            "off": "it is not",
        },
    )
    distance: Literal["aligned", "nodes", "sorted", "euclidean"] = setting(
        "aligned",
        "HAP's distance between two graphs at a level; other methods have their own.",
        choices={
            "aligned": "nodes or clusters of a level, each softly matched to one of the other "
            "graph: what is left to move, and which edges are left over",
            "nodes": "the same without the edges, for graphs that differ in size",
            "sorted": "nodes or clusters of a level, sorted channel by channel and compared by "
            "rank",
            "euclidean": "the paper's: between the vectors that are read out of a level",
        },
        option="--distance",
        panel=COMPARE_PANEL,
        tasks=COMPARING,
    )
    score: Literal["learned", "exp"] = setting(
        "learned",
        "How a distance becomes the probability of a match.",
        choices={
            "learned": "a learned logistic curve over the logarithm of the distance",
            "exp": "the paper's exp(-distance / 2)",
        },
        option="--score",
        panel=COMPARE_PANEL,
        tasks=COMPARING,
        estimator=False,  # there it is a method
    )
    cut_loss: float = setting(
        0.0,
        "Weight of the loss for few edges between clusters (Bianchi et al. 2020).",
        range=FINITE,
        panel=LOSS_PANEL,
    )
    balance: float = setting(
        0.0, "Weight of the loss for clusters of one size.", range=FINITE, panel=LOSS_PANEL
    )
    orthogonality: float = setting(
        0.0,
        "Weight of the loss for clusters of one size that don't overlap (Bianchi et al. 2020).",
        range=FINITE,
        panel=LOSS_PANEL,
    )

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.cluster_count == "eigengap" and (self.clusters or self.ratio):
            raise ConfigError(
                "model.cluster_count 'eigengap' sets how many places a graph has, and so does "
                f"model.{'clusters' if self.clusters else 'ratio'}; leave out one of them"
            )
        for key, conflict in (
            ("clusters", self.clusters and self.units not in ("default", "none")),
            ("ratio", self.ratio and self.units in _COMPLETE),
            ("cluster_count", self.cluster_count != "modularity" and self.units in _COMPLETE),
        ):
            if conflict:
                raise ConfigError(
                    f"model.units {self.units!r} sets how many places a graph has, and so does "
                    f"model.{key}; leave out one of them"
                )
        if self.parts and self.units not in ("recurring", "validation"):
            raise ConfigError("model.parts goes with model.units 'recurring'; leave it out")
