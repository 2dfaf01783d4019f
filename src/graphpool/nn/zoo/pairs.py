"""Build pair networks by name from settings."""

from dataclasses import replace
from typing import cast

from graphpool.config import ModelConfig, resolve_model
from graphpool.errors import check_known
from graphpool.graphs.places.rule import PlaceRule
from graphpool.nn.encoders import Encoder
from graphpool.nn.hierarchy import Hierarchy
from graphpool.nn.pairs.base import PairModel, without_encoder
from graphpool.nn.pairs.gmn import GMN
from graphpool.nn.pairs.score import ExpScore, LearnedScore
from graphpool.nn.pairs.siamese import Siamese
from graphpool.nn.pairs.simgnn import SimGNN
from graphpool.nn.zoo.build import METHODS, build_model, place_rule
from graphpool.nn.zoo.build import PAIR_METHODS as PAIR_METHODS
from graphpool.nn.zoo.families import CLUSTERS

SCORES = ("exp", "learned")
# Methods whose levels may be compared node by node: the hierarchy of ours, and none at all.
BY_NODES = ("hap", "hap-one-way", "flat")


def build_pair_model(
    settings: ModelConfig,
    channels: int,
    nodes: float,
    score: str | None = None,
    edge_channels: int = 0,
) -> PairModel:
    """Build the pair network that `settings` describe.

    Networks of one encoder, GMN and SimGNN, have as many rounds as HAP has in all its encoders:
    `layers` for each number of `clusters`, by default 2 · 2. GMN passes its own messages, whatever
    `encoder` says; in GMN-HAP that is the encoder of the coarse graphs.

    Args:
        settings: `pooler` is a name of `METHODS`, whose network then embeds every graph by itself
            (`Siamese`), or one of `PAIR_METHODS`.
        channels: of the node features.
        nodes: mean nodes per training graph, for `settings.ratio`.
        score: `"exp"`, the paper's, or `"learned"`, see `score`; by default as `settings` say.
        edge_channels: of the features of edges.
    """
    settings = resolve_model(settings, edge_channels > 0)
    score = score or settings.score
    check_known("pooler", settings.pooler, [*METHODS, *PAIR_METHODS])
    check_known("score", score, SCORES)
    model = _network(settings, channels, nodes, edge_channels)
    model.score = LearnedScore(model.levels) if score == "learned" else ExpScore()
    return model


def pair_place_rule(settings: ModelConfig) -> PlaceRule | None:
    """Return the rule by which the network that `settings` describe finds places, if it does."""
    if settings.pooler not in PAIR_METHODS:
        return place_rule(settings)
    return place_rule(_hap(settings)) if settings.pooler.endswith("-hap") else None


def _hap(settings: ModelConfig) -> ModelConfig:
    """The settings of HAP where it stands in for another network's pooling."""
    return replace(settings, pooler="hap-one-way")


def _network(settings: ModelConfig, channels: int, nodes: float, edge_channels: int) -> PairModel:
    name, width = settings.pooler, settings.hidden_channels
    if name not in PAIR_METHODS:
        distance = settings.distance if name in BY_NODES else "euclidean"
        inner = build_model(settings, channels, 0, nodes, edge_channels)
        return Siamese(inner, distance=distance)
    pooling, layers = None, settings.num_layers
    if name.endswith("-hap"):
        whole = build_model(_hap(settings), width, 0, nodes, edge_channels)
        pooling = without_encoder(cast(Hierarchy, whole), width)
    else:
        layers *= len(settings.clusters or CLUSTERS)
    if name.startswith("gmn"):
        return GMN(channels, width, layers, pooling, norm=settings.norm, dropout=settings.dropout)
    encoder = Encoder(
        settings.encoder,
        channels,
        width,
        layers,
        settings.heads,
        settings.norm,
        settings.dropout,
        settings.jumping_knowledge,
        edge_channels,
        settings.residual == "on",
    )
    return SimGNN(encoder, pooling)
