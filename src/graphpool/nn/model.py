"""`HAP`, the whole model of the paper, and the flat networks it is compared with."""

import itertools
from collections.abc import Mapping, Sequence
from typing import Any, Literal, TypedDict, Unpack

from torch import nn

from graphpool.errors import ConfigError, check_known, warn
from graphpool.graphs.batch import GraphBatch
from graphpool.graphs.places.rule import PlaceRule
from graphpool.nn.arguments import read_level
from graphpool.nn.coarsen.base import GroupPool, coarse_edge_channels
from graphpool.nn.coarsen.outputs import Trace
from graphpool.nn.encoders import ConcatEncoder, Encoder
from graphpool.nn.hap import PLACE_ASSIGNMENTS, HAPCoarsening
from graphpool.nn.head import Head
from graphpool.nn.hierarchy import GraphNetwork, Hierarchy
from graphpool.nn.label_embedding import embed_labels
from graphpool.nn.ops.products import segment_sum
from graphpool.nn.pool.flat import FlatPool
from graphpool.nn.random import Dropout
from graphpool.nn.readout import Readout


class EncoderOptions(TypedDict, total=False):
    """What every network's encoders take, as described for `HAP`."""

    encoder: str
    layers: int
    heads: int
    norm: str
    dropout: float
    jump: bool
    edge_channels: int
    residual: bool


def _encoder(
    stack: type[Encoder],
    in_channels: int,
    hidden_channels: int,
    encoder: str = "gcn",
    **options: Any,
) -> Encoder:
    return stack(encoder, in_channels, hidden_channels, **options)


class PoolerNetwork(Hierarchy):
    """The hierarchy of HAP around other coarsenings: encoder, coarsening, …, head.

    Args: as for `HAP`, and
        coarsenings: one per level, such as `DiffPool` or `SAGPool`.
        encoders: how many; by default one before each coarsening. One more encodes the graph that
            the last coarsening makes.
    """

    def __init__(
        self,
        in_channels: int,
        hidden_channels: int = 64,
        out_channels: int = 2,
        *,
        coarsenings: Sequence[nn.Module],
        readout: tuple[str, ...] | Readout = ("sum",),
        gather: Literal["levels", "last"] = "levels",
        encoders: int | None = None,
        **options: Unpack[EncoderOptions],
    ) -> None:
        readout = readout if isinstance(readout, Readout) else Readout(readout)
        clusters = [getattr(module, "clusters", None) for module in coarsenings]
        widths = [in_channels] + [hidden_channels] * ((encoders or len(coarsenings)) - 1)
        edges = options.pop("edge_channels", 0)
        made = []
        for width, module in itertools.zip_longest(widths, coarsenings):
            if width is not None:
                made.append(
                    _encoder(Encoder, width, hidden_channels, edge_channels=edges, **options)
                )
            edges = coarse_edge_channels(module, edges)
        super().__init__(
            made,
            coarsenings,
            _readouts(readout, clusters, gather),
            out_channels,
            options.get("dropout", 0.0),
            compare_last=gather == "last",
        )
        if _only_sums(coarsenings[-1]) and clusters[-1] != 1 and "max" not in readout.reductions:
            warn(
                f"the last coarsening, to {clusters[-1]} clusters, learns nothing: a sum or mean "
                "over clusters is that over nodes; end clusters with 1, or add max to the readout"
            )


class HAP(PoolerNetwork):
    """Hierarchical adaptive pooling: encoder, coarsening, encoder, coarsening, …, head.

    The defaults are ours: clusters that are places of the graph, a coarse graph that is used, and
    a readout of the nodes beside that of the clusters. `paper=True` is the literal reading of the
    paper: static attention, soft sampling, and the last level alone.

    Args:
        in_channels: channels of the node features.
        hidden_channels: width of every layer.
        clusters: clusters after each coarsening module; the paper has two modules. `None`: as many
            as each graph has places by `rule`, then 1; without places 8, then 1.
        out_channels: classes; 0 leaves the head out.
        encoder: a kind of `Encoder`.
        layers: encoder layers before each coarsening.
        heads: attention heads of `"gat"` and `"gatv2"`.
        norm: `"batch"` or `"layer"` for normalisation in the encoders.
        dropout: after every encoder layer and in the head.
        jump: of the encoders; see `Encoder`.
        readout: reductions of each level, or a `Readout`.
        assignment, relaxation, connect: of `HAPCoarsening`; `None` follows `paper`. Places are
            those of the first level; further levels, whose edges are learned, go by content.
        rule: how many places a graph has, instead of the first of `clusters`.
        profile, losses: of `HAPCoarsening`, at the first level.
        gather: `"levels"` reads out every level, but for a sum that a last coarsening to one
            cluster repeats; `"last"` the last one alone. `None` follows `paper`.
        paper: the literal reading.
        edge_channels: channels of the features of edges; encoders that use them use those of
            coarse edges at further levels.
        residual: of the encoders; see `Encoder`.
    """

    def __init__(
        self,
        in_channels: int,
        hidden_channels: int = 64,
        clusters: Sequence[int] | None = None,
        out_channels: int = 2,
        *,
        encoder: str = "gcn",
        layers: int = 2,
        heads: int = 4,
        norm: str = "none",
        dropout: float = 0.0,
        jump: bool = False,
        readout: tuple[str, ...] | Readout = ("sum",),
        assignment: str | None = None,
        relaxation: str = "gram",
        connect: str | None = None,
        rule: PlaceRule | None = None,
        profile: bool | None = None,
        losses: Mapping[str, float] | None = None,
        gather: Literal["levels", "last"] | None = None,
        paper: bool = False,
        edge_channels: int = 0,
        residual: bool = False,
    ) -> None:
        assignment = assignment or ("static" if paper else "places")
        connect = connect or ("gumbel" if paper else "offdiagonal")
        by_place = assignment in PLACE_ASSIGNMENTS
        if clusters is None:
            rule, clusters = rule or PlaceRule(), (8, 1)
        elif not clusters:
            raise ConfigError("HAP needs at least one level of clusters, such as clusters=(8, 1)")
        rule = rule if by_place else None
        clusters = (rule.most, *clusters[1:]) if rule else clusters
        later = "content" if by_place else assignment
        super().__init__(
            in_channels,
            hidden_channels,
            out_channels,
            coarsenings=[
                HAPCoarsening(
                    hidden_channels,
                    count,
                    later if level else assignment,
                    relaxation,
                    connect,
                    rule=None if level else rule,
                    profile=None if level else profile,
                    losses=None if level else losses,
                )
                for level, count in enumerate(clusters)
            ],
            encoder=encoder,
            layers=layers,
            heads=heads,
            norm=norm,
            dropout=dropout,
            jump=jump,
            readout=readout,
            gather=gather or ("last" if paper else "levels"),
            edge_channels=edge_channels,
            residual=residual,
        )


def _only_sums(module: nn.Module) -> bool:
    """Whether its clusters add up to what its nodes add up to."""
    if isinstance(module, HAPCoarsening):
        return module.profile is None  # with it, clusters hold more than their nodes' features
    return isinstance(module, GroupPool)


def _readouts(last: Readout, clusters: Sequence[int | None], gather: str) -> list[Readout | None]:
    """One readout per level; none where it would repeat the next one.

    A last coarsening to one cluster reads out the level before it, which needs no sum besides:
    for most methods it is that sum.
    """
    check_known("gather", gather, ("levels", "last"))
    if gather == "last":
        return [None] * len(clusters) + [last]
    before: Readout | None = last
    if clusters[-1] == 1:
        needed = tuple(name for name in last.reductions if name not in ("sum", "scaled_sum"))
        before = Readout(needed) if needed else None
    return [last] * (len(clusters) - 1) + [before, last]


class FlatNetwork(Hierarchy):
    """Encoder, readout, head: SumPool, MeanPool or any other readout, with no coarsening.

    Args: as for `HAP`, but
        readout: reductions over the nodes, or a flat pooler of `hidden_channels` channels.
    """

    def __init__(
        self,
        in_channels: int,
        hidden_channels: int = 64,
        out_channels: int = 2,
        *,
        readout: tuple[str, ...] | Readout | FlatPool = ("sum",),
        **options: Unpack[EncoderOptions],
    ) -> None:
        encoder = _encoder(Encoder, in_channels, hidden_channels, **options)
        read = Readout(readout) if isinstance(readout, (tuple, list)) else readout
        super().__init__([encoder], [], [read], out_channels, options.get("dropout", 0.0))


class ConcatNetwork(Hierarchy):
    """Encoder, concatenation of its layers, readout, head.

    The HAP paper has GCN-concat as a baseline, "concatenation of GCN-based node-level
    representations", and no more about it. We read it so: the nodes carry the outputs of all
    layers, the input features left out, and are summed. With `SortPool` as its readout it is DGCNN
    but for the layers' kind and width.

    Args: as for `FlatNetwork`, but
        readout: reductions over the nodes, or a flat pooler of `layers · hidden_channels` channels.
    """

    def __init__(
        self,
        in_channels: int,
        hidden_channels: int = 64,
        out_channels: int = 2,
        *,
        readout: tuple[str, ...] | Readout | FlatPool = ("sum",),
        **options: Unpack[EncoderOptions],
    ) -> None:
        if options.get("jump"):
            raise ConfigError("concat carries all layers' outputs already; leave out jump")
        joined = _encoder(ConcatEncoder, in_channels, hidden_channels, **options)
        if isinstance(readout, FlatPool) and readout.in_channels != joined.out_channels:
            raise ConfigError(
                f"the readout takes {readout.in_channels} channels; {len(joined.layers)} layers of "
                f"{hidden_channels} have {joined.out_channels} together"
            )
        read = Readout(readout) if isinstance(readout, (tuple, list)) else readout
        super().__init__([joined], [], [read], out_channels=0)
        # As wide as that of other networks, and not as the nodes are.
        dropout = options.get("dropout", 0.0)
        self.head = Head(self.embedding_channels, hidden_channels, out_channels, dropout)


class StructureFree(GraphNetwork):
    """Two fully connected layers on the sum of a graph's node features: no edge is looked at.

    Its accuracy is what a data set gives away without its structure.

    Args: as for `HAP`.
    """

    replayable = True

    def __init__(
        self,
        in_channels: int,
        hidden_channels: int = 64,
        out_channels: int = 2,
        *,
        dropout: float = 0.0,
    ) -> None:
        super().__init__()
        self.in_channels, self.vector_channels = in_channels, (hidden_channels,)
        self.body = nn.Sequential(
            nn.Linear(in_channels, hidden_channels),
            nn.ReLU(),
            nn.Linear(hidden_channels, hidden_channels),
            nn.ReLU(),
            Dropout(dropout),
        )
        self.head = nn.Linear(hidden_channels, out_channels) if out_channels else None

    def trace(self, batch: GraphBatch) -> Trace:
        """Run the model; there are no levels."""
        level = read_level(embed_labels(self, batch), module=self)
        embedding = self.body(segment_sum(level.x, level.segments))
        logits = embedding[:, :0] if self.head is None else self.head(embedding)
        return Trace(logits, embedding, vectors=(embedding,))
