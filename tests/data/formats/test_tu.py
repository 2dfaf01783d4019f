"""The TU reader: small sets by hand, one error for each kind of bad file, and the real sets."""

import zipfile
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from graphpool.data import catalogue, content_hash, read_tu
from graphpool.data.formats import number_csv as table
from graphpool.data.formats.tu_files import TUFiles
from graphpool.errors import DataError

# Two graphs: a path 1-2-3 and an edge 4-5; labels with gaps, classes -1 and 7.
FILES = {
    "A": "1, 2\n2, 1\n2, 3\n3, 2\n4, 5\n5, 4\n",
    "graph_indicator": "1\n1\n1\n2\n2\n",
    "graph_labels": "7\n-1\n",
    "node_labels": "3\n9\n3\n3\n12\n",
    "edge_labels": "5\n5\n2\n2\n5\n5\n",
    "node_attributes": "0.5, 1\n-1e-3, 2\n0, 3\n0, 4\n0, 5\n",
    "edge_attributes": "1.5\n1.5\n2.5\n2.5\n3.5\n3.5\n",
    "graph_attributes": "10, 20\n30, 40\n",
}


def write(folder: Path, **changes: str | None) -> Path:
    """The set T in `folder`, with some files changed or (None) left out."""
    folder.mkdir(exist_ok=True)
    for part, text in {**FILES, **changes}.items():
        if text is not None:
            (folder / f"T_{part}.txt").write_text(text)
    return folder


def pack(path: Path, method: int = zipfile.ZIP_DEFLATED, inner: str = "T/") -> Path:
    with zipfile.ZipFile(path, "w", method) as archive:
        for part, text in FILES.items():
            archive.writestr(f"{inner}T_{part}.txt", text)
    return path


def test_every_part_is_read(tmp_path: Path) -> None:
    graphs = read_tu(write(tmp_path))
    assert graphs.name == "T"
    assert graphs.node_ptr.tolist() == [0, 3, 5]
    assert graphs.edge_ptr.tolist() == [0, 4, 6]
    assert graphs.edge_index.tolist() == [[1, 0, 2, 1, 1, 0], [0, 1, 1, 2, 0, 1]]
    assert graphs.classes == (-1, 7)
    assert graphs.y is not None
    assert graphs.y.tolist() == [1, 0]
    assert graphs.node_label_names == (3, 9, 12)
    assert graphs.node_label is not None
    assert graphs.node_label.tolist() == [0, 1, 0, 0, 2]
    assert graphs.edge_label_names == (2, 5)
    assert graphs.edge_label is not None
    assert graphs.edge_label.tolist() == [1, 1, 0, 0, 1, 1]
    assert graphs.node_attr is not None
    assert torch.equal(graphs.node_attr[:2], torch.tensor([[0.5, 1.0], [-1e-3, 2.0]]))
    assert graphs.edge_attr is not None
    assert graphs.edge_attr.flatten().tolist() == [1.5, 1.5, 2.5, 2.5, 3.5, 3.5]
    assert graphs.graph_attr is not None
    assert graphs.graph_attr.tolist() == [[10, 20], [30, 40]]
    assert graphs.ids == ("0", "1")
    assert graphs.notes == ()


def test_edges_and_indicator_alone_are_enough(tmp_path: Path) -> None:
    parts: dict[str, None] = dict.fromkeys(list(FILES)[2:])
    graphs = read_tu(write(tmp_path, **parts))
    assert len(graphs) == 2
    assert graphs.y is None
    assert graphs.node_label is None


@pytest.mark.parametrize(
    "method",
    [zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED, zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA],
)
def test_a_zip_of_any_compression_equals_the_folder(tmp_path: Path, method: int) -> None:
    folder = read_tu(write(tmp_path / "T"))
    assert content_hash(read_tu(pack(tmp_path / "T.zip", method))) == content_hash(folder)


@pytest.mark.parametrize("inner", ["", "T//", "a/b/", "raw/"])
def test_the_files_may_lie_anywhere_in_a_zip(tmp_path: Path, inner: str) -> None:
    assert len(read_tu(pack(tmp_path / "some.zip", inner=inner))) == 2


def test_the_raw_folder_of_other_libraries_is_found(tmp_path: Path) -> None:
    write(tmp_path / "raw")
    assert len(read_tu(tmp_path)) == 2


def test_of_several_sets_one_must_be_named(tmp_path: Path) -> None:
    write(tmp_path)
    (tmp_path / "U_A.txt").write_text("1, 2\n")
    with pytest.raises(DataError, match="several sets: T, U"):
        read_tu(tmp_path)
    assert read_tu(tmp_path, "T").name == "T"


def test_windows_line_ends_and_blank_lines_at_the_end_are_fine(tmp_path: Path) -> None:
    plain = read_tu(write(tmp_path / "a"))
    changed = {part: text.replace("\n", "\r\n") + "\r\n\n" for part, text in FILES.items()}
    assert content_hash(read_tu(write(tmp_path / "b", **changed))) == content_hash(plain)


def test_a_last_line_without_its_end_is_fine(tmp_path: Path) -> None:
    assert read_tu(write(tmp_path, A=FILES["A"].rstrip())).num_edges == 6


def test_pieces_of_any_size_give_the_same_set(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = content_hash(read_tu(write(tmp_path)))
    for size in range(1, 24):
        monkeypatch.setattr(table, "PIECE", size)
        assert content_hash(read_tu(tmp_path)) == whole


def test_lines_are_counted_through_all_pieces(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(tmp_path, A=FILES["A"].replace("4, 5", "4, x"))
    monkeypatch.setattr(table, "PIECE", 7)
    with pytest.raises(DataError, match=r"T_A\.txt, line 5: 'x' is not a whole number"):
        read_tu(tmp_path)


def test_self_loops_are_left_out_and_counted(tmp_path: Path) -> None:
    edges = FILES["A"] + "2, 2\n5, 5\n"
    parts = {"edge_labels": "5\n5\n2\n2\n5\n5\n2\n2\n", "edge_attributes": None}
    graphs = read_tu(write(tmp_path, A=edges, **parts))
    assert graphs.num_edges == 6
    assert graphs.edge_label is not None
    assert graphs.edge_label.tolist() == [1, 1, 0, 0, 1, 1]
    assert graphs.notes == ("2 self-loops were left out",)


def test_self_loops_can_be_kept(tmp_path: Path) -> None:
    parts: dict[str, None] = {"edge_labels": None, "edge_attributes": None}
    graphs = read_tu(write(tmp_path, A=FILES["A"] + "2, 2\n", **parts), self_loops=True)
    assert graphs.num_edges == 7
    assert (graphs.edge_index[0] == graphs.edge_index[1]).sum() == 1
    assert graphs.notes == ()


def test_repeated_edges_are_kept_once(tmp_path: Path) -> None:
    parts: dict[str, None] = {"edge_labels": None, "edge_attributes": None}
    graphs = read_tu(write(tmp_path, A=FILES["A"] * 2, **parts))
    assert graphs.num_edges == 6
    assert graphs.notes == ("6 repeated edges were kept once",)


def test_edges_in_any_order_carry_their_labels_along(tmp_path: Path) -> None:
    order = [4, 0, 5, 3, 1, 2]
    shuffled = {
        part: "".join(np.array(FILES[part].splitlines(keepends=True))[order])
        for part in ("A", "edge_labels", "edge_attributes")
    }
    plain = read_tu(write(tmp_path / "a"))
    assert content_hash(read_tu(write(tmp_path / "b", **shuffled))) == content_hash(plain)


def test_labels_of_several_columns_are_one_label_per_row(tmp_path: Path) -> None:
    graphs = read_tu(write(tmp_path, node_labels="1, 0\n0, 2\n1, 0\n0, 10\n0, 2\n"))
    assert graphs.node_label_names == ("0,2", "0,10", "1,0")
    assert graphs.node_label is not None
    assert graphs.node_label.tolist() == [2, 0, 2, 1, 0]
    assert "2 columns" in graphs.notes[0]


def edit(part: str, line: int, text: str) -> dict[str, str]:
    lines = FILES[part].splitlines(keepends=True)
    lines[line - 1] = text
    return {part: "".join(lines)}


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"A": None}, r"T_A\.txt: the file is missing"),
        ({"graph_indicator": None}, r"T_graph_indicator\.txt: the file is missing"),
        ({"A": ""}, r"T_A\.txt: the file is empty"),
        ({"node_labels": "\n\n"}, r"T_node_labels\.txt: the file is empty"),
        (edit("A", 3, "2, three\n"), r"T_A\.txt, line 3: 'three' is not a whole number"),
        (edit("A", 3, "2, 3.5\n"), r"T_A\.txt, line 3: '3.5' is not a whole number"),
        (edit("A", 3, "2, 99999999999\n"), r"T_A\.txt, line 3: 99999999999 is too large"),
        (edit("A", 3, "2\n"), r"T_A\.txt, line 3: 1 numbers where 2 are expected"),
        (edit("A", 1, "1, 2, 3\n"), r"T_A\.txt, line 1: 3 numbers where 2 are expected"),
        (edit("A", 3, "2, 3,\n"), r"T_A\.txt, line 3: '' is not a whole number"),
        (edit("A", 3, "2 3\n"), r"T_A\.txt, line 3: '2 3' is not a whole number"),
        (edit("A", 3, "\n"), r"T_A\.txt, line 3: the line is empty"),
        (edit("A", 3, "# note\n"), r"T_A\.txt, line 3: '# note' is not"),
        (edit("A", 3, "2, 4\n"), r"T_A\.txt, line 3: edge from node 2 of graph 1 to node 4 of"),
        (edit("A", 6, "5, 6\n"), r"T_A\.txt, line 6: edge to node 6, which does not exist"),
        (edit("A", 2, "0, 1\n"), r"T_A\.txt, line 2: edge to node 0, which does not exist"),
        (edit("graph_indicator", 1, "0\n"), r"indicator\.txt, line 1: node 1 has no graph"),
        ({"graph_indicator": "2\n2\n2\n3\n3\n"}, r"labels\.txt, line 2: graph 3 has no line here"),
        (edit("graph_indicator", 4, "x\n"), r"indicator\.txt, line 4: 'x' is not"),
        ({"graph_indicator": "1\n1\n1\n3\n3\n"}, r"labels\.txt.*: 2 lines for 3 graphs"),
        ({"graph_indicator": "1\n1\n2\n2\n1\n"}, r"line 5: node 5 belongs to graph 1"),
        (
            {"graph_attributes": "7\n-1\n7\n"},
            r"graph_attributes\.txt, line 3: graph 3 has no nodes",
        ),
        ({"graph_labels": "7\n"}, r"graph_labels\.txt, line 1: graph 2 has no line here"),
        ({"node_labels": "3\n" * 6}, r"node_labels\.txt, line 6: node 6 has no graph"),
        ({"node_labels": "3\n" * 4}, r"node_labels\.txt.*: 4 lines for 5 nodes"),
        ({"node_attributes": "1\n" * 4}, r"node_attributes\.txt.*: 4 lines for 5 nodes"),
        ({"edge_labels": "5\n" * 5}, r"edge_labels\.txt.*: 5 lines for 6 edges"),
        ({"edge_attributes": "5\n" * 7}, r"edge_attributes\.txt.*: 7 lines for 6 edges"),
        ({"graph_attributes": "5\n"}, r"graph_attributes\.txt.*: 1 lines for 2 graphs"),
        (edit("node_attributes", 2, "nan, 2\n"), r"line 2: 'nan' is not a finite number"),
        (edit("node_attributes", 2, "1e300, 2\n"), r"line 2: '1e300' is not a finite number"),
        (edit("node_attributes", 2, "1, 2, 3\n"), r"line 2: 3 numbers where 2 are expected"),
    ],
)
def test_bad_input_is_one_error_with_file_and_line(
    tmp_path: Path, changes: dict[str, str | None], message: str
) -> None:
    with pytest.raises(DataError, match=message) as caught:
        read_tu(write(tmp_path, **changes))
    assert "; " in str(caught.value)  # the next step
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("indicator", "labels", "ids", "classes", "note"),
    [
        ("1\n1\n1\n3\n3\n", "7\n5\n-1\n", ("0", "2"), (-1, 7),
         "1 graph without nodes was left out; positions from 0: 1"),
        ("2\n2\n2\n5\n5\n", "9\n7\n9\n9\n-1\n9\n", ("1", "4"), (-1, 7),
         "4 graphs without nodes were left out; positions from 0: 0, 2, 3, 5"),
        ("1\n1\n1\n2\n2\n", "7\n-1\n" + "9\n" * 12, ("0", "1"), (-1, 7),
         "12 graphs without nodes were left out; positions from 0: "
         "2, 3, 4, 5, 6, 7, 8, 9, 10, 11, …"),
        ("1\n1\n1\n1000000000000\n1000000000000\n", None, ("0", "999999999999"), (),
         "999999999998 graphs without nodes were left out; positions from 0: "
         "1, 2, 3, 4, 5, 6, 7, 8, 9, 10, …"),
    ],
)  # fmt: skip
def test_graphs_without_nodes_are_left_out_and_the_others_keep_their_ids(
    tmp_path: Path, indicator: str, labels: str | None, ids: Any, classes: Any, note: str
) -> None:
    changes = {"graph_indicator": indicator, "graph_labels": labels, "graph_attributes": None}
    graphs = read_tu(write(tmp_path, **changes))
    whole = read_tu(write(tmp_path / "whole", graph_attributes=None))
    assert (graphs.ids, graphs.classes) == (ids, classes)
    assert graphs.notes == (note,)
    assert torch.equal(graphs.edge_index, whole.edge_index)
    assert torch.equal(graphs.node_ptr, whole.node_ptr)
    if labels:
        assert graphs.class_labels.tolist() == [7, -1]


def test_a_path_that_does_not_exist_is_refused(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="no such file or folder"):
        read_tu(tmp_path / "none.zip")


def test_a_folder_without_a_set_is_refused(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="holds no TU set"):
        read_tu(tmp_path)


def test_a_zip_without_the_set_is_refused(tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "x.zip", "w") as archive:
        archive.writestr("readme.md", "hello")
    with pytest.raises(DataError, match=r"x\.zip: holds no TU set"):
        read_tu(tmp_path / "x.zip")
    with pytest.raises(DataError, match="holds no set 'U'; it holds T"):
        read_tu(pack(tmp_path / "T.zip"), "U")


def test_a_file_that_is_no_zip_is_refused(tmp_path: Path) -> None:
    (tmp_path / "x.zip").write_text("<html>not found</html>")
    with pytest.raises(DataError, match=r"x\.zip: not a readable zip"):
        read_tu(tmp_path / "x.zip")


@pytest.mark.parametrize("method", [zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED, zipfile.ZIP_LZMA])
def test_damage_inside_a_zip_is_noticed(tmp_path: Path, method: int) -> None:
    path = pack(tmp_path / "T.zip", method)
    data = bytearray(path.read_bytes())
    start = data.index(b"T/T_A.txt") + len("T/T_A.txt") + 12
    data[start] ^= 0x01
    path.write_bytes(data)
    with pytest.raises(DataError, match=r"T\.zip/T/T_A\.txt"):
        read_tu(path)


# Graphs, mean and max nodes, mean undirected edges, sizes of the ascending classes, node labels,
# edge labels, node attributes: from the table that comes with the files.
REAL = {
    "MUTAG": (188, 17.93, 28, 19.79, (63, 125), 7, 4, 0),
    "PROTEINS": (1113, 39.06, 620, 72.82, (663, 450), 3, 0, 1),
    "PTC_MR": (344, 14.29, 64, 14.69, (192, 152), 18, 4, 0),
    "PTC": (344, 25.56, 109, 25.96, (192, 152), 19, 0, 0),
    "IMDB-BINARY": (1000, 19.77, 136, 96.53, (500, 500), 0, 0, 0),
    "IMDB-MULTI": (1500, 13.00, 89, 65.94, (500, 500, 500), 0, 0, 0),
    "COLLAB": (5000, 74.49, 492, 2457.22, (2600, 775, 1625), 0, 0, 0),
    "NCI109": (4127, 29.68, 111, 32.13, (2048, 2079), 38, 0, 0),
    "DD": (1178, 284.32, 5748, 715.66, (691, 487), 82, 0, 0),
    "AIDS": (2000, 15.69, 95, 16.20, (400, 1600), 38, 3, 4),
    "COX2": (467, 41.22, 56, 43.45, (365, 102), 8, 0, 3),
    "DHFR": (756, 42.43, 71, 44.54, (295, 461), 9, 0, 3),
    "Mutagenicity": (4337, 30.32, 417, 30.77, (2401, 1936), 14, 3, 0),
    "PTC_FR": (351, 14.56, 64, 15.00, (230, 121), 19, 4, 0),
    "PTC_MM": (336, 13.97, 64, 14.32, (207, 129), 20, 4, 0),
    "MSRC_9": (221, 40.58, 55, 97.94, None, 10, 0, 0),
    "EXP": (1200, 48.70, 73, 60.44, (600, 600), 2, 0, 0),
    "CEXP": (1200, 55.78, 81, 69.78, (600, 600), 2, 0, 0),
}
SLOW = {"COLLAB"}


@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=[pytest.mark.slow] * (name in SLOW)) for name in REAL]
)
def test_statistics_of_the_real_sets(data_root: Path, name: str) -> None:
    count, mean, largest, edges, sizes, labels, edge_labels, attributes = REAL[name]
    graphs = read_tu(data_root / f"{name}.zip")
    assert graphs.undirected
    assert graphs.y is not None
    assert len(graphs) == count
    assert graphs.num_nodes / count == pytest.approx(mean, abs=0.0051)
    assert int(graphs.node_counts.max()) == largest
    assert graphs.num_edges / 2 / count == pytest.approx(edges, abs=0.0051)
    if sizes is not None:
        assert tuple(graphs.y.bincount().tolist()) == sizes
    assert len(graphs.node_label_names) == labels
    assert len(graphs.edge_label_names) == edge_labels
    assert (0 if graphs.node_attr is None else graphs.node_attr.shape[1]) == attributes
    if (paper := catalogue.PAPER.get(name)) is not None:
        found = (count, largest, graphs.num_nodes / count, len(graphs.classes))
        assert paper.differences(*found) == []


def test_a_file_that_is_nearly_a_part_is_noted_with_the_nearest(tmp_path: Path) -> None:
    graphs = read_tu(write(tmp_path, node_labels=None, node_label="1\n", readme="hello\n"))
    assert graphs.node_label is None
    assert graphs.notes == (
        "T_node_label.txt was not read, because it is no part of a TU set; "
        "did you mean 'T_node_labels.txt'?",
    )


def test_a_set_that_gains_a_strange_file_is_read_anew(tmp_path: Path) -> None:
    before = TUFiles.find(write(tmp_path)).digest()
    assert TUFiles.find(write(tmp_path, node_label="1\n")).digest() != before
