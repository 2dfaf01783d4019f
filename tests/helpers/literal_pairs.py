"""GMN's and SimGNN's formulas written out for one pair of graphs, node by node."""

import torch
from plain import Plain
from torch import Tensor

from graphpool.nn.pairs import GMN
from graphpool.nn.pairs.gmn import Messages, Propagation


def message(messages: Messages, here: Tensor, there: Tensor) -> Tensor:
    """The perceptron of [h_i, h_j]."""
    first = torch.cat([messages.target.weight, messages.source.weight], 1)
    inner = first @ torch.cat([here, there]) + messages.target.bias
    return messages.out.weight @ inner.relu() + messages.out.bias


def unmatched(h: Tensor, others: Tensor) -> Tensor:
    """μ_i, from all differences to the nodes of the other graph."""
    made = []
    for node in h:
        shares = torch.stack([node @ other for other in others]).softmax(0)
        made.append(
            sum(share * (node - other) for share, other in zip(shares, others, strict=True))
        )
    return torch.stack(made)  # type: ignore[arg-type]


def one_round(step: Propagation, graph: Plain, h: Tensor, others: Tensor) -> Tensor:
    """New states of one graph's nodes."""
    sums = []
    for i in range(graph.nodes):
        total = torch.zeros_like(h[0])
        for j in range(graph.nodes):
            if graph.adj[i, j] != 0:
                total = total + graph.adj[i, j] * message(step.messages, h[i], h[j])
        sums.append(total)
    mu = unmatched(h, others)
    made: Tensor = step.update(torch.cat([torch.stack(sums), mu], 1), h)
    return made


def gmn_states(model: GMN, one: Plain, other: Plain) -> tuple[Tensor, Tensor]:
    """The nodes of both graphs after all rounds."""
    here, there = model.encoder(one.x), model.encoder(other.x)
    for number in range(model.layers):
        step = model.rounds[number % len(model.rounds)]
        assert isinstance(step, Propagation)
        here, there = one_round(step, one, here, there), one_round(step, other, there, here)
    return here, there
