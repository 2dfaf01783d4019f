"""Models by name: the table of methods, and the one place that builds them from settings."""

from collections.abc import Callable
from dataclasses import asdict, dataclass
from typing import Any

from torch import nn

from graphpool.config import ModelConfig
from graphpool.errors import ConfigError, nearest
from graphpool.nn.hap import HAPCoarsening, clusters_from_ratio
from graphpool.nn.model import HAP, FlatNetwork, StructureFree

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
            in_channels, config.hidden_channels, clusters, out_channels,
            readout=config.readout, relaxation=config.relaxation, paper=paper,
            **options, **_shared(config),
        )  # fmt: skip

    return build


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
            summary="HAP as we recommend it: content assignment, off-diagonal coarse graph, "
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
        clusters = clusters_from_ratio(config.ratio, mean_nodes, len(config.clusters))
    return METHODS[config.pooler].build(config, clusters, in_channels, out_channels)


def pooler(name: str, **options: Any) -> nn.Module:
    """A coarsening module by name, such as `pooler("hap", in_channels=64, clusters=8)`."""
    modules: dict[str, dict[str, Any]] = {
        "hap": {},
        "hap-paper": {"assignment": "static", "connect": "gumbel"},
    }
    if name not in modules:
        raise ConfigError(f"unknown coarsening {name!r}; {nearest(name, modules)}")
    return HAPCoarsening(**{**modules[name], **options})
