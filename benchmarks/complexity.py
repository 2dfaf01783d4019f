"""How a training step grows with the nodes of a graph when clusters are a fixed share of them.

    python benchmarks/complexity.py

The paper says that HAP takes O(r N²) for N nodes and r N clusters, and nearly linear time for
r = 0.05 and N = 100. Here a step, forward and backward, runs on one random graph of N nodes and
2 N edges, with r = 0.1: group poolers make N / 10 clusters, Top-K poolers keep N / 10 nodes.
Features of 16 channels, width 64, one thread, 32 bits. Places of graphs are found beforehand.

Times: all methods and sizes in one process, rounds interleaved, the best round of each by the time
of the process. Memory: a process for each method and size, which has its graph and has made a step
on a small graph; counted is by how much its resident memory grows at most in a step (as in
benchmarks/poolers.py). It writes results/benchmarks/complexity.json and
docs/complexity.svg; then `graphpool experiments pages` writes the table.
"""

import argparse
import json
import os
import subprocess
import sys
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import torch
from common import RETURNING, measured_here, memory_growth, slope
from complexity_picture import draw_complexity
from epoch import best_times

from graphpool.config import ModelConfig
from graphpool.files import atomic_write, write_json
from graphpool.graphs.batch import GraphBatch
from graphpool.graphs.graphset import GraphSet
from graphpool.nn.zoo.build import build_model
from graphpool.tasks.classification import ClassificationTask
from graphpool.training.select_place_rule import place_rules

ROOT = Path(__file__).resolve().parents[1]
BASE = "sum"
SIZES = (125, 250, 500, 1_000, 2_000, 4_000, 8_000, 16_000)
RATIO, CHANNELS, WIDTH, DEGREE, CLASSES = 0.1, 16, 64, 4, 2
ROUNDS = ((1_000, 12), (4_000, 4), (1 << 62, 2))  # the best of so many, up to a size
METHODS: dict[str, ModelConfig] = {
    name: ModelConfig(pooler=name, ratio=RATIO, hidden_channels=WIDTH)
    for name in ("hap-paper", "hap-one-way", "hap", "diffpool", "asap", "sagpool")
}
METHODS["hap-paper, truncate"] = replace(METHODS["hap-paper"], relaxation="truncate")
METHODS[BASE] = ModelConfig(pooler=BASE, hidden_channels=WIDTH)


def settings(method: str, nodes: int) -> ModelConfig:
    """Those of a method; places may be as many as the share of the nodes."""
    config = METHODS[method]
    return replace(config, max_clusters=nodes) if place_rules(config) else config


def graph_of(nodes: int, config: ModelConfig) -> GraphBatch:
    """One random graph of mean degree 4, with its places where the method has them."""
    draw = torch.Generator().manual_seed(nodes)
    edges = torch.randint(nodes, (2, DEGREE * nodes // 2), generator=draw)
    counts = torch.tensor([nodes]), torch.tensor([edges.shape[1]])
    graphs = GraphSet.build(
        "random", *counts, edges, y=torch.zeros(1, dtype=torch.long), undirected=True
    ).with_x(torch.randn(nodes, CHANNELS, generator=draw))
    for rule in place_rules(config):
        graphs.places(rule)
    return graphs.batch()


def step_of(method: str, nodes: int) -> Callable[[], None]:
    """A function that makes one training step, without the optimizer."""
    config = settings(method, nodes)
    torch.manual_seed(0)
    model = build_model(config, CHANNELS, CLASSES, float(nodes))
    batch, task = graph_of(nodes, config), ClassificationTask(CLASSES)

    def step() -> None:
        model.zero_grad()
        task.step(model, batch).loss.backward()

    return step


def peak(method: str, nodes: int) -> float:
    """MiB that a step takes at most above what this process has before it."""
    torch.set_num_threads(1)
    step_of(method, 50)()  # compiled code and libraries are loaded
    return memory_growth(step_of(method, nodes))


def peak_elsewhere(method: str, nodes: int) -> float:
    """`peak` of a process of its own."""
    command = [sys.executable, "-W", "ignore", __file__, "--one", method, str(nodes)]
    environment = {**os.environ, **RETURNING}
    done = subprocess.run(command, check=True, capture_output=True, text=True, env=environment)
    return float(json.loads(done.stdout.splitlines()[-1]))


def measure_times(methods: Sequence[str], sizes: Sequence[int]) -> dict[str, dict[str, float]]:
    """Seconds of a step, by method and size."""
    seconds: dict[str, dict[str, float]] = {method: {} for method in methods}
    for least, (most, rounds) in zip((0, *(most for most, _ in ROUNDS)), ROUNDS, strict=False):
        chosen = [size for size in sizes if least < size <= most]
        steps = {f"{size} {name}": step_of(name, size) for size in chosen for name in methods}
        for key, value in best_times(steps, rounds).items():
            size, _, method = key.partition(" ")
            seconds[method][size] = value
        for size in chosen:
            row = (f"{name} {seconds[name][str(size)]:.2g} s" for name in methods)
            print(f"{size} nodes: {', '.join(row)}", flush=True)
    return seconds


def slopes(values: dict[str, float]) -> dict[str, float]:
    """Log-log slopes over the smaller and the larger half of the sizes."""
    sizes, numbers = [int(size) for size in values], list(values.values())
    half = len(sizes) // 2
    smaller, larger = slice(None, max(half, 2)), slice(-max(half, 2), None)
    return {
        "smaller": slope(sizes[smaller], numbers[smaller]),
        "larger": slope(sizes[larger], numbers[larger]),
    }


def main() -> None:
    """Measure, store and draw."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--sizes", nargs="+", type=int, default=list(SIZES))
    parser.add_argument("--methods", nargs="+", choices=METHODS, default=list(METHODS))
    parser.add_argument("--json", type=Path, default=ROOT / "results/benchmarks/complexity.json")
    parser.add_argument("--picture", type=Path, default=ROOT / "docs/complexity.svg")
    parser.add_argument("--one", nargs=2, metavar=("METHOD", "NODES"), help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.one:
        print(json.dumps(peak(given.one[0], int(given.one[1]))))
        return
    torch.set_num_threads(1)
    methods = list(dict.fromkeys([*given.methods, BASE]))
    seconds = measure_times(methods, given.sizes)
    rows: dict[str, Any] = {}
    written = {
        **measured_here(), "ratio": RATIO, "degree": DEGREE, "width": WIDTH, "sizes": given.sizes,
        "methods": rows,
    }  # fmt: skip
    for method in methods:
        memory = {str(size): peak_elsewhere(method, size) for size in given.sizes}
        rows[method] = {
            "seconds": seconds[method],
            "time": {size: own / seconds[BASE][size] for size, own in seconds[method].items()},
            "MiB": memory,
            "slope of time": slopes(seconds[method]),
            "slope of memory": slopes(memory),
        }
        last = str(given.sizes[-1])
        time, space = (rows[method][f"slope of {key}"]["larger"] for key in ("time", "memory"))
        print(
            f"{method}: slope of time {time:.2f}, of memory {space:.2f}; {last} nodes: "
            f"{rows[method]['time'][last]:.1f} times SumPool, {memory[last]:.0f} MiB",
            flush=True,
        )
    write_json(given.json, written)
    with atomic_write(given.picture, "w") as handle:
        handle.write(draw_complexity(written))


if __name__ == "__main__":
    main()
