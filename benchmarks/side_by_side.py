"""Graphs per second of many networks that are trained side by side on one GPU, in batches of 32.

Each process trains a network of its own, all for the same time. They take turns on the GPU, or
share it by a daemon (`graphpool.experiments.shared_gpu`), as `graphpool experiments run --device
cuda --jobs N` does. Every process of every number writes down the losses of its first epochs: those
of the same seed must be the same, alone or beside others. A method with `+replay` behind it replays
recorded steps (`train.replay`).

    python benchmarks/side_by_side.py --data-root FOLDER [--jobs 1 4 16] [--json FILE]
"""

import argparse
import multiprocessing
import time
from collections.abc import Callable
from multiprocessing.connection import Connection
from multiprocessing.synchronize import Barrier
from pathlib import Path
from typing import Any

import torch
from common import epoch_of, measured_here
from torch.nn.functional import cross_entropy

import graphpool as gp
from graphpool.config import ModelConfig, resolve_model
from graphpool.experiments.shared_gpu import shared_gpu
from graphpool.files import write_json
from graphpool.nn.random import seeded_weights
from graphpool.nn.zoo import build_model
from graphpool.training.objective import trace
from graphpool.training.replay import ReplayedSteps

REPLAY = "+replay"
METHODS = ("hap", f"hap{REPLAY}", "hap-one-way", "sum", f"sum{REPLAY}", "pyg-flat")
BATCH = 32
SAME = 2  # epochs whose losses are compared


def train(
    name: str, method: str, device: str, seconds: float, root: str | None, ready: Barrier,
    answer: Connection,
) -> None:  # fmt: skip
    """Train one network in this process, and send its graphs per second and first losses."""
    torch.set_num_threads(1)
    graphs = gp.load(name, root=root)
    losses: list[float] = []
    epoch = make_epoch(graphs, method, device, losses)
    for _ in range(SAME):
        epoch()
    first = [float(loss) for loss in losses]
    ready.wait()
    begin, count = time.perf_counter(), 0
    while time.perf_counter() - begin < seconds:
        epoch()
        if device == "cuda":
            torch.cuda.synchronize()
        count += len(graphs)
    answer.send((count / (time.perf_counter() - begin), first))


def make_epoch(
    graphs: gp.GraphSet, method: str, device: str, losses: list[Any]
) -> Callable[[], None]:
    """A function that trains one epoch in batches, all on the device."""
    assert graphs.x is not None
    channels, classes = graphs.x.shape[1], len(graphs.classes)
    order = torch.Generator().manual_seed(0)
    there = graphs.to(device)

    def batches() -> Any:
        mixed = torch.randperm(len(graphs), generator=order)
        return (there.batch(chunk.to(device)) for chunk in mixed.split(BATCH))

    if method == "pyg-flat":
        from epoch import PyGFlat
        from torch_geometric.loader import DataLoader

        from graphpool.data.interop import to_pyg

        torch.manual_seed(0)
        model: torch.nn.Module = PyGFlat(channels, classes)
        loader = DataLoader([item.to(device) for item in to_pyg(graphs)], BATCH, shuffle=True)
        make: Callable[[], Any] = lambda: loader  # noqa: E731
    else:
        config = resolve_model(ModelConfig(method.removesuffix(REPLAY), encoder="gcn"))
        with seeded_weights(0):
            model = build_model(
                config, channels, classes, float(graphs.node_counts.double().mean())
            )
        make = batches
    model = model.to(device)

    if method.endswith(REPLAY):
        return replayed_epoch(model, there, order)

    def loss_of(batch: Any) -> torch.Tensor:
        loss = cross_entropy(model(batch), batch.y)
        if len(losses) < SAME * -(-len(graphs) // BATCH):
            losses.append(loss.detach())
        return loss

    return epoch_of(model, make, loss_of)


def replayed_epoch(
    model: torch.nn.Module, graphs: gp.GraphSet, order: torch.Generator
) -> Callable[[], None]:
    """A function that trains one epoch by recorded steps, where there are some."""
    rate = torch.tensor(1e-3, device=graphs.device)
    optimizer = torch.optim.Adam(
        model.parameters(), rate, fused=True, capturable=graphs.device.type == "cuda"
    )

    def update(batch: Any, count: int) -> None:
        optimizer.zero_grad()
        cross_entropy(trace(model, batch).logits, batch.y).backward()
        optimizer.step()

    steps = ReplayedSteps(update, getattr(model, "rules", ()), BATCH, rate)
    steps.begin(graphs, torch.Generator(graphs.device))

    def epoch() -> None:
        for chunk in torch.randperm(len(graphs), generator=order).split(BATCH):
            if not steps.run(chunk):
                update(graphs.batch(chunk), len(chunk))

    return epoch


def measure(name: str, method: str, jobs: int, options: argparse.Namespace) -> Any:
    """Graphs per second of all processes together, and the first losses of each."""
    context = multiprocessing.get_context("spawn")
    ready, answers = context.Barrier(jobs), []
    for _ in range(jobs):
        ours, theirs = context.Pipe(duplex=False)
        context.Process(
            target=train,
            args=(name, method, options.device, options.seconds, options.data_root, ready, theirs),
            daemon=True,
        ).start()
        theirs.close()
        answers.append(ours)
    found = [each.recv() for each in answers]
    return sum(rate for rate, _ in found), [losses for _, losses in found]


def main() -> None:
    """Measure what the command line asks for; print and store numbers as they come."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data-root")
    parser.add_argument("--sets", nargs="+", default=["PROTEINS"])
    parser.add_argument("--methods", nargs="+", default=list(METHODS))
    parser.add_argument("--jobs", nargs="+", type=int, default=[1, 4, 16])
    parser.add_argument("--seconds", type=float, default=5.0)
    parser.add_argument("--device", default="cuda")
    parser.add_argument("--json", type=Path, default=Path("results/benchmarks/side_by_side.json"))
    options = parser.parse_args()
    found = measured_here(options.device)
    for name in options.sets:
        for method in options.methods:
            row: dict[str, Any] = found.setdefault(name, {}).setdefault(method, {})
            rate, alone = measure(name, method, 1, options)
            row["alone"] = rate
            for jobs in filter(lambda each: each > 1, options.jobs):
                row[f"{jobs} in turns"], _ = measure(name, method, jobs, options)
                with shared_gpu(options.device, jobs) as started:
                    if not started:
                        continue
                    row[f"{jobs} sharing"], losses = measure(name, method, jobs, options)
                if losses[0]:
                    row[f"{jobs} sharing, same losses"] = all(each == alone[0] for each in losses)
            print(name, method, {key: round(value) for key, value in row.items()}, flush=True)
            write_json(options.json, found)


if __name__ == "__main__":
    main()
