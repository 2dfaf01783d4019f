"""Examples of units, drawn once and kept in files that every process maps.

A description of `examples` says everything that decides them. `prepare` draws them, with places
and, for pairs and triplets, with features fitted on the training graphs; `open_prepared` maps them.
"""

import hashlib
import json
from collections.abc import Collection, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, cast

import numpy as np
import torch
from numpy.typing import NDArray
from safetensors.torch import load_file, save_file
from torch import Tensor

from graphpool.data.formats.safetensors import content_hash, open_set, save
from graphpool.data.pairs.distances import Distances
from graphpool.data.pairs.pairset import PairSet
from graphpool.data.pairs.sampling import draw_triplets
from graphpool.data.pairs.triplets import TripletSet
from graphpool.data.splits import Split, divide
from graphpool.data.synthetic.matching.build import matching_pairs
from graphpool.data.true_distances import TrueDistances
from graphpool.errors import DataError
from graphpool.evaluation.protocols import split_digest, splits_for, stored_splits
from graphpool.experiments.examples import Data, GraphData, PairData, TripletData
from graphpool.features.pipeline import FeaturePipeline
from graphpool.graphs.graphset import GraphSet
from graphpool.graphs.places.find import Places
from graphpool.graphs.places.rule import PlaceRule
from graphpool.tasks.classes import ClassificationData
from graphpool.tasks.matching import MatchingData
from graphpool.tasks.similarity import SimilarityData

_GRAPHS, _MATRIX, _TEST = "graphs.safetensors", "distances.npy", "test.npy"
_PLACES, _PLACE_PARTS = "places.safetensors", ("cluster", "counts", "share")
_EXAMPLES, _RANKED = "examples.safetensors", "ranked.safetensors"
_MARK = "whole.json"


# ---------------------------------------------------------------------- what is opened


@dataclass(frozen=True, eq=False)
class Graphs:
    """Opened `GraphData`: the whole set, without features."""

    data: GraphData
    graphs: GraphSet
    _splits: dict[int, tuple[Split, ...]] = field(default_factory=dict)

    def split(self, seed: int, fold: int) -> Split:
        """One of the splits of a seed."""
        if seed not in self._splits:
            protocol, folder = self.data.protocol, self.data.splits
            if folder:
                path = Path(folder) / f"{protocol.name}-seed{seed}.json"
                digest = self.data.digest
                self._splits[seed] = stored_splits(protocol, self.graphs, digest, seed, path)
            else:
                self._splits[seed] = splits_for(protocol, self.graphs, seed)
        return self._splits[seed][fold]

    def examples(
        self, seed: int, fold: int, rules: Collection[PlaceRule] = ()
    ) -> ClassificationData:
        """Graphs of the parts of a split, with places by these rules."""
        for rule in rules:
            self.graphs.places(rule)  # for all graphs at once: parts of the set have them too
        split = self.split(seed, fold)
        sizes = {name: len(part) for name, part in vars(split).items()}
        return ClassificationData(
            train=self.graphs[list(split.train)],
            valid=self.graphs[list(split.valid)],
            test=self.graphs[list(split.test)],
            facts={"split": split_digest(split)[:16], "sizes": sizes},
            graphs=self.graphs,
            split=split,
        )


@dataclass(frozen=True, eq=False)
class Pairs:
    """Opened `PairData`: test pairs by what is tested, which is the number of nodes."""

    train: PairSet
    valid: PairSet
    tests: dict[str, PairSet]

    def examples(self, seed: int, fold: int, rules: Collection[PlaceRule] = ()) -> MatchingData:
        """All examples: they belong to one seed, and have features and places."""
        return MatchingData(None, self.train, self.valid, tests=self.tests)


@dataclass(frozen=True, eq=False)
class Triplets:
    """Opened `TripletData`, and what is ranked at the end: candidates for every query.

    Args:
        graphs: the whole set, with features.
        matrix: `[graphs, graphs]` true distances.
        queries: test graphs.
        candidates: all other graphs that are not tested.
        drawn: whether the split was drawn, so that its sizes say how much seeds overlap.
    """

    train: TripletSet
    valid: TripletSet
    graphs: GraphSet
    matrix: NDArray[np.float64]
    queries: NDArray[np.int64]
    candidates: NDArray[np.int64]
    drawn: bool = False

    def examples(self, seed: int, fold: int, rules: Collection[PlaceRule] = ()) -> SimilarityData:
        """All examples: they belong to one seed, and have features and places."""
        sizes = {"train": len(self.candidates), "test": len(self.queries)}
        return SimilarityData(
            None, self.train, self.valid,
            facts={"sizes": sizes} if self.drawn else {},
            graphs=self.graphs,
            distances=TrueDistances(self.matrix, "published"),
            queries=self.queries,
            candidates=self.candidates,
        )  # fmt: skip


Opened = Graphs | Pairs | Triplets


# ---------------------------------------------------------------------- making them


def add_graphs(folder: Path, graphs: GraphSet, name: str) -> str:
    """Put a set with classes where `prepare` finds it, without features; return its digest."""
    graphs = replace(graphs.to("cpu"), x=None)
    place = folder / file_name(name)
    place.mkdir(parents=True, exist_ok=True)
    save(graphs, place / _GRAPHS)
    return content_hash(graphs)


def file_name(name: str) -> str:
    """A name of a set as the name of a folder."""
    return "".join(each if each.isalnum() or each in "-_." else "_" for each in name)


def add_source(folder: Path, graphs: GraphSet, distances: Distances) -> str:
    """Put a set with distances where `prepare` finds it, without features; return its digest."""
    place, graphs = folder / file_name(graphs.name), replace(graphs.to("cpu"), x=None)
    place.mkdir(parents=True, exist_ok=True)
    matched = distances.of(graphs)
    matrix = (matched if matched.full is None else matched.complete()).values
    save(graphs, place / _GRAPHS)
    np.save(place / _MATRIX, matrix)
    if matched.is_test is not None:
        np.save(place / _TEST, matched.is_test)
    test = b"" if matched.is_test is None else matched.is_test.tobytes()
    text = content_hash(graphs).encode() + matrix.tobytes() + test
    return hashlib.sha256(text).hexdigest()[:16]


def prepared_name(data: Data, features: str, rules: Sequence[PlaceRule]) -> str:
    """Return the name of the folder of prepared examples."""
    seed = 0 if isinstance(data, GraphData) else data.seed
    decisive = [data.facts, data.digest, seed, features, [repr(rule) for rule in rules]]
    digest = hashlib.sha256(json.dumps(decisive, sort_keys=True).encode()).hexdigest()[:12]
    return f"{file_name(data.name)}-seed{seed}-{digest}"


def prepare(
    data: Data, features: str, rules: Sequence[PlaceRule], folder: Path, sources: Path
) -> None:
    """Draw the examples into `folder`, unless they are there.

    Args:
        features: node features, fitted on the graphs of training examples; graphs with classes
            have theirs fitted for each split.
        rules: by which places are found beforehand.
        sources: where `add_graphs` and `add_source` have put sets.
    """
    if (folder / _MARK).exists():
        return
    folder.mkdir(parents=True, exist_ok=True)
    if isinstance(data, GraphData):
        source = sources / file_name(data.set) / _GRAPHS
        save_for_workers(open_set(source, verify=False), rules, folder)
    elif isinstance(data, PairData):
        _prepare_pairs(data, features, rules, folder)
    else:
        _prepare_triplets(data, features, rules, folder, sources)
    (folder / _MARK).write_text(json.dumps(data.facts), encoding="utf-8")


def _prepare_pairs(
    data: PairData, features: str, rules: Collection[PlaceRule], folder: Path
) -> None:
    def draw(sizes: tuple[int, ...], pairs: int, part: int) -> PairSet:
        # Parts of one seed and all seeds have different numbers.
        seed = 10 * data.seed + part
        return matching_pairs(data.kind, sizes, pairs, seed, data.hardness, edit=data.edit)

    train = draw(data.nodes, data.train, 0)
    pipeline = FeaturePipeline(features).fit(train.graphs)

    def keep(pairs: PairSet, name: str) -> None:
        place = folder / name
        place.mkdir(parents=True, exist_ok=True)
        save_for_workers(pipeline.transform(pairs.graphs), rules, place)
        columns = {"left": pairs.left, "right": pairs.right, "y": pairs.y}
        save_file({key: value.contiguous() for key, value in columns.items()}, place / _EXAMPLES)

    keep(train, "train")
    keep(draw(data.nodes, data.valid, 1), "valid")
    for size in data.sizes:
        keep(draw((size,), data.test, 2), f"test-{size}")


def _prepare_triplets(
    data: TripletData, features: str, rules: Collection[PlaceRule], folder: Path, sources: Path
) -> None:
    source = sources / file_name(data.set)
    graphs = open_set(source / _GRAPHS, verify=False)
    matrix = np.load(source / _MATRIX)
    published = None
    if (source / _TEST).exists():
        tested = np.load(source / _TEST)
        known, asked = (tuple(np.flatnonzero(part).tolist()) for part in (~tested, tested))
        published = Split(known, (), asked)
    split = divide(graphs, data.split, data.seed, published)
    train, valid, test = (
        np.array(part, dtype=np.int64) for part in (split.train, split.valid, split.test)
    )
    parts = {
        "train": draw_triplets(graphs, matrix, train, train, data.train, data.seed, "training"),
        "valid": draw_triplets(graphs, matrix, valid, train, data.valid, data.seed, "validation"),
    }
    seen = torch.from_numpy(np.sort(train))
    ready = FeaturePipeline(features).fit(graphs[seen]).transform(graphs)
    folder.mkdir(parents=True, exist_ok=True)
    save_for_workers(ready, rules, folder)
    columns = {
        f"{name}/{key}": getattr(part, key)
        for name, part in parts.items()
        for key in ("query", "first", "second", "r")
    }
    save_file({key: value.contiguous() for key, value in columns.items()}, folder / _EXAMPLES)
    ranked = {"queries": test, "candidates": np.sort(np.concatenate([train, valid]))}
    tensors = {key: torch.from_numpy(value) for key, value in ranked.items()}
    save_file({**tensors, "matrix": torch.from_numpy(matrix)}, folder / _RANKED)


# ---------------------------------------------------------------------- opening them


def open_prepared(data: Data, rules: Sequence[PlaceRule], folder: Path) -> Opened:
    """Map what `prepare` made; `rules` in the same order."""
    if isinstance(data, GraphData):
        return Graphs(data, load_in_worker(folder, rules))
    if isinstance(data, PairData):
        return _open_pairs(data, rules, folder)
    return _open_triplets(data, rules, folder)


def _open_pairs(data: PairData, rules: Sequence[PlaceRule], folder: Path) -> Pairs:
    def part(name: str) -> PairSet:
        columns = load_file(folder / name / _EXAMPLES)
        return PairSet(load_in_worker(folder / name, rules), **columns)

    tests = {str(size): part(f"test-{size}") for size in data.sizes}
    return Pairs(part("train"), part("valid"), tests)


def _open_triplets(data: TripletData, rules: Sequence[PlaceRule], folder: Path) -> Triplets:
    graphs, columns = load_in_worker(folder, rules), load_file(folder / _EXAMPLES)
    train, valid = (
        TripletSet(graphs, *(columns[f"{name}/{key}"] for key in ("query", "first", "second", "r")))
        for name in ("train", "valid")
    )
    ranked = {key: value.numpy() for key, value in load_file(folder / _RANKED).items()}
    drawn = data.split != "published"
    return Triplets(train, valid, graphs, **cast(dict[str, Any], ranked), drawn=drawn)


# ---------------------------------------------------------------------- graphs and their places


def save_for_workers(graphs: GraphSet, rules: Collection[PlaceRule], folder: Path) -> None:
    """Write the graphs, and their places by each of the rules, which take seconds to find."""
    save(graphs, folder / _GRAPHS)
    tensors: dict[str, Tensor] = {}
    for number, rule in enumerate(rules):
        with suppress(DataError):  # which the units that look for places will raise and report
            places = graphs.places(rule)
            tensors |= {f"{number}/{part}": getattr(places, part) for part in _PLACE_PARTS}
    save_file(tensors, folder / _PLACES)


def load_in_worker(folder: Path, rules: Collection[PlaceRule]) -> GraphSet:
    """Map the graphs and their places; `rules` in the order in which they were saved."""
    graphs = open_set(folder / _GRAPHS, verify=False)
    tensors = load_file(folder / _PLACES)
    known = {
        rule: Places(*(tensors[f"{number}/{part}"] for part in _PLACE_PARTS))
        for number, rule in enumerate(rules)
        if f"{number}/{_PLACE_PARTS[0]}" in tensors
    }
    return graphs.with_places(known)
