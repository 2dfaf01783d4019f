"""The network around a pooler, family by family: same encoder, widths and head for all of them.

A network has as many encoders as `clusters` has numbers, by default two. Group poolers coarsen
after each, the last time to one cluster. With Top-K poolers the last encoder's nodes are read out
instead, which is the same sum: the graph vector has as many channels either way.
"""

import itertools
import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any, Literal

from torch import nn

from graphpool.config import ModelConfig
from graphpool.errors import ConfigError
from graphpool.graphs.places.rule import PlaceRule
from graphpool.nn.hap import HAPCoarsening
from graphpool.nn.hierarchy import Hierarchy
from graphpool.nn.model import HAP, ConcatNetwork, FlatNetwork, PoolerNetwork, StructureFree
from graphpool.nn.pool import GMTPool

Builder = Callable[[ModelConfig, tuple[int, ...], int, int], nn.Module]
Module = Callable[..., nn.Module]
Takes = Literal["clusters", "ratio", "channels"]
CLUSTERS, RATIO = (8, 1), 0.5
Losses = Mapping[str, float]


@dataclass(frozen=True)
class Network:
    """A network by name, and the pooler in it.

    Args:
        name: what `--pooler` takes.
        family: of its pooler: `group`, `top-k`, `flat`; `rule` for a network that has none, and
            `pair` for one that compares two graphs.
        paper: its authors.
        year: of publication.
        summary: one line.
        keeps: what remains of a graph.
        cost: what time and memory grow with.
        build: the whole network, from settings, clusters, input channels and classes; `None` for
            a pair network, which `zoo.pairs` builds.
        module: the pooler alone, called with its channels and with what `takes` says; `None` for a
            network that has none.
        takes: second argument of `module`: `clusters`, `ratio`, or none but the `channels`.
        rule: how many places a graph has by the settings; `None` for a network without places.
        around: the name of the pooler that this network is built around, where it is not its own:
            `list_poolers` lists that one.
    """

    name: str
    family: str
    paper: str
    year: int | None
    summary: str
    keeps: str
    cost: str
    build: Builder | None = None
    module: Module | None = None
    takes: Takes = "clusters"
    rule: Callable[[ModelConfig], PlaceRule | None] | None = None
    around: str | None = None


def group_network(module: Module, later: Module | None = None) -> Builder:
    """Coarsenings `module(channels, clusters)`, one after each encoder.

    Where `later` is given, it makes those after the first.
    """

    def build(
        config: ModelConfig, clusters: tuple[int, ...], in_channels: int, out_channels: int
    ) -> nn.Module:
        kinds = itertools.chain([module], itertools.repeat(later or module))
        made = [
            kind(config.hidden_channels, count)
            for kind, count in zip(kinds, clusters or CLUSTERS, strict=False)
        ]
        if not all(hasattr(each, "clusters") for each in made):
            raise ConfigError(
                f"{type(made[0]).__name__} is no group pooler: it needs an attribute `clusters`, "
                "the number of nodes of the coarse graph"
            )
        return PoolerNetwork(
            in_channels, config.hidden_channels, out_channels,
            coarsenings=made, readout=config.readout, **_shared(config),
        )  # fmt: skip

    return build


def topk_network(module: Module) -> Builder:
    """Poolers `module(channels, ratio)` between the encoders; every level is read out."""

    def build(
        config: ModelConfig, clusters: tuple[int, ...], in_channels: int, out_channels: int
    ) -> nn.Module:
        counts, ratio = clusters or CLUSTERS, config.ratio or RATIO
        return PoolerNetwork(
            in_channels, config.hidden_channels, out_channels,
            coarsenings=[module(config.hidden_channels, ratio) for _ in range(_poolings(counts))],
            encoders=len(counts), readout=config.readout, **_shared(config),
        )  # fmt: skip

    return build


def flat_network(module: Module, counted: bool = False) -> Builder:
    """One encoder and the flat pooler `module(channels)`.

    One that is `counted` also takes how many nodes it reads, where `clusters` says so.
    """

    def build(
        config: ModelConfig, clusters: tuple[int, ...], in_channels: int, out_channels: int
    ) -> nn.Module:
        given = clusters[:1] if counted else ()
        return FlatNetwork(
            in_channels, config.hidden_channels, out_channels,
            readout=module(config.hidden_channels, *given),  # type: ignore[arg-type]
            **_shared(config),
        )  # fmt: skip

    return build


def reduce_network(readout: tuple[str, ...] | None) -> Builder:
    """One encoder and reductions over the nodes, by default those that the settings name."""

    def build(
        config: ModelConfig, clusters: tuple[int, ...], in_channels: int, out_channels: int
    ) -> nn.Module:
        return FlatNetwork(
            in_channels, config.hidden_channels, out_channels,
            readout=readout or config.readout, **_shared(config),
        )  # fmt: skip

    return build


def hap(paper: bool = False, losses: Losses | None = None, **options: Any) -> Builder:
    """HAP, ours or as printed, with more losses and with `options` where the settings are open."""

    def build(
        config: ModelConfig, clusters: tuple[int, ...], in_channels: int, out_channels: int
    ) -> nn.Module:
        asked = {
            key: value
            for key in ("assignment", "connect")
            if (value := getattr(config, key)) != "default"
        }
        if not config.cluster_profile:
            asked["profile"] = False
        own = {
            "cut": config.cut_loss,
            "balance": config.balance,
            "orthogonality": config.orthogonality,
        }
        return HAP(
            in_channels, config.hidden_channels, clusters or None, out_channels,
            readout=config.readout, relaxation=config.relaxation, paper=paper,
            rule=rule_of(config), losses={**own, **(losses or {})},
            **{**options, **asked}, **_shared(config),
        )  # fmt: skip

    return build


def hap_by_share(
    config: ModelConfig, clusters: tuple[int, ...], in_channels: int, out_channels: int
) -> nn.Module:
    """The network of `topk_network` with HAP's first coarsening in place of the Top-K pooler.

    A graph has as many places as `topk_network` would select nodes. That its last level is summed
    up by a coarsening to one cluster changes nothing.
    """
    return hap()(_by_share(config), clusters, in_channels, out_channels)


def pooler_over_hap(module: Module, counted: bool = False) -> Builder:
    """HAP's coarsening in the network of `flat_network`: `module` reads clusters in place of nodes.

    Encoders and coarsenings are those of `hap`, but for the last one to one cluster: where that
    sums the clusters up, the flat pooler reads them. It alone is read, as in its own network. One
    that is `counted` reads them all.
    """

    def build(
        config: ModelConfig, clusters: tuple[int, ...], in_channels: int, out_channels: int
    ) -> nn.Module:
        whole = hap()(config, clusters, in_channels, out_channels)
        assert isinstance(whole, HAP), "hap builds HAP"
        inner = list(whole.coarsenings)[: _poolings(clusters or CLUSTERS)]
        given = (inner[-1].clusters,) if counted else ()
        return _OverHAP(
            encoders=list(whole.encoders),
            coarsenings=inner,
            readouts=[None] * len(inner) + [module(config.hidden_channels, *given)],
            out_channels=out_channels,
            dropout=config.dropout,
            unused=whole.head,
        )

    return build


class _OverHAP(Hierarchy):
    """The network of `pooler_over_hap`.

    HAP, whose parts it takes, has drawn weights of a head as well, which are not used. A reset
    draws as many, to give the weights of the construction.
    """

    def __init__(self, *arguments: Any, unused: nn.Module, **options: Any) -> None:
        super().__init__(*arguments, **options)
        self._unused = (unused,)  # not registered

    def _in_order_of_construction(self) -> tuple[nn.Module, ...]:
        return self.coarsenings, self.encoders, *self._unused, self.learned, self.head


def pooler_in_hap(module: Module, takes: Takes) -> Builder:
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
        return PoolerNetwork(
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


def later_gmt(in_channels: int, clusters: int) -> GMTPool:
    """Its pooling of what was pooled before, which looks at no graph: the paper's GMPool."""
    heads = math.gcd(in_channels, 4)
    return GMTPool(in_channels, clusters, seeds=0, heads=heads, graph=False)


def places_by_share(in_channels: int, ratio: float) -> HAPCoarsening:
    """HAP's coarsening to as many places as a pooler of this ratio would keep of the nodes."""
    return HAPCoarsening(in_channels, rule=PlaceRule("ratio", ratio=ratio))


def rule_by_share(config: ModelConfig) -> PlaceRule | None:
    """`rule_of` a method whose places are the share of the nodes that others keep."""
    return rule_of(_by_share(config))


def rule_of(config: ModelConfig) -> PlaceRule | None:
    """How many places a graph has; `None` where `clusters` says it."""
    if config.ratio:
        return PlaceRule(
            "ratio", ratio=config.ratio, resolution=config.resolution, most=config.max_clusters
        )
    if config.clusters:
        return None
    if config.cluster_count == "validation":
        raise ConfigError(
            "model.cluster_count 'validation' tries several numbers of places while training; "
            "train with it, or build the model with 'modularity' or 'eigengap'"
        )
    count: Literal["auto", "eigengap"] = (
        "eigengap" if config.cluster_count == "eigengap" else "auto"
    )
    return PlaceRule(count, resolution=config.resolution, most=config.max_clusters)


def _by_share(config: ModelConfig) -> ModelConfig:
    return replace(config, ratio=config.ratio or RATIO)


def _poolings(counts: tuple[int, ...]) -> int:
    """How often nodes are pooled: one cluster at the end stands for the readout."""
    return max(1, len(counts) - (counts[-1] == 1))


def _shared(config: ModelConfig) -> dict[str, Any]:
    return {
        "encoder": config.encoder,
        "layers": config.num_layers,
        "heads": config.heads,
        "norm": config.norm,
        "dropout": config.dropout,
        "jump": config.jumping_knowledge,
    }
