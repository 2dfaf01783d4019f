from dataclasses import replace

import numpy as np
import torch

import graphpool as gp
from graphpool.tasks.pages.classes import class_examples
from graphpool.tasks.pages.examples import MOST_GRAPHS, prediction_examples
from graphpool.tasks.pages.labels import label_examples
from graphpool.tasks.pages.targets import number_examples

GRAPHS = gp.load("MUTAG", features=None)


def names(group):
    return [each.graph.title.partition(":")[0].removeprefix("graph ") for each in group.graphs]


def test_groups_hold_the_largest_and_smallest_errors_and_share_no_graph():
    error = np.arange(60, dtype=float)
    groups = prediction_examples(GRAPHS[:60], error, lambda at: ((), None), -error)
    assert [group.title for group in groups] == [
        "Predicted worst", "Predicted best", "Least certain",
    ]  # fmt: skip
    ids = GRAPHS.ids
    assert names(groups[0]) == [ids[at] for at in range(59, 59 - MOST_GRAPHS, -1)]
    assert names(groups[1]) == [ids[at] for at in range(MOST_GRAPHS)]
    assert names(groups[2]) == [ids[at] for at in range(MOST_GRAPHS, 2 * MOST_GRAPHS)]


def test_few_graphs_are_shared_out():
    groups = prediction_examples(
        GRAPHS[:4], np.array([1.0, np.nan, 3.0, 2.0]), lambda at: ((), None)
    )
    assert [names(group) for group in groups] == [[GRAPHS.ids[2]], [GRAPHS.ids[0]]]


def test_classes_say_what_is_true_and_predicted():
    graphs = GRAPHS[[0, 1, 2]]
    codes = graphs.y.numpy()
    sure = np.array([0.9, 0.6, 0.2])  # the probability of the true class
    probabilities = np.empty((3, 2))
    probabilities[np.arange(3), codes] = sure
    probabilities[np.arange(3), 1 - codes] = 1 - sure
    worst, best, unsure = class_examples(["no", "yes"], graphs, probabilities)
    assert [names(group) for group in (worst, best, unsure)] == [
        [graphs.ids[2]], [graphs.ids[0]], [graphs.ids[1]],
    ]  # fmt: skip
    (wrong,) = worst.graphs
    word = ["no", "yes"]
    assert wrong.lines == [f"class {word[codes[2]]}", f"predicted {word[1 - codes[2]]}, 80.0 %"]
    assert (wrong.right, best.graphs[0].right) == (False, True)


def test_numbers_of_several_targets_count_in_deviations():
    target = torch.tensor([[0.0, 1000.0], [1.0, 3000.0], [2.0, float("nan")]])
    graphs = replace(GRAPHS[:3], y=None, classes=(), target=target, target_names=("a", "b"))
    answer = target.numpy().astype(float).copy()
    answer[:, 1] = [1010.0, 3000.0, 0.0]  # 0.01 deviations
    answer[2, 0] = 3.0  # more than one
    worst, best = number_examples(["a", "b"], graphs, (answer, None, None))
    assert names(worst) == [graphs.ids[2]]
    assert names(best) == [graphs.ids[1]]


def test_unknown_labels_do_not_count():
    target = torch.tensor([[0.0, 1.0], [1.0, float("nan")], [float("nan"), float("nan")]])
    graphs = replace(GRAPHS[:3], y=None, classes=(), target=target, target_names=("a", "b"))
    shares = np.array([[0.9, 0.9], [0.9, 0.0], [1.0, 1.0]])
    worst, best = label_examples(["a", "b"], graphs, shares)
    assert (names(worst), names(best)) == ([graphs.ids[0]], [graphs.ids[1]])
    assert list(worst.graphs[0].lines) == ["b", "predicted a, b"]
    assert (worst.graphs[0].right, best.graphs[0].right) == (False, True)


def test_an_interval_is_named_and_the_widest_are_drawn():
    target = torch.tensor([[0.0], [1.0], [2.0]])
    graphs = replace(GRAPHS[:3], y=None, classes=(), target=target, target_names=("a",))
    answer = np.array([[0.0], [1.5], [3.0]])
    groups = number_examples(["a"], graphs, (answer, answer - 0.5, answer + 0.5))
    assert [group.title for group in groups][2] == "Widest intervals"
    assert groups[0].graphs[0].lines == ["a 2", "predicted 3 (2.5 to 3.5)"]
