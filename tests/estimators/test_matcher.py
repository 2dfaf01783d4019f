from pathlib import Path

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.exceptions import NotFittedError

import graphpool
from graphpool.data.pairs.pairset import PairSet
from graphpool.data.synthetic.matching.build import matching_pairs
from graphpool.errors import CheckpointError, ConfigError, DataError
from graphpool.estimators.classifier import GraphClassifier
from graphpool.estimators.comparer import GraphComparer
from graphpool.estimators.matcher import GraphMatcher

QUICK = {"epochs": 25, "hidden_channels": 16, "num_layers": 2, "batch_size": 32, "threads": 1}


@pytest.fixture(scope="module")
def pairs() -> PairSet:
    return matching_pairs("paper", 8, 160, seed=0, verify=False)


@pytest.fixture(scope="module")
def test() -> PairSet:
    return matching_pairs("paper", 8, 80, seed=1, verify=False)


@pytest.fixture(scope="module")
def fitted(pairs: PairSet) -> GraphMatcher:
    return GraphMatcher(**QUICK).fit(pairs)


def test_it_learns_whether_graphs_match(fitted: GraphMatcher, test: PairSet) -> None:
    assert graphpool.GraphMatcher is GraphMatcher
    assert fitted.score(test) > 0.9
    assert fitted.result_ is not None
    assert len(fitted.result_.history) == QUICK["epochs"]
    assert fitted.score(test) == pytest.approx(fitted.model_.score(test)["accuracy"])


def test_predictions_are_the_more_probable_of_both(fitted: GraphMatcher, test: PairSet) -> None:
    shares = fitted.predict_proba(test)
    assert shares.shape == (80, 2)
    np.testing.assert_allclose(shares.sum(1), 1)
    assert fitted.predict(test).tolist() == shares.argmax(1).tolist()
    assert fitted.classes_.tolist() == [0, 1]


def test_graphs_with_positions_are_pairs_too(
    fitted: GraphMatcher, pairs: PairSet, test: PairSet
) -> None:
    positions = np.stack([pairs.left.numpy(), pairs.right.numpy()], axis=1)
    again = clone(fitted).fit(pairs.graphs, positions, pairs.y.numpy())
    np.testing.assert_array_equal(again.predict_proba(test), fitted.predict_proba(test))
    swapped = np.stack([test.right.numpy(), test.left.numpy()], axis=1)
    np.testing.assert_array_equal(
        fitted.predict_proba(test.graphs, swapped), fitted.predict_proba(test)
    )
    assert fitted.score(test.graphs, swapped, test.y.numpy()) == fitted.score(test)


def test_saved_and_loaded_it_gives_the_same(
    fitted: GraphMatcher, test: PairSet, tmp_path: Path
) -> None:
    path = fitted.save(tmp_path / "matcher.safetensors")
    loaded = GraphMatcher.load(path)
    np.testing.assert_array_equal(loaded.predict_proba(test), fitted.predict_proba(test))
    resolved = {"residual": "off", "readout": ("sum",), "max_clusters": 16, "gate": "off"}
    assert loaded.get_params() == {**fitted.get_params(), **resolved}
    assert loaded.result_ is None
    # Its distances can be used, but it is no classifier of single graphs.
    assert GraphComparer.load(path).distances(test.graphs[:3]).shape == (3, 3)
    with pytest.raises(CheckpointError, match="holds a graph comparer, not a graph classifier"):
        GraphClassifier.load(path)


def test_a_page_about_it_is_written(fitted: GraphMatcher, test: PairSet, tmp_path: Path) -> None:
    page = fitted.report(tmp_path / "page.html", test).read_text(encoding="utf-8")
    assert "Test pairs classified correctly" in page
    assert "80 tested it" in page
    assert "Learning curves" in page


def test_pairs_that_choose_the_epoch_share_no_graph_with_the_others(pairs: PairSet) -> None:
    train, valid = GraphMatcher(validation=0.25)._parts(pairs)
    assert valid is not None
    sides = [{*part.left.tolist(), *part.right.tolist()} for part in (train, valid)]
    assert not sides[0] & sides[1]
    assert len(train) + len(valid) == 160
    assert len(valid) == pytest.approx(40, abs=3)
    assert GraphMatcher(validation=0.0)._parts(pairs) == (pairs, None)


def test_what_cannot_be_learned_is_refused(pairs: PairSet) -> None:
    graphs = pairs.graphs
    with pytest.raises(NotFittedError):
        GraphMatcher().predict(pairs)
    with pytest.raises(DataError, match="leave out pairs"):
        GraphMatcher().fit(pairs, pairs=[[0, 1]])
    with pytest.raises(ValueError, match="for 160 pairs"):
        GraphMatcher().fit(pairs, [0, 1])
    with pytest.raises(ValueError, match="give 1 for a match and 0 for none"):
        GraphMatcher().fit(pairs, ["yes"] * 160)
    with pytest.raises(DataError, match="give y"):
        GraphMatcher().fit(graphs, [[0, 1]])
    with pytest.raises(DataError, match="give pairs"):
        GraphMatcher().fit(graphs, y=[1])
    with pytest.raises(DataError, match=r"shape \(3,\)"):
        GraphMatcher().fit(graphs, [1], [0, 1, 2])
    with pytest.raises(DataError, match="for 1 pair;"):
        GraphMatcher().fit(graphs, [[0, 1]], [1, 0])
    with pytest.raises(DataError, match="give 1 for a match and 0 for none"):
        GraphMatcher(validation=0.0).fit(graphs, [[0, 1], [2, 3]], [1, 2])
    with pytest.raises(ConfigError, match="validation is 1"):
        GraphMatcher(validation=1.0).fit(pairs)
