"""An epoch of `hap` against the flat network with as many weights, one thread.

Both have the encoder gine with features of edges, the same number of layers and batches of 128.
The flat network is the widest that has no more weights than `hap` of width 64. Epochs of
both take turns, and the fastest of each counts.

    python benchmarks/two_way.py --data-root FOLDER [--sets ZINC-12k ...]
"""

import time
from collections.abc import Callable

import torch
from common import each_set, epoch_of
from torch import nn

from graphpool.config import ModelConfig
from graphpool.features import FeaturePipeline
from graphpool.graphs.graphset import GraphSet
from graphpool.nn import build_model

SETS = ("MUTAG", "PTC_MR")
GRAPHS, BATCH, LAYERS, WIDTH, ROUNDS = 1024, 128, 5, 64, 5


def weights(model: nn.Module) -> int:
    """Number of weights."""
    return sum(value.numel() for value in model.parameters())


def measure(graphs: GraphSet) -> dict[str, float]:
    """Seconds of an epoch of both, and their ratio."""
    graphs = FeaturePipeline().fit_transform(graphs[:GRAPHS])
    assert graphs.x is not None, "features are fitted"
    edges = 0 if graphs.edge_x is None else graphs.edge_x.shape[1]
    channels, mean = graphs.x.shape[1], float(graphs.node_counts.double().mean())

    def build(pooler: str, width: int) -> nn.Module:
        config = ModelConfig(
            pooler=pooler, encoder="gine", num_layers=LAYERS, hidden_channels=width,
            readout=("mean", "scaled_sum"),
        )  # fmt: skip
        return build_model(config, channels, 2, mean, edges)

    two_way = build("hap", WIDTH)
    width = WIDTH
    while weights(build("flat", width + 1)) <= weights(two_way):
        width += 1
    flat = build("flat", width)

    def epochs(model: nn.Module) -> Callable[[], None]:
        model.train()
        order = range(0, len(graphs), BATCH)
        return epoch_of(
            model,
            lambda: (graphs.batch(slice(start, start + BATCH)) for start in order),
            lambda batch: model(batch).square().mean(),
        )

    runs = {"hap": epochs(two_way), "flat": epochs(flat)}
    times: dict[str, list[float]] = {name: [] for name in runs}
    for _ in range(ROUNDS + 1):
        for name, epoch in runs.items():
            start = time.perf_counter()
            epoch()
            times[name].append(time.perf_counter() - start)
    seconds = {name: min(found[1:]) for name, found in times.items()}
    return {
        **{f"{name}, s": value for name, value in seconds.items()},
        "hap / flat": seconds["hap"] / seconds["flat"],
        "weights of hap": weights(two_way),
        "weights of flat": weights(flat),
        "width of flat": width,
    }


if __name__ == "__main__":
    torch.set_num_threads(1)
    each_set(measure, SETS)
