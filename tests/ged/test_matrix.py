import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest
import torch

from graphpool import ged
from graphpool.errors import ConfigError, DataError
from graphpool.ged import METHODS, Costs, open_matrix, workers


def random_graphs(count, seed=0, most=6, labels="CNO"):
    rng = np.random.default_rng(seed)
    graphs = []
    for _ in range(count):
        size = int(rng.integers(1, most + 1))
        edges = [(i, j) for i in range(size) for j in range(i) if rng.random() < 0.5]
        graphs.append((rng.choice(list(labels), size).tolist(), edges))
    return graphs


def turned(graph):
    """The same graph with its nodes the other way round."""
    labels, edges = graph
    last = len(labels) - 1
    return labels[::-1], [(last - i, last - j) for i, j in edges]


@pytest.mark.parametrize("jobs", [1, 3])
def test_every_entry_is_the_distance_of_its_pair(jobs):
    graphs = random_graphs(12)
    values = np.asarray(ged.matrix(graphs, jobs=jobs))
    for i, first in enumerate(graphs):
        for j, second in enumerate(graphs):
            assert values[i, j] == ged.distance(first, second).distance


def test_costs_that_differ_by_direction_give_a_matrix_that_does():
    graphs = random_graphs(8)
    costs = Costs(node_insertion=2.0, edge_deletion=0.5)
    found = ged.matrix(graphs, costs=costs)
    assert found.header["counts"]["solved"] == 8 * 7
    assert not found.header["symmetric"]
    for i, first in enumerate(graphs):
        for j, second in enumerate(graphs):
            assert found.values[i, j] == ged.distance(first, second, costs=costs).distance


def test_a_substitution_that_costs_more_one_way_counts_as_direction():
    graphs = [(["C"], []), (["N"], [])]
    costs = Costs(node_labels={("C", "N"): 0.5, ("N", "C"): 1.5})
    assert ged.matrix(graphs, costs=costs).values.tolist() == [[0.0, 0.5], [1.5, 0.0]]


def test_isomorphic_graphs_are_solved_once():
    graphs = random_graphs(6, seed=3)
    plain = ged.matrix(graphs)
    found = ged.matrix(graphs + [turned(graph) for graph in graphs])
    assert found.header["counts"]["solved"] == plain.header["counts"]["solved"] == 15
    np.testing.assert_array_equal(found.values, np.tile(plain.values, (2, 2)))
    assert found.optimal.all()


def test_a_heuristic_is_asked_about_every_order_of_nodes():
    graphs = random_graphs(3, seed=3)
    found = ged.matrix([graphs[0], turned(graphs[0]), graphs[0]], method="hungarian")
    assert found.header["counts"]["solved"] == 1
    assert found.values[0, 2] == 0


def test_chosen_pairs_alone_are_computed():
    graphs = random_graphs(6, seed=3)
    whole = ged.matrix(graphs).values
    found = ged.matrix(graphs, pairs=[[4, 1], [2, 3], [1, 4]])
    known = np.eye(6, dtype=bool)
    for i, j in [(4, 1), (2, 3)]:
        known[i, j] = known[j, i] = True
    np.testing.assert_array_equal(np.isnan(found.values), ~known)
    np.testing.assert_array_equal(found.values[known], whole[known])
    assert found.header["counts"]["pairs"] == 3
    assert found.header["counts"]["solved"] == 2
    assert np.isinf(found.upper[0, 1])


def test_lower_bounds_have_no_upper_ones():
    graphs = random_graphs(6, seed=3)
    found, exact = ged.matrix(graphs, method="label"), ged.matrix(graphs)
    apart = ~np.eye(6, dtype=bool)
    assert (found.values <= exact.values).all()
    assert np.isinf(found.upper[apart]).all()
    assert not found.optimal[apart].any()


def test_a_search_cut_short_leaves_both_bounds():
    graphs = random_graphs(8, seed=1, most=7, labels="C")
    found, exact = ged.matrix(graphs, max_nodes_expanded=1), ged.matrix(graphs)
    assert (found.lower <= exact.values).all()
    assert (found.upper >= exact.values).all()
    np.testing.assert_array_equal(found.values, found.upper)


def test_a_collection_without_pairs():
    assert ged.matrix([(1, [])]).values.tolist() == [[0.0]]
    assert ged.matrix([]).values.shape == (0, 0)


def test_the_header_says_how_it_was_made():
    graphs = random_graphs(4)
    header = ged.matrix(graphs, time_limit=5.0, edge_labels=False).header
    assert header["method"] == "exact"
    assert header["costs"] == Costs().to_dict()
    assert header["time_limit"] == 5.0
    assert header["edge_labels"] is False
    assert header["counts"]["proved"] == header["counts"]["solved"]
    other = ged.matrix([*graphs[:3], (["C"], [(0, 0)])], edge_labels=False).header
    assert other["content"] != header["content"]


@pytest.mark.parametrize(
    ("pairs", "words"),
    [
        ([[0, 1, 2]], r"integers \[pairs, 2\]"),
        ([[0.5, 1.0]], "float64"),
        ([[0, 1], [0, 4]], "pair 1 names graph 4; graphs are 0 to 3"),
        ([[-1, 1]], "names graph -1"),
        ([[0, 1], [2]], "no table of numbers"),
        (torch.ones(1, 2, requires_grad=True), "no table of numbers"),
        (torch.ones(1, 2, device="meta"), "no table of numbers"),
    ],
)
def test_pairs_that_are_none_are_refused(pairs, words):
    with pytest.raises(DataError, match=words):
        ged.matrix(random_graphs(4), pairs=pairs)


def test_no_jobs_are_refused():
    with pytest.raises(ConfigError, match="jobs is 0"):
        ged.matrix(random_graphs(2), jobs=0)


def test_an_error_of_a_worker_is_raised(monkeypatch):
    def broken(problem, pairs, limits):
        raise MemoryError("too large")

    monkeypatch.setattr("graphpool.ged.exact.solve", broken)
    with pytest.raises(MemoryError, match="too large"):
        ged.matrix(random_graphs(5))


# ---------------------------------------------------------------- files and going on


def test_the_file_holds_the_matrix_and_no_parts_are_left(tmp_path):
    out = tmp_path / "mine.ged"
    made = ged.matrix(random_graphs(8), out=out)
    np.testing.assert_array_equal(open_matrix(out).values, made.values)
    assert [path.name for path in tmp_path.iterdir()] == ["mine.ged"]


def test_a_finished_file_is_not_computed_again(tmp_path, monkeypatch):
    graphs, out = random_graphs(8), tmp_path / "mine.ged"
    made = ged.matrix(graphs, out=out)
    monkeypatch.setattr("graphpool.ged.exact.solve", None)
    np.testing.assert_array_equal(ged.matrix(graphs, out=out).values, made.values)


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"method": "label"}, "with method = 'exact', not 'label'"),
        ({"costs": Costs(node_insertion=3.0)}, "with costs"),
        ({"pairs": [[0, 1]]}, "of other pairs"),
        ({"graphs": random_graphs(8, seed=9)}, "of other graphs"),
    ],
)
def test_a_file_of_other_settings_is_kept_until_told_otherwise(tmp_path, change, words):
    out = tmp_path / "mine.ged"
    settings = {"graphs": random_graphs(8), "out": out}
    ged.matrix(**settings)
    before = out.read_bytes()
    with pytest.raises(DataError, match=words):
        ged.matrix(**{**settings, **change})
    assert out.read_bytes() == before
    made = ged.matrix(**{**settings, **change}, overwrite=True)
    np.testing.assert_array_equal(open_matrix(out).values, made.values)


def interrupt_after(monkeypatch, calls):
    """Ctrl-C at the given look for results."""
    left = [calls]
    wait = workers.Workers.wait

    def interrupted(self):
        left[0] -= 1
        if left[0] < 0:
            raise KeyboardInterrupt
        return wait(self)

    monkeypatch.setattr(workers.Workers, "wait", interrupted)
    monkeypatch.setattr(workers, "LEAST_SECONDS", 0.0)  # one pair at a time


@pytest.fixture
def stopped(tmp_path, monkeypatch):
    """The file of a matrix of 20 graphs that was stopped on the way."""
    with monkeypatch.context() as patch:
        interrupt_after(patch, 5)
        slow = METHODS["exact"].solve
        patch.setattr(
            "graphpool.ged.exact.solve",
            lambda problem, pairs, limits: (time.sleep(0.005), slow(problem, pairs, limits))[1],
        )
        with pytest.raises(
            KeyboardInterrupt, match=r"of 190 pairs are saved in .*again to continue"
        ):
            ged.matrix(random_graphs(20, labels="CNOS"), out=tmp_path / "mine.ged")
    return tmp_path / "mine.ged"


def test_ctrl_c_leaves_parts_and_the_same_call_goes_on(stopped, monkeypatch):
    graphs = random_graphs(20, labels="CNOS")
    assert not stopped.exists()
    parts = list(Path(f"{stopped}.parts").iterdir())
    assert parts
    solved = []
    solve = METHODS["exact"].solve
    monkeypatch.setattr(
        "graphpool.ged.exact.solve",
        lambda problem, pairs, limits: (solved.append(len(pairs)), solve(problem, pairs, limits))[
            1
        ],
    )
    found = ged.matrix(graphs, out=stopped)
    assert 0 < sum(solved) < 190
    monkeypatch.undo()
    np.testing.assert_array_equal(found.bounds, ged.matrix(graphs).bounds)


def test_parts_of_other_settings_are_refused_until_told_otherwise(stopped):
    graphs = random_graphs(20, labels="CNOS")
    with pytest.raises(DataError, match=r"mine\.ged\.parts: holds an unfinished matrix with costs"):
        ged.matrix(graphs, out=stopped, costs=Costs(edge_insertion=2.0, edge_deletion=2.0))
    assert list(Path(f"{stopped}.parts").iterdir())
    found = ged.matrix(graphs, method="label", out=stopped, overwrite=True)
    np.testing.assert_array_equal(found.values, ged.matrix(graphs, method="label").values)


def test_a_damaged_part_is_computed_again(stopped, caplog):
    graphs = random_graphs(20, labels="CNOS")
    part = min(Path(f"{stopped}.parts").iterdir())
    data = bytearray(part.read_bytes())
    data[-1] ^= 1
    part.write_bytes(data)
    found = ged.matrix(graphs, out=stopped)
    assert "computed again" in caplog.text
    np.testing.assert_array_equal(found.bounds, ged.matrix(graphs).bounds)


SLOW = """
import sys, time
import numpy as np
sys.path.insert(0, sys.argv[1])
from test_matrix import random_graphs
from graphpool.ged import matrix
import graphpool.ged.exact as exact

solve = exact.solve

def slow(problem, pairs, limits):
    with open("pairs.log", "a") as log:
        log.write(f"{len(pairs)}\\n")
    time.sleep(0.001 * len(pairs))
    return solve(problem, pairs, limits)

exact.solve = slow
matrix(random_graphs(130, labels="ABCDEFGH"), jobs=2, out="mine.ged")
"""


def killed_and_resumed(folder: Path, total: int) -> int:
    """Kill the slow matrix half way, go on with it; returns how many pairs were solved twice."""
    folder.mkdir()
    log, parts = folder / "pairs.log", folder / "mine.ged.parts"
    command = [sys.executable, "-c", SLOW, str(Path(__file__).parent)]
    environment = {**os.environ, "OMP_NUM_THREADS": "1"}

    def solved():
        return sum(map(int, log.read_text().split())) if log.exists() else 0

    first = subprocess.Popen(command, cwd=folder, env=environment)
    until = time.monotonic() + 60
    while solved() < total / 2 and time.monotonic() < until:
        time.sleep(0.01)
    first.send_signal(signal.SIGKILL)
    assert first.wait() == -signal.SIGKILL
    assert len(list(parts.glob("*.part"))) > 10
    subprocess.run(command, cwd=folder, env=environment, check=True)
    assert not parts.exists()
    return solved() - total


def test_kill_9_loses_less_than_a_hundredth(tmp_path):
    graphs = random_graphs(130, labels="ABCDEFGH")
    whole = ged.matrix(graphs)
    total, twice = whole.header["counts"]["solved"], []
    # A disk that stalls at the wrong moment holds back what is written: it may have another try.
    for number in range(3):
        folder = tmp_path / str(number)
        twice.append(killed_and_resumed(folder, total))
        np.testing.assert_array_equal(open_matrix(folder / "mine.ged").bounds, whole.bounds)
        if twice[-1] < 0.01 * total:
            break
    assert min(twice) < 0.01 * total


def test_nothing_here_imports_torch():
    code = (
        "import sys; from graphpool import ged; ged.matrix([(1, []), (2, [])], 'label'); "
        "assert 'torch' not in sys.modules"
    )
    subprocess.run([sys.executable, "-c", code], check=True)
