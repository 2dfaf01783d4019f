"""Nodes of graphs of several sizes, and all pairs of the graphs, for the distances of multisets."""

import itertools

import torch
from torch import Tensor

from graphpool.graphs.segments import Segments

SIZES = (4, 1, 9, 4, 6)


def ragged(seed: int = 0, channels: int = 3) -> tuple[Tensor, Segments]:
    draw = torch.Generator().manual_seed(seed)
    x = torch.rand(sum(SIZES), channels, generator=draw, dtype=torch.float64)
    return x, Segments.from_counts(torch.tensor(SIZES))


def all_pairs() -> tuple[Tensor, Tensor]:
    left, right = zip(*itertools.product(range(len(SIZES)), repeat=2), strict=True)
    return torch.tensor(left), torch.tensor(right)
