"""What features are made from, and what a set has that they don't use, in words."""

from collections.abc import Collection, Mapping, Sequence

from graphpool.errors import FeatureWarning, plural, warn
from graphpool.features.attributes import Attributes, EdgeAttributes, OwnX
from graphpool.features.base import Feature, fitted
from graphpool.features.given import Given
from graphpool.features.labels import EdgeLabels, Labels
from graphpool.graphs.graphset import GraphSet
from graphpool.typing import Tensor

_READS = {
    Labels.kind: "node label",
    Attributes.kind: "node attribute",
    OwnX.kind: "feature",
    Given.kind: "feature",
    EdgeLabels.kind: "edge label",
    EdgeAttributes.kind: "edge attribute",
}
"""What each kind of feature reads of a set, beside its structure."""


def features_line(about: Mapping[str, Sequence[str]]) -> str:
    """`Features: 7 node labels; not used: 4 edge labels`, from `FeaturePipeline.about`."""
    return f"Features: {features_text(about)}"


def features_text(about: Mapping[str, Sequence[str]]) -> str:
    """`7 node labels; not used: 4 edge labels`."""
    text = ", ".join(about["used"])
    return f"{text}; not used: {', '.join(about['unused'])}" if about["unused"] else text


def warn_unused(about: Mapping[str, Sequence[str]]) -> None:
    """Warn of what the graphs have and the features don't use, if there is anything."""
    if about["unused"]:
        warn(f"the model does not use {', '.join(about['unused'])} of the graphs", FeatureWarning)


def used_text(feature: Feature) -> str:
    """Say what a fitted feature is made from."""
    if isinstance(feature, Labels):
        text = _count(len(fitted(feature.kind, feature.labels)), _READS[feature.kind])
        return text if feature.lookup is None else f"{text} (learned vectors)"
    columns = len(feature.names)
    if feature.kind not in _READS:
        return f"{feature.kind} ({_count(columns, 'column')})"
    text = _count(columns, _READS[feature.kind])
    return text if feature.kind == Given.kind else f"{text} (standardised)"


def unused_text(
    graphs: GraphSet, kinds: Collection[str], without_edges: str = ""
) -> tuple[str, ...]:
    """Say what a set has, beside its structure, that features of these kinds don't use.

    Args:
        without_edges: of `FeaturePipeline`.
    """

    def width(columns: Tensor | None) -> int:
        return 0 if columns is None else columns.shape[1]

    has = {
        "node label": 0 if graphs.node_label is None else len(graphs.node_label_names),
        "node attribute": width(graphs.node_attr),
        "feature": 0 if graphs.x_from else width(graphs.x),
        "edge label": 0 if graphs.edge_label is None else len(graphs.edge_label_names),
        "edge attribute": width(graphs.edge_attr),
        "graph attribute": width(graphs.graph_attr),
    }
    read = {_READS[kind] for kind in kinds if kind in _READS}
    reason = f" ({without_edges})" if without_edges else ""
    return tuple(
        _count(count, name) + (reason if name.startswith("edge") else "")
        for name, count in has.items()
        if count and name not in read
    )


def _count(count: int, name: str) -> str:
    text = plural(count, name)
    return f"{text} x" if name == "feature" else text
