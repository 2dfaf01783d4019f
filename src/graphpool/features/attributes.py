"""Numbers that nodes or edges bring, standardised: attributes, or features `x`."""

from abc import abstractmethod
from typing import ClassVar

import torch

from graphpool.errors import DataError, FeatureWarning, warn
from graphpool.features.base import Feature, fitted, row_name
from graphpool.graphs.graphset import GraphSet
from graphpool.typing import Float, Tensor

LARGEST_COUNT = 8
"""Columns of whole numbers up to this one, and down to minus this one, stay as they are."""


class Standardised(Feature):
    """Columns of a set less their mean, divided by their standard deviation.

    Mean and deviation come from the fitted graphs alone. A column that is constant there is
    only shifted. Columns of small whole numbers (flags, one-hot codes, charges, numbers of
    neighbours) stay as they are: their unit is one, and a flag that few nodes have would become
    a number of hundreds. NaN is a missing value: it counts for neither of both and becomes 0,
    the mean; a `FeatureWarning` says so.
    """

    stored = ("mean", "scale")
    what: ClassVar[str]
    """What the columns are called in messages."""

    mean: tuple[float, ...] | None = None
    scale: tuple[float, ...] | None = None
    _warned = False

    def fit(self, graphs: GraphSet) -> "Standardised":
        """Compute mean and standard deviation of every column."""
        values = self._values(graphs)
        if not values.shape[0]:
            raise DataError(f"{graphs.name} has no {self.of}s to standardise {self.what} on")
        missing = values.isnan()
        if bool(missing.any()):
            mean = values.nanmean(0).nan_to_num(0.0)
            values = torch.where(missing, mean, values)
            known = (~missing).sum(0).clamp(min=1)
            scale = ((values - mean).square().sum(0) / known).sqrt()
        else:
            mean, scale = values.mean(0), values.std(0, correction=0)
        # Rounding leaves a tiny deviation in a constant column: compare the values themselves.
        scale[values.amin(0) == values.amax(0)] = 1.0
        counts = ((values == values.round()) & (values.abs() <= LARGEST_COUNT)).all(0)
        counts &= ~missing.any(0)
        mean, scale = mean.masked_fill(counts, 0.0), scale.masked_fill(counts, 1.0)
        self.mean, self.scale = tuple(mean.tolist()), tuple(scale.tolist())
        return self

    def transform(self, graphs: GraphSet) -> Float[Tensor, "rows channels"]:
        """Standardise with the fitted mean and scale."""
        mean, scale = fitted(self.kind, self.mean), fitted(self.kind, self.scale)
        values = self._values(graphs)
        if values.shape[1] != len(mean):
            raise DataError(
                f"{graphs.name} has {values.shape[1]} {self.what}, but the features were "
                f"fitted on {len(mean)}"
            )
        made = ((values - values.new_tensor(mean)) / values.new_tensor(scale)).float()
        missing = values.isnan()
        if not bool(missing.any()):
            return made
        self._warn(graphs, missing)
        return made.masked_fill(missing, 0.0)

    @abstractmethod
    def _columns(self, graphs: GraphSet) -> Tensor | None:
        """The numbers, `[rows, channels]`, if the set has them."""

    def _values(self, graphs: GraphSet) -> Tensor:
        columns = self._columns(graphs)
        if columns is None:
            hint = (
                "use features='auto'"
                if self.mean is None
                else "the model was trained on graphs with them: give these graphs theirs"
            )
            raise DataError(f"{graphs.name} has no {self.what}; {hint}")
        infinite = columns.isinf().any(1)
        if bool(infinite.any()):
            raise DataError(
                f"{graphs.name}, {row_name(graphs, self.of, infinite)} has an infinite number "
                f"among its {self.what}; correct or remove it, or use other features"
            )
        return columns.double()

    def _warn(self, graphs: GraphSet, missing: Tensor) -> None:
        if self._warned:
            return
        self._warned = True
        first = row_name(graphs, self.of, missing.any(1))
        warn(
            f"{graphs.name}: {int(missing.sum())} of {missing.numel()} values of the {self.what} "
            f"are missing (NaN), the first of them in {first}; they are taken for the mean",
            FeatureWarning,
        )


class Attributes(Standardised):
    """The set's node attributes, standardised."""

    kind = "attributes"
    summary = "node attributes, standardised on the training graphs"
    what = "node attributes"

    prefix: ClassVar[str] = "attribute"

    def _columns(self, graphs: GraphSet) -> Tensor | None:
        return graphs.node_attr

    @property
    def names(self) -> tuple[str, ...]:
        """`attribute 0`, `attribute 1` and so on."""
        columns = range(len(fitted(self.kind, self.mean)))
        return tuple(f"{self.prefix} {column}" for column in columns)


class EdgeAttributes(Attributes):
    """The set's edge attributes, standardised."""

    of = "edge"
    kind = "edge_attributes"
    summary = "edge attributes, standardised on the training graphs"
    what = "edge attributes"
    prefix = "edge attribute"

    def _columns(self, graphs: GraphSet) -> Tensor | None:
        if graphs.edge_attr is None and self.mean is not None and not graphs.num_edges:
            return torch.zeros(0, len(self.mean), device=graphs.device)  # they lack nothing
        return graphs.edge_attr


class OwnX(Standardised):
    """The features `x` that the graphs bring.

    Columns are matched by position: the graphs of `transform` must have made their `x` in the
    same way as those of `fit`.
    """

    kind = "x"
    summary = "the features x that the graphs bring, standardised but for small whole numbers"
    what = "features x"

    def _columns(self, graphs: GraphSet) -> Tensor | None:
        return graphs.x

    @property
    def names(self) -> tuple[str, ...]:
        """The columns by number."""
        return tuple(f"x{column}" for column in range(len(fitted(self.kind, self.mean))))
