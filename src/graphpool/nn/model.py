"""`HAP`, the whole model of the paper, and the flat networks it is compared with."""

import logging
from collections.abc import Sequence
from typing import Literal

from torch import Tensor, nn

from graphpool.errors import ConfigError, nearest
from graphpool.graphs.batch import GraphBatch
from graphpool.nn.coarsened import Coarsened, Trace
from graphpool.nn.encoders import Encoder
from graphpool.nn.hap import HAPCoarsening
from graphpool.nn.hierarchy import Hierarchy
from graphpool.nn.products import segment_sum
from graphpool.nn.readout import Readout

log = logging.getLogger(__name__)


class HAP(Hierarchy):
    """Hierarchical adaptive pooling: encoder, coarsening, encoder, coarsening, …, head.

    The defaults are ours: an assignment that does not collapse, a coarse graph that is used, and
    a readout of the nodes beside that of the clusters. `paper=True` is the literal reading of the
    paper: static attention, soft sampling, and the last level alone.

    Args:
        in_channels: channels of the node features.
        hidden_channels: width of every layer.
        clusters: clusters after each coarsening module; the paper has two modules.
        out_channels: classes.
        encoder: `"gcn"`, `"gat"` or `"gin"`.
        layers: encoder layers before each coarsening.
        heads: attention heads of `"gat"`.
        norm: `"batch"` for batch normalisation in the encoders.
        dropout: after every encoder layer and in the head.
        readout: reductions of each level.
        assignment, relaxation, connect: of `HAPCoarsening`; `None` follows `paper`.
        gather: `"levels"` reads out every level, but for a sum that a last coarsening to one
            cluster repeats; `"last"` the last one alone. `None` follows `paper`.
        paper: the literal reading.
    """

    def __init__(
        self,
        in_channels: int,
        hidden_channels: int = 64,
        clusters: Sequence[int] = (8, 1),
        out_channels: int = 2,
        *,
        encoder: str = "gcn",
        layers: int = 2,
        heads: int = 4,
        norm: str = "none",
        dropout: float = 0.0,
        readout: tuple[str, ...] = ("sum",),
        assignment: str | None = None,
        relaxation: str = "gram",
        connect: str | None = None,
        gather: Literal["levels", "last"] | None = None,
        paper: bool = False,
    ) -> None:
        if not clusters:
            raise ConfigError("HAP needs at least one level of clusters, such as clusters=(8, 1)")
        assignment = assignment or ("static" if paper else "content")
        connect = connect or ("gumbel" if paper else "offdiagonal")
        widths = [in_channels] + [hidden_channels] * (len(clusters) - 1)
        super().__init__(
            encoders=[
                Encoder(encoder, width, hidden_channels, layers, heads, norm, dropout)
                for width in widths
            ],
            coarsenings=[
                HAPCoarsening(hidden_channels, count, assignment, relaxation, connect)
                for count in clusters
            ],
            readouts=_readouts(readout, clusters, gather or ("last" if paper else "levels")),
            out_channels=out_channels,
            dropout=dropout,
        )


def _readouts(
    reductions: tuple[str, ...], clusters: Sequence[int], gather: str
) -> list[Readout | None]:
    """One readout per level; none where it would repeat the next one.

    A last coarsening to one cluster is the sum over the nodes: the level before it needs no sum.
    """
    if gather not in ("levels", "last"):
        raise ConfigError(f"unknown gather {gather!r}; {nearest(gather, ('levels', 'last'))}")
    last = Readout(reductions)
    if clusters[-1] > 1 and "max" not in reductions:
        log.warning(
            "the last coarsening, to %d clusters, learns nothing: a sum or mean over clusters is "
            "that over nodes; end clusters with 1, or add max to the readout",
            clusters[-1],
        )
    if gather == "last":
        return [None] * len(clusters) + [last]
    before: Readout | None = last
    if clusters[-1] == 1:
        needed = tuple(name for name in reductions if name != "sum")
        before = Readout(needed) if needed else None
    return [last] * (len(clusters) - 1) + [before, last]


class FlatNetwork(Hierarchy):
    """Encoder, readout, head: SumPool, MeanPool or any other readout, with no coarsening.

    Args: as for `HAP`.
    """

    def __init__(
        self,
        in_channels: int,
        hidden_channels: int = 64,
        out_channels: int = 2,
        *,
        encoder: str = "gcn",
        layers: int = 2,
        heads: int = 4,
        norm: str = "none",
        dropout: float = 0.0,
        readout: tuple[str, ...] = ("sum",),
    ) -> None:
        super().__init__(
            encoders=[Encoder(encoder, in_channels, hidden_channels, layers, heads, norm, dropout)],
            coarsenings=[],
            readouts=[Readout(readout)],
            out_channels=out_channels,
            dropout=dropout,
        )


class StructureFree(nn.Module):
    """Two fully connected layers on the sum of a graph's node features: no edge is looked at.

    What it reaches is what a data set gives away without its structure.

    Args: as for `HAP`.
    """

    def __init__(
        self,
        in_channels: int,
        hidden_channels: int = 64,
        out_channels: int = 2,
        *,
        dropout: float = 0.0,
    ) -> None:
        super().__init__()
        self.body = nn.Sequential(
            nn.Linear(in_channels, hidden_channels),
            nn.ReLU(),
            nn.Linear(hidden_channels, hidden_channels),
            nn.ReLU(),
            nn.Dropout(dropout),
        )
        self.head = nn.Linear(hidden_channels, out_channels)

    def trace(self, batch: GraphBatch) -> Trace:
        """Run the model; there are no levels."""
        embedding = self.body(segment_sum(batch.x, batch.segments))
        return Trace(self.head(embedding), embedding)

    def forward(self, batch: GraphBatch) -> Tensor:
        """Logits, `[graphs, classes]`."""
        return self.trace(batch).logits

    def embed(self, batch: GraphBatch) -> Tensor:
        """Graph vectors, `[graphs, hidden_channels]`."""
        return self.trace(batch).embedding

    def levels(self, batch: GraphBatch) -> tuple[Coarsened, ...]:
        """No levels."""
        return ()
