import pytest
import torch

from graphpool.errors import ConfigError, DataError, FeatureWarning, collect_warnings
from graphpool.features import Labels
from graphpool.features.labels import ONE_HOT
from graphpool.graphs import GraphSet, Name


def labelled(codes: list[int], names: tuple[Name, ...]) -> GraphSet:
    """One graph without edges."""
    return GraphSet.build(
        "labelled",
        torch.tensor([len(codes)]),
        torch.tensor([0]),
        torch.zeros(2, 0),
        node_label=torch.tensor(codes),
        node_label_names=names,
    )


def test_columns_are_the_labels_that_occur() -> None:
    feature = Labels().fit(labelled([2, 0, 2], ("C", "N", "O")))
    assert feature.names == ("label=C", "label=O")
    assert feature.transform(labelled([0, 2], ("C", "N", "O"))).tolist() == [[1, 0], [0, 1]]


def test_labels_match_by_name_where_codes_differ() -> None:
    feature = Labels().fit(labelled([0, 1], ("C", "N")))
    assert feature.transform(labelled([0, 1, 1], ("N", "C"))).tolist() == [[0, 1], [1, 0], [1, 0]]


def test_number_and_text_are_different_labels() -> None:
    feature = Labels().fit(labelled([0, 1], (1, "1")))
    assert feature.transform(labelled([0, 1], ("1", 1))).tolist() == [[0, 1], [1, 0]]


def test_unknown_labels_are_zero_counted_and_told_once() -> None:
    feature = Labels().fit(labelled([0], ("C",)))
    with collect_warnings(FeatureWarning) as texts:
        first = feature.transform(labelled([0, 1, 1], ("C", "Xe")))
        feature.transform(labelled([0, 1], ("C", "Xe")))
    assert first.tolist() == [[1], [0], [0]]
    assert feature.unknown == 1
    assert texts == [
        "labelled: 2 of 3 nodes have labels that were not seen in training, such as 'Xe'; "
        "their label features are zero"
    ]


def test_many_labels_are_one_column_of_codes() -> None:
    names = tuple(range(1000))
    many = labelled([*range(1000), -1], names)
    feature = Labels().fit(many)
    assert feature.names == ("label",)
    assert feature.lookup == 1001
    assert feature.transform(many).flatten().tolist() == [*range(1, 1001), 0]
    other = labelled([0, 1], ("unheard of", 7))
    assert feature.transform(other).tolist() == [[0], [8]]


def test_a_column_for_each_label_up_to_the_limit() -> None:
    few = labelled(list(range(ONE_HOT)), tuple(range(ONE_HOT)))
    feature = Labels().fit(few)
    assert feature.lookup is None
    assert torch.equal(feature.transform(few), torch.eye(ONE_HOT))


def test_node_without_a_label_has_a_row_of_zeros() -> None:
    feature = Labels().fit(labelled([0, 1, -1], ("C", "N")))
    assert feature.transform(labelled([1, -1], ("C", "N"))).tolist() == [[0, 1], [0, 0]]


def test_set_without_labels_names_the_next_step() -> None:
    bare = GraphSet.build("bare", torch.tensor([1]), torch.tensor([0]), torch.zeros(2, 0))
    with pytest.raises(DataError, match=r"bare has no node labels; use features='degree'"):
        Labels().fit(bare)


def test_answering_for_graphs_without_labels_asks_for_labels() -> None:
    bare = GraphSet.build("bare", torch.tensor([1]), torch.tensor([0]), torch.zeros(2, 0))
    with pytest.raises(DataError, match=r"bare has no node labels; the model was trained on"):
        Labels().fit(labelled([0], ("C",))).transform(bare)


def test_transform_before_fit_says_to_fit() -> None:
    with pytest.raises(ConfigError, match=r"'labels' is not fitted; call fit"):
        Labels().transform(labelled([0], ("C",)))


def test_one_known_label_is_enough() -> None:
    feature = Labels().fit(labelled([0, 1], ("C", "N")))
    feature.check_known(labelled([0, 1], ("Xe", "N")))


def test_labels_all_unknown_are_refused_with_some_of_both() -> None:
    feature = Labels().fit(labelled([0, 1, 2, 3, 4, 5], (1, 2, 3, 4, 5, 6)))
    with pytest.raises(DataError, match=r"labels are 1, 2, 3, 4, 5, …, those found are '1', '2'"):
        feature.check_known(labelled([0, 1], ("1", "2", "3")))


def test_nodes_without_any_label_are_refused() -> None:
    feature = Labels().fit(labelled([0], ("C",)))
    with pytest.raises(DataError, match="those found are none"):
        feature.check_known(labelled([-1], ("C",)))
