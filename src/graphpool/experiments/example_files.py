"""Examples of units, drawn once and kept in files that every process maps.

A description of `examples` says everything that decides them. `ExampleFiles.draw` draws them, with
places and, for pairs and triplets, with features fitted on the training graphs.
"""

import hashlib
from collections.abc import Collection
from contextlib import suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from safetensors.torch import load_file
from safetensors.torch import save as to_bytes
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
from graphpool.files import atomic_write
from graphpool.graphs.graphset import GraphSet
from graphpool.graphs.places.find import Places
from graphpool.graphs.places.rule import PlaceRule
from graphpool.tasks.graph_task import SplitData
from graphpool.tasks.matching import MatchingData
from graphpool.tasks.similarity import SimilarityData

_GRAPHS, _MATRIX, _TEST = "graphs.safetensors", "distances.npy", "test.npy"
_PLACES = "places.safetensors"
_EXAMPLES, _RANKED = "examples.safetensors", "ranked.safetensors"
_TRIPLET = ("query", "first", "second", "r")
# Networks share the features of nodes; one that uses edges fits its features itself.
_LATER = "fitted by a network"


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
                path = Path(folder) / f"{file_name(protocol.name)}-seed{seed}.json"
                digest = self.data.digest
                self._splits[seed] = stored_splits(protocol, self.graphs, digest, seed, path)
            else:
                self._splits[seed] = splits_for(protocol, self.graphs, seed)
        return self._splits[seed][fold]

    def examples(self, seed: int, fold: int, rules: Collection[PlaceRule] = ()) -> SplitData:
        """Graphs of the parts of a split, with places by these rules."""
        for rule in rules:
            self.graphs.places(rule)  # for all graphs at once: parts of the set have them too
        split = self.split(seed, fold)
        sizes = {name: len(part) for name, part in vars(split).items()}
        return SplitData(
            train=self.graphs[list(split.train)],
            valid=self.graphs[list(split.valid)],
            test=self.graphs[list(split.test)],
            facts={"split": split_digest(split)[:16], "sizes": sizes},
            graphs=self.graphs,
            split=split,
        )


Opened = Graphs | MatchingData | SimilarityData
"""Pairs and triplets belong to one seed, and have features and places."""


# ---------------------------------------------------------------------- drawing and opening


def add_source(
    folder: Path, name: str, graphs: GraphSet, distances: Distances | None = None
) -> str:
    """Put a set where `ExampleFiles` finds it, without made features; return its digest."""
    graphs, folder = graphs.to("cpu"), folder / file_name(name)
    if graphs.x_from:
        graphs = replace(graphs, x=None, x_from="")
    save(graphs, folder / _GRAPHS)
    digest = content_hash(graphs)
    if distances is None:
        return digest
    matched = distances.of(graphs)
    matrix = (matched if matched.full is None else matched.complete()).values
    _save_array(matrix, folder / _MATRIX)
    parts = [digest.encode(), matrix.tobytes()]
    if matched.is_test is not None:
        _save_array(matched.is_test, folder / _TEST)
        parts.append(matched.is_test.tobytes())
    return hashlib.sha256(b"".join(parts)).hexdigest()[:16]


def file_name(name: str) -> str:
    """A name of a set as the name of a folder."""
    return "".join(each if each.isalnum() or each in "-_." else "_" for each in name)


@dataclass(frozen=True)
class ExampleFiles:
    """Examples that several units share: `draw` writes them to files, `open` maps these.

    Args:
        data: what they are.
        features: node features, fitted on the graphs of training examples; graphs with classes
            have theirs fitted for each split.
        rules: by which places are found beforehand.
        parent: folder of folders of examples.
        sources: folder of sets; see `add_source`.
    """

    data: Data
    features: str
    rules: tuple[PlaceRule, ...]
    parent: Path
    sources: Path

    @property
    def folder(self) -> Path:
        """Folder of the files; its name has a hash of all that decides them."""
        decisive = repr((self.data, self.features, self.rules))
        digest = hashlib.sha256(decisive.encode()).hexdigest()[:12]
        return self.parent / f"{file_name(self.data.name)}-{digest}"

    def draw(self) -> None:
        """Write the examples."""
        data, folder = self.data, self.folder
        if isinstance(data, PairData):
            self._draw_pairs(data, folder)
        elif isinstance(data, TripletData):
            self._draw_triplets(data, folder)
        else:
            source = self.sources / file_name(data.set) / _GRAPHS
            save_for_workers(open_set(source, verify=False), self.rules, folder)

    def open(self) -> Opened:
        """Map what `draw` wrote."""
        data, folder = self.data, self.folder
        if isinstance(data, PairData):
            tests = {str(size): self._open_pairs(folder / f"test-{size}") for size in data.sizes}
            train, valid = (self._open_pairs(folder / name) for name in ("train", "valid"))
            return MatchingData(None, train, valid, tests=tests)
        graphs = load_in_worker(folder, self.rules)
        if isinstance(data, GraphData):
            return Graphs(data, graphs)
        return _open_triplets(data, graphs, folder)

    def _draw_pairs(self, data: PairData, folder: Path) -> None:
        def draw(sizes: tuple[int, ...], pairs: int, part: int) -> PairSet:
            # Parts of one seed and all seeds have different numbers.
            seed = 10 * data.seed + part
            return matching_pairs(data.kind, sizes, pairs, seed, data.hardness, edit=data.edit)

        parts = {
            "train": draw(data.nodes, data.train, 0),
            "valid": draw(data.nodes, data.valid, 1),
            **{f"test-{size}": draw((size,), data.test, 2) for size in data.sizes},
        }
        pipeline = FeaturePipeline(self.features, _LATER).fit(parts["train"].graphs)
        for name, pairs in parts.items():
            save_for_workers(pipeline.transform(pairs.graphs), self.rules, folder / name)
            columns = {"left": pairs.left, "right": pairs.right, "y": pairs.y}
            _save_columns(columns, folder / name / _EXAMPLES)

    def _open_pairs(self, folder: Path) -> PairSet:
        return PairSet(load_in_worker(folder, self.rules), **load_file(folder / _EXAMPLES))

    def _draw_triplets(self, data: TripletData, folder: Path) -> None:
        source = self.sources / file_name(data.set)
        graphs, matrix = open_set(source / _GRAPHS, verify=False), np.load(source / _MATRIX)
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
            "valid": draw_triplets(
                graphs, matrix, valid, train, data.valid, data.seed, "validation"
            ),
        }
        learned = graphs[torch.from_numpy(np.sort(train))]
        pipeline = FeaturePipeline(self.features, _LATER).fit(learned)
        # Codes of labels are looked up by a network, which fits its features itself.
        ready = pipeline.transform(graphs) if pipeline.lookup is None else graphs
        save_for_workers(ready, self.rules, folder)
        columns = {
            f"{name}/{key}": getattr(part, key) for name, part in parts.items() for key in _TRIPLET
        }
        _save_columns(columns, folder / _EXAMPLES)
        candidates = np.sort(np.concatenate([train, valid]))
        ranked = {"queries": test, "candidates": candidates, "matrix": matrix}
        tensors = {key: torch.from_numpy(each) for key, each in ranked.items()}
        _save_columns(tensors, folder / _RANKED)


def _open_triplets(data: TripletData, graphs: GraphSet, folder: Path) -> SimilarityData:
    columns = load_file(folder / _EXAMPLES)
    train, valid = (
        TripletSet(graphs, *(columns[f"{name}/{key}"] for key in _TRIPLET))
        for name in ("train", "valid")
    )
    ranked = {key: value.numpy() for key, value in load_file(folder / _RANKED).items()}
    sizes = {"train": len(ranked["candidates"]), "test": len(ranked["queries"])}
    return SimilarityData(
        None, train, valid,
        # Seeds of the published split have the same test graphs.
        facts={} if data.split == "published" else {"sizes": sizes},
        graphs=graphs,
        distances=TrueDistances(ranked["matrix"], "published"),
        queries=ranked["queries"],
        candidates=ranked["candidates"],
    )  # fmt: skip


def _save_columns(columns: dict[str, Tensor], path: Path) -> None:
    data = to_bytes({key: value.contiguous() for key, value in columns.items()})
    with atomic_write(path) as handle:
        handle.write(data)


def _save_array(array: NDArray[Any], path: Path) -> None:
    with atomic_write(path) as handle:
        np.save(handle, array)


# ---------------------------------------------------------------------- graphs and their places


def save_for_workers(graphs: GraphSet, rules: Collection[PlaceRule], folder: Path) -> None:
    """Write the graphs, and their places by each of the rules, which take seconds to find."""
    save(graphs, folder / _GRAPHS)
    tensors: dict[str, Tensor] = {}
    for number, rule in enumerate(rules):
        with suppress(DataError):  # which the units that look for places will raise and report
            places = graphs.places(rule)
            tensors[f"{number}/cluster"] = places.cluster
            tensors[f"{number}/counts"] = places.counts
            if places.soft is not None:
                tensors[f"{number}/share"] = places.soft
    _save_columns(tensors, folder / _PLACES)


def load_in_worker(folder: Path, rules: Collection[PlaceRule]) -> GraphSet:
    """Map the graphs and their places; `rules` in the order in which they were saved."""
    graphs = open_set(folder / _GRAPHS, verify=False)
    tensors = load_file(folder / _PLACES)
    known = {
        rule: Places(
            tensors[f"{number}/cluster"],
            tensors[f"{number}/counts"],
            tensors.get(f"{number}/share"),
        )
        for number, rule in enumerate(rules)
        if f"{number}/cluster" in tensors
    }
    return graphs.with_places(known)
