"""Counting and drawing triplets, against all of them listed by three loops."""

from collections import Counter
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from numpy.typing import NDArray
from random_graphs import packed, random_graphs

from graphpool.data import load as datasets
from graphpool.data.pairs import (
    TripletCount,
    TripletSet,
    count_triplets,
    draw_triplets,
    paper_counts,
    sample_triplets,
)
from graphpool.errors import ConfigError, DataError
from graphpool.graphs import GraphSet

QUERIES, CANDIDATES = [7, 0, 3], [1, 3, 4, 5, 7, 8]


def small_set(graphs: int = 9) -> GraphSet:
    return packed(random_graphs(seed=3, graphs=graphs))


def distances(seed: int = 0, graphs: int = 9) -> NDArray[np.float64]:
    """Whole numbers with many ties and some gaps."""
    draw = np.random.default_rng(seed)
    made = draw.integers(0, 4, (graphs, graphs)).astype(np.float64)
    made[draw.random(made.shape) < 0.15] = np.nan
    return made


def listed(
    matrix: NDArray[Any], queries: list[int], candidates: list[int]
) -> tuple[dict[tuple[int, int, int], float], int, int]:
    """All triplets (query, nearer, farther) and their gaps; how many ties; how many unknown."""
    found, ties, unknown = {}, 0, 0
    for i in queries:
        for j, k in combinations([other for other in candidates if other != i], 2):
            near, far = (j, k) if matrix[i, j] < matrix[i, k] else (k, j)
            gap = matrix[i, far] - matrix[i, near]
            if np.isnan(gap):
                unknown += 1
            elif gap == 0:
                ties += 1
            else:
                found[i, near, far] = float(gap)
    return found, ties, unknown


def gaps(triplets: TripletSet) -> list[tuple[tuple[int, int, int], float]]:
    """(query, nearer, farther) and the gap of each."""
    rows = zip(triplets.query.tolist(), triplets.first.tolist(), triplets.second.tolist(),
               triplets.r.tolist(), strict=True)  # fmt: skip
    return [((i, j, k), -r) if r < 0 else ((i, k, j), r) for i, j, k, r in rows]


@pytest.mark.parametrize("seed", range(5))
def test_counts_are_those_of_three_loops(seed: int) -> None:
    matrix = distances(seed)
    found, ties, unknown = listed(matrix, QUERIES, CANDIDATES)
    assert min(ties, unknown) > 0
    expected = TripletCount(len(found), ties, unknown)
    assert count_triplets(matrix, QUERIES, CANDIDATES) == expected


def test_all_triplets_drawn_are_all_there_are() -> None:
    matrix = distances()
    found, _, _ = listed(matrix, QUERIES, CANDIDATES)
    drawn = gaps(sample_triplets(small_set(), matrix, QUERIES, CANDIDATES, len(found), seed=4))
    assert len(drawn) == len(found)
    assert dict(drawn) == found


def test_some_are_different_and_right() -> None:
    matrix = distances(graphs=30)
    queries, candidates = list(range(20)), list(range(5, 30))
    found, _, _ = listed(matrix, queries, candidates)
    drawn = gaps(sample_triplets(small_set(30), matrix, queries, candidates, 1000, seed=0))
    assert len(dict(drawn)) == 1000 < len(found) / 2
    assert all(found[triplet] == gap for triplet, gap in drawn)


def test_every_triplet_has_the_same_chance() -> None:
    matrix = distances()
    found, _, _ = listed(matrix, QUERIES, CANDIDATES)
    graphs, hits = small_set(), Counter[tuple[int, int, int]]()
    for seed in range(2000):
        hits.update(
            item for item, _ in gaps(sample_triplets(graphs, matrix, QUERIES, CANDIDATES, 3, seed))
        )
    expected = 6000 / len(found)
    # Binomial: five standard deviations.
    assert all(abs(hits[item] - expected) < 5 * expected**0.5 for item in found)


def test_either_candidate_may_stand_first() -> None:
    draw = np.random.default_rng(1).random((9, 9))
    triplets = sample_triplets(small_set(), draw, range(9), range(9), 200, seed=0)
    assert 70 < int((triplets.r > 0).sum()) < 130


def test_r_is_the_first_distance_less_the_second() -> None:
    matrix = distances()
    triplets = sample_triplets(small_set(), matrix, QUERIES, CANDIDATES, 12, seed=1)
    i, j, k = (part.numpy() for part in (triplets.query, triplets.first, triplets.second))
    assert triplets.r.dtype == torch.float32
    assert np.array_equal(triplets.r.numpy(), matrix[i, j] - matrix[i, k])


def test_a_matrix_may_have_directions_and_infinite_gaps() -> None:
    matrix = np.array([[0, 1, 2, np.inf], [9, 0, 9, 9], [9, 9, 0, 9], [9, 9, 9, 0.0]])
    assert count_triplets(matrix, [0], [0, 1, 2, 3]) == TripletCount(1, 0, 2)
    assert count_triplets(matrix, [1], [0, 1, 2, 3]) == TripletCount(0, 3, 0)


def test_the_seed_decides() -> None:
    # Written down once: a new numpy or platform must give the same triplets.
    matrix, graphs = distances(), small_set()
    one = sample_triplets(graphs, matrix, QUERIES, CANDIDATES, 4, seed=0)
    assert one.ids == sample_triplets(graphs, matrix, QUERIES, CANDIDATES, 4, seed=0).ids
    assert one.ids != sample_triplets(graphs, matrix, QUERIES, CANDIDATES, 4, seed=1).ids
    assert one.ids == WRITTEN


WRITTEN = ("3: 8 & 7", "7: 1 & 8", "0: 4 & 8", "3: 8 & 4")


def test_at_most_so_many_may_be_asked_for() -> None:
    matrix, graphs = distances(), small_set()
    found, _, _ = listed(matrix, QUERIES, CANDIDATES)
    everything = draw_triplets(graphs, matrix, QUERIES, CANDIDATES, 10**6, seed=0)
    assert dict(gaps(everything)) == found
    few = draw_triplets(graphs, matrix, QUERIES, CANDIDATES, 4, seed=0)
    assert few.ids == sample_triplets(graphs, matrix, QUERIES, CANDIDATES, 4, seed=0).ids
    with pytest.raises(DataError, match="no graph of the test part is known to be nearer"):
        draw_triplets(graphs, np.ones((9, 9)), QUERIES, CANDIDATES, 4, seed=0, part="test")


def test_too_many_and_none_at_all_are_errors() -> None:
    matrix, graphs = distances(), small_set()
    exist = count_triplets(matrix, QUERIES, CANDIDATES).triplets
    with pytest.raises(ConfigError, match=f"make {exist} .*draw fewer"):
        sample_triplets(graphs, matrix, QUERIES, CANDIDATES, exist + 1, seed=0)
    with pytest.raises(ConfigError, match=r"make 0 \(28 more are ties, 0 have.*other graphs"):
        sample_triplets(graphs, np.ones((9, 9)), [0], range(9), 5, seed=0)
    with pytest.raises(ConfigError, match="count is 0"):
        sample_triplets(graphs, matrix, QUERIES, CANDIDATES, 0, seed=0)


@pytest.mark.parametrize(
    ("queries", "candidates", "message"),
    [
        ([], [1, 2], "there are no queries"),
        ([0], [1, 9], "candidates name graph 9; graphs are 0 to 8"),
        ([0, 1, 0], [1, 2], "queries name graph 0 twice"),
        (np.array([0.5]), [1, 2], "queries are float64"),
    ],
)
def test_wrong_positions_are_named(queries: Any, candidates: list[int], message: str) -> None:
    with pytest.raises(ConfigError, match=message):
        count_triplets(distances(), queries, candidates)


def test_a_matrix_of_other_graphs_is_refused() -> None:
    with pytest.raises(DataError, match="9 graphs, and the matrix has 5 rows"):
        sample_triplets(small_set(), distances(graphs=5), [0], [1, 2], 1, seed=0)
    with pytest.raises(DataError, match=r"shape \[2, 9\]"):
        count_triplets(distances()[:2], [0], [1])


def test_numbers_of_the_paper() -> None:
    assert paper_counts("AIDS") == paper_counts("AIDS700nef") == (137_520, 17_190, 17_190)
    assert paper_counts("LINUX") == (327_680, 40_960, 40_960)
    with pytest.raises(ConfigError, match="'MUTAG', only of AIDS700nef, LINUX"):
        paper_counts("MUTAG")


@pytest.mark.parametrize("name", ["AIDS700nef", "LINUX"])
def test_the_papers_numbers_can_be_drawn(name: str, data_root: Path) -> None:
    known = datasets.distances(name, data_root)
    graphs = datasets.load(name, data_root, features=None)
    total = sum(paper_counts(name))
    triplets = sample_triplets(graphs, known.values, known.train, known.train, total, seed=0)
    assert len(triplets) == total
    assert not bool((triplets.r == 0).any())
    assert not np.isin(triplets.query.numpy(), known.test).any()
    parts = torch.stack([triplets.query, triplets.first, triplets.second], dim=1)
    assert len(torch.unique(parts, dim=0)) == total
