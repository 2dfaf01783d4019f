"""`TwoWayHAP`: nodes and places pass messages side by side, and tell each other after each layer.

h_i are the states of nodes, c_j those of places, j(i) the place of node i, n_j its size:

    h_i = W_x x_i                 c_j = W_p profile_j
    in each round, with weights of its own:
      h_i ← layer of the encoder
      c_j ← c_j + W_u mean_{i in j} h_i + b_u
      c_j ← c_j + Drop ReLU LN W₄ ReLU LN W₃ ((1 + ε) c_j + Σ_{l≠j} ReLU(c_l + W_q facts_jl))
      h_i ← h_i + W_d c_{j(i)} + b_d
    answer = head [readout of the nodes ‖ readout of the places]

Further levels stand on the places as these stand on the nodes: states go up level by level, then
down again. Without levels it is the flat network of its encoder; a level of one cluster is a
virtual node.
"""

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, Literal, NamedTuple, cast

import torch
from torch import Tensor, nn

from graphpool.config import MOST_HARD
from graphpool.errors import check_known, check_type
from graphpool.graphs.batch import GraphBatch
from graphpool.graphs.checks import derived, trusted
from graphpool.graphs.graphset import GraphSet
from graphpool.graphs.places.rule import PlaceRule
from graphpool.graphs.segments import Groups
from graphpool.nn.arguments import read_level
from graphpool.nn.coarsen.outputs import PlaceOutput, Trace
from graphpool.nn.encoders import Encoder
from graphpool.nn.encoders.base import Prepared
from graphpool.nn.hap.place_level import Down, PlaceLevel
from graphpool.nn.head import Head
from graphpool.nn.hierarchy import GraphNetwork
from graphpool.nn.label_embedding import embed_labels, reset_labels
from graphpool.nn.level import Level
from graphpool.nn.module import reset_children
from graphpool.nn.readout import Readout

Gather = Literal["levels", "last", "nodes"]
GATHER: tuple[Gather, ...] = ("levels", "last", "nodes")


class _Floor(NamedTuple):
    """One level in a forward pass.

    Attributes:
        level: its graphs; the features of places are their profiles.
        members: which nodes of the level below are whose; None for the nodes themselves.
        output: makes what is left behind of a level of places; None for the nodes.
    """

    level: Level
    members: Groups | None = None
    output: Callable[[Level], PlaceOutput] | None = None


class TwoWayHAP(GraphNetwork):
    """Hierarchical adaptive pooling in both directions, over hard places.

    Args: as for `graphpool.nn.HAP`, and
        layers: rounds of message passing, of nodes and of all levels of places.
        rules: how the places of each level are found: those of the first in the graph, those of
            the next in its coarse graph, and so on. An empty tuple: a flat network.
        down: when nodes hear from their places: after `"each"` round, `"once"` half way, or
            `"never"`.
        gate: whether what they hear is multiplied by a learned number for each channel that is 0
            at first: the nodes' features then begin as those of the flat network.
        readout: reductions of nodes and of places, or a `Readout`; `"scaled_sum"` divides by the
            mean number of nodes, or places, of the training graphs, which `measure` sets.
        gather: `"levels"` reads out nodes and every level of places, `"last"` the last level
            alone, `"nodes"` the nodes alone.

    Attributes:
        level_channels: channels of each level in the `nodes` of a trace.
        level_edges: whether each of them has sparse edges.
        compared_levels: which of them `gather` reads, where nodes and places of graphs are
            compared; none if that is one place for the whole graph.
    """

    sizes: Tensor
    replayable = True

    def __init__(
        self,
        in_channels: int,
        hidden_channels: int = 64,
        out_channels: int = 2,
        *,
        rules: Sequence[PlaceRule] = (PlaceRule(steps=0, most=MOST_HARD),),
        down: Down = "each",
        gate: bool = False,
        encoder: str = "gcn",
        layers: int = 2,
        heads: int = 4,
        norm: str = "none",
        dropout: float = 0.0,
        jump: bool = False,
        readout: tuple[str, ...] | Readout = ("mean", "scaled_sum"),
        edge_channels: int = 0,
        residual: bool = False,
        gather: Gather = "levels",
    ) -> None:
        super().__init__()
        check_known("gather", gather, GATHER)
        for rule in rules:
            check_type("each of rules", rule, PlaceRule, "PlaceRule(...)")
        self.rules = tuple(rules)
        self.encoder = Encoder(
            encoder, in_channels, hidden_channels, layers, heads, norm, dropout, jump,
            edge_channels, residual,
        )  # fmt: skip
        single = [rule.most == 1 for rule in self.rules]
        options = {
            "down": down, "gate": gate, "dropout": dropout, "down_last": gather != "last"
        }  # fmt: skip
        self.places = nn.ModuleList(
            PlaceLevel(hidden_channels, layers, single=alone, **options)  # type: ignore[arg-type]
            for alone in single
        )
        self.readout = readout if isinstance(readout, Readout) else Readout(readout)
        self.in_channels = in_channels
        self._means = [float(self.readout.size), *(1.0 for _ in rules)]
        if self._scaled:
            self.register_buffer("sizes", torch.tensor(self._means))
            self.register_load_state_dict_post_hook(_keep_sizes)
        # The readout of one node is that node.
        channels, read = hidden_channels, self.readout.width(hidden_channels)
        widths = (read, *(channels if alone else read for alone in single))
        self.read_levels = _read_levels(gather, len(widths))
        self.vector_channels = tuple(widths[number] for number in self.read_levels)
        self.level_channels = (channels, *(channels for alone in single if not alone))
        self.level_edges = (True,) * len(self.level_channels)
        one_place = gather == "last" and single[-1:] == [True]
        self.compared_levels = () if one_place else _read_levels(gather, len(self.level_channels))
        self.embedding_channels = sum(self.vector_channels)
        self.head = Head(self.embedding_channels, hidden_channels, out_channels, dropout)

    def reset_parameters(self) -> None:
        """Draw the initial weights again; what was measured stays."""
        self._set_sizes()
        reset_children(self)
        reset_labels(self)

    @property
    def _scaled(self) -> bool:
        return "scaled_sum" in self.readout.reductions

    def measure(self, graphs: GraphSet) -> None:
        """Set the mean numbers of nodes and places, for `"scaled_sum"`, to those of these graphs.

        They are kept with the weights.
        """
        means = [float(graphs.node_counts.double().mean())]
        for rule in self.rules if self._scaled else ():
            graphs = graphs.coarse(rule)
            means.append(float(graphs.node_counts.double().mean()))
        self._means = means
        self._set_sizes()

    def _set_sizes(self) -> None:
        if self._scaled:
            self.sizes.copy_(torch.tensor(self._means))

    def trace(self, batch: GraphBatch) -> Trace:
        """Run the whole model and keep every level."""
        batch = embed_labels(self, batch)
        floors = self._floors(batch)
        levels = [floor.level for floor in floors]
        states = self._rounds(floors) if self.places else [self.encoder(levels[0])]
        levels = [level.with_x(state) for level, state in zip(levels, states, strict=True)]
        vectors = [self._read(number, levels[number]) for number in self.read_levels]
        embedding = torch.cat(vectors, -1) if len(vectors) > 1 else vectors[0]
        outputs = [
            floor.output(level)
            for floor, level in zip(floors, levels, strict=True)
            if floor.output is not None
        ]
        several = [rule.most != 1 for rule in self.rules]
        nodes = [level for level, kept in zip(levels, [True, *several], strict=True) if kept]
        return Trace(
            self.head(embedding), embedding, tuple(outputs), {}, tuple(vectors), tuple(nodes)
        )

    def _read(self, number: int, level: Level) -> Tensor:
        if number and self.rules[number - 1].most == 1:
            return level.x
        return self.readout(level, self.sizes[number] if self._scaled else None)

    def _floors(self, batch: GraphBatch) -> list[_Floor]:
        """The graphs of every level."""
        floors = [_Floor(read_level(Level.from_batch(batch), module=self.encoder))]
        dtype = batch.x.dtype
        for rule in self.rules:
            coarse = batch.coarse(rule)
            level = _unweighted(coarse, dtype)
            output = partial(
                PlaceOutput.of,
                node_segments=batch.segments,
                find_places=partial(batch.places, rule),
                single=rule.most == 1,
            )
            floors.append(_Floor(level, batch.members(rule, coarse), output))
            batch = coarse
        return floors

    def _rounds(self, floors: Sequence[_Floor]) -> list[Tensor]:
        """Run all rounds; returns the states of nodes and of the places of every level."""
        levels = [cast(PlaceLevel, module) for module in self.places]
        encoders = [self.encoder, *(level.encoder for level in levels)]
        members = [floor.members for floor in floors]
        states: list[Tensor] = []
        prepared: list[Prepared] = []
        for number, floor in enumerate(floors):
            level = floor.level
            if number:
                level = level.with_x(levels[number - 1].profile(level.x))
            state, edges = encoders[number].begin(level)
            states.append(state)
            prepared.append(edges)
        outputs = []
        for position in range(len(self.encoder.layers)):
            for number, encoder in enumerate(encoders):
                if number:
                    below, groups = states[number - 1], cast(Groups, members[number])
                    states[number] = states[number] + levels[number - 1].lift(
                        position, below, groups
                    )
                states[number], prepared[number] = encoder.round(
                    position, states[number], prepared[number], floors[number].level.normalised_rows
                )
            for number in range(len(levels), 0, -1):
                groups = cast(Groups, members[number])
                told = levels[number - 1].lower(position, states[number], groups)
                if told is not None:
                    states[number - 1] = states[number - 1] + told
            outputs.append(states[0])
        return [self.encoder.finish(outputs), *states[1:]]


def _read_levels(gather: Gather, levels: int) -> tuple[int, ...]:
    """Numbers of the levels that are read out; 0 stands for the nodes."""
    everything = tuple(range(levels))
    return {"levels": everything, "last": everything[-1:], "nodes": everything[:1]}[gather]


def _keep_sizes(network: Any, _: object) -> None:
    """Let a reset keep the sizes that were loaded."""
    network._means = network.sizes.tolist()


def _unweighted(coarse: GraphBatch, dtype: torch.dtype) -> Level:
    """The level of coarse graphs, whose edges count alike: their weights are among the facts."""
    adjacency, edges = coarse.adjacency, coarse.edges
    assert edges is not None, "coarse edges have facts"
    counted = derived(adjacency, weight=adjacency.weight.sign().to(dtype), known_gcn=None)
    facts = edges.with_table(edges.table.to(dtype))
    return trusted(
        Level, x=coarse.x.to(dtype), adjacency=counted, segments=coarse.segments, edges=facts
    )
