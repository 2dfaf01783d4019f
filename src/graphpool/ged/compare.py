"""Compare the accuracy and speed of methods with the exact distance on the same pairs."""

import time
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from graphpool.errors import DataError, check_type, check_whole, plural
from graphpool.ged.collection import collect
from graphpool.ged.costs import Costs
from graphpool.ged.exact import load_search
from graphpool.ged.ignored import warn_not_counted
from graphpool.ged.methods.registry import METHODS, Method, find_method
from graphpool.ged.pair import GedProblem, make_problem
from graphpool.ged.result import Answers, Limits

Array = NDArray[Any]
MOST_TRIPLETS = 200_000


@dataclass(frozen=True)
class MethodScore:
    """How well a method answers the pairs whose distance is proved.

    Args:
        answer: "exact", "upper" or "lower". A search that its limits stopped on some pairs is
            "upper".
        mean_error: mean of answer minus distance; below 0 for lower bounds.
        relative_error: mean absolute error as a share of the distance, where that is not 0.
        exactly_right: share of pairs whose answer equals the distance.
        spearman, kendall: rank correlation with the distance; nan if all are equal.
        order_accuracy: share of the triplets (a, b, c) with d(a, b) ≠ d(a, c) for which the
            answers have the same order; equal answers count one half.
        proved: share of the pairs drawn whose answer the method itself proved; None for bounds.
        microseconds: time for one pair on one core.
    """

    method: str
    answer: str
    mean_error: float
    relative_error: float
    exactly_right: float
    spearman: float
    kendall: float
    order_accuracy: float
    proved: float | None
    microseconds: float


@dataclass(frozen=True)
class Comparison:
    """Scores of all methods on the same pairs.

    Args:
        pairs: number of pairs drawn; `proved` of them have a known distance and are scored.
        triplets: number of triplets among these whose distances differ.
        mean_distance: mean distance of the scored pairs.
    """

    pairs: int
    proved: int
    triplets: int
    mean_distance: float
    scores: tuple[MethodScore, ...]

    def to_dict(self) -> dict[str, Any]:
        """Return the comparison as JSON values."""
        return asdict(self)


def compare(
    graphs: Any,
    sample: int = 1000,
    seed: int = 0,
    methods: Sequence[str] | None = None,
    costs: Costs | None = None,
    time_limit: float | None = None,
    max_nodes_expanded: int | None = None,
    edge_labels: bool = True,
) -> Comparison:
    """Compare methods with the exact one on random pairs of a collection.

    Args:
        graphs: a `GraphSet`, or a sequence of its graphs, of NetworkX graphs or of
            (labels, edges).
        sample: number of pairs to draw without repetition; all pairs if there are fewer.
        methods: names in `METHODS`; all by default.
        costs: cost of each edit; 1 each by default.
        time_limit: seconds for one pair. Pairs that the exact method does not prove in that time
            are left out.
        max_nodes_expanded: limit on the partial mappings of one pair, with the same effect.
        edge_labels: whether labels of edges count.
    """
    check_type("methods", () if methods is None else methods, (list, tuple), "a list of names")
    chosen = [find_method(name) for name in (METHODS if methods is None else methods)]
    collection = collect(graphs, edge_labels=edge_labels)
    pairs = sample_pairs(len(collection), sample, seed)
    warn_not_counted(graphs)
    problem = make_problem(collection, Costs() if costs is None else costs)
    limits = Limits(time_limit, max_nodes_expanded)
    truth, exact_time = _timed(find_method("exact"), problem, pairs, limits)
    proved = truth.lower == truth.upper
    if not proved.any():
        raise DataError(
            f"none of {plural(len(pairs), 'pair')} was proved within the limits; raise them "
            "(--time-limit, --max-expanded) or use smaller graphs"
        )
    scale = problem.tables.scale
    distance = truth.upper[proved] / scale
    triplets = _triplets(pairs[proved], distance, seed)
    scores = []
    for method in chosen:
        answers, seconds = truth, exact_time
        if method.name != "exact":
            answers, seconds = _timed(method, problem, pairs, limits)
        answer = (answers.lower if method.answer == "lower" else answers.upper)[proved]
        own = float((answers.lower == answers.upper).mean()) if method.answer == "exact" else None
        scores.append(_score(method, answer / scale, distance, triplets, own, seconds))
    return Comparison(
        len(pairs), int(proved.sum()), len(triplets), float(distance.mean()), tuple(scores)
    )


def sample_pairs(graphs: int, sample: int, seed: int) -> NDArray[np.int64]:
    """Draw unordered pairs of different graphs without repetition, `[pairs, 2]`."""
    check_whole("the number of graphs", graphs, 0, 10**7)
    check_whole("sample", sample, 1)
    check_whole("seed", seed, 0)
    total = graphs * (graphs - 1) // 2
    if not total:
        raise DataError(f"pairs need at least 2 graphs; the number of graphs is {graphs}")
    if sample >= total:
        return np.stack(np.triu_indices(graphs, 1), axis=1).astype(np.int64)
    rng = np.random.default_rng(seed)
    number = np.sort(rng.choice(total, size=sample, replace=False, shuffle=False))
    # Pairs are counted row by row of the upper triangle; `begin` is where each row begins.
    row = np.arange(graphs)
    begin = row * (graphs - 1) - row * (row - 1) // 2
    first = np.searchsorted(begin, number, side="right") - 1
    return np.stack([first, number - begin[first] + first + 1], axis=1).astype(np.int64)


def _timed(
    method: Method, problem: GedProblem, pairs: NDArray[np.int64], limits: Limits
) -> tuple[Answers, float]:
    """Return the answers and the seconds per pair, without compilation."""
    if method.name == "exact":
        load_search()
    method.solve(problem, pairs[:1], limits)
    began = time.perf_counter()
    answers = method.solve(problem, pairs, limits)
    return answers, (time.perf_counter() - began) / len(pairs)


def _score(
    method: Method,
    answer: Array,
    distance: Array,
    triplets: Array,
    proved: float | None,
    seconds: float,
) -> MethodScore:
    from scipy.stats import kendalltau, spearmanr

    error = answer - distance
    far = distance > 0
    varied = np.ptp(answer) > 0 and np.ptp(distance) > 0
    return MethodScore(
        method=method.name,
        # A search that its limits stopped returns an upper bound.
        answer="upper" if proved is not None and proved < 1 else method.answer,
        mean_error=float(error.mean()),
        relative_error=_mean(np.abs(error[far]) / distance[far]),
        exactly_right=float((error == 0).mean()),
        spearman=float(spearmanr(answer, distance).statistic) if varied else float("nan"),
        kendall=float(kendalltau(answer, distance).statistic) if varied else float("nan"),
        order_accuracy=order_accuracy(answer, distance, triplets),
        proved=proved,
        microseconds=1e6 * seconds,
    )


def order_accuracy(answer: Array, distance: Array, triplets: Array) -> float:
    """Share of triplets, `[triplets, 2]` numbers of two pairs, that the answers order correctly."""
    predicted = np.sign(np.subtract(*answer[triplets.T]))
    true = np.sign(np.subtract(*distance[triplets.T]))
    return _mean(np.where(predicted == 0, 0.5, predicted == true))


def _triplets(pairs: NDArray[np.int64], distance: Array, seed: int) -> Array:
    """Find two pairs with a common graph and different distances, `[triplets, 2]` numbers."""
    graph = pairs.T.ravel()
    number = np.tile(np.arange(len(pairs)), 2)
    order = np.argsort(graph, kind="stable")
    groups = np.split(number[order], np.flatnonzero(np.diff(graph[order])) + 1)
    sizes = np.array([len(group) for group in groups])
    ways = sizes * (sizes - 1) // 2
    if int(ways.sum()) <= MOST_TRIPLETS:
        drawn = [group[np.stack(np.triu_indices(len(group), 1), axis=1)] for group in groups]
    else:
        rng = np.random.default_rng(seed)
        counts = rng.multinomial(MOST_TRIPLETS, ways / ways.sum())
        drawn = []
        for group, count in zip(groups, counts.tolist(), strict=True):
            one = rng.integers(0, len(group), count)
            # Another member: 1 to len(group) - 1 positions further on.
            other = (one + rng.integers(1, max(len(group), 2), count)) % len(group)
            drawn.append(np.stack([group[one], group[other]], axis=1))
    triplets = np.concatenate(drawn)
    return np.asarray(triplets[distance[triplets[:, 0]] != distance[triplets[:, 1]]])


def _mean(values: Array) -> float:
    return float(values.mean()) if len(values) else float("nan")
