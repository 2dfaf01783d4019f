"""Raw node attributes, standardised."""

import torch

from graphpool.errors import DataError
from graphpool.features.base import Feature, fitted
from graphpool.graphs.graphset import GraphSet
from graphpool.typing import Float, Tensor


class Attributes(Feature):
    """The set's node attributes less their mean, divided by their standard deviation.

    Mean and deviation come from the fitted graphs alone. A column that is constant there is
    only shifted.
    """

    kind = "attributes"
    summary = "node attributes, standardised on the training graphs"
    stored = ("mean", "scale")

    mean: tuple[float, ...] | None = None
    scale: tuple[float, ...] | None = None

    def fit(self, graphs: GraphSet) -> "Attributes":
        """Compute mean and standard deviation of every column."""
        values = self._values(graphs)
        if not values.shape[0]:
            raise DataError(f"{graphs.name} has no nodes to standardise attributes on")
        scale = values.std(0, correction=0)
        # Rounding leaves a tiny deviation in a constant column: compare the values themselves.
        scale[values.amin(0) == values.amax(0)] = 1.0
        self.mean, self.scale = tuple(values.mean(0).tolist()), tuple(scale.tolist())
        return self

    def transform(self, graphs: GraphSet) -> Float[Tensor, "nodes channels"]:
        """Standardise with the fitted mean and scale."""
        mean, scale = fitted(self.kind, self.mean), fitted(self.kind, self.scale)
        values = self._values(graphs)
        if values.shape[1] != len(mean):
            raise DataError(
                f"{graphs.name} has {values.shape[1]} node attributes, but the features were "
                f"fitted on {len(mean)}"
            )
        return ((values - values.new_tensor(mean)) / values.new_tensor(scale)).float()

    def _values(self, graphs: GraphSet) -> Tensor:
        if graphs.node_attr is None:
            hint = (
                "use features='auto'"
                if self.mean is None
                else "the model was trained on graphs with them: give these graphs theirs"
            )
            raise DataError(f"{graphs.name} has no node attributes; {hint}")
        finite = torch.isfinite(graphs.node_attr).all(1)
        if not finite.all():
            node = int((~finite).nonzero()[0])
            graph = int(graphs.node_graph[node])
            raise DataError(
                f"{graphs.name}, graph {graphs.ids[graph]}: node "
                f"{node - int(graphs.node_ptr[graph])} has an attribute that is not a finite "
                "number; correct or remove it, or use other features"
            )
        return graphs.node_attr.double()

    @property
    def names(self) -> tuple[str, ...]:
        """`attribute 0`, `attribute 1` and so on."""
        return tuple(f"attribute {column}" for column in range(len(fitted(self.kind, self.mean))))
