"""Features of edges: labels and attributes, fitted as those of nodes are."""

import json
from dataclasses import replace

import numpy as np
import pytest
import torch

from graphpool.errors import ConfigError, DataError, FeatureWarning, collect_warnings
from graphpool.features import (
    EdgeAttributes,
    EdgeLabels,
    FeaturePipeline,
    features_line,
    has_edge_features,
)
from graphpool.features.labels import ONE_HOT
from graphpool.graphs import GraphSet, Name


def path(
    labels: list[int] | None = None,
    names: tuple[Name, ...] = ("single", "double"),
    attr: list[list[float]] | None = None,
) -> GraphSet:
    """A path whose edge from node i to node i + 1 has the i-th label and attributes."""
    edges = len(labels or attr or [])
    return GraphSet.build(
        "path",
        torch.tensor([edges + 1]),
        torch.tensor([edges]),
        torch.stack([torch.arange(edges), torch.arange(edges) + 1]),
        edge_label=None if labels is None else torch.tensor(labels).long(),
        edge_label_names=() if labels is None else names,
        edge_attr=None if attr is None else torch.tensor(attr),
    )


def test_labels_have_a_column_each_and_match_by_name() -> None:
    feature = EdgeLabels().fit(path([0, 1]))
    assert feature.names == ("edge label=single", "edge label=double")
    other = path([0, 1, 1], ("double", "single"))
    assert feature.transform(other).tolist() == [[0, 1], [1, 0], [1, 0]]


def test_unknown_labels_are_zero_and_told_once() -> None:
    feature = EdgeLabels().fit(path([0]))
    with collect_warnings(FeatureWarning) as texts:
        made = feature.transform(path([0, 1, -1]))
        feature.transform(path([0, 1]))
    assert made.tolist() == [[1], [0], [0]]
    assert texts == [
        "path: 2 of 3 edges have labels that were not seen in training, such as 'double'; their "
        "label features are zero"
    ]


def test_many_labels_are_one_column_of_codes() -> None:
    count = ONE_HOT + 1
    many = path([*range(count), -1], tuple(range(count)))
    pipeline = FeaturePipeline("constant+edge_labels").fit(many)
    assert pipeline.edge_names == ("edge label",)
    assert pipeline.edge_lookup == (0, count + 1)
    assert pipeline.lookup is None
    made = pipeline.transform(many).edge_x
    assert made is not None
    assert made.flatten().tolist() == [*range(1, count + 1), 0]
    assert pipeline.used[1] == "129 edge labels (learned vectors)"


def test_attributes_are_standardised_with_moments_of_the_fitted_edges() -> None:
    train = np.random.default_rng(0).normal(5, 3, (40, 2))
    feature = EdgeAttributes().fit(path(attr=train.tolist()))
    found = feature.transform(path(attr=[[1.0, 2.0]])).numpy()
    assert np.allclose(found, (np.array([[1.0, 2.0]]) - train.mean(0)) / train.std(0), atol=1e-5)
    assert feature.names == ("edge attribute 0", "edge attribute 1")


def test_gaps_and_infinite_attributes_name_the_edge() -> None:
    with pytest.raises(DataError, match="path, graph 0: edge 1-2 has an infinite number among its"):
        EdgeAttributes().fit(path(attr=[[1.0], [float("inf")]]))
    with collect_warnings(FeatureWarning) as texts:
        made = EdgeAttributes().fit(gaps := path(attr=[[1.0], [float("nan")], [3.0]]))
        assert made.transform(gaps).tolist() == [[-1], [0], [1]]
    assert "edge attributes are missing (NaN), the first of them in graph 0: edge 1-2" in texts[0]


@pytest.mark.parametrize(
    ("spec", "missing"), [("edge_labels", "edge labels"), ("edge_attributes", "edge attributes")]
)
def test_a_set_without_them_is_refused(spec: str, missing: str) -> None:
    bare = replace(path([0]), edge_label=None, edge_label_names=())
    with pytest.raises(DataError, match=f"path has no {missing}; use features='auto'"):
        FeaturePipeline(f"constant+{spec}").fit(bare)


def test_auto_adds_what_edges_bring_unless_the_network_has_no_use_for_it() -> None:
    graphs = path([0, 1], attr=[[1.5], [2.5]])
    pipeline = FeaturePipeline("auto").fit(graphs)
    made = pipeline.transform(graphs)
    assert made.edge_x is not None
    assert made.edge_x.tolist() == [[1, 0, -1], [0, 1, 1]]
    assert pipeline.edge_channels == 3
    assert features_line(pipeline.about()) == (
        "Features: degree (2 columns), 2 edge labels, 1 edge attribute (standardised)"
    )
    without = FeaturePipeline("auto", "encoder gcn").fit(graphs)
    assert without.transform(made).edge_x is None
    assert without.edge_channels == 0
    assert features_line(without.about()) == (
        "Features: degree (2 columns); not used: 2 edge labels (encoder gcn), 1 edge attribute "
        "(encoder gcn)"
    )


def test_state_brings_back_the_same_features() -> None:
    graphs = path([0, 1], attr=[[1.5], [2.5]])
    pipeline = FeaturePipeline("edge_attributes+constant+edge_labels").fit(graphs)
    again = FeaturePipeline.from_state(json.loads(json.dumps(pipeline.state())))
    assert again.edge_names == ("edge attribute 0", "edge label=single", "edge label=double")
    assert again.names == ("constant",)
    made, remade = pipeline.transform(graphs).edge_x, again.transform(graphs).edge_x
    assert made is not None
    assert remade is not None
    assert torch.equal(made, remade)


def test_features_of_edges_alone_are_refused() -> None:
    with pytest.raises(
        ConfigError, match=r"features of edges alone; add .*'constant\+edge_labels'"
    ):
        FeaturePipeline("edge_labels")


@pytest.mark.parametrize(
    ("graphs", "expected"),
    [
        (path([0, 1]), True),
        (path([0, 0]), False),
        (path(attr=[[1.0], [2.0]]), True),
        (path(attr=[[1.0], [1.0]]), False),
        (replace(path([0, 1]), edge_label=None, edge_label_names=()), False),
        (path([]), False),
    ],
)
def test_edges_have_features_if_they_differ(graphs: GraphSet, expected: bool) -> None:
    assert has_edge_features(graphs) is expected
