import dataclasses
import inspect

import numpy as np
import pytest
import torch
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.model_selection import cross_val_score

import graphpool
from graphpool.config import ModelConfig, TrainConfig
from graphpool.data.load import load
from graphpool.errors import CheckpointError, ConfigError, DataError
from graphpool.estimators.classifier import GraphClassifier
from graphpool.features.pipeline import FeaturePipeline
from graphpool.graphs.graphset import GraphSet
from graphpool.graphs.places.rule import PlaceRule

QUICK = {"epochs": 3, "hidden_channels": 8}


@pytest.fixture(scope="module")
def graphs() -> GraphSet:
    return load("MUTAG", features=None)


@pytest.fixture(scope="module")
def fitted(graphs: GraphSet) -> GraphClassifier:
    return GraphClassifier(**QUICK).fit(graphs[:80])


def triangles_and_paths(count: int) -> GraphSet:
    """Closed and open chains of 5 to 8 nodes; a cycle has no node of degree 1."""
    sizes = torch.arange(count) % 4 + 5
    edges, counts, y = [], [], []
    for number, size in enumerate(sizes.tolist()):
        chain = torch.stack([torch.arange(size - 1), torch.arange(1, size)])
        closed = number // 4 % 2
        if closed:
            chain = torch.cat([chain, torch.tensor([[size - 1], [0]])], dim=1)
        edges.append(chain)
        counts.append(chain.shape[1])
        y.append(closed)
    return GraphSet.build(
        "chains", sizes, torch.tensor(counts), torch.cat(edges, 1), undirected=True,
        y=torch.tensor(y), classes=("open", "closed"),
    )  # fmt: skip


def test_it_is_offered_by_the_package():
    assert graphpool.GraphClassifier is GraphClassifier


def test_settings_have_the_names_and_defaults_of_the_configs():
    defaults = {
        name: item.default for name, item in inspect.signature(GraphClassifier).parameters.items()
    }
    # Those that follow are of pairs, of numbers, and set by training.
    hidden = {"checkpoint_seconds", "tensorboard", "distance", "score", "loss", "interval", "parts"}
    assert defaults.pop("scoring") == "auto"  # found by the data
    hidden.add("scoring")
    for config in (ModelConfig(), TrainConfig()):
        for item in dataclasses.fields(config):
            if item.name not in hidden:
                assert defaults[item.name] == getattr(config, item.name), item.name


def test_clone_and_set_params_keep_every_setting():
    first = GraphClassifier(
        "sum", epochs=7, clusters=[4, 1], max_clusters=5, cluster_profile=False, cut_loss=0.5
    )
    second = clone(first).set_params(seed=3)
    assert second.get_params() == {**first.get_params(), "seed": 3}


ESTIMATORS = [GraphClassifier, graphpool.GraphComparer]


@pytest.mark.parametrize("estimator", ESTIMATORS)
def test_old_and_unknown_arguments_are_named(estimator):
    with pytest.raises(ConfigError, match="most is now max_clusters"):
        estimator(most=3)
    with pytest.raises(ConfigError, match="clip is now clip_norm"):
        estimator().set_params(clip=1.0)
    with pytest.raises(TypeError, match="no argument 'epohcs'; did you mean 'epochs'"):
        estimator(epohcs=3)
    with pytest.raises(TypeError):
        estimator("hap", "gcn")


@pytest.mark.parametrize("estimator", ESTIMATORS)
def test_every_argument_is_explained_in_the_docstring(estimator):
    names = list(estimator().get_params())
    assert len(names) > 20
    assert not [name for name in names if callable(getattr(estimator, name, None))]
    assert all(f"\n        {name}: " in estimator.__doc__ for name in names)
    assert max(map(len, estimator.__doc__.splitlines())) <= 100
    assert repr(estimator(epochs=7)) == f"{estimator.__name__}(epochs=7)"


@pytest.mark.parametrize("method", ["predict", "predict_proba", "transform", "score", "levels"])
def test_before_fit_every_answer_is_refused(graphs, method):
    with pytest.raises(NotFittedError, match="call fit"):
        getattr(GraphClassifier(), method)(graphs)


def test_it_learns_what_can_be_learnt():
    train, test = triangles_and_paths(64), triangles_and_paths(32)
    model = GraphClassifier(epochs=30, hidden_channels=16, seed=1).fit(train)
    assert model.score(test) == 1.0


def test_the_same_seed_gives_the_same_model_to_the_bit(graphs, fitted):
    again = GraphClassifier(**QUICK).fit(graphs[:80])
    other = GraphClassifier(**QUICK, seed=1).fit(graphs[:80])
    expected = fitted.predict_proba(graphs)
    assert np.array_equal(again.predict_proba(graphs), expected)
    assert not np.array_equal(other.predict_proba(graphs), expected)


def test_fit_leaves_the_random_numbers_of_others_alone(graphs):
    torch.manual_seed(5)
    expected = torch.rand(3)
    torch.manual_seed(5)
    GraphClassifier(**{**QUICK, "epochs": 1}).fit(graphs[:40])
    assert torch.equal(torch.rand(3), expected)


def test_without_y_answers_are_the_classes_of_the_set(graphs, fitted):
    assert fitted.classes_.tolist() == [-1, 1]
    assert fitted.class_names_ == (-1, 1)
    predicted = fitted.predict(graphs)
    assert set(predicted.tolist()) <= {-1, 1}
    assert fitted.score(graphs) == pytest.approx((predicted == graphs.class_labels).mean())
    assert np.array_equal(fitted.model_.predict(graphs), predicted)


def test_words_of_a_set_are_answered():
    graphs = triangles_and_paths(16)
    model = GraphClassifier(**QUICK).fit(graphs)
    assert set(model.predict(graphs)) <= {"open", "closed"}
    assert model.score(graphs) == (model.predict(graphs) == graphs.class_labels).mean()


def test_given_codes_come_back_as_codes(graphs, tmp_path):
    subset = graphs[:40]
    model = GraphClassifier(**QUICK).fit(subset, subset.y)
    assert model.classes_.tolist() == [0, 1]
    assert (
        model.score(subset)
        == model.score(subset, subset.y)
        == model.score(subset, subset.y.numpy())
    )
    assert GraphClassifier.load(model.save(tmp_path / "m.safetensors")).classes_.tolist() == [0, 1]


def test_codes_where_names_are_predicted_are_warned_of(graphs, fitted):
    with pytest.warns(UserWarning, match=r"y holds 0, and the model predicts -1, 1"):
        fitted.score(graphs, graphs.y.numpy())
    assert fitted.score(graphs, graphs.y) == fitted.score(graphs, graphs.class_labels)


@pytest.mark.parametrize(
    ("values", "dtype"),
    [((0, 1), "int8"), ((False, True), "bool"), (("a", "bc"), "object"), (("a", "bc"), "<U2"),
     ((1.0, 2.0), "float16"), ((3, 255), "uint8"), ((-5, 7), "int64")],
)  # fmt: skip
def test_classes_keep_the_type_of_y_also_in_a_file(graphs, tmp_path, values, dtype):
    y = np.array(values, dtype=dtype)[graphs.y[:20].numpy()]
    model = GraphClassifier(**{**QUICK, "epochs": 1}).fit(graphs[:20], y)
    path = model.save(tmp_path / "m.safetensors")
    for each in (model, GraphClassifier.load(path)):
        assert each.classes_.dtype == np.dtype(dtype)
        assert each.classes_.tolist() == list(values)
        assert each.predict(graphs[:3]).dtype == np.dtype(dtype)
        assert each.model_.predict(graphs[:3]).dtype == np.dtype(dtype)


@pytest.mark.parametrize("names", [("no", "yes"), (False, True), (-1.0, 2.0), (7, 3)])
def test_labels_of_any_kind_come_back(graphs, names):
    y = [names[code] for code in graphs.y[:80].tolist()]
    model = GraphClassifier(**QUICK).fit(graphs[:80], y)
    assert model.classes_.tolist() == sorted(names)
    predicted = model.predict(graphs[:80])
    assert set(predicted.tolist()) <= set(names)
    assert model.score(graphs[:80], y) == pytest.approx(np.mean(predicted == np.array(y)))


def test_the_sets_own_y_is_the_same_as_none(graphs):
    subset = graphs[:40]
    first = GraphClassifier(**QUICK).fit(subset, subset.y)
    second = GraphClassifier(**QUICK).fit(subset)
    assert first.class_names_ == second.class_names_ == (-1, 1)
    assert np.array_equal(first.predict_proba(subset), second.predict_proba(subset))


def test_probabilities_fit_the_answers(graphs, fitted):
    shares = fitted.predict_proba(graphs)
    assert shares.shape == (188, 2)
    np.testing.assert_allclose(shares.sum(1), 1.0, rtol=1e-12)
    assert np.array_equal(fitted.classes_[shares.argmax(1)], fitted.predict(graphs))


def test_vectors_and_levels_of_unseen_graphs(graphs, fitted):
    assert fitted.transform(graphs[80:90]).shape == (10, fitted.model_.network.embedding_channels)
    (level,) = fitted.levels(graphs[80:90])
    places = graphs[80:90].places(PlaceRule(units="auto", steps=0, most=1024))
    assert level.x.shape == (int(places.counts.sum()), 8)
    assert level.counts.tolist() == places.counts.tolist()
    assert level.adj.shape == (10, places.width, places.width)
    assert level.assignment.shape[0] == graphs[80:90].num_nodes


def test_levels_of_a_network_that_goes_one_way(graphs):
    model = GraphClassifier("hap-one-way", **QUICK).fit(graphs[:40])
    first, last = model.levels(graphs[80:90])
    assert first.counts.tolist() == graphs[80:90].places(PlaceRule()).counts.tolist()
    assert last.adj.shape == (10, 1, 1)


def test_vectors_do_not_depend_on_the_company_of_a_graph(graphs, fitted):
    together = fitted.transform(graphs[80:90])
    alone = fitted.transform(graphs[[85]])
    np.testing.assert_allclose(alone[0], together[5], rtol=1e-4, atol=1e-5)


def test_features_are_fitted_on_training_graphs_alone(graphs, fitted):
    expected = FeaturePipeline("auto").fit(fitted._parts(graphs[:80])[0]).state()
    assert fitted.model_.features.state() == expected


@pytest.mark.parametrize(("share", "held"), [(0.1, 8), (0.25, 20), (0.3, 24), (0.5, 40)])
def test_validation_graphs_are_a_stratified_share(graphs, share, held):
    chosen = graphs[:80]
    train, valid = GraphClassifier(validation=share)._parts(chosen)
    assert (len(train), len(valid)) == (80 - held, held)
    assert not set(train.ids) & set(valid.ids)
    part = float(chosen.y.double().mean())
    assert abs(float(valid.y.double().mean()) - part) <= 1.5 / held


@pytest.mark.parametrize(
    ("share", "count", "held"), [(0.01, 80, 1), (0.02, 100, 2), (0.99, 80, 79), (0.3, 5, 2)]
)
def test_a_share_of_few_graphs_or_near_none_or_all_is_kept(graphs, share, count, held):
    train, valid = GraphClassifier(validation=share)._parts(graphs[:count])
    assert (len(train), len(valid)) == (count - held, held)


def test_without_validation_every_graph_is_learnt_from(graphs):
    train, valid = GraphClassifier(validation=0.0)._parts(graphs)
    assert (len(train), valid) == (188, None)
    fitted = GraphClassifier(**QUICK, validation=0.0, patience=1).fit(graphs[:20])
    assert fitted.result_.stopped == "epochs"


def test_a_saved_model_answers_the_same(graphs, fitted, tmp_path):
    path = fitted.save(tmp_path / "model.safetensors")
    loaded = GraphClassifier.load(path)
    assert np.array_equal(loaded.predict_proba(graphs), fitted.predict_proba(graphs))
    resolved = {
        "encoder": "gine",
        "norm": "batch",
        "residual": "on",
        "num_layers": 3,
        "readout": ("mean", "scaled_sum"),
        "max_clusters": 1024,
        "gate": "on",
        "scoring": "accuracy",
    }
    assert loaded.get_params() == {**fitted.get_params(), **resolved}
    assert loaded.class_names_ == (-1, 1)


def test_labels_survive_saving(graphs, tmp_path):
    y = np.array(["no", "yes"])[graphs.y[:40].numpy()]
    model = GraphClassifier(**QUICK).fit(graphs[:40], y)
    loaded = GraphClassifier.load(model.save(tmp_path / "m.safetensors"))
    assert np.array_equal(loaded.predict(graphs[:40]), model.predict(graphs[:40]))
    assert loaded.classes_.tolist() == ["no", "yes"]


def test_clusters_by_ratio_survive_saving(graphs, tmp_path):
    model = GraphClassifier(**QUICK, ratio=0.5).fit(graphs[:40])
    loaded = GraphClassifier.load(model.save(tmp_path / "m.safetensors"))
    assert np.array_equal(loaded.predict_proba(graphs[:5]), model.predict_proba(graphs[:5]))


def test_given_clusters_are_those_of_every_graph(graphs):
    model = GraphClassifier(**QUICK, clusters=(6, 1)).fit(graphs[:40])
    first, last = model.levels(graphs[:40])
    assert (first.clusters, last.clusters) == (6, 1)


def test_most_is_kept_to(graphs):
    model = GraphClassifier(**QUICK, resolution=20.0, max_clusters=4).fit(graphs[:40])
    assert int(model.levels(graphs[:40])[0].counts.max()) == 4


def test_validation_graphs_can_choose_the_number_of_places(graphs, tmp_path):
    model = GraphClassifier(**QUICK, cluster_count="validation", validation=0.25).fit(graphs[:60])
    choice, chosen = model.model_.choice, model.model_.config.model
    assert len(choice.pilots) == 5
    assert (chosen.cluster_count, chosen.resolution) == (choice.count, choice.resolution)
    assert model.get_params()["cluster_count"] == "validation"
    loaded = GraphClassifier.load(model.save(tmp_path / "m.safetensors"))
    assert loaded.model_.choice == choice
    assert np.array_equal(loaded.predict_proba(graphs), model.predict_proba(graphs))
    again = GraphClassifier(**QUICK, cluster_count=choice.count, resolution=choice.resolution)
    again.set_params(validation=0.25).fit(graphs[:60])
    assert np.array_equal(again.predict_proba(graphs), model.predict_proba(graphs))


def test_choosing_places_without_validation_graphs_says_what_to_do(graphs):
    with pytest.raises(
        ConfigError, match="selected on validation graphs, and there are none; give some, or"
    ):
        GraphClassifier(**QUICK, cluster_count="validation", validation=0.0).fit(graphs[:40])


def test_a_damaged_or_foreign_file_is_refused(fitted, tmp_path):
    path = fitted.save(tmp_path / "model.safetensors")
    path.write_bytes(path.read_bytes()[:-10])
    with pytest.raises(CheckpointError, match="damaged"):
        GraphClassifier.load(path)
    with pytest.raises(CheckpointError, match="no such checkpoint"):
        GraphClassifier.load(tmp_path / "none.safetensors")


def test_scikit_learn_can_split_and_search(graphs):
    y = graphs.y[:40].numpy()
    scores = cross_val_score(GraphClassifier(**QUICK), graphs[:40], y, cv=2, error_score="raise")
    assert scores.shape == (2,)
    assert ((scores >= 0) & (scores <= 1)).all()


def test_a_list_of_graphs_is_the_set_it_came_from(graphs, fitted):
    chosen = [graphs[position] for position in (3, 50, 120)]
    np.testing.assert_allclose(
        fitted.predict_proba(chosen), fitted.predict_proba(graphs[[3, 50, 120]]), rtol=1e-6
    )


def test_score_matches_classes_by_name(graphs, fitted):
    turned = dataclasses.replace(graphs, y=1 - graphs.y, classes=(1, -1))
    assert fitted.score(turned) == fitted.score(graphs)


def test_a_misspelt_setting_names_the_nearest(graphs):
    with pytest.raises(ConfigError, match="did you mean 'hap'"):
        GraphClassifier("happ").fit(graphs)
    with pytest.raises(ConfigError, match=r"GraphClassifier\.encoder: unknown value 'gct'"):
        GraphClassifier(encoder="gct").fit(graphs)


@pytest.mark.parametrize(
    ("y", "problem"),
    [([1, 2], "shape"), ([[1, 2]] * 20, "shape"), (["a", 1.0, None] * 6 + ["b"] * 2, "y ")],
)
def test_labels_that_do_not_fit_are_refused(graphs, y, problem):
    with pytest.raises(DataError, match=problem):
        GraphClassifier().fit(graphs[:20], np.array(y, dtype=object) if problem == "y " else y)


def test_features_of_ones_own_are_used_alone_or_beside_labels(graphs):
    generator = torch.Generator().manual_seed(0)
    own = graphs[:40]
    own = own.with_x(torch.rand(own.num_nodes, 3, generator=generator))
    model = GraphClassifier(**QUICK, features="given").fit(own)
    assert model.model_.features.names == ("x0", "x1", "x2")
    used = GraphClassifier(**QUICK).fit(own).model_.features
    assert used.names[-3:] == ("x0", "x1", "x2")
    assert used.about()["used"][1:] == ["3 features x (standardised)", "4 edge labels"]


def test_features_that_load_made_are_not_taken_for_ones_own(graphs):
    loaded = load("MUTAG")[:40]
    model = GraphClassifier(**QUICK).fit(loaded)
    plain = GraphClassifier(**QUICK).fit(graphs[:40])
    assert model.model_.features.state() == plain.model_.features.state()
    again = GraphClassifier(**QUICK).fit(list(loaded))
    assert again.model_.features.names == plain.model_.features.names


@pytest.mark.parametrize("answer", ["predict", "predict_proba", "transform", "score", "levels"])
def test_graphs_whose_labels_are_all_unknown_are_refused(graphs, fitted, answer):
    strange = dataclasses.replace(graphs[:5], node_label_names=("Uuo", *"QWERTY"))
    with pytest.raises(DataError, match="the model knows none of the node labels"):
        getattr(fitted, answer)(strange)


def test_given_features_must_be_there_and_as_wide(graphs):
    own = graphs[:40].with_x(torch.ones(graphs[:40].num_nodes, 3))
    model = GraphClassifier(**QUICK, features="given").fit(own)
    with pytest.raises(DataError, match="no features x"):
        model.predict(graphs[:5])
    with pytest.raises(DataError, match="2 features per node, the training graphs had 3"):
        model.predict(graphs[:5].with_x(torch.ones(graphs[:5].num_nodes, 2)))
