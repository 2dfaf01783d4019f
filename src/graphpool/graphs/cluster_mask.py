"""Mask of a dense level: which clusters each graph has, where graphs differ in their number."""

from functools import cached_property

import torch
from torch import Tensor

from graphpool.errors import InputError
from graphpool.graphs.checks import BOOLEANS, check_tensor
from graphpool.graphs.segments import Segments
from graphpool.typing import Bool, Float, Int


class ClusterMask:
    """The clusters that each graph of a dense level has: its real rows.

    Args:
        mask: `[graphs, clusters]`, every graph has at least one.
    """

    _counts: Int[Tensor, " graphs"] | None = None

    def __init__(self, mask: Bool[Tensor, "graphs clusters"]) -> None:
        check_tensor("mask", mask, BOOLEANS, (None, None))
        if not bool(mask.any(-1).all()):
            raise InputError("the mask has a graph without nodes; leave that graph out")
        self.mask = mask

    @classmethod
    def first(cls, counts: Int[Tensor, " graphs"], width: int) -> "ClusterMask":
        """The first rows of each graph, as many as `counts` says."""
        made = cls.__new__(cls)
        made.mask = torch.arange(width, device=counts.device) < counts.unsqueeze(-1)
        made._counts = counts
        return made

    @cached_property
    def counts(self) -> Int[Tensor, " graphs"]:
        """How many real rows each graph has."""
        return self.mask.sum(-1) if self._counts is None else self._counts

    @cached_property
    def index(self) -> Int[Tensor, " rows"]:
        """Positions of the real rows in the flat level."""
        return self.mask.flatten().nonzero().squeeze(-1)

    @cached_property
    def segments(self) -> Segments:
        """The graphs of the real rows."""
        return Segments.from_counts(self.counts)

    @cached_property
    def weight(self) -> Float[Tensor, "graphs clusters 1"]:
        """1 for the real rows, 0 for the others."""
        return self.mask.unsqueeze(-1).to(torch.get_default_dtype())

    def keep(self, x: Float[Tensor, "graphs clusters channels"]) -> Tensor:
        """`x` with zeros in the rows that are not real."""
        return x * self.weight.to(x.dtype)

    def compact(
        self, x: Float[Tensor, "graphs clusters channels"]
    ) -> Float[Tensor, "rows channels"]:
        """The real rows, one graph after the other."""
        return x.flatten(0, 1).index_select(0, self.index)

    def expand(
        self, rows: Float[Tensor, "rows channels"]
    ) -> Float[Tensor, "graphs clusters channels"]:
        """The dense level with these real rows and zeros elsewhere."""
        flat = rows.new_zeros(self.mask.numel(), rows.shape[1])
        return flat.index_copy(0, self.index, rows).view(*self.mask.shape, -1)
