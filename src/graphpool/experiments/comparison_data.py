"""Examples of a comparison of methods: drawn once, and kept in files that every process maps.

A description (`PairData`, `TripletData`) says everything that decides the examples. `prepare` draws
them, with features fitted on the training graphs and with places; `open_prepared` maps them.
"""

import hashlib
import json
from collections.abc import Collection, Sequence
from dataclasses import asdict, dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any, Literal, cast

import numpy as np
import torch
from numpy.typing import NDArray
from safetensors.torch import load_file, save_file

from graphpool.data.formats.safetensors import content_hash, open_set, save
from graphpool.data.pairs.distances import Distances
from graphpool.data.pairs.pairset import PairSet
from graphpool.data.pairs.sampling import draw_triplets
from graphpool.data.pairs.triplets import TripletSet
from graphpool.data.splits import Split, divide
from graphpool.data.synthetic.matching.build import VERSION, matching_pairs
from graphpool.experiments.worker_data import hand_over, take_over
from graphpool.features.pipeline import FeaturePipeline
from graphpool.graphs.graphset import GraphSet
from graphpool.graphs.places.rule import PlaceRule

_GRAPHS, _MATRIX, _TEST = "graphs.safetensors", "distances.npy", "test.npy"
_EXAMPLES, _RANKED = "examples.safetensors", "ranked.safetensors"
_MARK = "whole.json"
SPLITS = ("published", "graphs", "classes")


# ---------------------------------------------------------------------- what there is


@dataclass(frozen=True)
class PairData:
    """Pairs of random graphs to train on, to choose the epoch by, and to test.

    Args:
        kind, nodes, hardness, edit: of `graphpool.data.synthetic.matching.build.matching_pairs`.
        train, valid: pairs of all sizes together.
        test: pairs of each size that is tested; they are drawn afresh.
        seed: decides all of them.
        tested: sizes of test graphs; by default those of `nodes`.
    """

    kind: Literal["paper", "balanced"]
    nodes: tuple[int, ...]
    train: int
    valid: int
    test: int
    hardness: Literal["easy", "medium", "hard"] = "easy"
    seed: int = 0
    tested: tuple[int, ...] = ()
    edit: Literal["none", "rewire", "swap"] | None = None

    @property
    def name(self) -> str:
        """Such as `balanced-hard-20`."""
        edit = [] if self.edit is None else [self.edit]
        hardness = [] if self.kind == "paper" else [self.hardness, *edit]
        return "-".join([self.kind, *hardness, *map(str, self.nodes)])

    @property
    def sizes(self) -> tuple[int, ...]:
        """Of the graphs that are tested."""
        return self.tested or self.nodes

    @property
    def facts(self) -> dict[str, Any]:
        """All that decides the pairs."""
        return {**asdict(self), "tested": self.sizes, "version": VERSION}


@dataclass(frozen=True)
class TripletData:
    """Triplets of a set of graphs with distances between all of them.

    Args:
        set: its name.
        digest: of graphs and distances; see `add_source`.
        train, valid: how many triplets train, and how many choose the epoch, if there are as
            many. Candidates are
            training graphs; a tenth of what is there to train on asks in validation instead.
        split: `published`; `graphs`, at random; or `classes`, with isomorphic graphs in one part.
        seed: decides the triplets and the split; of the published one, who validates.
    """

    set: str
    digest: str
    train: int
    valid: int
    split: Literal["published", "graphs", "classes"] = "published"
    seed: int = 0

    @property
    def name(self) -> str:
        """Such as `LINUX` or `LINUX-classes`."""
        return self.set if self.split == "published" else f"{self.set}-{self.split}"

    @property
    def facts(self) -> dict[str, Any]:
        """All that decides the triplets."""
        return asdict(self)


Data = PairData | TripletData


# ---------------------------------------------------------------------- what is opened


@dataclass(frozen=True, eq=False)
class Pairs:
    """Opened `PairData`: test pairs by what is tested, which is the number of nodes."""

    train: PairSet
    valid: PairSet
    tests: dict[str, PairSet]


@dataclass(frozen=True, eq=False)
class Triplets:
    """Opened `TripletData`, and what is ranked at the end: candidates for every query.

    Args:
        graphs: the whole set, with features.
        matrix: `[graphs, graphs]` true distances.
        queries: test graphs.
        candidates: all other graphs that are not tested.
    """

    train: TripletSet
    valid: TripletSet
    graphs: GraphSet
    matrix: NDArray[np.float64]
    queries: NDArray[np.int64]
    candidates: NDArray[np.int64]

    @cached_property
    def true(self) -> NDArray[np.float64]:
        """Distances of what is ranked, `[queries, candidates]`."""
        return self.matrix[np.ix_(self.queries, self.candidates)]


Opened = Pairs | Triplets


# ---------------------------------------------------------------------- making them


def add_source(folder: Path, graphs: GraphSet, distances: Distances) -> str:
    """Put a set where `prepare` finds it, without features; returns its digest."""
    place, graphs = folder / graphs.name, replace(graphs.to("cpu"), x=None)
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
    """What the folder of prepared examples is called."""
    text = json.dumps([data.facts, features, [repr(rule) for rule in rules]], sort_keys=True)
    return f"{data.name}-seed{data.seed}-{hashlib.sha256(text.encode()).hexdigest()[:12]}"


def prepare(
    data: Data, features: str, rules: Sequence[PlaceRule], folder: Path, sources: Path
) -> None:
    """Draw the examples into `folder`, unless they are there.

    Args:
        features: what nodes are described by, fitted on the graphs of training examples.
        rules: by which places are found beforehand.
        sources: where `add_source` has put sets.
    """
    if (folder / _MARK).exists():
        return
    if isinstance(data, PairData):
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
        hand_over(pipeline.transform(pairs.graphs), rules, place)
        columns = {"left": pairs.left, "right": pairs.right, "y": pairs.y}
        save_file({key: value.contiguous() for key, value in columns.items()}, place / _EXAMPLES)

    keep(train, "train")
    keep(draw(data.nodes, data.valid, 1), "valid")
    for size in data.sizes:
        keep(draw((size,), data.test, 2), f"test-{size}")


def _prepare_triplets(
    data: TripletData, features: str, rules: Collection[PlaceRule], folder: Path, sources: Path
) -> None:
    source = sources / data.set
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
    hand_over(ready, rules, folder)
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
    return (
        _open_pairs(data, rules, folder)
        if isinstance(data, PairData)
        else _open_triplets(rules, folder)
    )


def _open_pairs(data: PairData, rules: Sequence[PlaceRule], folder: Path) -> Pairs:
    def part(name: str) -> PairSet:
        columns = load_file(folder / name / _EXAMPLES)
        return PairSet(take_over(folder / name, rules), **columns)

    tests = {str(size): part(f"test-{size}") for size in data.sizes}
    return Pairs(part("train"), part("valid"), tests)


def _open_triplets(rules: Sequence[PlaceRule], folder: Path) -> Triplets:
    graphs, columns = take_over(folder, rules), load_file(folder / _EXAMPLES)
    train, valid = (
        TripletSet(graphs, *(columns[f"{name}/{key}"] for key in ("query", "first", "second", "r")))
        for name in ("train", "valid")
    )
    ranked = {key: value.numpy() for key, value in load_file(folder / _RANKED).items()}
    return Triplets(train, valid, graphs, **cast(dict[str, Any], ranked))
