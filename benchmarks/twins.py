"""What compiled loops and backward passes by hand are worth: an epoch with each group on and off.

Every group of `graphpool.nn.ops.switch` is turned off by itself, and all of them together. Batches
are made beforehand; all ways run in one process and one thread, in interleaved rounds. Numbers are
times without the group divided by times with all groups: the median over rounds (`median`), and of
the best rounds (`best`), which says more on a machine that does other work besides.

    python benchmarks/twins.py --data-root FOLDER [--rounds 9] [--only "hap-one-way MUTAG" ...]
"""

import argparse
import json
import statistics
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import nullcontext
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import torch
from common import epoch_of, measured_here

from graphpool.config import ModelConfig, defaults_for
from graphpool.data.load import distances, load, pairs
from graphpool.data.pairs.sampling import sample_triplets
from graphpool.features.pipeline import FeaturePipeline
from graphpool.files import write_json
from graphpool.nn.ops.switch import GROUPS, plain_operations
from graphpool.nn.zoo.build import build_model, place_rule
from graphpool.nn.zoo.pairs import build_pair_model, pair_place_rule
from graphpool.tasks.classification import ClassificationTask
from graphpool.tasks.matching import MatchingTask
from graphpool.tasks.similarity import SimilarityTask
from graphpool.training.environment import thread_count

GRAPHS, PAIRS, TRIPLETS, BATCH = 320, 256, 256, 32
ALL = "all"
# What HAP does with clusters once a step; each part by itself is small.
COARSE = ("formation", "profile", "normalise", "cluster gcn")
# The groups that the default path of each task uses.
CLASSIFYING = ("products", "places", *COARSE)
COMPARING = ("products", "places", *COARSE[:3], "alignment")


def classification(name: str, root: Path | None, settings: ModelConfig) -> Callable[[], None]:
    """An epoch over some graphs of a set."""
    graphs = load(name, root=root)
    order = torch.randperm(len(graphs), generator=torch.Generator().manual_seed(0))[:GRAPHS]
    graphs = graphs.select(order)
    if (rule := place_rule(settings)) is not None:
        graphs.places(rule)
    assert graphs.x is not None
    mean = float(graphs.node_counts.double().mean())
    model = build_model(settings, graphs.x.shape[1], len(graphs.classes), mean)
    batches = [graphs.batch(part) for part in torch.arange(len(graphs)).split(BATCH)]
    return epoch(model, ClassificationTask(len(graphs.classes)), batches)


def matching(settings: ModelConfig) -> Callable[[], None]:
    """An epoch over hard pairs of 20 nodes."""
    base = defaults_for("matching")
    drawn = pairs(base.data, PAIRS)
    if (rule := pair_place_rule(settings)) is not None:
        drawn.graphs.places(rule)
    ready = FeaturePipeline(base.features).fit(drawn.graphs).transform(drawn.graphs)
    examples = replace(drawn, graphs=ready)
    batches = [examples.batch(part) for part in torch.arange(PAIRS).split(base.train.batch_size)]
    return epoch(_pair_model(settings, ready), MatchingTask(), batches)


def similarity(root: Path | None, settings: ModelConfig) -> Callable[[], None]:
    """An epoch over triplets of AIDS700nef."""
    base = defaults_for("similarity")
    graphs = load(base.data, root=root, features=None)
    known = distances(base.data, root).of(graphs)
    if (rule := pair_place_rule(settings)) is not None:
        graphs.places(rule)
    ready = FeaturePipeline(base.features).fit(graphs[known.train]).transform(graphs)
    triplets = sample_triplets(ready, known.values, known.train, known.train, TRIPLETS, 0)
    batches = [triplets.batch(part) for part in torch.arange(TRIPLETS).split(base.train.batch_size)]
    return epoch(_pair_model(settings, ready), SimilarityTask(), batches)


def _pair_model(settings: ModelConfig, graphs: Any) -> Any:
    return build_pair_model(
        settings, graphs.x.shape[1], float(graphs.node_counts.double().mean())
    ).train()


def epoch(model: Any, task: Any, batches: Sequence[Any]) -> Callable[[], None]:
    """A function that trains on all batches once."""
    return epoch_of(model, lambda: batches, lambda batch: task.step(model, batch).loss)


def workloads(root: Path | None) -> Iterator[tuple[str, Callable[[], Callable[[], None]], Any]]:
    """Name, a function that builds its epoch, and the groups that it uses."""
    for name in ("MUTAG", "PROTEINS", "IMDB-BINARY"):
        yield (
            f"hap-one-way {name}",
            partial(classification, name, root, ModelConfig("hap-one-way")),
            CLASSIFYING,
        )
    base = defaults_for("matching").model
    yield "matching", partial(matching, base), COMPARING
    yield "similarity", partial(similarity, root, defaults_for("similarity").model), COMPARING
    for name in ("MUTAG", "PROTEINS"):
        settings = ModelConfig(pooler="asap")
        yield f"asap {name}", partial(classification, name, root, settings), ("spgemm",)


def ratios(run: Callable[[], None], groups: Sequence[str], rounds: int) -> dict[str, Any]:
    """Times without a group divided by those with all, over interleaved rounds."""
    ways = {
        "": nullcontext,
        **{group: partial(plain_operations, group) for group in groups},
        "coarse level": partial(plain_operations, *COARSE),
        ALL: plain_operations,
    }
    times: dict[str, list[float]] = {name: [] for name in ways}
    for number in range(rounds + 2):
        for name, way in ways.items():
            start = time.process_time()
            with way():
                run()
            if number > 1:
                times[name].append(time.process_time() - start)
    compiled = times.pop("")
    median = {
        name: statistics.median(one / other for one, other in zip(found, compiled, strict=True))
        for name, found in times.items()
    }
    best = {name: min(found) / min(compiled) for name, found in times.items()}
    return {
        "milliseconds": round(1000 * min(compiled), 1),
        "median": {name: round(value, 2) for name, value in median.items()},
        "best": {name: round(value, 2) for name, value in best.items()},
    }


def main() -> None:
    """Measure as the command line says."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--data-root", type=Path, help="folder of data files")
    parser.add_argument("--rounds", type=int, default=9)
    parser.add_argument("--only", nargs="+", help="names of workloads")
    parser.add_argument("--json", type=Path, help="where to store the numbers")
    given = parser.parse_args()
    rows: dict[str, Any] = {}
    with thread_count(1):
        for name, build, groups in workloads(given.data_root):
            if given.only is None or name in given.only:
                torch.manual_seed(0)
                rows[name] = ratios(build(), groups, given.rounds)
                print(name, json.dumps(rows[name]), flush=True)
    if given.json:
        about = {"rounds": given.rounds, "groups": GROUPS}
        write_json(given.json, {**about, **measured_here(), "rows": rows})


if __name__ == "__main__":
    main()
