"""Features that the graphs already carry."""

from graphpool.errors import DataError
from graphpool.features.base import Feature, fitted
from graphpool.graphs.graphset import GraphSet
from graphpool.typing import Float, Tensor


class Given(Feature):
    """The columns of `x` as they are, for instance those that PyG graphs come with.

    Columns are matched by position: the graphs of `transform` must have made their `x` in the
    same way as those of `fit`.
    """

    kind = "given"
    summary = "the features x that the graphs already have, as they are"
    stored = ("width",)

    width: int | None = None

    def fit(self, graphs: GraphSet) -> "Given":
        """Store the number of columns."""
        self.width = self._x(graphs).shape[1]
        return self

    def transform(self, graphs: GraphSet) -> Float[Tensor, "nodes channels"]:
        """Return `x`."""
        x, width = self._x(graphs), fitted(self.kind, self.width)
        if x.shape[1] != width:
            raise DataError(
                f"{graphs.name} has {x.shape[1]} features per node, the training graphs had {width}"
            )
        return x

    def _x(self, graphs: GraphSet) -> Tensor:
        if graphs.x is None:
            raise DataError(f"{graphs.name} has no features x; use features='auto'")
        return graphs.x

    @property
    def names(self) -> tuple[str, ...]:
        """The columns by number."""
        return tuple(f"x{column}" for column in range(fitted(self.kind, self.width)))
