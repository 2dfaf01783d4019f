"""Protocols that read the columns of a set: published, scaffold, column, group, time."""

from dataclasses import replace

import numpy as np
import pytest

from graphpool.data.load import load
from graphpool.errors import ConfigError, DataError
from graphpool.evaluation.protocols import (
    bound,
    default_split,
    find_protocol,
    run_split,
    splits_for,
    values_of,
)
from graphpool.graphs.graphset import GraphSet

COUNT = 80
SMILES = (
    "CCO",
    "c1ccccc1C",
    "C1CCCCC1O",
    "c1ccncc1",
    "OCC",
    "c1ccccc1O",
    "C1CC1N",
    "c1ccoc1",
    "CC",
)
EVERY = ["published", "scaffold", "random:6:2:2", "cv4", "cv3:site", "cv3:scaffold", "column:part",
         "column:fold", "group:site", "group:scaffold:6:2:2", "time:year"]  # fmt: skip
FIXED = {"published", "scaffold", "column:part", "column:fold", "time:year"}
GROUPS = {"scaffold": "scaffold", "cv3:site": "site", "cv3:scaffold": "scaffold",
          "group:site": "site", "group:scaffold:6:2:2": "scaffold"}  # fmt: skip


def columns() -> dict[str, tuple[str, ...]]:
    draw = np.random.default_rng(3)
    parts = ["train"] * 60 + ["val"] * 8 + ["test"] * 12
    return {
        "split": tuple(parts),
        "part": tuple(parts[::-1]),
        "fold": tuple(str(at % 5) for at in range(COUNT)),
        "site": tuple(f"s{number}" for number in draw.integers(0, 20, COUNT)),
        "year": tuple(str(year) for year in draw.integers(1990, 2024, COUNT)),
        # Chains of carbon before a ring change no scaffold.
        "smiles": tuple("C" * (at // 9) + SMILES[at % 9] for at in range(COUNT)),
    }


def a_set(kind: str) -> GraphSet:
    """A set with classes, numbers, several labels with gaps, or nothing to predict."""
    graphs = replace(load("MUTAG", features=None)[:COUNT], columns=columns())
    if kind == "classes":
        return graphs
    draw = np.random.default_rng(0)
    numbers = draw.normal(size=(COUNT, 1)).astype(np.float32)
    labels = draw.integers(0, 2, (COUNT, 3)).astype(np.float32)
    labels[::7, 1] = np.nan
    bare = replace(graphs, y=None, classes=())
    if kind == "nothing":
        return bare
    values = numbers if kind == "numbers" else labels
    names = tuple(f"t{at}" for at in range(values.shape[1]))
    from torch import from_numpy

    return replace(bare, target=from_numpy(values), target_names=names)


@pytest.mark.parametrize("kind", ["classes", "numbers", "labels", "nothing"])
@pytest.mark.parametrize("text", EVERY)
def test_every_split_is_disjoint_complete_and_repeatable(text: str, kind: str) -> None:
    if "scaffold" in text:
        pytest.importorskip("rdkit")
    graphs = a_set(kind)
    protocol = bound(text, graphs)
    splits = splits_for(protocol, graphs, 0)
    assert len(splits) == protocol.folds
    for split in splits:
        parts = [split.train, split.valid, split.test]
        assert all(parts)
        assert sorted(at for part in parts for at in part) == list(range(COUNT))
        if text in GROUPS:
            values = values_of(graphs, GROUPS[text])
            found = [{values[at] for at in part} for part in parts]
            assert sum(map(len, found)) == len(set(values))
    assert splits == splits_for(protocol, graphs, 0)
    assert (splits == splits_for(protocol, graphs, 1)) == (text in FIXED)
    assert protocol.fixed == (text in FIXED)
    assert run_split(graphs, 0, text) == splits[0]


def test_published_is_the_column_split_and_the_default() -> None:
    graphs = a_set("classes")
    (split,) = splits_for(find_protocol("published"), graphs, 5)
    assert split.test == tuple(range(68, 80))
    assert default_split(graphs) == "published"
    other = replace(graphs, columns={**graphs.columns, "split": ("a", "b") * 40})
    assert default_split(other) == ""
    assert default_split(replace(graphs, columns={})) == ""


def test_published_molecules_without_a_split_have_scaffolds() -> None:
    graphs = a_set("labels")
    bare = {name: values for name, values in graphs.columns.items() if name != "split"}
    assert default_split(replace(graphs, columns=bare, name="Tox21")) == "scaffold"
    assert default_split(replace(graphs, columns=bare, name="mine")) == ""


def test_scaffolds_need_smiles_and_are_shown_by_a_column_of_that_name() -> None:
    graphs = a_set("classes")
    own = replace(graphs, columns={"scaffold": tuple(str(at % 30) for at in range(COUNT))})
    (split,) = splits_for(find_protocol("scaffold"), own, 0)
    assert len(split.train) == 64
    with pytest.raises(DataError, match="no column smiles"):
        splits_for(find_protocol("scaffold"), replace(graphs, columns={}), 0)


def test_what_a_set_lacks_is_named() -> None:
    graphs = a_set("classes")
    with pytest.raises(DataError, match="no column 'sit'; did you mean 'site'"):
        splits_for(find_protocol("group:sit"), graphs, 0)
    with pytest.raises(DataError, match="brings no split"):
        splits_for(find_protocol("published"), replace(graphs, columns={}), 0)
    gap = {"site": ("", *graphs.columns["site"][1:])}
    with pytest.raises(DataError, match=f"graph '{graphs.ids[0]}' has no value"):
        splits_for(find_protocol("group:site"), replace(graphs, columns=gap), 0)
    with pytest.raises(ConfigError, match="groups of graphs can't be cut into 200 folds"):
        splits_for(find_protocol("cv200:site"), graphs, 0)
