"""`FeaturePipeline`: a feature string such as `labels+rw:8`, fitted and applied."""

from collections.abc import Collection
from typing import Any

import torch

from graphpool.errors import CheckpointError, ConfigError, check_type, nearest
from graphpool.features.attributes import Attributes, OwnX
from graphpool.features.base import Feature, fitted
from graphpool.features.constant import Constant
from graphpool.features.degree import BinnedDegree, Degree, LogDegree
from graphpool.features.eigenvectors import Eigenvectors
from graphpool.features.given import Given
from graphpool.features.labels import Labels
from graphpool.features.randomwalk import RandomWalk
from graphpool.features.summary import unused_text, used_text
from graphpool.graphs.graphset import GraphSet
from graphpool.typing import Float, Tensor

_CLASSES = (Labels, Degree, BinnedDegree, LogDegree, Constant, Attributes, RandomWalk, Eigenvectors,
            OwnX, Given)  # fmt: skip
KINDS: dict[str, type[Feature]] = {feature.kind: feature for feature in _CLASSES}
"""What can be in a feature string, besides `auto`."""

AUTO = "auto"


class FeaturePipeline:
    """Several kinds of features side by side.

    Args:
        spec: kinds joined by `+`, in the order of the columns: `auto`, `labels`, `degree:64`,
            `labels+rw:8`, `attributes+labels`. `auto` means everything that the nodes of the
            fitted set bring: labels, attributes and an `x` that `graphpool.features` has not made;
            without labels and `x` also the capped one-hot degree.

    Attributes:
        features: those of the string, fitted; None before `fit`.
        unused: what the fitted set has that these features don't use, such as `4 edge labels`.
    """

    def __init__(self, spec: str = AUTO) -> None:
        self.spec = spec
        self.features: tuple[Feature, ...] | None = None
        self.unused: tuple[str, ...] = ()
        self._items = _split(spec)

    def fit(self, graphs: GraphSet) -> "FeaturePipeline":
        """Fit every kind on training graphs."""
        items = _split(resolve(self.spec, automatic(graphs)))
        self.features = tuple(_parse(item).fit(graphs) for item in items)
        self.unused = unused_text(graphs, {feature.kind for feature in self.features})
        return self

    def columns(self, graphs: GraphSet) -> Float[Tensor, "nodes channels"]:
        """Return the features of every node."""
        parts = [feature.transform(graphs) for feature in self._fitted]
        return parts[0] if len(parts) == 1 else torch.cat(parts, dim=1)

    def transform(self, graphs: GraphSet) -> GraphSet:
        """Return the same graphs with these features as `x`."""
        return graphs.with_x(self.columns(graphs), self.spec)

    def fit_transform(self, graphs: GraphSet) -> GraphSet:
        """Fit and transform the same graphs."""
        return self.fit(graphs).transform(graphs)

    @property
    def _fitted(self) -> tuple[Feature, ...]:
        return fitted(self.spec, self.features)

    @property
    def channels(self) -> int:
        """Number of columns."""
        return len(self.names)

    @property
    def names(self) -> tuple[str, ...]:
        """What each column means."""
        return tuple(name for feature in self._fitted for name in feature.names)

    @property
    def used(self) -> tuple[str, ...]:
        """What the features are made from, such as `7 node labels` and `degree`."""
        return tuple(used_text(feature) for feature in self._fitted)

    @property
    def lookup(self) -> tuple[int, int] | None:
        """The column that holds codes of labels, if one does, and the number of codes."""
        column = 0
        for feature in self._fitted:
            if isinstance(feature, Labels) and feature.lookup is not None:
                return column, feature.lookup
            column += len(feature.names)
        return None

    def about(self) -> dict[str, Any]:
        """Return what is used and what is not, as plain values for JSON."""
        return {"used": list(self.used), "unused": list(self.unused)}

    def state(self) -> dict[str, Any]:
        """Return the string and everything that was fitted, as plain values for JSON."""
        parts = [{"kind": feature.kind, **feature.state()} for feature in self._fitted]
        return {"spec": self.spec, "features": parts, **self.about()}

    @classmethod
    def from_state(cls, state: dict[str, Any]) -> "FeaturePipeline":
        """Return a fitted pipeline."""
        try:
            pipeline = cls(state["spec"])
            pipeline.features = tuple(
                KINDS[part["kind"]].from_state(part) for part in state["features"]
            )
            pipeline.unused = tuple(str(part) for part in state.get("unused", ()))
        except (KeyError, TypeError, ValueError) as error:
            raise CheckpointError(
                f"stored features can't be read: {type(error).__name__}: {error}; "
                "train again with this version"
            ) from None
        return pipeline


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
    }
    return tuple(kind for kind, there in brought.items() if there)


def resolve(spec: str, kinds: Collection[str]) -> str:
    """Return a feature string with `auto` replaced by these kinds, less those named beside it."""
    items = _split(spec)
    named = {_parse(item).kind for item in items if item != AUTO}
    if Given.kind in named:
        named.add(OwnX.kind)  # the same columns
    rest = [kind for kind in kinds if kind not in named]
    return "+".join(each for item in items for each in (rest if item == AUTO else [item]))


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
    return items
