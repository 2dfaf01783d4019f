"""Methods side by side on one set, for every task: `graphpool evaluate` and `gp.evaluate`."""

import logging
import tempfile
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from graphpool.config import RunConfig, to_dict
from graphpool.data import load as datasets
from graphpool.data.catalogue import is_path
from graphpool.data.pairs.distances import Distances
from graphpool.data.synthetic.matching.names import is_matching_name, parse_matching_name
from graphpool.data.true_distances import (
    computed_distances,
    has_split,
    known_distances,
    open_similar,
)
from graphpool.errors import ConfigError, DataError, nearest
from graphpool.evaluation.baselines.distances import EDIT_METHODS
from graphpool.evaluation.baselines.distances import RULES as RANKING_RULES
from graphpool.evaluation.protocols import Protocol, find_protocol
from graphpool.experiments.engine import RunOutcome, run_units
from graphpool.experiments.example_files import Graphs, add_graphs, add_source
from graphpool.experiments.examples import Data, GraphData, PairData, TripletData
from graphpool.experiments.executor import Executor, LocalExecutor
from graphpool.experiments.machine import command_line, machine, provenance, usable_cores
from graphpool.experiments.methods import BASELINES, check_methods, model_of, registered_here
from graphpool.experiments.records import Record, RecordFile
from graphpool.experiments.results import (
    RECORDS,
    ExperimentResult,
    Failure,
    SetFacts,
    write_results,
)
from graphpool.experiments.tables import write_table
from graphpool.experiments.unit import Unit, rules_of
from graphpool.files import sha256_file
from graphpool.graphs.graphset import GraphSet
from graphpool.nn.zoo.build import METHODS
from graphpool.nn.zoo.pairs import PAIR_METHODS
from graphpool.training.select_place_rule import check_choice

log = logging.getLogger(__name__)

SEEDS = 3
DISTANCES = "distances.ged"


def baselines_of(task: str) -> tuple[str, ...]:
    """Methods that belong beside every result of a task."""
    if task == "classification":
        return ("structure-free", *BASELINES)
    return rules_of(task) if task == "matching" else (*EDIT_METHODS, *RANKING_RULES)


def evaluate(
    data: GraphSet | str,
    methods: Iterable[str] = ("hap", "sum"),
    protocol: Protocol | str = "cv10",
    seeds: int | Sequence[int] | None = None,
    config: RunConfig | None = None,
    folder: str | Path = "runs/evaluation",
    *,
    baselines: bool = True,
    jobs: int | None = None,
    executor: Executor | None = None,
    minutes: float | None = None,
    root: str | Path | None = None,
    progress: bool = True,
    command: str | None = None,
    finished: Callable[[Unit, Record], None] | None = None,
) -> ExperimentResult:
    """Compare methods: train each on every split or from every seed, and test it once.

    The folder gets `records.jsonl`, `results.json` and `results.md`. Units that it already holds,
    with the same settings and the same set, are not run again, so a run that was stopped goes on
    where it was. A unit that fails is reported and the others go on. SIGINT and SIGTERM raise
    `Interrupted`; what is finished stays.

    Args:
        data: a set of graphs, or the name of one or its file. `config.task` says what is asked:
            for `matching` it is the name of pairs that are drawn, for `similarity` that of a set
            of graphs. Its `x` is not used: features are fitted on training graphs.
        methods: poolers, networks for pairs, or baselines; the first is what the others are
            compared with.
        protocol: of classification: `cv10`, `paper`, or one of your own.
        seeds: how many, or which; by default those of the protocol, or three.
        config: settings of all networks; `model.pooler` is replaced by each method.
        folder: one set, one folder.
        baselines: put the methods of `baselines_of` the task beside them.
        jobs: processes; by default as many as there are cores. 1 starts no process. A pooler that
            was registered in this process always runs in it.
        executor: what runs the units, instead of processes on this machine.
        minutes: no unit is begun later than this.
        root: folder of data files.
        progress: show a bar if stderr is a terminal.
        command: what to write into the results as the way to repeat them.
        finished: called with every unit that is finished or has failed.
    """
    config, folder = config or RunConfig(), Path(folder)
    task, command = config.task, command_line() if command is None else command
    names = [*methods, *(baselines_of(task) if baselines else ())]
    names = list(_checked(names, task))
    for name in names:
        if task == "classification" and name in METHODS:
            check_choice(model_of(name, config.model))
    cores = usable_cores() if jobs is None else jobs
    if registered_here(names):
        cores = min(cores, 1)
    executor = executor or LocalExecutor(cores)
    if (folder / "units").is_dir() and not (folder / RECORDS).exists():
        log.warning(
            "%s holds results of graphpool 0.1.0, which are not read; use another folder to keep "
            "them apart", folder,
        )  # fmt: skip
    about: dict[str, Any] = {}
    with tempfile.TemporaryDirectory(prefix="graphpool-") as place:
        sources = Path(place)
        if task == "classification":
            protocol = find_protocol(protocol) if isinstance(protocol, str) else protocol
            numbers = _numbers(seeds, protocol.seeds)
            units, about = _of_classes(
                data, names, protocol, numbers, config, folder, sources, root
            )
        else:
            if isinstance(data, GraphSet):
                raise ConfigError(
                    f"for the task {task} give the name of the data, or a file of graphs"
                )
            own = replace(config, data=data)
            numbers = tuple(config.train.seed + n for n in _numbers(seeds, tuple(range(SEEDS))))
            examples = (
                drawn_pairs(own, numbers)
                if task == "matching"
                else _triplets(own, numbers, sources, folder, root)
            )
            units = _of_examples(names, examples, own)
        outcome = run_units(
            units, RecordFile(folder / RECORDS, str(about.get("name", data))), executor=executor,
            sources=sources, minutes=minutes, progress=progress, command=command,
            finished=finished,
        )  # fmt: skip
        if task == "classification":
            about["splits"] = _split_files(folder)
    result = _result(outcome, names, numbers, config, command, about, data)
    write_results(result, folder)
    write_table(result, folder)
    return result


def _result(
    outcome: RunOutcome,
    names: Sequence[str],
    seeds: tuple[int, ...],
    config: RunConfig,
    command: str,
    about: dict[str, Any],
    data: GraphSet | str,
) -> ExperimentResult:
    failures = [
        Failure(unit.method, unit.seed, unit.fold, error)
        for unit, error in outcome.failures.items()
    ]
    order = {name: number for number, name in enumerate(names)}
    failures.sort(key=lambda each: (order[each.method], each.seed, each.fold))
    return ExperimentResult(
        task=config.task,
        data=about.pop("name", str(data)),
        methods=tuple(names),
        seeds=seeds,
        units=outcome.records,
        failures=tuple(failures),
        config=to_dict(config),
        machine=machine(config.train.device),
        versions=provenance(),
        command=command,
        **about,
    )


def _numbers(seeds: int | Sequence[int] | None, usual: tuple[int, ...]) -> tuple[int, ...]:
    if seeds is None:
        return usual
    numbers = tuple(range(seeds)) if isinstance(seeds, int) else tuple(dict.fromkeys(seeds))
    if not numbers:
        raise ConfigError("an experiment needs at least one seed")
    return numbers


def _checked(names: Sequence[str], task: str) -> tuple[str, ...]:
    """The names, each once; an unknown one is an error."""
    if task == "classification":
        return check_methods(names)
    known = (*METHODS, *PAIR_METHODS, *rules_of(task))
    for name in names:
        if name not in known:
            raise ConfigError(f"unknown method {name!r}; {nearest(name, known)}")
    if not names:
        raise ConfigError(f"no method to evaluate; choose among {', '.join(known)}")
    return tuple(dict.fromkeys(names))


# ---------------------------------------------------------------------- classification


def _of_classes(
    data: GraphSet | str,
    names: Sequence[str],
    protocol: Protocol,
    seeds: tuple[int, ...],
    config: RunConfig,
    folder: Path,
    sources: Path,
    root: str | Path | None,
) -> tuple[list[Unit], dict[str, Any]]:
    """Units of every method, seed and fold, and facts about the set."""
    graphs = datasets.find(data, root, features=None) if isinstance(data, str) else data
    if graphs.y is None:
        raise DataError(f"{graphs.name} has no classes; a classifier can't be judged on it")
    if graphs.x is not None:
        log.info("%s: its features are not used; every split fits its own", graphs.name)
    digest = add_graphs(sources, graphs, graphs.name)
    splits = (folder / "splits").absolute()
    examples = GraphData(graphs.name, protocol, digest, str(splits))
    opened = Graphs(examples, graphs)
    for seed in seeds:  # written now: a set that does not fit them is refused before any unit
        opened.split(seed, 0)
    units = [
        class_unit(name, examples, config, seed, fold)
        for name in names
        for seed in seeds
        for fold in range(protocol.folds)
    ]
    facts = SetFacts.of(graphs, digest)
    return units, {"name": graphs.name, "protocol": protocol, "facts": facts}


def class_unit(method: str, data: GraphData, config: RunConfig, seed: int, fold: int) -> Unit:
    """A unit of classification; baselines have no settings of a network."""
    if method in BASELINES:
        return Unit(data, method, None, seed, fold)
    own = replace(config, model=model_of(method, config.model))
    return Unit(data, method, own, seed, fold)


def _split_files(folder: Path) -> dict[str, str]:
    files = sorted((folder / "splits").glob("*.json"))
    return {path.relative_to(folder).as_posix(): sha256_file(path) for path in files}


# ---------------------------------------------------------------------- pairs and triplets


def _of_examples(names: Sequence[str], data: Sequence[Data], config: RunConfig) -> list[Unit]:
    """Units of every method and seed."""
    units = []
    for name in names:
        for each in data:
            assert not isinstance(each, GraphData)
            if name in (*METHODS, *PAIR_METHODS):
                own = replace(config, model=replace(config.model, pooler=name))
                units.append(Unit(each, name, own, each.seed))
            # Without training, seeds of one published split are all the same.
            elif each == data[0] or getattr(each, "split", "") != "published":
                units.append(Unit(each, name, None, each.seed))
    return units


def drawn_pairs(config: RunConfig, seeds: Sequence[int]) -> list[PairData]:
    """Pairs of each seed."""
    if config.compare.pairs or not is_matching_name(config.data):
        raise ConfigError(
            f"{config.data}: methods are compared on pairs that are drawn, such as "
            "matching-balanced-hard-20; for pairs of your own: graphpool train --task matching "
            "--pairs FILE.csv, once for each method"
        )
    name, wanted = parse_matching_name(config.data), config.compare
    drawn: dict[str, Any] = vars(name)
    return [
        PairData(
            **drawn, train=wanted.examples, valid=wanted.valid, test=wanted.test, seed=seed,
        )
        for seed in seeds
    ]  # fmt: skip


def _triplets(
    config: RunConfig, seeds: Sequence[int], sources: Path, folder: Path, root: Any
) -> list[TripletData]:
    """Triplets of each seed; distances that have to be computed are kept in the folder."""
    graphs, split, test = open_similar(config.data, root), config.compare.split, None
    if split == "published" and not has_split(config.data, root):
        split = "graphs"
        log.warning("%s has no published split: its graphs are split at random, 8:1:1", graphs.name)
    if split == "published":
        named = Path(config.data) if is_path(config.data) else config.data
        test = np.isin(np.arange(len(graphs)), datasets.published_split(named, root).test)
    true = known_distances(graphs, config.data, config.compare.distances, root)
    if true is None:
        folder.mkdir(parents=True, exist_ok=True)
        true = computed_distances(graphs, folder / DISTANCES)
    known = Distances(graphs.name, graphs.ids, true.values, is_test=test)
    digest, wanted = add_source(sources, graphs, known), config.compare
    return [
        TripletData(graphs.name, digest, wanted.examples, wanted.valid, split, seed)
        for seed in seeds
    ]
