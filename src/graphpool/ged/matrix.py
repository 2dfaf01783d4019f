"""Edit distances of all pairs of a collection, or of chosen ones: on all cores, and resumable."""

import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from graphpool.errors import ConfigError, DataError
from graphpool.ged.array_file import digest
from graphpool.ged.collection import Collection, collect
from graphpool.ged.costs import Costs, Tables
from graphpool.ged.duplicates import first_of, identical, isomorphic
from graphpool.ged.matrix_file import DistanceMatrix, open_matrix, plain_json
from graphpool.ged.methods.registry import Method
from graphpool.ged.methods.registry import method as find_method
from graphpool.ged.pair import Task, make_task
from graphpool.ged.partial_results import Parts, Solved, difference, parts_folder
from graphpool.ged.result import Limits
from graphpool.ged.workers import Workers, count_cores
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
    """Edit distances between the graphs of a collection.

    Isomorphic graphs are computed once and are at distance 0 from each other; for methods that
    only find some edit path, whose length depends on the order of the nodes, that holds for
    graphs with the same order. Where costs are the same in both directions, so is the matrix,
    and each pair is computed once.

    With `out`, what is done is kept beside that file, in `OUT.parts`, and a call with the same
    arguments goes on from there, whatever stopped the first. A finished file of the same
    settings is read, not computed again.

    Args:
        graphs: a `GraphSet`, or a sequence of its graphs, of NetworkX graphs or of
            (labels, edges).
        method: a name of `METHODS`.
        costs: what each edit costs; 1 each by default.
        jobs: threads; all cores by default.
        pairs: `[pairs, 2]`, numbers of the graphs to be compared; all pairs by default.
        time_limit: seconds for one pair, after which its bounds are kept as they are (by "exact"
            and "astar"; the other methods take polynomial time).
        max_nodes_expanded: partial mappings for one pair, likewise.
        node_label, edge_label: attributes that hold the labels in NetworkX graphs.
        edge_labels: whether labels of edges count.
        out: file to write.
        overwrite: replace what `out` and its parts hold of other settings, and compute a
            finished matrix again.
        progress: show a bar on stderr, if that is a terminal.
    """
    if jobs is not None and jobs < 1:
        raise ConfigError(f"jobs is {jobs}; give at least 1, or leave it out for all cores")
    chosen, costs = find_method(method), costs or Costs()
    collection = collect(graphs, node_label, edge_label, edge_labels)
    task = make_task(collection, costs)
    classes = (identical if chosen.answer == "upper" else isomorphic)(collection)
    symmetric = _symmetric(task.tables)
    asked = None if pairs is None else _checked(pairs, collection)
    work = _work(classes, asked, symmetric)
    limits = Limits(time_limit, max_nodes_expanded)
    settings = _settings(collection, chosen, costs, limits, edge_labels, classes, asked)
    parts = None
    if out is not None:
        if Path(out).is_dir():
            raise DataError.at(out, "a folder", hint="name a file to write")
        if Path(out).exists() and not overwrite:
            return _finished(Path(out), settings)
        parts = Parts(parts_folder(out), settings, len(work))
    first = first_of(classes)
    bounds, seconds = _run(
        chosen, task, first[work], limits, jobs or count_cores(), parts, overwrite, progress
    )
    counts = {
        "graphs": len(collection),
        "classes": len(first),
        "pairs": _asked(len(collection), asked, symmetric),
        "solved": len(work),
        "proved": int((bounds[:, 0] == bounds[:, 1]).sum()),
    }
    header = {
        **settings,
        "scale": task.tables.scale,
        "symmetric": symmetric,
        "counts": counts,
        "seconds": seconds,
        "graphpool": _version(),
    }
    made = DistanceMatrix(collection.ids, classes, work, bounds, header)
    if out is not None and parts is not None:
        made.save(out)
        parts.remove()
    return made


def _run(
    method: Method,
    task: Task,
    pairs: Pairs,
    limits: Limits,
    jobs: int,
    parts: Parts | None,
    overwrite: bool,
    progress: bool,
) -> tuple[NDArray[np.int64], float]:
    """Bounds of all pairs, `[pairs, 2]`, and the seconds they took, in all runs together."""
    bounds = np.zeros((len(pairs), 2), dtype=np.int64)
    missing = np.ones(len(pairs), dtype=bool)

    def record(piece: Solved) -> None:
        bounds[piece.position, 0], bounds[piece.position, 1] = piece.lower, piece.upper
        missing[piece.position] = False

    earlier, spent = parts.load(overwrite) if parts is not None else ([], 0.0)
    for piece in earlier:
        record(piece)
    todo = np.flatnonzero(missing)
    # Hard pairs lie together; in any other order all stretches take equally long, so that the
    # time left can be told, and no core is left alone with them.
    todo = np.random.default_rng(0).permutation(todo)
    left = len(todo)
    began = time.perf_counter()
    bar = ProgressBar(len(pairs), len(pairs) - left, progress, before="pairs")
    workers = Workers(method.solve, task, pairs[todo], todo, limits, min(jobs, max(left, 1)))
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


def _stop(workers: Workers, parts: Parts | None, total: int, left: int) -> str:
    """Keep what is done after Ctrl-C; what to tell the user."""
    if parts is None:
        workers.stop(patience=0.0)
        return "stopped; nothing is kept, as no file was named"
    workers.stop(patience=1.5)
    pieces = workers.rest()
    parts.add(pieces)
    parts.flush()
    done = total - left + sum(len(piece.position) for piece in pieces)
    return (
        f"stopped; {done:,} of {total:,} pairs are kept in {parts.folder}: give the same command "
        "again to go on"
    )


def _checked(pairs: ArrayLike, graphs: Collection) -> Pairs:
    made = np.asarray(pairs)
    if made.size == 0:
        return np.empty((0, 2), dtype=np.int64)
    if made.ndim != 2 or made.shape[1] != 2 or made.dtype.kind not in "iu":
        raise DataError(
            f"pairs are {made.dtype} of shape {made.shape}; give whole numbers [pairs, 2]"
        )
    outside = (made < 0) | (made >= len(graphs))
    if outside.any():
        raise DataError(
            f"pair {int(outside.any(1).argmax())} names graph {made[outside][0]}; graphs are 0 to "
            f"{len(graphs) - 1}"
        )
    return made.astype(np.int64)


def _work(classes: NDArray[np.int64], asked: Pairs | None, symmetric: bool) -> Pairs:
    """Pairs of classes to be solved, `[pairs, 2]`, each once and in ascending order."""
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


def _asked(graphs: int, asked: Pairs | None, symmetric: bool) -> int:
    if asked is not None:
        return len(asked)
    return graphs * (graphs - 1) // (2 if symmetric else 1)


def _symmetric(tables: Tables) -> bool:
    """Whether every edit costs as much as its opposite."""
    return all(np.array_equal(table, table.T) for table in (tables.node, tables.edge))


def _settings(
    graphs: Collection,
    method: Method,
    costs: Costs,
    limits: Limits,
    edge_labels: bool,
    classes: NDArray[np.int64],
    asked: Pairs | None,
) -> dict[str, Any]:
    """All that decides the result, as JSON gives it back."""
    named = [[repr(name) for name in names] for names in (graphs.node_names, graphs.edge_names)]
    made: dict[str, Any] = plain_json(
        {
            "method": method.name,
            "costs": costs.to_dict(),
            "edge_labels": edge_labels,
            "time_limit": limits.seconds,
            "max_nodes_expanded": limits.expanded,
            "content": digest(*graphs.arrays, list(graphs.ids), named),
            "work": digest(classes, "all" if asked is None else asked),
        }
    )
    return made


def _finished(out: Path, settings: Mapping[str, Any]) -> DistanceMatrix:
    """The matrix that is there already, if it is the one asked for."""
    hint = "choose another file, or overwrite it (overwrite=True, --overwrite)"
    try:
        found = open_matrix(out)
    except DataError as error:
        raise DataError(f"{error}, or overwrite it (overwrite=True, --overwrite)") from None
    if any(found.header.get(key) != value for key, value in settings.items()):
        problem = f"exists already, {difference(found.header, settings)}"
        raise DataError.at(out, problem, hint=hint)
    return found


def _version() -> str:
    from graphpool import __version__

    return __version__
