"""Graphs per second on a GPU, for training and for embedding, and where the time goes.

Data lie on the GPU and batches are made there. Times are from CUDA events around whole epochs,
the median of several, after warm-up.

    python benchmarks/gpu.py --data-root FOLDER [--sets MUTAG PROTEINS ...] [--json FILE]
"""

import statistics
from collections.abc import Callable
from typing import Any

import torch
from common import each_set, epoch_of
from torch import nn
from torch.nn.functional import cross_entropy

from graphpool.data.interop import to_pyg
from graphpool.graphs.graphset import GraphSet
from graphpool.nn import HAP, FlatNetwork

SETS = ("MUTAG", "PROTEINS", "IMDB-BINARY", "DD")
BATCHES = (32, 512)


def epoch_seconds(epoch: Callable[[], None], rounds: int = 7) -> float:
    """Median seconds of an epoch."""
    times = []
    for number in range(rounds + 2):
        begin, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
        begin.record()
        epoch()
        end.record()
        torch.cuda.synchronize()
        if number >= 2:
            times.append(begin.elapsed_time(end) / 1000)
    return statistics.median(times)


def training(model: nn.Module, make: Callable[[], Any]) -> Callable[[], None]:
    """A function that trains one epoch over the batches that `make` yields."""
    return epoch_of(model, make, lambda batch: cross_entropy(model(batch), batch.y))


def measure(graphs: GraphSet, size: int) -> dict[str, float]:
    """Graphs per second at one batch size."""
    from epoch import PyGFlat
    from torch_geometric.loader import DataLoader

    assert graphs.x is not None
    device = graphs.to("cuda")
    channels, classes = graphs.x.shape[1], len(graphs.classes)

    def ours() -> Any:
        order = torch.randperm(len(device), device="cuda")
        return (device.batch(chunk) for chunk in order.split(size))

    hap = HAP(channels, 64, (8, 1), classes).cuda()
    flat = FlatNetwork(channels, 64, classes).cuda()
    loader = DataLoader([item.to("cuda") for item in to_pyg(graphs)], size, shuffle=True)

    def embedding() -> None:
        with torch.no_grad():
            for batch in ours():
                hap.embed(batch)

    seconds = {
        "hap training": epoch_seconds(training(hap, ours)),
        "sum training": epoch_seconds(training(flat, ours)),
        "pyg-flat training": epoch_seconds(
            training(PyGFlat(channels, classes).cuda(), lambda: loader)
        ),
        "hap embedding": epoch_seconds(embedding),
    }
    return {name: len(graphs) / value for name, value in seconds.items()}


def where_time_goes(graphs: GraphSet, size: int) -> list[dict[str, Any]]:
    """The operations that hold the GPU longest in one HAP training step, and their share."""
    from torch.autograd import DeviceType
    from torch.profiler import ProfilerActivity, profile

    assert graphs.x is not None
    device = graphs.to("cuda")
    hap = HAP(graphs.x.shape[1], 64, (8, 1), len(graphs.classes)).cuda()
    batch = device.batch(torch.arange(min(size, len(graphs)), device="cuda"))
    step = training(hap, lambda: [batch])
    for _ in range(5):
        step()
    with profile(activities=[ProfilerActivity.CPU, ProfilerActivity.CUDA]) as run:
        for _ in range(10):
            step()
        torch.cuda.synchronize()
    # Kernels only: the operations that launch them carry the same time once more.
    rows = [row for row in run.key_averages() if row.device_type == DeviceType.CUDA]
    total = sum(row.self_device_time_total for row in rows)
    rows.sort(key=lambda row: -row.self_device_time_total)
    busy = {"name": "GPU busy, microseconds a step", "value": total / 10}
    return [busy] + [
        {"name": row.key[:70], "share": row.self_device_time_total / total, "calls": row.count / 10}
        for row in rows[:12]
    ]


def throughput(graphs: GraphSet) -> dict[str, Any]:
    """Graphs per second at each batch size, and where the time goes at the largest."""
    rates: dict[str, Any] = {f"batch {size}": measure(graphs, size) for size in BATCHES}
    return {**rates, "where time goes": where_time_goes(graphs, BATCHES[-1])}


if __name__ == "__main__":
    each_set(throughput, SETS, "cuda")
