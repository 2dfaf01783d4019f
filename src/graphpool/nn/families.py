"""The network around a pooler, family by family: same encoder, widths and head for all of them.

A network has as many encoders as `clusters` has numbers, by default two. Group poolers coarsen
after each, the last time to one cluster. Where nodes are kept, the last encoder's nodes are read
out instead, which is the same sum: the graph vector has as many channels either way.
"""

import math
from typing import Any, Literal

from torch import nn

from graphpool.config import ModelConfig
from graphpool.errors import ConfigError
from graphpool.graphs.places_rule import PlaceRule
from graphpool.nn.hap import HAPCoarsening
from graphpool.nn.method import Builder, Module, Takes
from graphpool.nn.model import HAP, FlatNetwork, Pooled, StructureFree
from graphpool.nn.pool import ConcatNetwork, GMTPool

CLUSTERS, RATIO = (8, 1), 0.5


def grouped(module: Module) -> Builder:
    """Coarsenings `module(channels, clusters)`, one after each encoder."""

    def build(
        config: ModelConfig, clusters: tuple[int, ...], in_channels: int, out_channels: int
    ) -> nn.Module:
        made = [module(config.hidden_channels, count) for count in clusters or CLUSTERS]
        if not all(hasattr(each, "clusters") for each in made):
            raise ConfigError(
                f"{type(made[0]).__name__} is no group pooler: it needs an attribute `clusters`, "
                "the number of nodes of the coarse graph"
            )
        return Pooled(
            in_channels, config.hidden_channels, out_channels,
            coarsenings=made, readout=config.readout, **_shared(config),
        )  # fmt: skip

    return build


def keeping(module: Module) -> Builder:
    """Poolers `module(channels, ratio)` between the encoders; every level is read out."""

    def build(
        config: ModelConfig, clusters: tuple[int, ...], in_channels: int, out_channels: int
    ) -> nn.Module:
        counts, ratio = clusters or CLUSTERS, config.ratio or RATIO
        # One cluster at the end stands for the readout, and is no pooling here.
        poolings = max(1, len(counts) - (counts[-1] == 1))
        return Pooled(
            in_channels, config.hidden_channels, out_channels,
            coarsenings=[module(config.hidden_channels, ratio) for _ in range(poolings)],
            encoders=len(counts), readout=config.readout, **_shared(config),
        )  # fmt: skip

    return build


def reading(module: Module) -> Builder:
    """One encoder and the flat pooler `module(channels)`."""

    def build(
        config: ModelConfig, clusters: tuple[int, ...], in_channels: int, out_channels: int
    ) -> nn.Module:
        return FlatNetwork(
            in_channels, config.hidden_channels, out_channels,
            readout=module(config.hidden_channels), **_shared(config),  # type: ignore[arg-type]
        )  # fmt: skip

    return build


def reducing(readout: tuple[str, ...] | None) -> Builder:
    """One encoder and reductions over the nodes, by default those that the settings name."""

    def build(
        config: ModelConfig, clusters: tuple[int, ...], in_channels: int, out_channels: int
    ) -> nn.Module:
        return FlatNetwork(
            in_channels, config.hidden_channels, out_channels,
            readout=readout or config.readout, **_shared(config),
        )  # fmt: skip

    return build


def hap(paper: bool) -> Builder:
    """HAP, ours or as printed."""

    def build(
        config: ModelConfig, clusters: tuple[int, ...], in_channels: int, out_channels: int
    ) -> nn.Module:
        options = {
            key: value
            for key in ("assignment", "connect")
            if (value := getattr(config, key)) != "default"
        }
        return HAP(
            in_channels, config.hidden_channels, clusters or None, out_channels,
            readout=config.readout, relaxation=config.relaxation, paper=paper,
            rule=rule_of(config), profile=None if config.profile else False,
            losses={name: getattr(config, name) for name in ("cut", "balance", "orthogonality")},
            **options, **_shared(config),
        )  # fmt: skip

    return build


def hap_slot(module: Module, takes: Takes) -> Builder:
    """HAP as printed with another pooler in the place of its first coarsening module.

    The paper's ablation keeps "other components of HAP" and replaces "our coarsening module". We
    read it as the first module of the hierarchy: the last one, to one cluster, is a sum whatever
    it is called. The last level alone is read out, as in the paper, whose HAP-MeanAttPool differs
    from its MeanAttPool by 0.22 points at most on all six sets: there is no second readout of the
    nodes to tell them apart. Levels in between, with more numbers in `clusters`, are HAP's.
    """

    def build(
        config: ModelConfig, clusters: tuple[int, ...], in_channels: int, out_channels: int
    ) -> nn.Module:
        channels, counts = config.hidden_channels, clusters or CLUSTERS
        given = {"clusters": (counts[0],), "ratio": (config.ratio or RATIO,), "channels": ()}
        first = module(channels, *given[takes])
        # One cluster can't become several.
        most = getattr(first, "clusters", None) or max(counts)
        later = [
            HAPCoarsening(channels, min(count, most), "static", config.relaxation, "gumbel")
            for count in counts[1:]
        ]
        return Pooled(
            in_channels, channels, out_channels,
            coarsenings=[first, *later], readout=config.readout, gather="last", **_shared(config),
        )  # fmt: skip

    return build


def concat(
    config: ModelConfig, clusters: tuple[int, ...], in_channels: int, out_channels: int
) -> nn.Module:
    """GCN-concat."""
    return ConcatNetwork(
        in_channels, config.hidden_channels, out_channels, readout=config.readout, **_shared(config)
    )


def structure_free(
    config: ModelConfig, clusters: tuple[int, ...], in_channels: int, out_channels: int
) -> nn.Module:
    """A perceptron that looks at no edge."""
    return StructureFree(in_channels, config.hidden_channels, out_channels, dropout=config.dropout)


def fitting_gmt(in_channels: int, clusters: int) -> GMTPool:
    """Graph Multiset Transformer with four heads, or as many of them as the channels allow."""
    return GMTPool(in_channels, clusters, heads=math.gcd(in_channels, 4))


def rule_of(config: ModelConfig) -> PlaceRule | None:
    """How many places a graph has; `None` where `clusters` says it."""
    if config.ratio:
        return PlaceRule(
            "ratio", ratio=config.ratio, resolution=config.resolution, most=config.most
        )
    if config.clusters:
        return None
    if config.count == "validation":
        raise ConfigError(
            "model.count 'validation' tries several numbers of places while training; "
            "train with it, or build the model with 'modularity' or 'eigengap'"
        )
    count: Literal["auto", "eigengap"] = "eigengap" if config.count == "eigengap" else "auto"
    return PlaceRule(count, resolution=config.resolution, most=config.most)


def _shared(config: ModelConfig) -> dict[str, Any]:
    return {
        "encoder": config.encoder,
        "layers": config.layers,
        "heads": config.heads,
        "norm": config.norm,
        "dropout": config.dropout,
    }
