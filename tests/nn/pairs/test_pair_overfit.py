"""Pair networks learn to tell relabelled copies of graphs from other graphs."""

import pytest
import torch
from plain import Plain, batch_of, random_graph

from graphpool.config import ModelConfig
from graphpool.nn.zoo.pairs import PAIR_METHODS, build_pair_model


def by_structure(graph: Plain) -> Plain:
    """Features that say how many neighbours and triangles a node has."""
    triangles = (graph.adj @ graph.adj @ graph.adj).diagonal()
    counts = torch.stack([graph.adj.sum(1) / 4, triangles / 10], 1)
    return Plain(torch.cat([torch.ones(graph.nodes, 1), counts], 1), graph.adj)


@pytest.mark.usefixtures("unchecked_shapes")  # test_pair_contract checks them
@pytest.mark.parametrize(
    ("name", "score"),
    [*((name, "exp") for name in (*PAIR_METHODS, "hap")), ("gmn", "learned"), ("hap", "learned")],
)
def test_a_few_pairs_are_learned_by_heart(name: str, score: str) -> None:
    graphs = [by_structure(random_graph(8, seed)) for seed in range(8)]
    copies = [graph.permuted(torch.randperm(8)) for graph in graphs]
    batch, number = batch_of(graphs + copies), torch.arange(8)
    left = torch.cat([number, number])
    right = torch.cat([number, (number + 3) % 8]) + 8
    match = torch.arange(16) < 8
    # Nothing tells SimGNN beforehand that a graph is like itself, and with some first weights,
    # which depend on the processor, its ReLU is off for all pairs.
    slow = name.startswith("simgnn")
    for seed in range(3 if slow else 1):
        torch.manual_seed(seed)
        model = build_pair_model(ModelConfig(pooler=name, hidden_channels=16), 3, 8.0, score)
        optimiser = torch.optim.Adam(model.parameters(), lr=0.005)
        for _ in range(300 if slow else 60):
            yes, no = model.log_scores(model.compare(batch, left, right))
            optimiser.zero_grad()
            (-torch.where(match, yes, no).mean()).backward()
            optimiser.step()
        if torch.equal(model.eval()(batch, left, right) > 0.5, match):
            return
    pytest.fail("the pairs are not learned")
