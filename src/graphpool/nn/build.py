"""Models by name: the table of methods, and the one place that builds them from settings."""

from collections.abc import Callable
from dataclasses import asdict, dataclass
from typing import Any, Literal

from torch import nn

from graphpool.config import ModelConfig
from graphpool.errors import ConfigError, nearest
from graphpool.graphs.places_rule import PlaceRule
from graphpool.nn.hap import HAPCoarsening, clusters_from_ratio
from graphpool.nn.model import HAP, FlatNetwork, Pooled, StructureFree
from graphpool.nn.pool import DiffPool

Builder = Callable[[ModelConfig, tuple[int, ...], int, int], nn.Module]


@dataclass(frozen=True)
class Method:
    """One row of `graphpool list`."""

    name: str
    family: str
    paper: str
    summary: str
    build: Builder


def _shared(config: ModelConfig) -> dict[str, Any]:
    return {
        "encoder": config.encoder,
        "layers": config.layers,
        "heads": config.heads,
        "norm": config.norm,
        "dropout": config.dropout,
    }


def _hap(paper: bool) -> Builder:
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
            rule=_rule(config), profile=None if config.profile else False,
            losses={name: getattr(config, name) for name in ("cut", "balance", "orthogonality")},
            **options, **_shared(config),
        )  # fmt: skip

    return build


def _diffpool(
    config: ModelConfig, clusters: tuple[int, ...], in_channels: int, out_channels: int
) -> nn.Module:
    return Pooled(
        in_channels, config.hidden_channels, out_channels,
        coarsenings=[DiffPool(config.hidden_channels, count) for count in clusters or (8, 1)],
        readout=config.readout, **_shared(config),
    )  # fmt: skip


def _rule(config: ModelConfig) -> PlaceRule | None:
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


def _flat(readout: tuple[str, ...] | None) -> Builder:
    def build(
        config: ModelConfig, clusters: tuple[int, ...], in_channels: int, out_channels: int
    ) -> nn.Module:
        return FlatNetwork(
            in_channels, config.hidden_channels, out_channels,
            readout=readout or config.readout, **_shared(config),
        )  # fmt: skip

    return build


def _structure_free(
    config: ModelConfig, clusters: tuple[int, ...], in_channels: int, out_channels: int
) -> nn.Module:
    return StructureFree(in_channels, config.hidden_channels, out_channels, dropout=config.dropout)


METHODS: dict[str, Method] = {
    method.name: method
    for method in (
        Method(
            name="hap",
            family="group",
            paper="Liu et al. 2021, revised",
            summary="HAP as we recommend it: clusters are places, off-diagonal coarse graph, "
            "readout of nodes and clusters",
            build=_hap(paper=False),
        ),
        Method(
            name="hap-paper",
            family="group",
            paper="Liu et al. 2021",
            summary="HAP as printed: static attention, Gumbel soft sampling, last level only",
            build=_hap(paper=True),
        ),
        Method(
            name="diffpool",
            family="group",
            paper="Ying et al. 2018",
            summary="DiffPool: clusters by a graph network, link and entropy losses",
            build=_diffpool,
        ),
        Method("flat", "flat", "-", "no coarsening; readout as set, by default sum", _flat(None)),
        Method("sum", "flat", "Xu et al. 2019", "SumPool: sum over nodes", _flat(("sum",))),
        Method("mean", "flat", "-", "MeanPool: mean over nodes", _flat(("mean",))),
        Method("max", "flat", "-", "MaxPool: maximum over nodes", _flat(("max",))),
        Method(
            name="structure-free",
            family="rule",
            paper="-",
            summary="perceptron on summed node features; looks at no edge",
            build=_structure_free,
        ),
    )
}


def place_rule(config: ModelConfig) -> PlaceRule | None:
    """By which rule the model that `config` describes looks for places, if it does.

    Who trains several models on parts of one set calls `graphs.places(rule)` before it is parted.
    """
    if config.pooler != "hap" or config.assignment in ("content", "static"):
        return None
    if rule := _rule(config):
        return rule
    return HAPCoarsening(1, config.clusters[0]).rule


def list_poolers() -> list[dict[str, str]]:
    """Name, family, paper and summary of every method."""
    return [
        {key: value for key, value in asdict(method).items() if key != "build"}
        for method in METHODS.values()
    ]


def build_model(
    config: ModelConfig, in_channels: int, out_channels: int, mean_nodes: float | None = None
) -> nn.Module:
    """Build the model that `config` describes.

    Args:
        config: settings; `pooler` names the method.
        in_channels: channels of the node features.
        out_channels: classes.
        mean_nodes: mean nodes per training graph, needed when `config.ratio` sets the clusters.
    """
    if config.pooler not in METHODS:
        raise ConfigError(f"unknown pooler {config.pooler!r}; {nearest(config.pooler, METHODS)}")
    clusters = config.clusters
    if config.ratio:
        if mean_nodes is None:
            raise ConfigError("model.ratio needs the mean number of nodes of the training graphs")
        clusters = clusters_from_ratio(config.ratio, mean_nodes, len(clusters) or 2)
    return METHODS[config.pooler].build(config, clusters, in_channels, out_channels)


def pooler(name: str, **options: Any) -> nn.Module:
    """A coarsening module by name, such as `pooler("hap", in_channels=64, clusters=8)`."""
    modules: dict[str, dict[str, Any]] = {
        "hap": {},
        "hap-paper": {"assignment": "static", "connect": "gumbel"},
        "diffpool": {},
    }
    if name not in modules:
        raise ConfigError(f"unknown coarsening {name!r}; {nearest(name, modules)}")
    kind = DiffPool if name == "diffpool" else HAPCoarsening
    return kind(**{**modules[name], **options})
