"""`matrix`: edit distances of all or chosen pairs of a collection, on all cores and resumable."""

import json
import time
from collections.abc import Mapping
from contextlib import nullcontext
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

import graphpool
from graphpool.errors import DataError, check_type, check_whole, plural
from graphpool.ged.array_file import digest
from graphpool.ged.collection import Collection, collect
from graphpool.ged.costs import Costs
from graphpool.ged.duplicates import first_of, identical, isomorphic
from graphpool.ged.ignored import warn_not_counted
from graphpool.ged.matrix_file import DistanceMatrix, open_matrix
from graphpool.ged.methods.registry import Method, find_method
from graphpool.ged.pair import GedProblem, make_problem
from graphpool.ged.partial_results import PartialResults, SolvedPairs, difference, parts_folder
from graphpool.ged.result import Limits
from graphpool.ged.workers import Workers, count_cores
from graphpool.locks import file_lock
from graphpool.progress import ProgressBar

Pairs = NDArray[np.int64]


def matrix(
    graphs: Any,
    method: str = "exact",
    costs: Costs | None = None,
    jobs: int | None = None,
    pairs: ArrayLike | None = None,
    time_limit: float | None = None,
    max_nodes_expanded: int | None = None,
    node_label: str = "label",
    edge_label: str = "label",
    edge_labels: bool = True,
    out: str | Path | None = None,
    overwrite: bool = False,
    progress: bool = False,
) -> DistanceMatrix:
    """Compute the edit distances between the graphs of a collection.

    Isomorphic graphs are computed once and have distance 0 from each other; for methods that only
    find some edit path, whose cost depends on the order of the nodes, that holds for graphs with
    the same order. If costs are the same in both directions, so is the matrix, and each pair is
    computed once.

    With `out`, finished pairs are saved beside that file, in `OUT.parts`, and a call with the
    same arguments continues from there, whatever stopped the first. A finished file with the same
    settings is read and not computed again.

    Args:
        graphs: a `GraphSet`, or a sequence of its graphs, of NetworkX graphs or of
            (labels, edges).
        method: a name in `METHODS`.
        costs: cost of each edit; 1 each by default.
        jobs: number of threads; one per core by default.
        pairs: `[pairs, 2]`, numbers of the graphs to compare; all pairs by default.
        time_limit: seconds for one pair, after which "exact" and "astar" return the bounds found
            so far; the other methods take polynomial time and need no limit.
        max_nodes_expanded: number of partial mappings of one pair after which they do so.
        node_label, edge_label: attributes that hold the labels in NetworkX graphs.
        edge_labels: whether labels of edges count.
        out: file to write.
        overwrite: replace `out` and its parts, also if they have other settings.
        progress: show a bar on stderr, if that is a terminal.
    """
    if jobs is not None:
        check_whole("jobs", jobs, 1, 4096)
    if out is not None:
        check_type("out", out, (str, Path), "the name of a file")
    chosen, costs = find_method(method), Costs() if costs is None else costs
    check_type("overwrite and progress", overwrite or progress, bool, "True or False")
    collection = collect(graphs, node_label, edge_label, edge_labels)
    warn_not_counted(graphs, node_label, edge_label)
    problem = make_problem(collection, costs)
    classes = (identical if chosen.answer == "upper" else isomorphic)(collection)
    # Whether every edit costs as much as its reverse.
    symmetric = all(np.array_equal(table, table.T) for table in problem.tables[:2])
    asked = None if pairs is None else _checked(pairs, collection)
    work = _work(classes, asked, symmetric)
    limits = Limits(time_limit, max_nodes_expanded)
    names = [[repr(name) for name in of] for of in (collection.node_names, collection.edge_names)]
    settings = {
        "method": method,
        "costs": costs.to_dict(),
        "edge_labels": edge_labels,
        "time_limit": limits.seconds,
        "max_nodes_expanded": limits.expanded,
        "content": digest(*collection.arrays, list(collection.ids), names),
        "work": digest(classes, "all" if asked is None else asked),
    }
    # As read back from a file, where labels that JSON can't hold are strings.
    settings = json.loads(json.dumps(settings, default=str))
    parts = None
    if out is not None:
        if Path(out).is_dir():
            raise DataError.at(out, "is a folder", hint="give the name of a file")
        if Path(out).exists() and not overwrite:
            return _finished(Path(out), settings)
        parts = PartialResults(parts_folder(out), settings, len(work), overwrite)
    first = first_of(classes)
    jobs = jobs or count_cores()
    with nullcontext() if out is None else file_lock(out):
        bounds, seconds = _run(chosen, problem, first[work], limits, jobs, parts, progress)
        size = len(collection)
        counts = {
            "graphs": size,
            "classes": len(first),
            "pairs": size * (size - 1) // (1 + symmetric) if asked is None else len(asked),
            "solved": len(work),
            "proved": int((bounds[:, 0] == bounds[:, 1]).sum()),
        }
        header = {
            **settings,
            "scale": problem.tables.scale,
            "symmetric": symmetric,
            "counts": counts,
            "seconds": seconds,
            "graphpool": graphpool.__version__,
        }
        result = DistanceMatrix(collection.ids, classes, work, bounds, header)
        if out is not None and parts is not None:
            result.save(out)
            parts.remove()
    return result


def _run(
    method: Method,
    problem: GedProblem,
    pairs: Pairs,
    limits: Limits,
    jobs: int,
    parts: PartialResults | None,
    progress: bool,
) -> tuple[NDArray[np.int64], float]:
    """Return the bounds of all pairs, `[pairs, 2]`, and the seconds that all runs took."""
    bounds = np.zeros((len(pairs), 2), dtype=np.int64)
    missing = np.ones(len(pairs), dtype=bool)

    def record(piece: SolvedPairs) -> None:
        bounds[piece.position, 0], bounds[piece.position, 1] = piece.lower, piece.upper
        missing[piece.position] = False

    earlier, spent = parts.load() if parts is not None else ([], 0.0)
    for piece in earlier:
        record(piece)
    # Hard pairs are neighbours. In random order the time left can be estimated, and no core is
    # left alone with them.
    todo = np.random.default_rng(0).permutation(np.flatnonzero(missing))
    left = len(todo)
    began = time.perf_counter()
    bar = ProgressBar(len(pairs), len(pairs) - left, progress, before="pairs")
    workers = Workers(method.function, problem, pairs[todo], todo, limits, min(jobs, max(left, 1)))
    try:
        while left:
            pieces = workers.wait()
            for piece in pieces:
                record(piece)
            solved = sum(len(piece.position) for piece in pieces)
            left -= solved
            bar.advance(solved)
            bar.show_rate()
            if parts is not None and left:
                parts.add(pieces)
    except KeyboardInterrupt:
        raise KeyboardInterrupt(_stop(workers, parts, len(pairs), left)) from None
    except BaseException:
        workers.stop(patience=0.0)
        if parts is not None:
            parts.flush()
        raise
    finally:
        bar.close()
    return bounds, spent + time.perf_counter() - began


def _stop(workers: Workers, parts: PartialResults | None, total: int, left: int) -> str:
    """Save the finished pairs after Ctrl-C; return the message for the user."""
    if parts is None:
        workers.stop(patience=0.0)
        return "stopped; nothing is saved, because no output file was given"
    workers.stop(patience=1.5)
    pieces = workers.rest()
    parts.add(pieces)
    parts.flush()
    done = total - left + sum(len(piece.position) for piece in pieces)
    return (
        f"stopped; {done:,} of {plural(total, 'pair')} are saved in {parts.folder}: run the same "
        "command again to continue"
    )


def _checked(pairs: ArrayLike, graphs: Collection) -> Pairs:
    try:
        array = np.asarray(pairs)
    except (TypeError, ValueError, RuntimeError):
        raise DataError("pairs are no table of numbers; give integers [pairs, 2]") from None
    if array.size == 0:
        return np.empty((0, 2), dtype=np.int64)
    if array.ndim != 2 or array.shape[1] != 2 or array.dtype.kind not in "iu":
        raise DataError(f"pairs are {array.dtype} of shape {array.shape}; give integers [pairs, 2]")
    outside = (array < 0) | (array >= len(graphs))
    if outside.any():
        raise DataError(
            f"pair {int(outside.any(1).argmax())} names graph {array[outside][0]}; graphs are 0 to "
            f"{len(graphs) - 1}"
        )
    return array.astype(np.int64)


def _work(classes: NDArray[np.int64], asked: Pairs | None, symmetric: bool) -> Pairs:
    """Return the pairs of classes to solve, `[pairs, 2]`, each once and in ascending order."""
    size = int(classes.max(initial=-1)) + 1
    if asked is None:
        first, second = np.triu_indices(size, 1)
        if not symmetric:
            first, second = np.nonzero(~np.eye(size, dtype=bool))
        return np.stack([first, second], axis=1).astype(np.int64)
    of = classes[asked]
    if symmetric:
        of = np.sort(of, axis=1)
    return np.unique(of[of[:, 0] != of[:, 1]], axis=0)


def _finished(out: Path, settings: Mapping[str, Any]) -> DistanceMatrix:
    """Read the existing matrix if it has the same settings."""
    advice = "or overwrite it (overwrite=True, --overwrite)"
    try:
        existing = open_matrix(out)
    except DataError as error:
        raise DataError(f"{error}, {advice}") from None
    if any(existing.header.get(key) != value for key, value in settings.items()):
        problem = f"exists already, {difference(existing.header, settings)}"
        raise DataError.at(out, problem, hint=f"use another file, {advice}")
    return existing
