import json
from dataclasses import replace
from pathlib import Path

import pytest
import torch

from graphpool.data.formats import open_set, save
from graphpool.errors import CheckpointError, ConfigError, DataError
from graphpool.features import KINDS, FeaturePipeline, features_line
from graphpool.graphs import GraphSet, concatenate


def graphs(labels: bool = True, names: tuple[str, ...] = ("C", "N")) -> GraphSet:
    """A triangle and a path of two nodes."""
    return GraphSet.build(
        "two",
        torch.tensor([3, 2]),
        torch.tensor([3, 1]),
        torch.tensor([[0, 1, 2, 0], [1, 2, 0, 1]]),
        undirected=True,
        node_label=torch.tensor([0, 0, 1, 1, 0]) if labels else None,
        node_label_names=names if labels else (),
        node_attr=torch.arange(10.0).reshape(5, 2),
        edge_label=torch.tensor([0, 1, 0, 1]),
        edge_label_names=("-", "="),
        edge_attr=torch.arange(4.0).reshape(4, 1),
        x=torch.arange(5.0).reshape(5, 1),
    )


EVERYTHING = (
    "labels+degree:5+bindegree+logdegree+constant+attributes+rw:4+eigen:3+x+given+edge_labels"
    "+edge_attributes"
)


def beside_nodes(kind: str) -> str:
    """A string with this kind; one of edges needs another of nodes beside it."""
    return f"constant+{kind}" if kind in KINDS and KINDS[kind].of == "edge" else kind


LABELS, DEGREES = ("label=C", "label=N"), ("degree=0", "degree=1", "degree>=2")
ATTRIBUTES = ("attribute 0", "attribute 1")


def test_auto_takes_labels_attributes_and_the_x_that_graphs_bring() -> None:
    assert FeaturePipeline("auto").fit(graphs()).names == (*LABELS, *ATTRIBUTES, "x0")


def test_auto_takes_the_degree_where_nodes_bring_nothing() -> None:
    bare = replace(graphs(labels=False), node_attr=None, x=None)
    assert FeaturePipeline().fit(bare).names == DEGREES


def test_auto_adds_the_degree_to_attributes_without_labels() -> None:
    attributed = replace(graphs(labels=False), x=None)
    assert FeaturePipeline().fit(attributed).names == (*ATTRIBUTES, *DEGREES)


def test_auto_does_not_take_an_x_that_features_have_made() -> None:
    plain = replace(graphs(), node_attr=None, x=None)
    made = FeaturePipeline("degree").fit_transform(plain)
    assert made.x_from == made[[1, 0]].x_from == made[0].x_from == "degree"
    assert concatenate([made, made]).x_from == "degree"
    assert FeaturePipeline().fit(made).names == LABELS
    own = made.with_x(torch.ones(5, 3))
    assert FeaturePipeline().fit(own).names == (*LABELS, "x0", "x1", "x2")


def test_made_features_are_told_from_own_ones_after_saving(tmp_path: Path) -> None:
    made = FeaturePipeline("degree").fit_transform(replace(graphs(), x=None))
    save(made, tmp_path / "made.safetensors")
    save(graphs(), tmp_path / "own.safetensors")
    assert open_set(tmp_path / "made.safetensors").x_from == "degree"
    assert open_set(tmp_path / "own.safetensors").x_from == ""


def test_auto_leaves_out_what_is_named_beside_it() -> None:
    assert FeaturePipeline("attributes+auto").fit(graphs()).names == (*ATTRIBUTES, *LABELS, "x0")
    assert FeaturePipeline("auto+given").fit(graphs()).names == (*LABELS, *ATTRIBUTES, "x0")


def test_what_is_used_and_what_is_not_is_said_and_stored() -> None:
    full = replace(graphs(), graph_attr=torch.ones(2, 3))
    pipeline = FeaturePipeline("labels+rw:8").fit(full)
    about = {
        "used": ["2 node labels", "rw (8 columns)"],
        "unused": [
            "2 node attributes",
            "1 feature x",
            "2 edge labels",
            "1 edge attribute",
            "3 graph attributes",
        ],
    }
    assert pipeline.about() == about
    again = FeaturePipeline.from_state(json.loads(json.dumps(pipeline.state())))
    assert again.about() == about
    assert features_line(FeaturePipeline().fit(full).about()) == (
        "Features: 2 node labels, 2 node attributes (standardised), 1 feature x (standardised), "
        "2 edge labels, 1 edge attribute (standardised); not used: 3 graph attributes"
    )


def test_kinds_stand_side_by_side_in_the_given_order() -> None:
    made = FeaturePipeline("constant + labels+rw:2").fit_transform(graphs())
    # On the triangle a walk of two steps returns with 1/2, on the path with 1.
    assert made.x is not None
    assert made.x.tolist() == [
        [1, 1, 0, 0, 0.5],
        [1, 1, 0, 0, 0.5],
        [1, 0, 1, 0, 0.5],
        [1, 0, 1, 0, 1],
        [1, 1, 0, 0, 1],
    ]


def test_every_kind_is_in_the_test_string() -> None:
    assert {item.partition(":")[0] for item in EVERYTHING.split("+")} == set(KINDS)
    assert all(KINDS[kind].kind == kind for kind in KINDS)


def test_stored_state_gives_the_same_features_on_unseen_graphs() -> None:
    pipeline = FeaturePipeline(EVERYTHING).fit(graphs()[[0]])
    again = FeaturePipeline.from_state(json.loads(json.dumps(pipeline.state())))
    unseen = graphs(names=("N", "C"))
    assert torch.equal(again.columns(unseen), pipeline.columns(unseen))
    assert (again.names, again.spec) == (pipeline.names, EVERYTHING)


@pytest.mark.parametrize("kind", [*KINDS, EVERYTHING])
def test_columns_are_finite_floats_one_per_name(kind: str) -> None:
    pipeline = FeaturePipeline(beside_nodes(kind))
    made = pipeline.fit_transform(graphs())
    assert made.x is not None
    assert made.x.shape == (5, len(pipeline.names)) == (5, pipeline.channels)
    assert (made.edge_x is None) == (pipeline.edge_channels == 0)
    for columns in (made.x, made.edge_x if made.edge_x is not None else torch.zeros(8, 0)):
        assert columns.dtype == torch.float32
        assert torch.isfinite(columns).all()
    if made.edge_x is not None:
        assert made.edge_x.shape == (8, len(pipeline.edge_names)) == (8, pipeline.edge_channels)


@pytest.mark.parametrize("kind", KINDS)
def test_rows_do_not_depend_on_other_graphs_of_the_set(kind: str) -> None:
    pipeline = FeaturePipeline(beside_nodes(kind)).fit(graphs())
    turned, plain = graphs()[[1, 0]], graphs()
    assert torch.equal(pipeline.columns(turned)[:2], pipeline.columns(plain)[3:])
    if (columns := pipeline.edge_columns(turned)) is not None:
        expected = pipeline.edge_columns(plain)
        assert expected is not None
        assert torch.equal(columns[:2], expected[6:])


@pytest.mark.parametrize(
    ("spec", "message"),
    [
        ("lables", "unknown kind 'lables'; did you mean 'labels'"),
        ("labels+degre:3", "did you mean 'degree'"),
        ("autos", "did you mean 'auto'"),
        ("", "empty part"),
        ("labels+", "empty part"),
        ("rw:2+rw:4", "'rw' appears twice"),
        ("labels:3", "'labels' takes no argument"),
        ("rw:0", "rw:0 needs a whole number"),
        ("rw:x", "rw:x needs a whole number"),
        ("eigen:0", "eigen:0 needs a whole number"),
    ],
)
def test_wrong_string_is_refused_before_any_data_is_read(spec: str, message: str) -> None:
    with pytest.raises(ConfigError, match=message):
        FeaturePipeline(spec)


def test_unfitted_pipeline_says_to_fit() -> None:
    with pytest.raises(ConfigError, match="not fitted"):
        FeaturePipeline("labels").transform(graphs())


def test_labels_of_a_set_without_labels_is_a_data_error() -> None:
    with pytest.raises(DataError, match="no node labels"):
        FeaturePipeline("labels").fit(graphs(labels=False))


@pytest.mark.parametrize(
    "state", [{}, {"spec": "rw", "features": [{"kind": "gone"}]}, {"spec": "rw", "features": 3}]
)
def test_damaged_state_is_a_checkpoint_error(state: dict[str, object]) -> None:
    with pytest.raises(CheckpointError, match="can't be read"):
        FeaturePipeline.from_state(state)
