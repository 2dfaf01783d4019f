"""`FeaturePipeline`: a feature string such as `labels+rw:8`, fitted and applied."""

from collections.abc import Collection, Iterable, Sequence
from typing import TYPE_CHECKING, Any, Literal

import torch

from graphpool.errors import CheckpointError, ConfigError, check_type, nearest
from graphpool.features.attributes import Attributes, EdgeAttributes, OwnX
from graphpool.features.base import Feature, fitted
from graphpool.features.constant import Constant
from graphpool.features.degree import BinnedDegree, Degree, LogDegree
from graphpool.features.eigenvectors import Eigenvectors
from graphpool.features.given import Given
from graphpool.features.labels import EdgeLabels, Labels
from graphpool.features.randomwalk import RandomWalk
from graphpool.features.summary import unused_text, used_text
from graphpool.graphs.graphset import GraphSet
from graphpool.typing import Float, Tensor

if TYPE_CHECKING:
    from graphpool.graphs.parts import RecurringParts

_CLASSES = (Labels, Degree, BinnedDegree, LogDegree, Constant, Attributes, RandomWalk, Eigenvectors,
            OwnX, Given, EdgeLabels, EdgeAttributes)  # fmt: skip
KINDS: dict[str, type[Feature]] = {feature.kind: feature for feature in _CLASSES}
"""What can be in a feature string, besides `auto`."""

AUTO = "auto"
MOST_KEPT = 1000  # kinds of parts that a model file names


class FeaturePipeline:
    """Several kinds of features side by side, of nodes and of edges.

    Args:
        spec: kinds joined by `+`, in the order of the columns: `auto`, `labels`, `degree:64`,
            `labels+rw:8`, `attributes+labels+edge_labels`. `auto` means everything that the nodes
            and edges of the fitted set bring: labels, attributes and an `x` that
            `graphpool.features` has not made; nodes without labels and `x` also get the capped
            one-hot degree.
        without_edges: why no features of edges are made, such as `encoder gcn`; empty if they are.
        with_parts: learn parts that recur too, and give them to the graphs as places.

    Attributes:
        features: those of the string, fitted; None before `fit`.
        parts: those that recur, fitted; None without them.
        unused: what the fitted set has that these features don't use, such as `4 edge labels`.
    """

    def __init__(self, spec: str = AUTO, without_edges: str = "", with_parts: bool = False) -> None:
        self.spec, self.without_edges, self.with_parts = spec, without_edges, with_parts
        self.parts: RecurringParts | None = None
        self.features: tuple[Feature, ...] | None = None
        self.unused: tuple[str, ...] = ()
        self._items = _split(spec)

    def fit(self, graphs: GraphSet) -> "FeaturePipeline":
        """Fit every kind on training graphs."""
        items = _split(resolved_spec(self.spec, automatic(graphs), not self.without_edges))
        self.features = tuple(_parse(item).fit(graphs) for item in items)
        kinds = {feature.kind for feature in self.features}
        self.unused = unused_text(graphs, kinds, self.without_edges)
        if self.with_parts:
            from graphpool.graphs.parts import RecurringParts

            self.parts = RecurringParts.fit(graphs)
        return self

    def columns(self, graphs: GraphSet) -> Float[Tensor, "nodes channels"]:
        """Return the features of every node."""
        return _joined(feature.transform(graphs) for feature in self.of("node"))

    def edge_columns(self, graphs: GraphSet) -> Float[Tensor, "edges channels"] | None:
        """Return the features of every edge; None if there are none in the string."""
        features = self.of("edge")
        return _joined(each.transform(graphs) for each in features) if features else None

    def transform(self, graphs: GraphSet) -> GraphSet:
        """Return the same graphs with these features as `x`, and those of edges as `edge_x`."""
        graphs = self.with_places(graphs)
        return graphs.with_x(self.columns(graphs), self.spec).with_edge_x(self.edge_columns(graphs))

    def with_places(self, graphs: GraphSet) -> GraphSet:
        """Return the same graphs with the parts that were learned, if any were, as places."""
        return graphs if self.parts is None else self.parts.attach(graphs)

    def fit_transform(self, graphs: GraphSet) -> GraphSet:
        """Fit and transform the same graphs."""
        return self.fit(graphs).transform(graphs)

    @property
    def _fitted(self) -> tuple[Feature, ...]:
        return fitted(self.spec, self.features)

    def of(self, what: Literal["node", "edge"]) -> tuple[Feature, ...]:
        """Return the fitted features of nodes, or of edges."""
        return tuple(feature for feature in self._fitted if feature.of == what)

    @property
    def channels(self) -> int:
        """Number of columns."""
        return len(self.names)

    @property
    def edge_channels(self) -> int:
        """Number of columns of `edge_x`; 0 if it is not made."""
        return len(self.edge_names)

    @property
    def names(self) -> tuple[str, ...]:
        """What each column means."""
        return tuple(name for feature in self.of("node") for name in feature.names)

    @property
    def edge_names(self) -> tuple[str, ...]:
        """What each column of `edge_x` means."""
        return tuple(name for feature in self.of("edge") for name in feature.names)

    @property
    def used(self) -> tuple[str, ...]:
        """What the features are made from, such as `7 node labels` and `degree`."""
        return tuple(used_text(feature) for feature in self._fitted)

    @property
    def lookup(self) -> tuple[int, int] | None:
        """The column that holds codes of labels, if one does, and the number of codes."""
        return _lookup(self.of("node"))

    @property
    def edge_lookup(self) -> tuple[int, int] | None:
        """The same for the columns of `edge_x`."""
        return _lookup(self.of("edge"))

    def about(self) -> dict[str, Any]:
        """Return what is used and what is not, as plain values for JSON."""
        return {"used": list(self.used), "unused": list(self.unused)}

    def state(self) -> dict[str, Any]:
        """Return the string and everything that was fitted, as plain values for JSON."""
        parts = [{"kind": feature.kind, **feature.state()} for feature in self._fitted]
        state = {"spec": self.spec, "features": parts, **self.about()}
        if self.parts is not None:
            state["parts"] = self.parts.to_dict(MOST_KEPT)
        return state

    @classmethod
    def from_state(cls, state: dict[str, Any]) -> "FeaturePipeline":
        """Return a fitted pipeline."""
        try:
            pipeline = cls(state["spec"])
            pipeline.features = tuple(
                KINDS[part["kind"]].from_state(part) for part in state["features"]
            )
            pipeline.unused = tuple(str(part) for part in state.get("unused", ()))
            if "parts" in state:
                from graphpool.graphs.parts import RecurringParts

                pipeline.parts = RecurringParts.from_dict(state["parts"])
        except (KeyError, TypeError, ValueError) as error:
            raise CheckpointError(
                f"stored features can't be read: {type(error).__name__}: {error}; "
                "train again with this version"
            ) from None
        return pipeline


def has_edge_features(graphs: GraphSet) -> bool:
    """Return whether the edges of a set differ in their labels or attributes."""
    columns = (graphs.edge_label, graphs.edge_attr)
    return graphs.num_edges > 0 and any(
        each is not None and bool((each != each[0]).any()) for each in columns
    )


def _joined(parts: Iterable[Tensor]) -> Tensor:
    first, *others = parts
    return torch.cat([first, *others], dim=1) if others else first


def _lookup(features: Sequence[Feature]) -> tuple[int, int] | None:
    column = 0
    for feature in features:
        if isinstance(feature, Labels) and feature.lookup is not None:
            return column, feature.lookup
        column += len(feature.names)
    return None


def automatic(graphs: GraphSet) -> tuple[str, ...]:
    """Return the kinds that `auto` means for a set.

    A sum of one-hot labels over neighbours counts them, and a sum of attributes does not: nodes
    without labels, and without an x, get their degrees beside their attributes.
    """
    own_x = graphs.x is not None and not graphs.x_from
    brought = {
        Labels.kind: graphs.node_label is not None,
        Attributes.kind: graphs.node_attr is not None and not graphs.attr_is_truth,
        OwnX.kind: own_x,
        Degree.kind: graphs.node_label is None and not own_x,
        EdgeLabels.kind: graphs.edge_label is not None and graphs.num_edges > 0,
        EdgeAttributes.kind: graphs.edge_attr is not None and graphs.num_edges > 0,
    }
    return tuple(kind for kind, there in brought.items() if there)


def resolved_spec(spec: str, kinds: Collection[str], edges: bool = True) -> str:
    """Return a feature string with `auto` replaced by these kinds, less those named beside it.

    Args:
        edges: whether features of edges are made at all.
    """
    items = _split(spec)
    named = {_parse(item).kind for item in items if item != AUTO}
    if Given.kind in named:
        named.add(OwnX.kind)  # the same columns
    rest = [kind for kind in kinds if kind not in named]
    each = [kind for item in items for kind in (rest if item == AUTO else [item])]
    return "+".join(kind for kind in each if edges or _parse(kind).of == "node")


def _parse(item: str) -> Feature:
    """Make an unfitted feature from `kind` or `kind:argument`."""
    kind, colon, argument = item.partition(":")
    if kind not in KINDS:
        raise ConfigError(f"features: unknown kind {kind!r}; {nearest(kind, [*KINDS, AUTO])}")
    return KINDS[kind].parse(argument if colon else None)


def _split(spec: str) -> tuple[str, ...]:
    """Split a feature string into its parts, and check them; a kind may appear once."""
    check_type("features", spec, str, "a string such as 'labels+rw:8'")
    items = tuple(item.strip() for item in spec.split("+"))
    if not all(items):
        raise ConfigError(f"features: {spec!r} has an empty part; write such as 'labels+rw:8'")
    kinds = [item if item == AUTO else _parse(item).kind for item in items]
    for kind in kinds:
        if kinds.count(kind) > 1:
            raise ConfigError(f"features: {kind!r} appears twice in {spec!r}; keep one of them")
    if all(kind != AUTO and KINDS[kind].of == "edge" for kind in kinds):
        raise ConfigError(
            f"features: {spec!r} has features of edges alone; add some of nodes, such as "
            f"'auto' or 'constant+{spec}'"
        )
    return items
