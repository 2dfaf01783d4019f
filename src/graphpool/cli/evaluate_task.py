"""`graphpool evaluate --task matching|similarity`: methods that compare graphs, side by side."""

import math
import tempfile
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from graphpool.cli.data_arguments import file_name
from graphpool.cli.experiment import stopping
from graphpool.cli.output import plural, print_json, print_line, print_status, print_table
from graphpool.cli.run_folder import DISTANCES, REPORT
from graphpool.config import RunConfig
from graphpool.errors import ConfigError, nearest
from graphpool.files import write_json

if TYPE_CHECKING:
    from graphpool.experiments.comparison_data import Data
    from graphpool.experiments.comparison_unit import ComparisonUnit, Record
    from graphpool.experiments.comparisons import Compared

SEEDS = 3
FILE = "results.json"
_MATCHING = {"accuracy": "accuracy, %", "auc": "AUC, %", "f1": "F1, %"}
_RANKING = {
    "accuracy": "triplets, %", "spearman": "Spearman", "kendall": "Kendall",
    "precision@10": "p@10", "precision@20": "p@20",
}  # fmt: skip
_PERCENT = (*_MATCHING,)


def evaluate_task(
    run: RunConfig,
    sets: Sequence[str],
    methods: Sequence[str],
    *,
    seeds: int | None = None,
    jobs: int | None = None,
    baselines: bool = True,
    out: Path | None = None,
    root: Path | None = None,
    report: bool = False,
    json: bool = False,
) -> None:
    """Train every method on every set from every seed, and print what they reach.

    Args:
        run: settings of all networks; its task is matching or similarity.
        sets: names of pairs that are drawn (matching), or sets of graphs (similarity).
        methods: poolers, or networks for pairs.
        baselines: put rules and, for similarity, approximate edit distances beside them.
        report: write a page, too.
    """
    from graphpool.experiments.machine import usable_cores

    _check_methods(methods, run.task)
    for data in sets:
        _check_set(replace(run, data=data), root)
    documents, failed = [], False
    with stopping():
        for data in sets:
            folder = _folder(out, data, run.task, many=len(sets) > 1)
            cores = usable_cores() if jobs is None else jobs
            count = SEEDS if seeds is None else seeds
            what = plural(len(dict.fromkeys(methods)), "method")
            print_status(f"{data}: {what} from {plural(count, 'seed')}, in {folder}")
            found = _compare(
                replace(run, data=data), methods, count, cores, baselines, folder, root
            )
            failed |= bool(found.failures)
            document = _document(run, data, found, folder)
            write_json(folder / FILE, document)
            documents.append(document)
            if report:
                _write_page(document, folder)
            if not json:
                _print(document)
                print_line(f"Written to {folder}: {FILE}{f', {REPORT}' if report else ''}")
    if json:
        print_json({"results": documents})
    if failed:
        raise typer.Exit(1)


def _folder(out: Path | None, data: str, task: str, many: bool) -> Path:
    if out is None:
        name = file_name(data)
        return Path("runs") / f"evaluation-{name if name.startswith(task) else f'{name}-{task}'}"
    return out / file_name(data) if many else out


def _check_methods(methods: Sequence[str], task: str) -> None:
    from graphpool.nn.zoo.build import METHODS
    from graphpool.nn.zoo.pairs import PAIR_METHODS

    known = (*METHODS, *PAIR_METHODS)
    for name in methods:
        if name not in known and name in _rules(task):
            raise ConfigError(
                f"{name} learns nothing and stands beside the methods without being named; leave "
                "it out of --methods"
            )
        if name not in known:
            raise ConfigError(f"unknown method {name!r}; {nearest(name, known)}")
    if not methods:
        raise ConfigError(f"no method to evaluate; choose among {', '.join(known)}")


def _check_set(run: RunConfig, root: Path | None) -> None:
    """Refuse a misspelt set before hours are spent on those before it."""
    if run.task == "matching":
        _pairs(run, 1)
    else:
        from graphpool.tasks.similarity_data import known_distances, open_similar

        graphs = open_similar(run.data, root)
        known_distances(graphs, run.data, run.compare.distances, root)


def _compare(
    run: RunConfig,
    methods: Sequence[str],
    seeds: int,
    jobs: int,
    baselines: bool,
    folder: Path,
    root: Path | None,
) -> "Compared":
    """Run all units of one set."""
    from graphpool.experiments.comparison_unit import ComparisonUnit
    from graphpool.experiments.comparisons import run_comparisons

    with tempfile.TemporaryDirectory(prefix="graphpool-") as place:
        sources = Path(place)
        data = (
            _pairs(run, seeds)
            if run.task == "matching"
            else _triplets(run, seeds, sources, folder, root)
        )
        units = [
            ComparisonUnit(name, each, replace(run, model=replace(run.model, pooler=name)))
            for name in dict.fromkeys(methods)
            for each in data
        ]
        # Without training, seeds of one published split are all the same.
        once = [each for each in data if each.seed == data[0].seed or not _published(each)]
        if baselines:
            units += [ComparisonUnit(name, each) for name in _rules(run.task) for each in once]
        return run_comparisons(units, folder / "units", jobs=jobs, sources=sources, finished=_say)


def _rules(task: str) -> tuple[str, ...]:
    """What stands beside the methods: rules that compare one thing, approximate edit distances."""
    if task == "matching":
        from graphpool.data.synthetic.matching.rules import RULES as MATCHING

        return tuple(MATCHING)
    from graphpool.evaluation.baselines.distances import EDIT_METHODS, RULES

    return (*EDIT_METHODS, *RULES)


def _pairs(run: RunConfig, seeds: int) -> "Sequence[Data]":
    """Pairs of each seed."""
    from graphpool.data.synthetic.matching.names import is_matching_name, parse_matching_name
    from graphpool.experiments.comparison_data import PairData

    if run.compare.pairs or not is_matching_name(run.data):
        raise ConfigError(
            f"{run.data}: methods are compared on pairs that are drawn, such as "
            "matching-balanced-hard-20; for pairs of your own: graphpool train --task matching "
            "--pairs FILE.csv, once for each method"
        )
    name, wanted = parse_matching_name(run.data), run.compare
    drawn: dict[str, Any] = vars(name)
    return [
        PairData(
            **drawn, train=wanted.examples, valid=wanted.valid, test=wanted.test,
            seed=run.train.seed + seed,
        )
        for seed in range(seeds)
    ]  # fmt: skip


def _triplets(
    run: RunConfig, seeds: int, sources: Path, folder: Path, root: Path | None
) -> "Sequence[Data]":
    """Triplets of each seed; distances that have to be computed are kept in the folder."""
    from graphpool.data.catalogue import is_path
    from graphpool.data.load import published_split
    from graphpool.data.pairs.distances import Distances
    from graphpool.experiments.comparison_data import TripletData, add_source
    from graphpool.tasks.similarity_data import (
        computed_distances,
        has_split,
        known_distances,
        open_similar,
    )

    graphs, split, test = open_similar(run.data, root), run.compare.split, None
    if split == "published" and not has_split(run.data, root):
        split = "graphs"
        print_status(
            f"{graphs.name} has no published split: its graphs are parted at random, 8:1:1"
        )
    if split == "published":
        import numpy as np

        named = Path(run.data) if is_path(run.data) else run.data
        test = np.isin(np.arange(len(graphs)), published_split(named, root).test)
    true = known_distances(graphs, run.data, run.compare.distances, root)
    if true is None:
        folder.mkdir(parents=True, exist_ok=True)
        true = computed_distances(graphs, folder / DISTANCES)
    known = Distances(graphs.name, graphs.ids, true.values, is_test=test)
    digest, wanted = add_source(sources, graphs, known), run.compare
    return [
        TripletData(
            graphs.name, digest, wanted.examples, wanted.valid, split, run.train.seed + seed
        )
        for seed in range(seeds)
    ]  # fmt: skip


def _published(data: "Data") -> bool:
    return getattr(data, "split", "") == "published"


def _say(unit: "ComparisonUnit", outcome: Any) -> None:
    from graphpool.experiments.process_pool import Failed

    if isinstance(outcome, Failed):
        print_status(f"{unit} failed: {outcome.error}")
        return
    reached = ", ".join(f"{100 * one['accuracy']:.1f} %" for one in outcome["metrics"].values())
    print_status(f"{unit}: {reached} in {sum(outcome['seconds'].values()):.1f} s")


def _document(run: RunConfig, data: str, found: "Compared", folder: Path) -> dict[str, Any]:
    """Mean and standard deviation over seeds of every number, and the results themselves."""
    methods: dict[str, list[Record]] = {}
    for record in found.records:
        methods.setdefault(record["method"], []).append(record)
    return {
        "task": run.task,
        "data": data,
        "folder": str(folder),
        "methods": {name: _summary(records) for name, records in methods.items()},
        "failures": {str(unit): error for unit, error in found.failures.items()},
        "results": list(found.records),
    }


def _summary(records: "Sequence[Record]") -> dict[str, Any]:
    """Of one method; of several sizes that are tested, each by itself."""
    import statistics

    tested = {}
    for name in records[0]["metrics"]:
        values: dict[str, list[float]] = {}
        for record in records:
            for key, value in record["metrics"][name].items():
                known = values.setdefault(key, [])
                # Such as a precision at 20 with fewer candidates.
                if value is not None and math.isfinite(value):
                    known.append(value)
        tested[name] = {
            key: {
                "mean": statistics.fmean(found) if found else None,
                "deviation": statistics.stdev(found) if len(found) > 1 else None,
            }
            for key, found in values.items()
        }
    seconds = statistics.fmean(sum(record["seconds"].values()) for record in records)
    return {"kind": records[0]["kind"], "seeds": len(records), "tested": tested, "seconds": seconds}


def _write_page(document: dict[str, Any], folder: Path) -> None:
    from graphpool.cli.report_methods import methods_page
    from graphpool.experiments.engine import command_line
    from graphpool.report.page import write_page

    columns = _columns(document)
    write_page(methods_page(document, columns, _cell, command_line()), folder / REPORT)


def _columns(document: dict[str, Any]) -> dict[str, str]:
    return _MATCHING if document["task"] == "matching" else _RANKING


def _print(document: dict[str, Any]) -> None:
    """One table for each size of pairs, or for the ranking."""
    columns, methods = _columns(document), document["methods"]
    tests = dict.fromkeys(name for one in methods.values() for name in one["tested"])
    for test in tests:
        nodes = f", {test} nodes" if document["task"] == "matching" else ""
        print_line(f"{document['data']}{nodes}\n")
        rows = [
            (name, one["kind"], *(_cell(one["tested"][test].get(key), key) for key in columns),
             f"{one['seconds']:.1f}")
            for name, one in methods.items()
        ]  # fmt: skip
        right = (*columns.values(), "seconds")
        print_table(("method", "kind", *right), rows, right=right)
        print_line()
    for unit, error in document["failures"].items():
        print_line(f"failed: {unit}: {error}")
    if any(one["seeds"] > 1 for one in methods.values()):
        print_line("Mean ± standard deviation over seeds.")


def _cell(value: dict[str, float | None] | None, key: str) -> str:
    """`93.20 ± 0.41`; of a single seed there is no deviation."""
    if value is None or value["mean"] is None:
        return "–"
    factor, digits = (100, 2) if key in _PERCENT else (1, 3)
    known = (factor * each for each in (value["mean"], value["deviation"]) if each is not None)
    return " ± ".join(f"{each:.{digits}f}" for each in known)
