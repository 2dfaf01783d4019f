from dataclasses import replace

import numpy as np
import pytest
import torch
from small import mutag, opened

from graphpool.data.splits import Split
from graphpool.evaluation.baselines.kernel import hinge_loss, majority, wl_svm
from graphpool.evaluation.prediction import Stopwatch

CLASSES = np.array([0, 1, 1, 1, 0, 0, 1, 0])


def test_majority_is_that_of_the_training_graphs():
    # Training graphs 0 … 4 have classes 0 1 1 1 0; the whole set is even.
    answer = majority(CLASSES, Split(train=(0, 1, 2, 3, 4), valid=(5, 6), test=(7,)))
    assert answer.predicted.tolist() == [1]
    assert answer.valid_accuracy == 0.5


def test_majority_of_equals_is_the_first_class():
    answer = majority(CLASSES, Split(train=(0, 1), valid=(2,), test=(3, 4)))
    assert answer.predicted.tolist() == [0, 0]


def test_hinge_loss_of_two_classes():
    # Margins 2, 0.5 and -1: losses 0, 0.5 and 2.
    loss = hinge_loss(np.array([-2.0, 0.5, 1.0]), np.array([0, 1, 0]), np.array([0, 1]))
    assert loss == pytest.approx(2.5 / 3)


def test_hinge_loss_of_three_classes_leaves_unseen_ones_out():
    scores = np.array([[1.0, 0.5, 0.0], [0.0, 2.0, 0.5], [9.0, 0.0, 0.0]])
    loss = hinge_loss(scores, np.array([0, 4, 7]), np.array([0, 2, 4]))
    assert loss == pytest.approx((0.5 + 2.5) / 2)  # margins 0.5 and -1.5


def test_wl_separates_graphs_that_share_no_label():
    graphs, split = mutag(), opened().split(0, 0)
    even = np.arange(len(graphs)) % 2
    marked = torch.from_numpy(even)[graphs.node_graph] * 100
    graphs = replace(graphs, node_label=graphs.node_label + marked, node_label_names=())
    answer = wl_svm(graphs, even, split, Stopwatch())
    assert (answer.predicted == even[list(split.test)]).all()


def test_wl_does_not_look_at_test_classes():
    graphs, split = mutag(), opened().split(0, 0)
    classes = graphs.y.numpy()
    flipped = classes.copy()
    flipped[list(split.test)] = 1 - flipped[list(split.test)]
    before, after = (wl_svm(graphs, y, split, Stopwatch()) for y in (classes, flipped))
    assert before.chosen == after.chosen
    assert (before.predicted == after.predicted).all()


def test_wl_chooses_on_the_validation_graphs():
    from sklearn.svm import SVC

    from graphpool.evaluation.baselines.kernel import SVM_C, WL_ITERATIONS
    from graphpool.evaluation.baselines.wl import wl_kernels

    graphs, split = mutag(), opened().split(0, 1)
    y, kernels = graphs.y.numpy(), list(wl_kernels(graphs, 5))
    train, valid = np.array(split.train), np.array(split.valid)
    hits = {
        (h, c): SVC(C=c, kernel="precomputed")
        .fit(kernels[h][np.ix_(train, train)], y[train])
        .score(kernels[h][np.ix_(valid, train)], y[valid])
        for h in WL_ITERATIONS
        for c in SVM_C
    }
    answer = wl_svm(graphs, y, split, Stopwatch())
    assert answer.valid_accuracy == max(hits.values())
    assert hits[answer.chosen["h"], answer.chosen["C"]] == max(hits.values())
