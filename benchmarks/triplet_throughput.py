"""An epoch over triplets: every graph of a batch embedded once, against three graphs a triplet.

The same network and the same triplets, both ways in one process, rounds interleaved, the best round
of each. Making the batches counts. `once` is what training does; `thrice` lays query, first and
second of every triplet end to end, as if no graph came twice.

    python benchmarks/triplet_throughput.py --batch-sizes 256 1024
"""

import argparse
import json
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import torch
from common import epoch_of, measured_here
from epoch import best_times
from torch import Tensor

from graphpool.config import defaults_for
from graphpool.data.load import distances, load
from graphpool.data.pairs.sampling import sample_triplets
from graphpool.data.pairs.triplets import TripletBatch, TripletSet
from graphpool.features.pipeline import FeaturePipeline
from graphpool.files import write_json
from graphpool.nn.zoo.pairs import build_pair_model, pair_place_rule
from graphpool.tasks.similarity import SimilarityTask
from graphpool.training.environment import thread_count

BASE = defaults_for("similarity")


def thrice(triplets: TripletSet, index: Tensor) -> TripletBatch:
    """The chosen triplets with three graphs each, however often a graph comes."""
    parts = [part[index] for part in (triplets.query, triplets.first, triplets.second)]
    place = torch.arange(3 * len(index), device=index.device).view(3, -1)
    graphs = triplets.graphs.batch(torch.cat(parts))
    return TripletBatch(graphs, place[0], place[1], place[2], triplets.r[index], index)


def once(triplets: TripletSet, index: Tensor) -> TripletBatch:
    """The chosen triplets as training has them."""
    return triplets.batch(index)


FORMS: dict[str, Callable[[TripletSet, Tensor], TripletBatch]] = {"once": once, "thrice": thrice}


def epoch(method: str, form: str, triplets: TripletSet, batch_size: int) -> Callable[[], None]:
    """A function that trains a new model on all triplets once."""
    assert triplets.graphs.x is not None
    torch.manual_seed(0)
    settings = replace(BASE.model, pooler=method)
    nodes = float(triplets.graphs.node_counts.double().mean())
    model = build_pair_model(settings, triplets.graphs.x.shape[1], nodes).to(triplets.device)
    task, order = SimilarityTask(), torch.randperm(len(triplets)).to(triplets.device)

    def batches() -> Iterator[TripletBatch]:
        return (FORMS[form](triplets, chunk) for chunk in order.split(batch_size))

    one = epoch_of(model, batches, lambda batch: task.step(model, batch).loss)

    def train() -> None:
        one()
        if triplets.device.type == "cuda":
            torch.cuda.synchronize()

    return train


def measure(
    triplets: TripletSet, methods: list[str], sizes: list[int], rounds: int
) -> list[dict[str, Any]]:
    """Seconds of an epoch both ways, and how many graphs a batch has."""
    rows = []
    for method in methods:
        for size in sizes:
            forms = {form: epoch(method, form, triplets, size) for form in FORMS}
            seconds = best_times(forms, rounds)
            graphs = [one.graphs.ptr.shape[0] - 1 for one in _first_batches(triplets, size)]
            rows.append({
                "method": method, "batch": size, "seconds": seconds,
                "graphs": {"once": sum(graphs) / len(graphs), "thrice": 3 * size},
                "thrice / once": seconds["thrice"] / seconds["once"],
            })  # fmt: skip
            print(json.dumps(rows[-1]), flush=True)
    return rows


def _first_batches(triplets: TripletSet, size: int) -> Iterator[TripletBatch]:
    order = torch.randperm(len(triplets)).to(triplets.device)
    return (triplets.batch(chunk) for chunk in order.split(size)[:4])


def main() -> None:
    """Measure as the command line says."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--set", default="AIDS700nef")
    parser.add_argument("--triplets", type=int, default=10_000)
    parser.add_argument("--methods", nargs="+", default=["hap-one-way", "sum"])
    sizes = sorted({256, BASE.train.batch_size, 1024})
    parser.add_argument("--batch-sizes", nargs="+", type=int, default=sizes)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--device", default="cpu")
    parser.add_argument("--data-root", type=Path, help="folder of data files")
    parser.add_argument("--json", type=Path, help="where to store the numbers")
    given = parser.parse_args()
    graphs = load(given.set, root=given.data_root, features=None)
    known = distances(given.set, given.data_root).of(graphs)
    for name in given.methods:
        if (rule := pair_place_rule(replace(BASE.model, pooler=name))) is not None:
            graphs.places(rule)  # found once a set, and so no part of an epoch
    ready = FeaturePipeline(BASE.features).fit(graphs[known.train]).transform(graphs)
    triplets = sample_triplets(
        ready, known.values, known.train, known.train, given.triplets, 0
    ).to(given.device)  # fmt: skip
    with thread_count(1):
        rows = measure(triplets, given.methods, given.batch_sizes, given.rounds)
    if given.json:
        about = {"set": given.set, "triplets": given.triplets, "rounds": given.rounds}
        write_json(given.json, {**about, **measured_here(given.device), "rows": rows})


if __name__ == "__main__":
    main()
