"""Epoch time and peak memory of every method against SumPool, and PyG's forms beside ours.

Times: all methods in one process on the same batches, made beforehand (places of graphs, too),
rounds interleaved, the best round of each. Memory: a process for each method and set, which has
its batches and has trained on two graphs already; counted is by how much its resident memory
grows at most during an epoch. Its allocator is told to give freed memory back at once, so that
this is what is in use and not what was once asked for.
"""

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import poolers_pyg
import torch
from common import RETURNING, measured_here, memory_growth, status_mib
from epoch import BATCH, WIDTH, best_times, train

from graphpool.config import ModelConfig
from graphpool.data.load import load
from graphpool.experiments.example_files import load_in_worker, save_for_workers
from graphpool.experiments.executor import ItemFailure, attempt
from graphpool.experiments.methods import model_of
from graphpool.files import write_json
from graphpool.graphs.batch import GraphBatch
from graphpool.graphs.graphset import GraphSet
from graphpool.graphs.places.rule import PlaceRule
from graphpool.nn.zoo.build import METHODS, build_model
from graphpool.tasks.classification import ClassificationTask
from graphpool.training.environment import thread_count
from graphpool.training.select_place_rule import place_rules

SETS = ("MUTAG", "PROTEINS", "COLLAB")
BASE = "sum"
# The best of so many rounds, by the edges of a set: an epoch of a small one is soon disturbed.
ROUNDS = {50_000: 40, 1_000_000: 8, 1_000_000_000: 4}
BATCHES = {"COLLAB": 40}  # of 157
FORMAT = "graphpool poolers speed 1"
Row = dict[str, Any]


def settings(method: str) -> ModelConfig:
    """Those of all methods: graphpool's own."""
    return model_of(method, ModelConfig(hidden_channels=WIDTH))


def rules(methods: Iterable[str]) -> tuple[PlaceRule, ...]:
    """By which rules any of the methods looks for places."""
    return tuple(dict.fromkeys(rule for name in methods for rule in place_rules(settings(name))))


def sample(name: str, root: Path | None, batches: int | None) -> tuple[GraphSet, int]:
    """Graphs of a set in random order, at most so many batches of them; and how many there are."""
    graphs = load(name, root=root)
    order = torch.randperm(len(graphs), generator=torch.Generator().manual_seed(0))
    return graphs.select(order[: BATCH * batches] if batches else order), len(graphs)


def batches_of(graphs: GraphSet) -> list[GraphBatch]:
    """All of it, 32 graphs at a time."""
    return [graphs.batch(chunk) for chunk in torch.arange(len(graphs)).split(BATCH)]


def trainer(method: str, graphs: GraphSet) -> Callable[[Sequence[GraphBatch]], None]:
    """A function that trains a new model on batches, once each."""
    assert graphs.x is not None
    torch.manual_seed(0)
    nodes, classes = float(graphs.node_counts.float().mean()), len(graphs.classes)
    model = build_model(settings(method), graphs.x.shape[1], classes, nodes)
    optimizer = torch.optim.Adam(model.parameters(), 1e-3, fused=True)
    task = ClassificationTask(classes)

    def epoch(batches: Sequence[GraphBatch]) -> None:
        for batch in batches:
            optimizer.zero_grad()
            task.step(model, batch).loss.backward()
            optimizer.step()

    return epoch


# ---------------------------------------------------------------------- memory


def peak(method: str, folder: Path) -> dict[str, float]:
    """MiB that an epoch takes at most above what this process has before it."""
    torch.set_num_threads(1)
    graphs = load_in_worker(folder, rules(METHODS))
    batches, few = batches_of(graphs), [graphs.batch([0, 1])]
    epoch = trainer(method, graphs)
    epoch(few)  # compiled code and libraries are loaded
    before = status_mib("VmRSS")
    return {"MiB": memory_growth(lambda: epoch(batches)), "before": before}


def peak_elsewhere(folder: Path, method: str) -> float:
    """`peak` of a process of its own."""
    script = Path(__file__).with_name("poolers.py")
    command = [sys.executable, "-W", "ignore", str(script), "--one", method, str(folder)]
    done = subprocess.run(command, capture_output=True, text=True, env={**os.environ, **RETURNING})
    if done.returncode:
        raise RuntimeError((done.stderr.strip().splitlines() or ["no word"])[-1])
    found: dict[str, float] = json.loads(done.stdout.splitlines()[-1])
    return found["MiB"]


# ---------------------------------------------------------------------- one set


def short(failed: ItemFailure) -> str:
    """The first line of an error: torch's go on for pages."""
    return failed.error.splitlines()[0].split(". ")[0][:200]


def times(
    graphs: GraphSet, methods: Sequence[str], rounds: int
) -> tuple[dict[str, float], dict[str, str]]:
    """Seconds of an epoch of every method and PyG form, and why some could not be measured."""
    batches = batches_of(graphs)
    forms = (poolers_pyg.form_of(name, METHODS[name].family) for name in methods)
    theirs = poolers_pyg.networks(graphs, filter(None, forms), BATCH, len(graphs.classes))

    def prepared(name: str) -> Callable[[], None]:
        """An epoch, once a first batch of it went well."""
        if name in theirs:
            model, padded = theirs[name]
            train(model, padded[:1])()
            return train(model, padded)
        epoch = trainer(name, graphs)
        epoch(batches[:1])
        return lambda: epoch(batches)

    epochs, failed = {}, {}
    for name in (*methods, *theirs):
        tried = attempt(prepared, name)
        if isinstance(tried, ItemFailure):
            failed[name] = short(tried)
        else:
            epochs[name] = tried
    return best_times(epochs, rounds), failed


def measure_set(graphs: GraphSet, methods: Sequence[str], rounds: int) -> Row:
    """Times and memory on one set."""
    for rule in rules(methods):
        graphs.places(rule)  # once for all epochs, so it is none's
    with thread_count(1):
        seconds, failed = times(graphs, methods, rounds)
    memory: dict[str, float] = {}
    with tempfile.TemporaryDirectory(prefix="graphpool-") as folder:
        save_for_workers(graphs, rules(METHODS), Path(folder))
        for name in methods:
            found = attempt(partial(peak_elsewhere, Path(folder)), name)
            if isinstance(found, ItemFailure):
                failed.setdefault(name, short(found))
            else:
                memory[name] = found
    rows: dict[str, Row] = {}
    for name in methods:
        if name in seconds and name in memory and name not in failed:
            rows[name] = {
                "seconds": seconds[name],
                "time": seconds[name] / seconds[BASE],
                "MiB": memory[name],
                "memory": memory[name] / memory[BASE],
            }
    beside = {}
    for name in rows:
        form = poolers_pyg.form_of(name, METHODS[name].family)
        if form in seconds:
            ratio = seconds[form] / seconds[name]
            beside[name] = {"form": form, "seconds": seconds[form], "pyg / ours": ratio}
    return {"rounds": rounds, "methods": rows, "pyg": beside, "failed": failed}


# ---------------------------------------------------------------------- all of them


def measure(
    methods: Iterable[str],
    sets: Sequence[str],
    root: Path | None,
    out: Path,
    command: str,
    *,
    rounds: int | None = None,
    batches: int | None = None,
) -> int:
    """Measure one set after the other, print and store as they come; returns how many failed.

    Sets that the record has from the same code and machine stay in it, so that sets can be measured
    one command at a time.
    """
    names = tuple(dict.fromkeys((BASE, *methods)))
    found: Row = {
        "format": FORMAT,
        "command": command,
        **measured_here(),
        "batch": BATCH,
        "methods": {name: {"family": METHODS[name].family} for name in names},
        "sets": {},
    }
    if out.exists():
        earlier = json.loads(out.read_text(encoding="utf-8"))
        same = ("format", "machine", "versions", "methods")
        if all(earlier.get(key) == found[key] for key in same):
            found["sets"] = earlier["sets"]
    failures = 0
    for name in sets:
        graphs, whole = sample(name, root, batches or BATCHES.get(name))
        often = rounds or next(many for most, many in ROUNDS.items() if graphs.num_edges <= most)
        row = {"graphs": len(graphs), "of": whole, **measure_set(graphs, names, often)}
        found["sets"][name] = row
        failures += len(row["failed"])
        for method, error in row["failed"].items():
            print(f"{name}, {method}: FAILED: {error}", flush=True)
        write_json(out, found)
        for method, values in row["methods"].items():
            times = f"{values['time']:.2f} times, {values['memory']:.2f} times the memory"
            print(f"{name}, {method}: {times}", flush=True)
    return failures
