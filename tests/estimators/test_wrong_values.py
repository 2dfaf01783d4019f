"""Arguments of estimators that are no numbers, strings or arrays are errors of ours."""

import subprocess
import sys

import numpy as np
import pytest
import torch

from graphpool.errors import InputError
from graphpool.estimators.values import as_array, as_weights

# In a process of its own, without the check of types that tests have.
PROGRAM = """
import networkx as nx, numpy as np, torch
import graphpool as gp
from graphpool.errors import GraphpoolError
graphs = gp.from_networkx([nx.path_graph(2 + at) for at in range(12)])
far = np.abs(np.subtract.outer(np.arange(12.0), np.arange(12.0)))
quick = dict(pooler="sum", epochs=1, hidden_channels=4, validation=0.0, features="constant")
pairs, y = np.array([[0, 1], [2, 3], [4, 5]]), np.array([0, 1, 0])
matcher = gp.GraphMatcher(**quick).fit(graphs, y, pairs)
comparer = gp.GraphComparer(**quick, triplets=4).fit(graphs, far)
classes = np.arange(12) % 2
fit = lambda **given: gp.GraphClassifier(**{**quick, **given}).fit(graphs, classes)
numbers = lambda y, *more, **given: gp.GraphRegressor(**{**quick, **given}).fit(graphs, y, *more)
labels = lambda y, *more: gp.GraphMultiLabelClassifier(**quick).fit(graphs, y, *more)
regressor, labeller = numbers(far[0]), labels(far[:, :2] > 5)
calls = {
    "interval": lambda: numbers(far[0], interval=3),
    "loss": lambda: numbers(far[0], loss=None),
    "sparse numbers": lambda: numbers(torch.tensor(far[0]).to_sparse()),
    "infinite number": lambda: numbers(np.full(12, np.inf)),
    "dates": lambda: numbers(np.full(12, np.datetime64("2020-01-01"))),
    "weights of numbers": lambda: numbers(far[0], [-1.0] * 12),
    "short numbers": lambda: regressor.score(graphs, far[0][:3]),
    "no graphs": lambda: regressor.predict([]),
    "sparse labels": lambda: labels(torch.ones(12, 2).to_sparse()),
    "words for labels": lambda: labels([["a", "b"]] * 12),
    "weights of labels": lambda: labels(far[:, :2] > 5, np.ones(2)),
    "more labels": lambda: labeller.score(graphs, far > 5),
    "features": lambda: fit(features=3),
    "validation": lambda: fit(validation=[]),
    "validation=1": lambda: fit(validation=1.0),
    "batch_size": lambda: fit(batch_size=10**30),
    "sparse y": lambda: gp.GraphMatcher(**quick).fit(graphs, torch.tensor(y).to_sparse(), pairs),
    "bfloat16 pairs": lambda: matcher.predict(graphs, torch.tensor(pairs).bfloat16()),
    "short weights": lambda: matcher.score(graphs, y, pairs, sample_weight=[1.0]),
    "n_neighbors": lambda: comparer.kneighbors(graphs, 2.5),
    "sparse distances": lambda: comparer.score(graphs, torch.tensor(far).to_sparse()),
}
for name, call in calls.items():
    try:
        call()
        print(name, "accepted")
    except GraphpoolError:
        pass
    except Exception as error:
        print(name, repr(error))
"""


def test_wrong_values_are_errors_of_ours() -> None:
    done = subprocess.run([sys.executable, "-c", PROGRAM], capture_output=True, text=True)
    assert (done.returncode, done.stdout) == (0, ""), done.stderr


@pytest.mark.parametrize(
    "values", [[[1], [2, 3]], torch.ones(2).to_sparse(), torch.ones(2).bfloat16()]
)
def test_what_is_no_array_is_named(values: object) -> None:
    with pytest.raises(InputError, match="y can't be read as an array"):
        as_array("y", values)


def test_weights_are_one_number_each() -> None:
    assert as_weights(2, 3, "pair").tolist() == [2, 2, 2]
    assert as_weights(np.array([True, False]), 2, "pair").tolist() == [1, 0]
    for wrong in ([1], [-1, 1], [0, 0], [np.nan, 1], ["a", "b"]):
        with pytest.raises(InputError, match="sample_weight"):
            as_weights(wrong, 2, "pair")
