"""What the benchmarks share: timing, and a command line that goes through data sets."""

import argparse
import importlib.metadata
import importlib.util
import json
import time
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn

from graphpool.data.load import load
from graphpool.experiments.machine import machine, provenance
from graphpool.files import write_json
from graphpool.graphs.graphset import GraphSet

# Every block of 16 KiB and more is a mapping of its own and goes back when it is freed.
RETURNING = {
    "MALLOC_MMAP_THRESHOLD_": "16384",
    "MALLOC_TRIM_THRESHOLD_": "0",
    "MALLOC_TOP_PAD_": "0",
    "MALLOC_ARENA_MAX": "1",
    "OMP_NUM_THREADS": "1",
}


def best(function: Callable[[], Any], rounds: int, warm: int = 1) -> float:
    """Seconds of the fastest of several calls, after some to warm up."""
    times = []
    for _ in range(rounds + warm):
        start = time.perf_counter()
        function()
        times.append(time.perf_counter() - start)
    return min(times[warm:])


def epoch_of(
    model: nn.Module, batches: Callable[[], Iterable[Any]], loss: Callable[[Any], Tensor]
) -> Callable[[], None]:
    """A function that trains one epoch over the batches that `batches` yields."""
    optimizer = torch.optim.Adam(model.parameters(), 1e-3, fused=True)

    def epoch() -> None:
        for batch in batches():
            optimizer.zero_grad()
            loss(batch).backward()
            optimizer.step()

    return epoch


def slope(sizes: Sequence[int], seconds: Sequence[float]) -> float:
    """Least-squares slope of log time against log size."""
    return float(np.polyfit(np.log(sizes), np.log(seconds), 1)[0])


def status_mib(key: str) -> float:
    """Return a number of /proc/self/status, in MiB."""
    text = Path("/proc/self/status").read_text(encoding="utf-8")
    line = next(line for line in text.splitlines() if line.startswith(f"{key}:"))
    return int(line.split()[1]) / 1024


def memory_growth(function: Callable[[], Any]) -> float:
    """Return by how many MiB the resident memory of this process grows at most during a call.

    Start the process with `RETURNING` in its environment, so that freed memory does not count.
    """
    Path("/proc/self/clear_refs").write_text("5", encoding="utf-8")  # the peak begins anew
    before = status_mib("VmRSS")
    function()
    return status_mib("VmHWM") - before


def measured_here(device: str = "cpu") -> dict[str, Any]:
    """Machine and versions, which every file of results names."""
    found: dict[str, Any] = {"machine": machine(device), "versions": provenance()}
    if importlib.util.find_spec("torch_geometric"):
        found["versions"]["torch_geometric"] = importlib.metadata.version("torch_geometric")
    return found


def each_set(
    measure: Callable[[GraphSet], dict[str, Any]], sets: Sequence[str], device: str = "cpu"
) -> None:
    """Measure one set after the other, as the command line says; print and store as they come."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--data-root", default=None, help="folder of data files")
    parser.add_argument("--sets", nargs="+", default=list(sets))
    parser.add_argument("--json", type=Path, default=None, help="where to store the numbers")
    given = parser.parse_args()
    results = measured_here(device)
    for name in given.sets:
        results[name] = measure(load(name, root=given.data_root))
        print(name, json.dumps(results[name], indent=2), flush=True)
        if given.json:
            write_json(given.json, results)
