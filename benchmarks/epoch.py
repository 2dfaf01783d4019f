"""One training epoch of HAP against PyG's flat GCN + SumPool and PyG's dense DiffPool.

Same features, widths (64), batches (32 graphs, made beforehand), head, optimizer and one thread for
all; rounds are interleaved and the best round of each method counts. Every number is a ratio of two
of them in the same process. "hap" is hap-one-way, whose clusters are the graphs' places, found
beforehand and kept with the set; "hap-content" has clusters by content, 8 for every graph.

    python benchmarks/epoch.py --data-root FOLDER [--sets MUTAG PROTEINS ...]
"""

import time
from collections.abc import Callable, Sequence
from typing import Any

import torch
from common import each_set, epoch_of
from torch import Tensor, nn
from torch.nn.functional import cross_entropy

from graphpool.data.interop import to_pyg
from graphpool.graphs.graphset import GraphSet
from graphpool.graphs.places.rule import PlaceRule
from graphpool.nn import HAP, FlatNetwork

WIDTH, CLUSTERS, BATCH = 64, 8, 32
SETS = ("MUTAG", "PROTEINS", "IMDB-BINARY", "COLLAB", "DD")
# Dense DiffPool needs graphs × largest² numbers for a batch: it is compared, like HAP in that
# comparison, on batches that fit.
DENSE_NODES, DENSE_BATCHES = 1500, 12


def head(channels: int, classes: int) -> nn.Module:
    """The two fully connected layers that all networks end in."""
    return nn.Sequential(nn.Linear(channels, WIDTH), nn.ReLU(), nn.Linear(WIDTH, classes))


class PyGFlat(nn.Module):
    """GCNConv twice, global_add_pool, head."""

    def __init__(self, channels: int, classes: int) -> None:
        from torch_geometric.nn import GCNConv, global_add_pool

        super().__init__()
        self.first, self.second = GCNConv(channels, WIDTH), GCNConv(WIDTH, WIDTH)
        self.pool, self.head = global_add_pool, head(WIDTH, classes)

    def forward(self, batch: Any) -> Tensor:
        """Logits."""
        x = self.first(batch.x, batch.edge_index).relu()
        x = self.second(x, batch.edge_index).relu()
        return self.head(self.pool(x, batch.batch, batch.num_graphs))


class PyGDiffPool(nn.Module):
    """Two dense GCN layers, dense_diff_pool to 8 clusters, two dense GCN layers, sum, head."""

    def __init__(self, channels: int, classes: int) -> None:
        from torch_geometric.nn import DenseGCNConv

        super().__init__()
        self.embed = nn.ModuleList([DenseGCNConv(channels, WIDTH), DenseGCNConv(WIDTH, WIDTH)])
        self.assign = DenseGCNConv(WIDTH, CLUSTERS)
        self.coarse = nn.ModuleList([DenseGCNConv(WIDTH, WIDTH), DenseGCNConv(WIDTH, WIDTH)])
        self.head = head(WIDTH, classes)

    def forward(self, batch: tuple[Tensor, Tensor, Tensor, Tensor]) -> tuple[Tensor, Tensor]:
        """Logits and the sum of DiffPool's two losses."""
        from torch_geometric.nn import dense_diff_pool

        x, adj, mask, _ = batch
        for layer in self.embed:
            x = layer(x, adj, mask).relu()
        x, adj, link, entropy = dense_diff_pool(x, adj, self.assign(x, adj, mask), mask)
        for layer in self.coarse:
            x = layer(x, adj).relu()
        return self.head(x.sum(1)), link + entropy


def by_content(channels: int, classes: int) -> HAP:
    """HAP without places: clusters by content, the same number for every graph."""
    return HAP(channels, WIDTH, (CLUSTERS, 1), classes, assignment="content")


def train(model: nn.Module, batches: Sequence[Any]) -> Callable[[], None]:
    """A function that trains one epoch over ready-made batches."""

    def loss(batch: Any) -> Tensor:
        out = model(batch)
        if isinstance(out, tuple):
            return cross_entropy(out[0], batch[3]) + out[1]
        return cross_entropy(out, batch.y)

    return epoch_of(model, lambda: batches, loss)


def best_times(epochs: dict[str, Callable[[], None]], rounds: int) -> dict[str, float]:
    """Seconds of the best of several interleaved rounds, after one warm-up round.

    Of this process, which has one thread: what else the machine does is not counted.
    """
    best = dict.fromkeys(epochs, float("inf"))
    for number in range(rounds + 1):
        for name, epoch in epochs.items():
            start = time.process_time()
            epoch()
            if number:
                best[name] = min(best[name], time.process_time() - start)
    return best


def dense_batches(loader: Sequence[Any]) -> list[tuple[Tensor, Tensor, Tensor, Tensor]]:
    """Padded form of PyG batches."""
    from torch_geometric.utils import to_dense_adj, to_dense_batch

    made = []
    for batch in loader:
        x, mask = to_dense_batch(batch.x, batch.batch)
        made.append((x, to_dense_adj(batch.edge_index, batch.batch), mask, batch.y))
    return made


def measure(graphs: GraphSet) -> dict[str, float]:
    """Ratios for one data set."""
    from torch_geometric.loader import DataLoader

    assert graphs.x is not None
    rounds = 2 if graphs.num_edges > 10_000_000 else 7  # an epoch of COLLAB takes PyG a while
    channels, classes = graphs.x.shape[1], len(graphs.classes)
    order = torch.randperm(len(graphs), generator=torch.Generator().manual_seed(0))
    chunks = order.split(BATCH)
    graphs.places(PlaceRule())  # once for all epochs, so it is none's
    ours = [graphs.batch(chunk) for chunk in chunks]
    data = to_pyg(graphs.select(order))
    theirs = list(DataLoader(data, BATCH))
    flat = train(PyGFlat(channels, classes), theirs)
    times = best_times(
        {
            "pyg-flat": flat,
            "hap": train(HAP(channels, WIDTH, None, classes), ours),
            "hap-content": train(by_content(channels, classes), ours),
            "hap-paper": train(HAP(channels, WIDTH, (CLUSTERS, 1), classes, paper=True), ours),
            "sum": train(FlatNetwork(channels, WIDTH, classes), ours),
        },
        rounds,
    )
    ratios = {f"{name} / pyg-flat": times[name] / times["pyg-flat"] for name in times}
    ratios["hap / hap-content"] = times["hap"] / times["hap-content"]
    fitting = [
        position
        for position, chunk in enumerate(chunks)
        if int(graphs.node_counts[chunk].max()) <= DENSE_NODES
    ][:DENSE_BATCHES]
    some = [ours[position] for position in fitting]
    padded = dense_batches([theirs[position] for position in fitting])
    del theirs, data
    pair = best_times(
        {
            "hap": train(HAP(channels, WIDTH, None, classes), some),
            "diffpool": train(PyGDiffPool(channels, classes), padded),
        },
        5,
    )
    ratios["pyg-diffpool / hap"] = pair["diffpool"] / pair["hap"]
    return ratios


if __name__ == "__main__":
    torch.set_num_threads(1)
    torch.manual_seed(0)
    each_set(measure, SETS)
