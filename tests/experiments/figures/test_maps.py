"""Which graphs a map has, and the number above it."""

import numpy as np

from graphpool.experiments.figures.maps import chosen_graphs, neighbour_accuracy


def test_a_map_has_all_test_graphs_and_some_of_the_others() -> None:
    shown = chosen_graphs([3, 1], range(10, 50), most=8, seed=0).tolist()
    assert shown == sorted(shown)
    assert len(set(shown)) == 8
    assert {1, 3} < set(shown)
    assert set(shown) - {1, 3} <= set(range(10, 50))


def test_a_map_has_no_more_than_the_most_test_graphs() -> None:
    shown = chosen_graphs(range(20), range(20, 40), most=5, seed=0).tolist()
    assert len(shown) == 5
    assert set(shown) <= set(range(20))


def test_the_neighbours_are_the_majority_of_five_training_graphs() -> None:
    train = np.array([[0.0], [0.1], [0.2], [5.0], [5.1], [5.2]])
    y = np.array([0, 0, 0, 1, 1, 1])
    # Five of six are neighbours: three near ones outvote two far ones.
    test = np.array([[0.0], [5.0], [0.1], [5.2]])
    assert neighbour_accuracy(train, y, test, np.array([0, 1, 0, 0])) == 0.75
