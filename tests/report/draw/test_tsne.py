import numpy as np
import pytest

from graphpool.errors import DataError
from graphpool.report.data import EmbeddingPlot
from graphpool.report.draw.tsne import graph_map, layout, perplexity, principal_components


def two_groups(graphs=40, channels=6):
    rng = np.random.default_rng(0)
    y = np.arange(graphs) % 2
    return rng.normal(size=(graphs, channels)) + 12.0 * y[:, None], y


def plot(vectors, y, predicted=None, names=("no", "yes")):
    ids = [f"g{row}" for row in range(len(y))]
    return EmbeddingPlot(np.asarray(vectors), np.asarray(y), names, ids, predicted)


def test_the_same_seed_gives_the_same_map():
    vectors, _ = two_groups()
    assert np.array_equal(layout(vectors, seed=3), layout(vectors, seed=3))


def test_far_groups_stay_apart():
    vectors, y = two_groups()
    places = layout(vectors)
    centres = np.stack([places[y == kind].mean(axis=0) for kind in (0, 1)])
    own = np.linalg.norm(places - centres[y], axis=1)
    other = np.linalg.norm(places - centres[1 - y], axis=1)
    assert (own < other).all()


@pytest.mark.parametrize("graphs", [1, 2, 3, 4, 5, 6, 9])
@pytest.mark.parametrize("channels", [1, 2, 7])
def test_few_graphs_and_few_channels_work(graphs, channels):
    vectors = np.random.default_rng(1).normal(size=(graphs, channels))
    places = layout(vectors)
    assert places.shape == (graphs, 2)
    assert np.isfinite(places).all()


def test_few_graphs_are_laid_out_by_principal_components():
    vectors = np.array([[0.0, 0, 0], [3.0, 0, 0], [0.0, 4.0, 0]])
    places = layout(vectors)
    flat = [np.linalg.norm(places[a] - places[b]) for a, b in ((0, 1), (0, 2), (1, 2))]
    assert flat == pytest.approx([3.0, 4.0, 5.0])


def test_equal_vectors_all_stand_in_one_place():
    places = layout(np.ones((12, 4)))
    assert np.ptp(places, axis=0).tolist() == [0.0, 0.0]
    assert "nan" not in graph_map(plot(np.ones((12, 4)), np.zeros(12, dtype=int)))


def test_perplexity_fits_the_number_of_graphs():
    assert perplexity(1000) == 30.0
    assert perplexity(31) == 10.0
    assert all(perplexity(graphs) < graphs for graphs in range(2, 200))


def test_principal_components_keep_distances():
    points = np.random.default_rng(2).normal(size=(9, 4))
    turned = principal_components(points, 4)
    for a, b in ((0, 1), (3, 8)):
        expected = np.linalg.norm(points[a] - points[b])
        assert np.linalg.norm(turned[a] - turned[b]) == pytest.approx(expected)


def test_a_vector_that_is_not_finite_is_named():
    vectors, _ = two_groups()
    vectors[17, 2] = np.nan
    with pytest.raises(DataError, match="graph 17 is not finite"):
        layout(vectors)


def test_one_mark_per_graph_with_its_id():
    vectors, y = two_groups(12)
    page = graph_map(plot(vectors, y))
    assert page.count("<use ") == 12
    assert all(f"<title>g{row}: " in page for row in range(12))


def test_misclassified_graphs_are_outlined_and_say_what_was_predicted():
    vectors, y = two_groups(12)
    predicted = y.copy()
    predicted[4] = 1
    page = graph_map(plot(vectors, y, predicted))
    outlined = page.split('<g class="pt wrong"')[1].split("</g>")[0]
    assert outlined.count("<use ") == 1
    assert "g4: no, predicted yes" in outlined


def test_classes_differ_in_shape_as_well_as_colour():
    vectors, y = two_groups(12)
    page = graph_map(plot(vectors, y))
    assert 'href="#m0"' in page
    assert 'href="#m1"' in page
    assert "var(--c0)" in page
    assert "var(--c1)" in page


def test_one_class_works():
    vectors, _ = two_groups(8)
    page = graph_map(plot(vectors, np.zeros(8, dtype=int), names=("only",)))
    assert page.count("<use ") == 8


def test_no_graphs_draw_nothing():
    assert graph_map(plot(np.zeros((0, 3)), np.zeros(0, dtype=int))) == ""


def test_sizes_must_agree():
    with pytest.raises(ValueError, match="embedding of 3 graphs has 2 values in y"):
        EmbeddingPlot(np.zeros((3, 2)), np.zeros(2), ["a"], ["0", "1", "2"])
