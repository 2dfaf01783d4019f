"""Methods side by side on one set, for every task: `graphpool evaluate` and `gp.evaluate`."""

import logging
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from graphpool.config import (
    RunConfig,
    defaults_for,
    resolve_model,
    resolve_shared,
    to_dict,
    with_gates,
)
from graphpool.data import load as datasets
from graphpool.data.catalogue import is_path
from graphpool.data.molecules.published import published_metric
from graphpool.data.pairs.distances import Distances
from graphpool.data.synthetic.matching.names import is_matching_name, parse_matching_name
from graphpool.data.true_distances import (
    computed_distances,
    has_split,
    known_distances,
    open_similar,
)
from graphpool.errors import ConfigError, GraphpoolError, warn
from graphpool.evaluation.protocols import (
    Protocol,
    bound,
    default_split,
    find_protocol,
    splits_for,
)
from graphpool.experiments.engine import run_units
from graphpool.experiments.example_files import Graphs, add_source
from graphpool.experiments.examples import Data, GraphData, PairData, TripletData
from graphpool.experiments.executor import Executor, LocalExecutor
from graphpool.experiments.machine import command_line, machine, provenance, usable_cores
from graphpool.experiments.methods import check_methods, model_of, registered_here
from graphpool.experiments.records import Record, RecordFile
from graphpool.experiments.results import (
    RECORDS,
    ExperimentResult,
    Failure,
    SetFacts,
    write_results,
)
from graphpool.experiments.shared_gpu import shared_gpu
from graphpool.experiments.tables import write_table
from graphpool.experiments.unit import Unit
from graphpool.features.pipeline import FeaturePipeline, automatic, has_edge_features
from graphpool.files import scratch_folder, sha256_file
from graphpool.graphs.graphset import GraphSet
from graphpool.locks import folder_lock
from graphpool.nn.zoo.build import edges_unused
from graphpool.tasks import find_task, task_of_graphs
from graphpool.tasks.graph_task import GraphTask

log = logging.getLogger(__name__)

SEEDS = 3
DISTANCES = "distances.ged"


def evaluate(
    data: GraphSet | str,
    methods: Iterable[str] = ("hap", "sum"),
    protocol: Protocol | str | None = None,
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
    split: str | None = None,
) -> ExperimentResult:
    """Compare methods: train each on every split or from every seed, and test it once.

    The folder gets `records.jsonl`, `results.json` and `results.md`. Units that it already holds,
    with the same settings and the same set, are not run again, so a run that was stopped goes on
    where it was. A unit that fails is reported and the others go on. SIGINT and SIGTERM raise
    `Interrupted`; what is finished stays.

    Args:
        data: a set of graphs, or the name of one or its file. `config.task` says what is asked:
            for `matching` it is the name of pairs that are drawn, for `similarity` that of a set
            of graphs. Features are fitted on training graphs; an `x` that the graphs bring is
            used, and one that `load` made is not.
        methods: poolers, networks for pairs, or baselines; the first is what the others are
            compared with.
        protocol: of tasks over single graphs: how the set is split, as `split` has it, or one of
            your own.
        seeds: how many, or which; by default those of the protocol, or three.
        config: settings of all networks; `model.pooler` is replaced by each method, and what is
            left open is resolved for the whole set. By default they are of the task that the
            graphs pose: classes, numbers or labels to predict.
        folder: one set, one folder.
        baselines: put the task's standard baselines beside them.
        jobs: processes; by default as many as there are cores. 1 starts no process. A pooler that
            was registered in this process always runs in it.
        executor: what runs the units, instead of processes on this machine.
        minutes: no unit is begun later than this.
        root: folder of data files.
        progress: show a bar if stderr is a terminal.
        command: what to write into the results as the way to repeat them.
        finished: called with every unit that is finished or has failed.
        split: the same as `protocol`: `published`, `scaffold`, `cv10`, `random`, `group:NAME` or
            another of `graphpool list splits`, or a file of splits. By default that of
            `config.split`, else `published` where the set brings a split, else `cv10`.
    """
    config, folder = config or _settings_for(data, root), Path(folder)
    if split is not None:
        if protocol is not None:
            raise ConfigError("protocol and split mean the same; give one of them")
        config = replace(config, split=split)
    command = command_line() if command is None else command
    task = find_task(config.task)
    names = [*methods, *(task.standard_baselines() if baselines else ())]
    names = list(check_methods(names, config.task))
    for name in names:
        if name in task.methods():
            task.check_settings(replace(config, model=model_of(name, config.model)))
    # All networks share what is open about encoders: as hap has it, if it is among them.
    networks = [name for name in names if name in task.methods()]
    leading = "hap" if "hap" in networks else next(iter(networks), config.model.pooler)
    config = replace(config, model=replace(config.model, pooler=leading))
    cores = usable_cores() if jobs is None else jobs
    if registered_here(names):
        cores = min(cores, 1)
    executor = executor or LocalExecutor(cores)
    if (folder / "units").is_dir() and not (folder / RECORDS).exists():
        warn(
            f"{folder} holds results of graphpool 0.1.0, which are not read; use another folder to "
            "keep them apart"
        )
    with folder_lock(folder), scratch_folder() as sources:
        wanted = _Wanted(data, config, protocol, seeds, folder, sources, root)
        drawn, about = _OPEN[task.noun](wanted)
        called, config = about.pop("name", str(data)), about.pop("config")
        with shared_gpu(config.train.device, cores):
            outcome = run_units(
                _units(names, drawn, config), RecordFile(folder / RECORDS, called),
                executor=executor, sources=wanted.sources, minutes=minutes, progress=progress,
                command=command, finished=finished,
            )  # fmt: skip
        if "protocol" in about:
            about["splits"] = _split_files(folder)
        result = ExperimentResult(
            task=config.task,
            data=called,
            methods=tuple(names),
            seeds=tuple(dict.fromkeys(seed for _, seed, _ in drawn)),
            units=outcome.records,
            failures=tuple(
                Failure(unit.method, unit.seed, unit.fold, error)
                for unit, error in outcome.failures.items()
            ),
            config=to_dict(config),
            machine=machine(config.train.device),
            versions=provenance(),
            command=command,
            **about,
        )
        write_results(result, folder)
        write_table(result, folder)
    return result


def _settings_for(data: GraphSet | str, root: str | Path | None) -> RunConfig:
    """Return the settings of the task that graphs pose by what they have."""
    if isinstance(data, str):
        if is_matching_name(data):
            return RunConfig()
        data = datasets.find(data, root, features=None)
    task = task_of_graphs(data)
    return RunConfig() if task == RunConfig.task else defaults_for(task)


def check_evaluation(
    sets: Iterable[str],
    methods: Iterable[str],
    protocol: Protocol | str | None = None,
    config: RunConfig | None = None,
    root: Path | None = None,
) -> None:
    """Raise an error for a method, protocol or set that `evaluate` would refuse.

    Before hours are spent on the sets before it.
    """
    config = config or RunConfig()
    check_methods(methods, config.task)
    noun = find_task(config.task).noun
    if noun == "graphs" and isinstance(protocol, str):
        find_protocol(protocol)
    for data in sets:
        if noun == "graphs":
            graphs = _graph_task(config).open_training(data, root)
            splits_for(bound(_protocol(protocol, config, graphs), graphs), graphs, 0)
            continue
        _check_no_split(config)
        if noun == "pairs":
            drawn_pairs(replace(config, data=data), [0])
        else:
            known_distances(open_similar(data, root), data, config.compare.distances, root)


def _protocol(
    protocol: Protocol | str | None, config: RunConfig, graphs: GraphSet
) -> Protocol | str:
    """How a set is split."""
    if protocol is not None and config.split:
        raise ConfigError("--split and --protocol mean the same; give one of them")
    return protocol or config.split or default_split(graphs) or "cv10"


def _graph_task(config: RunConfig) -> type[GraphTask]:
    task = find_task(config.task)
    assert issubclass(task, GraphTask)
    return task


def _numbers(seeds: int | Sequence[int] | None, usual: tuple[int, ...]) -> tuple[int, ...]:
    if seeds is None:
        return usual
    numbers = tuple(range(seeds)) if isinstance(seeds, int) else tuple(dict.fromkeys(seeds))
    if not numbers:
        raise ConfigError("an experiment needs at least one seed")
    return numbers


def _check_no_split(config: RunConfig) -> None:
    if config.split:
        raise ConfigError(
            f"--split {config.split}: the examples of --task {config.task} are drawn for each "
            "seed; for a split of your own: graphpool train --split FILE, once for each method"
        )


_Drawn = tuple[Data, int, int]
"""Examples, seed and fold of a unit."""


@dataclass(frozen=True)
class _Wanted:
    """Arguments of `evaluate` that decide the examples, and where to put their graphs."""

    data: GraphSet | str
    config: RunConfig
    protocol: Protocol | str | None
    seeds: int | Sequence[int] | None
    folder: Path
    sources: Path
    root: Any

    def named(self) -> tuple[RunConfig, tuple[int, ...]]:
        """Settings with the name of the data, and seeds; for data that are drawn."""
        if isinstance(self.data, GraphSet):
            raise ConfigError(
                f"for the task {self.config.task} give the name of the data, or a file of graphs"
            )
        _check_no_split(self.config)
        numbers = _numbers(self.seeds, tuple(range(SEEDS)))
        config = replace(self.config, data=self.data)
        return config, tuple(config.train.seed + number for number in numbers)


def _units(names: Sequence[str], drawn: Sequence[_Drawn], config: RunConfig) -> list[Unit]:
    """Units of every method and of all examples."""
    return [
        unit_of(name, data, config, seed, fold)
        for name in names
        for data, seed, fold in drawn
        # Without training, seeds of one published split are all the same.
        if name in find_task(config.task).methods()
        or getattr(data, "split", "") != "published"
        or data == drawn[0][0]
    ]


def unit_of(method: str, data: Data, config: RunConfig, seed: int, fold: int = 0) -> Unit:
    """Return a unit; baselines have no settings of a network."""
    if method in find_task(data.task).baselines():
        return Unit(data, method, None, seed, fold)
    model = resolve_model(model_of(method, config.model))
    return Unit(data, method, replace(config, model=model), seed, fold)


# ---------------------------------------------------------------------- examples of every kind


def _open_graphs(wanted: _Wanted) -> tuple[list[_Drawn], dict[str, Any]]:
    """Splits of a set by a protocol, and facts about the set."""
    given = wanted.data
    task = _graph_task(wanted.config)
    graphs = (task.open_training if isinstance(given, str) else task.open_set)(given, wanted.root)
    config = resolve_shared(
        wanted.config, has_edge_features(graphs), published_metric(graphs.notes)
    )
    protocol = bound(_protocol(wanted.protocol, config, graphs), graphs)
    if graphs.x_from:
        log.info("%s: its features are not used; every split fits its own", graphs.name)
    digest = add_source(wanted.sources, graphs.name, graphs)
    splits = str((wanted.folder / "splits").absolute())
    auto = automatic(graphs)
    data = GraphData(graphs.name, protocol, digest, splits, task=config.task, auto=auto)
    opened, seeds = Graphs(data, graphs), _numbers(wanted.seeds, protocol.seeds)
    # Written now: a set that does not fit them is refused before any unit.
    splits_of = [opened.split(seed, 0) for seed in seeds]
    config = with_gates(config, len(splits_of[0].train))
    drawn: list[_Drawn] = [(data, seed, fold) for seed in seeds for fold in range(protocol.folds)]
    about: dict[str, Any] = {
        "name": graphs.name,
        "config": config,
        "protocol": protocol,
        "facts": SetFacts.of(graphs, digest),
    }
    with suppress(GraphpoolError):  # features that don't fit are reported by each unit
        about["features"] = _features(config, graphs)
    return drawn, about


def _features(config: RunConfig, graphs: GraphSet) -> dict[str, Any]:
    return FeaturePipeline(config.features, edges_unused(config.model)).fit(graphs).about()


def _split_files(folder: Path) -> dict[str, str]:
    files = sorted((folder / "splits").glob("*.json"))
    return {path.relative_to(folder).as_posix(): sha256_file(path) for path in files}


def _open_pairs(wanted: _Wanted) -> tuple[list[_Drawn], dict[str, Any]]:
    config, seeds = wanted.named()
    drawn: list[_Drawn] = [(data, data.seed, 0) for data in drawn_pairs(config, seeds)]
    features = {"used": [config.features], "unused": []}
    return drawn, {"config": resolve_shared(wanted.config), "features": features}


def drawn_pairs(config: RunConfig, seeds: Sequence[int]) -> list[PairData]:
    """Pairs of each seed."""
    if config.compare.pairs or not is_matching_name(config.data):
        raise ConfigError(
            f"{config.data}: methods are compared on pairs that are drawn, such as "
            "matching-balanced-hard-20; for pairs of your own: graphpool train --task matching "
            "--pairs FILE.csv, once for each method"
        )
    asked, name = config.compare, parse_matching_name(config.data)
    counts = {"train": asked.examples, "valid": asked.valid, "test": asked.test}
    drawn: dict[str, Any] = {**vars(name), **counts}
    return [PairData(**drawn, seed=seed) for seed in seeds]


def _open_triplets(wanted: _Wanted) -> tuple[list[_Drawn], dict[str, Any]]:
    """Triplets of each seed; distances that have to be computed are kept in the folder."""
    (config, seeds), root, test = wanted.named(), wanted.root, None
    graphs, split = open_similar(config.data, root), config.compare.split
    if split == "published" and not has_split(config.data, root):
        split = "graphs"
        warn(f"{graphs.name} has no published split: its graphs are split at random, 8:1:1")
    if split == "published":
        named = Path(config.data) if is_path(config.data) else config.data
        test = np.isin(np.arange(len(graphs)), datasets.published_split(named, root).test)
    true = known_distances(graphs, config.data, config.compare.distances, root)
    if true is None:
        true = computed_distances(graphs, wanted.folder / DISTANCES)
    known = Distances(graphs.name, graphs.ids, true.values, is_test=test)
    digest, asked = add_source(wanted.sources, graphs.name, graphs, known), config.compare
    first = TripletData(
        graphs.name, digest, asked.examples, asked.valid, split, auto=automatic(graphs)
    )
    drawn: list[_Drawn] = [(replace(first, seed=seed), seed, 0) for seed in seeds]
    config = resolve_shared(wanted.config, has_edge_features(graphs))
    return drawn, {"config": config, "features": _features(config, graphs)}


# What examples are called, by `Task.noun`, and how they are opened.
_OPEN: dict[str, Callable[[_Wanted], tuple[list[_Drawn], dict[str, Any]]]] = {
    "graphs": _open_graphs,
    "pairs": _open_pairs,
    "triplets": _open_triplets,
}
