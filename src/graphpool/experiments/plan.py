"""From an experiment to its units, and the sets of graphs that they need."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import torch

from graphpool.config import RunConfig
from graphpool.data import load as datasets
from graphpool.data.pairs.distances import Distances
from graphpool.data.splits import strata_of
from graphpool.experiments.example_files import add_source
from graphpool.experiments.examples import Data, GraphData, PairData, TripletData
from graphpool.experiments.experiment import DataEntry, Experiment, MethodEntry
from graphpool.experiments.unit import Unit
from graphpool.features.pipeline import automatic
from graphpool.graphs.graphset import GraphSet
from graphpool.tasks import find_task

# The smallest form of an experiment.
_GRAPHS, _EXAMPLES, _EPOCHS, _CHANNELS, _TRIES = 40, 24, 1, 8, 2


def plan_units(experiment: Experiment, device: str = "cpu") -> list[Unit]:
    """Every unit of an experiment, without looking at any graph."""
    return [unit for units in planned_cells(experiment, device).values() for unit in units]


def planned_cells(experiment: Experiment, device: str = "cpu") -> dict[tuple[str, str], list[Unit]]:
    """The units of every method and data, by their names in the experiment."""
    return {
        (name, entry.name): _units(experiment, name, method, entry, device)
        for name, method in experiment.methods.items()
        for entry in experiment.data
        if not method.data or entry.name in method.data
    }


def only(
    experiment: Experiment, data: Collection[str] = (), methods: Collection[str] = ()
) -> Experiment:
    """The same with only some of its data and methods; none of a kind named means all of it."""
    kept = tuple(entry for entry in experiment.data if not data or entry.name in data)
    names = {entry.name for entry in kept}
    chosen = {}
    for name, method in experiment.methods.items():
        own = tuple(each for each in method.data if each in names)
        if (not methods or name in methods) and (own or not method.data):
            chosen[name] = replace(method, data=own)
    return replace(experiment, data=kept, methods=chosen)


def smallest(experiment: Experiment) -> Experiment:
    """The same with every method on the first of its data, once, with few examples and one epoch.

    A search has two tries. It shows that the experiment can be run, and nothing else.
    """
    small = {"model": {"hidden_channels": _CHANNELS}, "train": {"epochs": _EPOCHS}}
    data = []
    for entry in experiment.data:
        given: Mapping[str, Any] = entry.settings
        settings = {key: {**given.get(key, {}), **each} for key, each in small.items()}
        counts = dict.fromkeys(("train", "valid", "test"), _EXAMPLES) if entry.train else {}
        own: dict[str, Any] = {"settings": {**given, **settings}, **counts}
        if ":" in entry.set_name:
            own["set"] = _with_graphs(entry.set_name)
        data.append(replace(entry, **own, seeds=(), learn=min(entry.learn, _GRAPHS // 2)))
    first, seeds = tuple(entry.name for entry in data[:1]), experiment.seeds
    methods = {
        name: replace(method, data=(method.data or first)[:1], seeds=(method.seeds or seeds)[:1])
        for name, method in experiment.methods.items()
    }
    search = experiment.search and replace(experiment.search, tries=_TRIES)
    return replace(
        experiment, seeds=seeds[:1], folds=1, data=tuple(data), methods=methods, search=search
    )


def open_sources(
    units: Sequence[Unit],
    folder: Path,
    root: str | Path | None = None,
    smoke: bool = False,
) -> list[Unit]:
    """Put the sets of the units into `folder`, and return the units with facts of their sets."""
    facts: dict[str, dict[str, Any]] = {}
    for data in dict.fromkeys(unit.data for unit in units):
        if isinstance(data, PairData) or data.set in facts:
            continue
        graphs = datasets.find(data.set, root, features=None)
        known = datasets.distances(data.set, root) if isinstance(data, TripletData) else None
        if smoke:
            graphs, known = _few(graphs) if known is None else _few_known(graphs, known)
        digest = add_source(folder, data.set, graphs, known)
        facts[data.set] = {"digest": digest, "auto": automatic(graphs)}
    return [
        unit
        if isinstance(unit.data, PairData)
        else replace(unit, data=replace(unit.data, **facts[unit.data.set]))
        for unit in units
    ]


def _units(
    experiment: Experiment, name: str, method: MethodEntry, entry: DataEntry, device: str
) -> list[Unit]:
    seeds = experiment.seeds_of(method, entry)
    config: RunConfig | None = None
    if not method.rule:
        config = experiment.config(method, entry)
        config = replace(config, train=replace(config.train, device=device))
    tries = experiment.search.tries_of(config) if experiment.search and config else ()
    called = method.rule or name
    noun = find_task(experiment.task).noun
    if noun != "graphs":
        return [
            Unit(_examples(noun, entry, seed), called, config, seed, tries=tries) for seed in seeds
        ]
    protocol = experiment.protocol_of(entry)
    data = GraphData(entry.set_name, protocol, title=entry.name, task=experiment.task)
    folds = range(experiment.folds or protocol.folds)
    return [Unit(data, called, config, seed, fold, tries) for seed in seeds for fold in folds]


def _examples(noun: str, entry: DataEntry, seed: int) -> Data:
    if noun == "pairs":
        return PairData(
            entry.kind, entry.nodes, entry.train, entry.valid, entry.test, entry.hardness, seed,
            entry.tested,
        )  # fmt: skip
    return TripletData(entry.set_name, "", entry.train, entry.valid, entry.split, seed)


# ---------------------------------------------------------------------- the smallest form


def _with_graphs(name: str) -> str:
    """The name of a drawn set with few graphs."""
    base, _, knobs = name.partition(":")
    kept = [knob for knob in knobs.split(",") if not knob.startswith("graphs=")]
    return f"{base}:{','.join([f'graphs={2 * _GRAPHS}', *kept])}"


def _few(graphs: GraphSet) -> tuple[GraphSet, None]:
    """The first graphs of every class, and of every part of a published split."""
    kinds = strata_of(graphs, 2).astype(str)
    share = max(10, _GRAPHS // len(np.unique(kinds)))
    if parts := graphs.columns.get("split"):
        kinds = np.char.add(kinds, np.array(parts))
    chosen = [np.flatnonzero(kinds == kind)[:share] for kind in np.unique(kinds)]
    return graphs[torch.from_numpy(np.sort(np.concatenate(chosen)))], None


def _few_known(graphs: GraphSet, distances: Distances) -> tuple[GraphSet, Distances]:
    """Some graphs with their distances, a fifth of them test graphs."""
    known = distances.of(graphs)
    tested = np.zeros(len(graphs), bool) if known.is_test is None else known.is_test
    parts = (np.flatnonzero(~tested)[:_GRAPHS], np.flatnonzero(tested)[: _GRAPHS // 4])
    chosen = np.sort(np.concatenate(parts))
    few = graphs[torch.from_numpy(chosen)]
    return few, known.of(few)
