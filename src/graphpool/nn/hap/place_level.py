"""One level of places in a network that goes both ways: the weights of all its rounds."""

from typing import Literal

import torch
from torch import Tensor, nn

from graphpool.errors import check_known
from graphpool.graphs.coarse import FACT_CHANNELS, PROFILE_CHANNELS
from graphpool.graphs.segments import Groups
from graphpool.nn.encoders import Encoder
from graphpool.nn.module import Module, reset_children
from graphpool.nn.ops.products import segment_mean, spread

Down = Literal["each", "once", "never"]
DOWN: tuple[Down, ...] = ("each", "once", "never")


class PlaceLevel(Module):
    """The weights of one level of places, for all rounds.

    Args:
        channels: of nodes and places.
        rounds: how many.
        single: whether every graph has one place, which has no neighbours.
        down: after which rounds the level below hears from its places.
        gate: whether what it hears is multiplied by a learned number for each channel, 0 at first.
        dropout: after every layer.
        down_last: whether the last round counts among those; nothing sees it if places alone are
            read out.
    """

    def __init__(
        self,
        channels: int,
        rounds: int,
        *,
        single: bool = False,
        down: Down = "each",
        gate: bool = False,
        dropout: float = 0.0,
        down_last: bool = True,
    ) -> None:
        super().__init__()
        self.profile = nn.Linear(PROFILE_CHANNELS, channels)
        self.up = nn.ModuleList(nn.Linear(channels, channels) for _ in range(rounds))
        self.encoder = Encoder(
            "gine",
            channels,
            channels,
            rounds,
            norm="layer",
            dropout=dropout,
            edge_channels=0 if single else FACT_CHANNELS,
            residual=True,
        )
        check_known("down", down, DOWN)
        after = {"each": tuple(range(rounds)), "once": ((rounds - 1) // 2,), "never": ()}[down]
        self.down_after = tuple(each for each in after if down_last or each < rounds - 1)
        self.down = nn.ModuleList(nn.Linear(channels, channels) for _ in self.down_after)
        shape = (len(self.down_after), channels)
        self.gate = nn.Parameter(torch.zeros(shape)) if gate and self.down_after else None

    def reset_parameters(self) -> None:
        """Draw the initial weights again."""
        reset_children(self)
        if self.gate is not None:
            nn.init.zeros_(self.gate)

    def lift(self, position: int, below: Tensor, members: Groups) -> Tensor:
        """What places hear from the level below in a round, `[places, channels]`."""
        lifted: Tensor = self.up[position](segment_mean(below, members))
        return lifted

    def lower(self, position: int, state: Tensor, members: Groups) -> Tensor | None:
        """What the level below hears from its places after a round; None if nothing."""
        if position not in self.down_after:
            return None
        number = self.down_after.index(position)
        told: Tensor = self.down[number](state)
        if self.gate is not None:
            told = told * self.gate[number]
        return spread(told, members)
