"""What every estimator over single graphs keeps: classes, numbers and labels alike.

`test_scikit_learn` has the checks of scikit-learn, `cli/test_command_resume` interrupted runs.
"""

import pickle
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

import networkx as nx
import numpy as np
import pytest
import torch
from sklearn.base import clone
from sklearn.exceptions import NotFittedError

import graphpool as gp
from graphpool.errors import CheckpointError, ConfigError, DataError, GraphpoolError
from graphpool.graphs.canonical import reordered

QUICK: dict[str, Any] = {"epochs": 2, "hidden_channels": 8, "batch_size": 16, "threads": 1}
ESTIMATORS: dict[str, tuple[type[Any], dict[str, Any]]] = {
    "classes": (gp.GraphClassifier, {}),
    "numbers": (gp.GraphRegressor, {}),
    "gaussian": (gp.GraphRegressor, {"interval": "gaussian"}),
    "quantile": (gp.GraphRegressor, {"interval": "quantile", "loss": "mae"}),
    "labels": (gp.GraphMultiLabelClassifier, {}),
}
every = pytest.mark.parametrize("case", ESTIMATORS, indirect=True)


class Case(NamedTuple):
    make: Any
    graphs: gp.GraphSet
    y: Any
    fitted: Any

    def answers(self, model: Any, graphs: Any) -> Any:
        """All numbers that a model gives about graphs, `[graphs, numbers]`."""
        if not isinstance(model, gp.GraphRegressor):
            return model.predict_proba(graphs)
        ends = model.predict_interval(graphs) if model.interval != "none" else ()
        return np.concatenate([model.predict(graphs), *ends], axis=1)


def fit(name: str, graphs: gp.GraphSet) -> Case:
    kind, settings = ESTIMATORS[name]
    draw = torch.Generator().manual_seed(0)
    numbers = torch.stack([graphs.node_counts.float(), graphs.edge_counts / 7 + 3], dim=1)
    numbers[torch.rand(len(graphs), generator=draw) < 0.2, 1] = float("nan")
    known = ~numbers.isnan()
    y = {
        "classes": np.array(["small", "large"])[(graphs.node_counts > 17).long()],
        "labels": torch.where(known, (numbers > numbers.nanmedian(0).values).float(), numbers),
    }.get(name, numbers)
    y = np.asarray(y)

    def make(**changes: Any) -> Any:
        return kind(**{**QUICK, **settings, **changes})

    return Case(make, graphs, y, make().fit(graphs, y))


@pytest.fixture(scope="module")
def graphs() -> gp.GraphSet:
    return replace(gp.load("MUTAG", features=None)[:60], y=None, classes=())


@pytest.fixture(scope="module")
def cases() -> dict[str, Case]:
    return {}


@pytest.fixture
def case(request: pytest.FixtureRequest, cases: dict[str, Case], graphs: gp.GraphSet) -> Case:
    if request.param not in cases:
        cases[request.param] = fit(request.param, graphs)
    return cases[request.param]


def weights(model: Any) -> list[bytes]:
    return [value.numpy().tobytes() for value in model.model_.network.state_dict().values()]


@every
def test_the_seed_decides_every_bit(case: Case) -> None:
    again = clone(case.fitted).fit(case.graphs, case.y)
    assert weights(again) == weights(case.fitted)
    np.testing.assert_array_equal(
        case.answers(again, case.graphs), case.answers(case.fitted, case.graphs)
    )
    assert again.result_.history[-1]["train"] == case.fitted.result_.history[-1]["train"]
    assert weights(case.make(seed=1, epochs=1).fit(case.graphs, case.y)) != weights(again)


@every
def test_the_numbering_of_nodes_does_not_matter(case: Case) -> None:
    draw = np.random.default_rng(0)
    counts = case.graphs.node_counts.tolist()
    place = np.concatenate([draw.permutation(count) for count in counts])
    shuffled = reordered(case.graphs, torch.from_numpy(place))
    np.testing.assert_allclose(
        case.answers(case.fitted, shuffled), case.answers(case.fitted, case.graphs),
        rtol=1e-4, atol=1e-4,
    )  # fmt: skip


@every
def test_other_graphs_do_not_matter(case: Case) -> None:
    together = case.answers(case.fitted, case.graphs)
    alone = [case.answers(case.fitted, case.graphs[at : at + 1]) for at in range(0, 60, 12)]
    np.testing.assert_allclose(np.concatenate(alone), together[::12], rtol=1e-4, atol=1e-4)
    order = np.random.default_rng(1).permutation(60)
    np.testing.assert_allclose(
        case.answers(case.fitted, case.graphs[order]), together[order], rtol=1e-4, atol=1e-4
    )


@every
def test_a_file_and_a_pickle_give_the_same_answers(case: Case, tmp_path: Path) -> None:
    path = case.fitted.save(tmp_path / "model.safetensors")
    expected = case.answers(case.fitted, case.graphs)
    for copy in (type(case.fitted).load(path), pickle.loads(pickle.dumps(case.fitted))):
        np.testing.assert_array_equal(case.answers(copy, case.graphs), expected)
        np.testing.assert_array_equal(
            copy.transform(case.graphs), case.fitted.transform(case.graphs)
        )
        assert copy.score(case.graphs, case.y) == case.fitted.score(case.graphs, case.y)
    others = {kind for kind, _ in ESTIMATORS.values()} - {type(case.fitted)}
    for other in others:
        with pytest.raises(CheckpointError, match=f"holds a {case.fitted.model_.task.kind}"):
            other.load(path)


@every
def test_a_clone_is_not_fitted_and_settings_are_set(case: Case) -> None:
    fresh = clone(case.fitted)
    assert fresh.get_params() == case.fitted.get_params()
    with pytest.raises(NotFittedError):
        fresh.predict(case.graphs)
    assert fresh.set_params(hidden_channels=12).hidden_channels == 12
    vectors = fresh.set_params(epochs=1).fit_transform(case.graphs, case.y)
    np.testing.assert_array_equal(vectors, fresh.transform(case.graphs))


@every
def test_odd_graphs_have_finite_answers(case: Case) -> None:
    odd = [nx.empty_graph(1), nx.empty_graph(5), nx.Graph([(0, 0)]), nx.DiGraph([(0, 1), (1, 2)]),
           nx.disjoint_union(nx.path_graph(3), nx.cycle_graph(4))]  # fmt: skip
    for graph in odd:
        nx.set_node_attributes(graph, 0, "label")
        nx.set_edge_attributes(graph, 0, "label")
        assert np.isfinite(case.answers(case.fitted, [graph])).all()


@every
def test_wrong_input_is_an_error_of_ours(case: Case, graphs: gp.GraphSet) -> None:
    for wrong, kind in (
        ({"pooler": "happ"}, ConfigError),
        ({"scoring": "beauty"}, ConfigError),
        ({"epochs": -1}, ConfigError),
        ({"validation": 1.0}, GraphpoolError),
    ):
        with pytest.raises(kind):
            case.make(**wrong).fit(graphs, case.y)
    with pytest.raises(ValueError, match="shape"):
        case.make().fit(graphs, case.y[:59])
    with pytest.raises(DataError):
        case.make().fit(graphs)  # they have no answers
    with pytest.raises(GraphpoolError, match="sample_weight"):
        case.make().fit(graphs, case.y, np.ones(3))
    for nothing in ([], graphs[:0], "MUTAG", 3):
        with pytest.raises(GraphpoolError):
            case.fitted.predict(nothing)
