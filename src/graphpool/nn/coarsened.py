"""What a coarsening returns, and what a model's forward pass leaves behind."""

from dataclasses import dataclass, field

from torch import Tensor

from graphpool.graphs.segments import Segments
from graphpool.shapes import Float


@dataclass(frozen=True, eq=False)
class Coarsened:
    """One level of the hierarchy.

    Args:
        x: `[graphs, clusters, channels]`, the paper's H'.
        adj: `[graphs, clusters, clusters]`, the paper's Ã', after `connect`.
        assignment: `[nodes, clusters]` from a ragged level, `[graphs, nodes, clusters]` from a
            dense one: the paper's M.
        segments: the graphs of the ragged level's nodes; `None` for a dense one.
        losses: auxiliary losses by name, each a scalar.
    """

    x: Float[Tensor, "graphs clusters channels"]
    adj: Float[Tensor, "graphs clusters clusters"]
    assignment: Float[Tensor, "*nodes clusters"]
    segments: Segments | None = None
    losses: dict[str, Tensor] = field(default_factory=dict)

    @property
    def clusters(self) -> int:
        """Clusters per graph, the paper's N'."""
        return self.adj.shape[-1]


@dataclass(frozen=True, eq=False)
class Trace:
    """Everything that one forward pass of a model made.

    Args:
        logits: `[graphs, classes]`.
        embedding: `[graphs, channels]`, the graph vectors h_G.
        levels: one `Coarsened` per coarsening module.
        losses: all auxiliary losses, named `level1/…` and so on.
    """

    logits: Float[Tensor, "graphs classes"]
    embedding: Float[Tensor, "graphs channels"]
    levels: tuple[Coarsened, ...] = ()
    losses: dict[str, Tensor] = field(default_factory=dict)
