"""Coarsenings of other papers, under the contract of HAP's: `Coarsened` comes out."""

from graphpool.nn.pool.diffpool import DiffPool

__all__ = ["DiffPool"]
