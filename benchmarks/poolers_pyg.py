"""Networks of PyG's group poolers, of the same shape as ours: what ours are timed against.

Two GCN layers of width 64, the pooler to 8 clusters (ASAP: half of the nodes), two GCN layers, the
sums over both levels side by side, the head. Dense forms work on batches padded beforehand: the
padding itself is not counted.
"""

from collections.abc import Iterable, Sequence
from typing import Any

import torch
from epoch import CLUSTERS, WIDTH, dense_batches, head
from torch import Tensor, nn

from graphpool.data.interop import to_pyg
from graphpool.graphs.graphset import GraphSet

Padded = tuple[Tensor, Tensor, Tensor, Tensor]
DIFFPOOL = "dense_diff_pool"
# Ours on the left; a group pooler that PyG has no form of stands beside its dense DiffPool.
FORMS = {
    "diffpool": DIFFPOOL,
    "mincut": "dense_mincut_pool",
    "dmon": "DMoNPooling",
    "asap": "ASAPooling",
    "gmt": "GraphMultisetTransformer",
}


class Dense(nn.Module):
    """DiffPool, MinCutPool or DMoN on padded batches."""

    def __init__(self, form: str, channels: int, classes: int) -> None:
        from torch_geometric.nn import DenseGCNConv, DMoNPooling

        super().__init__()
        self.form = form
        self.embed = nn.ModuleList([DenseGCNConv(channels, WIDTH), DenseGCNConv(WIDTH, WIDTH)])
        self.assign: nn.Module = {
            DIFFPOOL: lambda: DenseGCNConv(WIDTH, CLUSTERS),
            "dense_mincut_pool": lambda: nn.Linear(WIDTH, CLUSTERS),
            "DMoNPooling": lambda: DMoNPooling(WIDTH, CLUSTERS),
        }[form]()
        self.coarse = nn.ModuleList([DenseGCNConv(WIDTH, WIDTH), DenseGCNConv(WIDTH, WIDTH)])
        self.head = head(2 * WIDTH, classes)

    def pool(self, x: Tensor, adj: Tensor, mask: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        """Features, adjacency and the sum of the losses."""
        from torch_geometric.nn import dense_diff_pool, dense_mincut_pool

        if self.form == "DMoNPooling":
            _, x, adj, *losses = self.assign(x, adj, mask)
        elif self.form == DIFFPOOL:
            x, adj, *losses = dense_diff_pool(x, adj, self.assign(x, adj, mask), mask)
        else:
            x, adj, *losses = dense_mincut_pool(x, adj, self.assign(x), mask)
        return x, adj, torch.stack(losses).sum()

    def forward(self, batch: Padded) -> tuple[Tensor, Tensor]:
        """Logits and losses."""
        x, adj, mask, _ = batch
        for layer in self.embed:
            x = layer(x, adj, mask).relu()
        nodes = x.sum(1)
        x, adj, loss = self.pool(x, adj, mask)
        for layer in self.coarse:
            x = layer(x, adj).relu()
        return self.head(torch.cat([nodes, x.sum(1)], -1)), loss


class Asap(nn.Module):
    """ASAPooling, which PyG has in a sparse form.

    Weights of its coarse graph can't be trained through on a CPU (torch has no backward of such
    a product); without weights at first it makes none, which is less work than ours does.
    """

    def __init__(self, channels: int, classes: int) -> None:
        from torch_geometric.nn import ASAPooling, GCNConv

        super().__init__()
        self.embed = nn.ModuleList([GCNConv(channels, WIDTH), GCNConv(WIDTH, WIDTH)])
        self.assign = ASAPooling(WIDTH, 0.5, GNN=GCNConv)
        self.coarse = nn.ModuleList([GCNConv(WIDTH, WIDTH), GCNConv(WIDTH, WIDTH)])
        self.head = head(2 * WIDTH, classes)

    def forward(self, batch: Any) -> Tensor:
        """Logits."""
        from torch_geometric.nn import global_add_pool

        x, edges = batch.x, batch.edge_index
        for layer in self.embed:
            x = layer(x, edges).relu()
        nodes = global_add_pool(x, batch.batch, batch.num_graphs)
        x, edges, _, where, _ = self.assign(x, edges, batch=batch.batch)
        for layer in self.coarse:
            x = layer(x, edges).relu()
        kept = global_add_pool(x, where, batch.num_graphs)
        logits: Tensor = self.head(torch.cat([nodes, kept], -1))
        return logits


class Multiset(nn.Module):
    """GraphMultisetTransformer, which pads inside: 8 seeds, 4 heads, then one vector a graph."""

    def __init__(self, channels: int, classes: int) -> None:
        from torch_geometric.nn import GCNConv, GraphMultisetTransformer

        super().__init__()
        self.embed = nn.ModuleList([GCNConv(channels, WIDTH), GCNConv(WIDTH, WIDTH)])
        self.pool = GraphMultisetTransformer(WIDTH, CLUSTERS, heads=4)
        self.head = head(WIDTH, classes)

    def forward(self, batch: Any) -> Tensor:
        """Logits."""
        x = batch.x
        for layer in self.embed:
            x = layer(x, batch.edge_index).relu()
        logits: Tensor = self.head(self.pool(x, batch.batch, dim_size=batch.num_graphs))
        return logits


def form_of(method: str, family: str) -> str | None:
    """PyG's form that stands beside a method; `None` for those that are no group poolers."""
    if method in FORMS:
        return FORMS[method]
    return DIFFPOOL if family == "group" else None


def networks(
    graphs: GraphSet, forms: Iterable[str], batch: int, classes: int
) -> dict[str, tuple[nn.Module, Sequence[Any]]]:
    """Each form with its batches, which have the same graphs as ours: consecutive ones."""
    from torch_geometric.loader import DataLoader

    assert graphs.x is not None
    wanted, channels = list(dict.fromkeys(forms)), graphs.x.shape[1]
    if not wanted:
        return {}
    ragged = list(DataLoader(to_pyg(graphs), batch))
    sparse = {"ASAPooling": Asap, "GraphMultisetTransformer": Multiset}
    padded = dense_batches(ragged) if set(wanted) - set(sparse) else []
    return {
        form: (sparse[form](channels, classes), ragged)
        if form in sparse
        else (Dense(form, channels, classes), padded)
        for form in wanted
    }
