"""Seeds of the Graph Multiset Transformer attend alike on small sets, PyG's no less than ours."""

from typing import Any

import pytest
import torch
from torch import Tensor, nn

import graphpool as gp
from graphpool.graphs.batch import GraphBatch
from graphpool.graphs.cluster_mask import ClusterMask
from graphpool.nn.coarsen.health import effective_rank
from graphpool.nn.coarsen.outputs import PoolOutput
from graphpool.nn.encoders import Encoder
from graphpool.nn.level import Level
from graphpool.nn.pool import GMTPool

SEEDS = 8


class Ours(nn.Module):
    def __init__(self, channels: int, pyg: Any) -> None:
        super().__init__()
        self.encoder, self.pool = Encoder("gcn", channels, 32), GMTPool(32, 1, SEEDS)
        self.head = nn.Linear(32, 2)

    def forward(self, batch: GraphBatch) -> Tensor:
        x = self.encoder(batch.x, batch.adjacency)
        out: Tensor = self.head(self.pool(x, batch.adjacency, batch.segments).x.squeeze(1))
        return out

    def attention(self, batch: GraphBatch) -> Tensor:
        x = self.encoder(batch.x, batch.adjacency)
        seen = self.pool._aggregated(x, Level.from_batch(batch))
        share: Tensor = self.pool.seeds(seen, batch.segments)[1]
        return share


class Theirs(nn.Module):
    def __init__(self, channels: int, pyg: Any) -> None:
        super().__init__()
        self.encoder = Encoder("gcn", channels, 32)
        self.pool, self.head = pyg.GraphMultisetTransformer(32, SEEDS, 1, 4), nn.Linear(32, 2)

    def forward(self, batch: GraphBatch) -> Tensor:
        x = self.encoder(batch.x, batch.adjacency)
        out: Tensor = self.head(self.pool(x, batch.batch))
        return out

    def attention(self, batch: GraphBatch) -> Tensor:
        rows = ClusterMask.first(batch.ptr.diff(), int(batch.ptr.diff().max()))
        first = self.pool.pma1
        keys = first.lin(rows.expand(self.encoder(batch.x, batch.adjacency))).relu()
        seeds = first.seed.expand(len(keys), -1, -1)
        share = first.mab.attn(seeds, keys, keys, ~rows.mask, need_weights=True)[1]
        return rows.compact(share.mT)


@pytest.mark.parametrize("kind", [Ours, Theirs])
def test_all_seeds_attend_to_the_mean_node_before_training_and_after_it(kind: Any) -> None:
    pyg = pytest.importorskip("torch_geometric.nn.aggr")
    graphs = gp.load("MUTAG")
    whole = graphs.batch()
    model = kind(whole.x.shape[1], pyg)
    optimiser = torch.optim.Adam(model.parameters(), lr=0.003)
    assert rank(model, whole) < 1.05
    for _ in range(15):
        for index in torch.randperm(len(graphs)).split(32):
            batch = graphs.batch(index)
            optimiser.zero_grad()
            nn.functional.cross_entropy(model(batch), batch.y.long()).backward()
            optimiser.step()
    assert rank(model, whole) < 1.2  # of 8, where `graphpool train` warns of a collapse


@torch.no_grad()
def rank(model: Any, batch: GraphBatch) -> float:
    """Mean effective rank of the attention of the seeds."""
    share = model.attention(batch)
    graphs = len(batch.ptr) - 1
    empty = torch.zeros(graphs, SEEDS, SEEDS)
    return float(
        effective_rank(PoolOutput(Level(empty, empty), share, node_segments=batch.segments)).mean()
    )
