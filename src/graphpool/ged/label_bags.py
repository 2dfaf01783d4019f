"""The least cost of turning one bag (multiset) of labels into another.

Equal labels are matched for free, the rest is substituted at the cheapest rate, and what one bag
has more of is deleted or inserted. No edit path costs less, because a substitution never costs
more here than a deletion and an insertion.
"""

from typing import NamedTuple, no_type_check

import numpy as np

from graphpool.ged.costs import Tables
from graphpool.ged.kernel import inlined


class Rates(NamedTuple):
    """The cheapest edits in `Tables`, as integers.

    Args:
        node_change: least cost of changing the label of a node, at most deletion + insertion.
        node_take, node_give: cost of deleting and of inserting a node; `edge_…` likewise.
        uniform: 1 if all substitutions of edges cost `edge_change`.
    """

    node_change: int
    node_take: int
    node_give: int
    edge_change: int
    edge_take: int
    edge_give: int
    uniform: int


def find_rates(tables: Tables) -> Rates:
    """Return the cheapest edits of these costs."""
    take = int(tables.node[:-1, -1].max(initial=0))
    give = int(tables.node[-1, :-1].max(initial=0))
    labels = tables.node[:-1, :-1]
    apart = labels[~np.eye(len(labels), dtype=bool)]
    edges = tables.edge[1:, 1:]
    other = edges[~np.eye(len(edges), dtype=bool)]
    return Rates(
        node_change=int(apart.min(initial=take + give)),
        node_take=take,
        node_give=give,
        edge_change=tables.edge_change,
        edge_take=int(tables.edge[1:, 0].max(initial=0)),
        edge_give=int(tables.edge[0, 1:].max(initial=0)),
        uniform=int((other == tables.edge_change).all()),
    )


@inlined
@no_type_check
def node_bag_cost(rates: Rates, left: int, right: int, common: int) -> int:
    """Return the least cost of turning `left` nodes into `right` nodes with `common` labels."""
    if left > right:
        return (right - common) * rates.node_change + (left - right) * rates.node_take
    return (left - common) * rates.node_change + (right - left) * rates.node_give


@inlined
@no_type_check
def edge_bag_cost(rates: Rates, left: int, right: int, common: int) -> int:
    """Return the least cost of turning `left` edges into `right` edges with `common` labels."""
    if left > right:
        return (right - common) * rates.edge_change + (left - right) * rates.edge_take
    return (left - common) * rates.edge_change + (right - left) * rates.edge_give
