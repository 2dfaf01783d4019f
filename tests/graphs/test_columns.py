"""Text columns go with their graphs: through selections, files, lists and concatenation."""

from dataclasses import replace
from pathlib import Path

import pytest
import torch

import graphpool as gp
from graphpool.data.formats import content_hash, open_set, safetensors, write_jsonl
from graphpool.data.interop.as_graphs import as_graphs
from graphpool.data.source import set_digest
from graphpool.errors import DataError, InputError
from graphpool.graphs.columns import check_columns
from graphpool.graphs.combine import concatenate
from graphpool.graphs.graphset import GraphSet

TEXT = {"smiles": ("CCO", 'C"\n[é]', ""), "split": ("train", "test", "train")}


def three(**fields: object) -> GraphSet:
    edges = torch.tensor([[0, 1, 0], [1, 0, 0]])
    counts = torch.tensor([2, 1, 1]), torch.tensor([2, 1, 0])
    return GraphSet.build("three", *counts, edges, **fields)


def test_selection_takes_the_values_of_the_chosen_graphs() -> None:
    graphs = three(columns=TEXT)
    assert graphs[[2, 0]].columns == {"smiles": ("", "CCO"), "split": ("train", "train")}
    assert graphs[1].columns == {"smiles": 'C"\n[é]', "split": "test"}
    assert graphs.with_x(torch.ones(4, 1)).columns == TEXT


def test_files_and_lists_give_columns_back(tmp_path: Path) -> None:
    graphs = three(columns=TEXT)
    safetensors.save(graphs, tmp_path / "a.safetensors")
    assert open_set(tmp_path / "a.safetensors").columns == TEXT
    write_jsonl(graphs, tmp_path / "a.jsonl")
    assert gp.read(tmp_path / "a.jsonl", cache=False).columns == TEXT
    assert as_graphs(list(graphs)).columns == TEXT


def test_concatenation_leaves_text_empty_where_a_set_has_none() -> None:
    joined = concatenate([three(columns=TEXT), three()])
    assert joined.columns["split"] == ("train", "test", "train", "", "", "")


def test_columns_count_in_the_content_but_not_in_the_digest_of_a_source() -> None:
    assert content_hash(three(columns=TEXT)) != content_hash(three())
    assert content_hash(replace(three(columns=TEXT), columns={})) == content_hash(three())
    assert set_digest(three(columns=TEXT)) == set_digest(three())


@pytest.mark.parametrize(
    "columns", [{"a": ("x",)}, {"a": ["x", "y", "z"]}, {"a": (1, 2, 3)}, {1: ("x",) * 3}, ["x"]]
)
def test_wrong_columns_are_refused(columns: object) -> None:
    with pytest.raises(InputError, match="column"):
        check_columns("three", columns, 3)


def test_json_lines_refuse_columns_that_are_not_text(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    path.write_text('{"nodes": 1, "columns": {"split": 3}}\n')
    with pytest.raises(DataError, match=r"line 1.*text"):
        gp.read(path, cache=False)
