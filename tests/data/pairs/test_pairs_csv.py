import pytest
import torch

from graphpool.data.pairs import read_pairs
from graphpool.errors import DataError
from graphpool.graphs import GraphSet


def points(*ids):
    count = len(ids)
    none = torch.zeros(2, 0, dtype=torch.long)
    return GraphSet.build("set", torch.ones(count).long(), torch.zeros(count).long(), none, ids=ids)


@pytest.mark.parametrize("head", ["", "left,right,match\n", "\ufeffLeft, Right, Match\r\n"])
def test_ids_and_answers_are_read_with_or_without_a_head(tmp_path, head):
    path = tmp_path / "pairs.csv"
    path.write_text(f'{head}a,"b, c",1\n\n d ,a,no\n', encoding="utf-8", newline="")
    pairs = read_pairs(path, points("a", "b, c", "d"))
    assert pairs.left.tolist() == [0, 2]
    assert pairs.right.tolist() == [1, 0]
    assert pairs.y.tolist() == [1.0, 0.0]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("left,right,match\na,b,1\na,x,1\n", "line 3: there is no graph 'x'; ids are a, b"),
        ("graph1,b,1\n", "line 1: there is no graph 'graph1'; ids are a, b"),
        ("a,b,maybe\n", "line 1: match is 'maybe'; say 1 or 0"),
        ("a,b,1\n\na,b\n", "line 3: 2 values"),
        ("a,b,1\na\n", "line 2: 1 value;"),
        ('a,b,1\n"a,b,1\n', "not a CSV file"),
        ("left,right,match\n", "holds no pairs"),
    ],
)
def test_a_bad_line_is_named(tmp_path, text, said):
    path = tmp_path / "pairs.csv"
    path.write_text(text)
    with pytest.raises(DataError) as refused:
        read_pairs(path, points("a", "b"))
    assert said in str(refused.value)
    assert str(path) in str(refused.value)


def test_a_missing_file_and_ambiguous_ids_are_refused(tmp_path):
    with pytest.raises(DataError, match="no such file of pairs"):
        read_pairs(tmp_path / "none.csv", points("a", "b"))
    with pytest.raises(DataError, match="several graphs have one id"):
        read_pairs(tmp_path / "none.csv", points("a", "a"))
