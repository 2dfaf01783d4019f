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
from graphpool.nn.hap import PLACE_ASSIGNMENTS, HAPCoarsening
from graphpool.nn.hierarchy import Hierarchy
from graphpool.nn.model import HAP, ConcatNetwork, FlatNetwork, PoolerNetwork, StructureFree
from graphpool.nn.pool import GMTPool
from graphpool.nn.readout import Readout
from graphpool.nn.two_way import TwoWayHAP
from graphpool.nn.zoo.rules import RATIO, by_share, rule_of, two_way_rules

Module = Callable[..., nn.Module]
Takes = Literal["clusters", "ratio", "channels"]
CLUSTERS = (8, 1)
Losses = Mapping[str, float]


@dataclass(frozen=True)
class Request:
    """What a network is built from: settings, channels of the features, and classes.

    `clusters` are those after each coarsening, where the settings say them by number or ratio;
    `mean_nodes` of a training graph, for readouts that divide by it.
    """

    config: ModelConfig
    clusters: tuple[int, ...]
    in_channels: int
    out_channels: int
    edge_channels: int = 0
    mean_nodes: float = 1.0

    @property
    def counts(self) -> tuple[int, ...]:
        """Clusters after each coarsening."""
        return self.clusters or CLUSTERS

    @property
    def channels(self) -> int:
        """Width of every layer."""
        return self.config.hidden_channels

    @property
    def poolings(self) -> int:
        """How often nodes are pooled: one cluster at the end stands for the readout."""
        return max(1, len(self.counts) - (self.counts[-1] == 1))

    def readout(self, reductions: tuple[str, ...]) -> Readout:
        """Reductions of nodes, in units of the training graphs."""
        return Readout(reductions, self.mean_nodes)

    @property
    def gather(self) -> dict[str, str]:
        """The option `gather` of a network with levels, unless it is left to the network."""
        return {} if self.config.gather == "default" else {"gather": self.config.gather}

    def network(self, kind: Module, **options: Any) -> nn.Module:
        """A network with the encoders, the readout and the head that all have in common."""
        shared = {
            "hidden_channels": self.channels,
            "out_channels": self.out_channels,
            "encoder": self.config.encoder,
            "layers": self.config.num_layers,
            "heads": self.config.heads,
            "norm": self.config.norm,
            "dropout": self.config.dropout,
            "jump": self.config.jumping_knowledge,
            "readout": self.readout(self.config.readout),
            "edge_channels": self.edge_channels,
            "residual": self.config.residual == "on",
        }
        return kind(self.in_channels, **{**shared, **options})


Builder = Callable[[Request], nn.Module]


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
        build: the whole network; `None` for a pair network, which `zoo.pairs` builds.
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

    def build(request: Request) -> nn.Module:
        kinds = itertools.chain([module], itertools.repeat(later or module))
        made = [
            kind(request.channels, count)
            for kind, count in zip(kinds, request.counts, strict=False)
        ]
        if not all(hasattr(each, "clusters") for each in made):
            raise ConfigError(
                f"{type(made[0]).__name__} is no group pooler: it needs an attribute `clusters`, "
                "the number of nodes of the coarse graph"
            )
        return request.network(PoolerNetwork, coarsenings=made, **request.gather)

    return build


def topk_network(module: Module) -> Builder:
    """Poolers `module(channels, ratio)` between the encoders; by default every level is read."""

    def build(request: Request) -> nn.Module:
        ratio = request.config.ratio or RATIO
        made = [module(request.channels, ratio) for _ in range(request.poolings)]
        return request.network(
            PoolerNetwork, coarsenings=made, encoders=len(request.counts), **request.gather
        )

    return build


def flat_network(module: Module, counted: bool = False) -> Builder:
    """One encoder and the flat pooler `module(channels)`.

    One that is `counted` also takes how many nodes it reads, where `clusters` says so.
    """

    def build(request: Request) -> nn.Module:
        given = request.clusters[:1] if counted else ()
        return request.network(FlatNetwork, readout=module(request.channels, *given))

    return build


# What a module of each family takes, and the network that is made around it.
FAMILIES: dict[str, tuple[Takes, Callable[[Module], Builder]]] = {
    "group": ("clusters", group_network),
    "top-k": ("ratio", topk_network),
    "flat": ("channels", flat_network),
}


def family_network(
    name: str, family: str, paper: str, year: int | None, summary: str, keeps: str, cost: str,
    module: Module,
) -> Network:  # fmt: skip
    """The network that its family makes around a pooler."""
    takes, around = FAMILIES[family]
    return Network(name, family, paper, year, summary, keeps, cost, around(module), module, takes)


def reduce_network(*reductions: str) -> Builder:
    """One encoder and reductions over the nodes, by default those that the settings name."""
    options = {"readout": reductions} if reductions else {}
    return lambda request: request.network(FlatNetwork, **options)


def hap(paper: bool = False, losses: Losses | None = None, **options: Any) -> Builder:
    """HAP, ours or as printed, with more losses and with `options` where the settings are open."""

    def build(request: Request) -> nn.Module:
        config = request.config
        asked = {
            key: value
            for key in ("assignment", "connect")
            if (value := getattr(config, key)) != "default"
        }
        if not config.cluster_profile:
            asked["profile"] = False
        by_place = asked.get("assignment", "static" if paper else "places") in PLACE_ASSIGNMENTS
        own = {
            "cut": config.cut_loss,
            "balance": config.balance,
            "orthogonality": config.orthogonality,
        }
        return request.network(
            HAP,
            clusters=request.clusters or None,
            relaxation=config.relaxation,
            paper=paper,
            rule=rule_of(config) if by_place else None,
            losses={**own, **(losses or {})},
            **{**options, **asked, **request.gather},
        )

    return build


def hap_by_share(request: Request) -> nn.Module:
    """The network of `topk_network` with HAP's first coarsening in place of the Top-K pooler.

    A graph has as many places as `topk_network` would select nodes. That its last level is summed
    up by a coarsening to one cluster changes nothing.
    """
    return hap()(replace(request, config=by_share(request.config)))


def pooler_over_hap(module: Module, counted: bool = False) -> Builder:
    """HAP's coarsening in the network of `flat_network`: `module` reads clusters in place of nodes.

    Encoders and coarsenings are those of `hap`, but for the last one to one cluster: where that
    sums the clusters up, the flat pooler reads them. It alone is read, as in its own network. One
    that is `counted` reads them all.
    """

    def build(request: Request) -> nn.Module:
        whole = hap()(request)
        assert isinstance(whole, HAP), "hap builds HAP"
        inner = list(whole.coarsenings)[: request.poolings]
        given = (inner[-1].clusters,) if counted else ()
        return _OverHAP(
            encoders=list(whole.encoders),
            coarsenings=inner,
            readouts=[None] * len(inner) + [module(request.channels, *given)],
            out_channels=request.out_channels,
            dropout=request.config.dropout,
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

    def build(request: Request) -> nn.Module:
        ratio = request.config.ratio or RATIO
        given = {"clusters": request.counts[:1], "ratio": (ratio,), "channels": ()}
        first = module(request.channels, *given[takes])
        # One cluster can't become several.
        most = getattr(first, "clusters", None) or max(request.counts)
        relaxation = request.config.relaxation
        later = [
            HAPCoarsening(request.channels, min(count, most), "static", relaxation, "gumbel")
            for count in request.counts[1:]
        ]
        options = {"gather": "last", **request.gather}
        return request.network(PoolerNetwork, coarsenings=[first, *later], **options)

    return build


def hap_two_way(request: Request) -> nn.Module:
    """HAP in both directions."""
    config = request.config
    return request.network(
        TwoWayHAP,
        rules=two_way_rules(config),
        down=config.down,
        gate=config.gate == "on",
        **request.gather,
    )


def concat(request: Request) -> nn.Module:
    """GCN-concat."""
    return request.network(ConcatNetwork)


def structure_free(request: Request) -> nn.Module:
    """A perceptron that looks at no edge."""
    return StructureFree(
        request.in_channels,
        request.channels,
        request.out_channels,
        dropout=request.config.dropout,
    )


def fitting_gmt(in_channels: int, clusters: int, **options: Any) -> GMTPool:
    """Graph Multiset Transformer with four heads, or as many of them as the channels allow."""
    return GMTPool(in_channels, clusters, heads=math.gcd(in_channels, 4), **options)


def places_by_share(in_channels: int, ratio: float) -> HAPCoarsening:
    """HAP's coarsening to as many places as a pooler of this ratio would keep of the nodes."""
    return HAPCoarsening(in_channels, rule=PlaceRule("ratio", ratio=ratio))
