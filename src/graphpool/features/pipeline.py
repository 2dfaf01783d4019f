"""`FeaturePipeline`: a feature string such as `labels+rw:8`, fitted and applied."""

from typing import Any

import torch

from graphpool.errors import CheckpointError, ConfigError, nearest
from graphpool.features.attributes import Attributes
from graphpool.features.base import Feature, fitted
from graphpool.features.constant import Constant
from graphpool.features.degree import BinnedDegree, Degree, LogDegree
from graphpool.features.eigenvectors import Eigenvectors
from graphpool.features.given import Given
from graphpool.features.labels import Labels
from graphpool.features.randomwalk import RandomWalk
from graphpool.graphs.graphset import GraphSet
from graphpool.typing import Float, Tensor

_CLASSES = (Labels, Degree, BinnedDegree, LogDegree, Constant, Attributes, RandomWalk, Eigenvectors,
            Given)  # fmt: skip
KINDS: dict[str, type[Feature]] = {feature.kind: feature for feature in _CLASSES}
"""What can be in a feature string, besides `auto`."""

AUTO = "auto"


class FeaturePipeline:
    """Several kinds of features side by side.

    Args:
        spec: kinds joined by `+`, in the order of the columns: `auto`, `labels`, `degree:64`,
            `labels+rw:8`, `attributes+labels`. `auto` means node labels where the fitted set
            has them, else the capped one-hot degree.
    """

    def __init__(self, spec: str = AUTO) -> None:
        self.spec = spec
        self.features: tuple[Feature, ...] | None = None
        self._items = _split(spec)

    def fit(self, graphs: GraphSet) -> "FeaturePipeline":
        """Fit every kind on training graphs."""
        chosen = "degree" if graphs.node_label is None else "labels"
        made = [_parse(chosen if item == AUTO else item) for item in self._items]
        self.features = tuple(feature.fit(graphs) for feature in made)
        return self

    def columns(self, graphs: GraphSet) -> Float[Tensor, "nodes channels"]:
        """Return the features of every node."""
        parts = [feature.transform(graphs) for feature in self._fitted]
        return parts[0] if len(parts) == 1 else torch.cat(parts, dim=1)

    def transform(self, graphs: GraphSet) -> GraphSet:
        """Return the same graphs with these features as `x`."""
        return graphs.with_x(self.columns(graphs))

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

    def state(self) -> dict[str, Any]:
        """Return the string and everything that was fitted, as plain values for JSON."""
        parts = [{"kind": feature.kind, **feature.state()} for feature in self._fitted]
        return {"spec": self.spec, "features": parts}

    @classmethod
    def from_state(cls, state: dict[str, Any]) -> "FeaturePipeline":
        """Return a fitted pipeline."""
        try:
            pipeline = cls(state["spec"])
            pipeline.features = tuple(
                KINDS[part["kind"]].from_state(part) for part in state["features"]
            )
        except (KeyError, TypeError, ValueError) as error:
            raise CheckpointError(
                f"stored features can't be read: {type(error).__name__}: {error}; "
                "train again with this version"
            ) from None
        return pipeline


def _parse(item: str) -> Feature:
    """Make an unfitted feature from `kind` or `kind:argument`."""
    kind, colon, argument = item.partition(":")
    if kind not in KINDS:
        raise ConfigError(f"features: unknown kind {kind!r}; {nearest(kind, [*KINDS, AUTO])}")
    return KINDS[kind].parse(argument if colon else None)


def _split(spec: str) -> tuple[str, ...]:
    """Split a feature string into its parts, and check them; a kind may appear once."""
    items = tuple(item.strip() for item in spec.split("+"))
    if not all(items):
        raise ConfigError(f"features: {spec!r} has an empty part; write such as 'labels+rw:8'")
    kinds = [item if item == AUTO else _parse(item).kind for item in items]
    for kind in kinds:
        if kinds.count(kind) > 1:
            raise ConfigError(f"features: {kind!r} appears twice in {spec!r}; keep one of them")
    return items
