"""Sets with edit distances: the same graphs from `.npz`, zip and folder, and their distances."""

import pickle
import zipfile
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import graphpool as gp
from graphpool.data import content_hash, read_gexf, read_npz
from graphpool.data import load as datasets
from graphpool.data.formats.gexf import GexfFiles
from graphpool.data.formats.gexf_xml import parse_gexf
from graphpool.data.locate import find_in_folder
from graphpool.data.pairs import Distances, read_distances
from graphpool.errors import DataError
from graphpool.graphs import GraphSet

ARRAYS: dict[str, Any] = {
    "ids": [9, 10, 2],
    "n_train": 2,
    "node_ptr": [0, 3, 4, 6],
    "edge_ptr": [0, 2, 2, 3],
    "edges": [[0, 2], [1, 2], [1, 0]],
    "node_label": [1, 2, 1, 1, 2, 1],
    "label_names": ["unused", "O", "C"],
    "edge_valence": [2, 1, 3],
    "ged": [[0, 5, 3], [5, 0, 4], [3, 4, -1]],
}
"""Three graphs: O-O with a C, a single O, and C-O; the last one tests."""


def gexf(nodes: list[tuple[str, str]], edges: list[tuple[str, str, int]]) -> str:
    listed = "".join(
        f'<node id="{name}" label="{name}"><attvalues><attvalue for="0" value="{label}"/>'
        "</attvalues></node>\n"
        for name, label in nodes
    )
    joined = "".join(
        f'<edge source="{u}" target="{v}"><attvalues><attvalue for="1" value="{label}"/>'
        "</attvalues></edge>\n"
        for u, v, label in edges
    )
    return (
        "<?xml version='1.0' encoding='utf-8'?>\n"
        '<gexf version="1.1" xmlns="http://www.gexf.net/1.1draft">\n'
        '<graph defaultedgetype="undirected" mode="static">\n'
        '<attributes class="edge"><attribute id="1" title="valence" type="long"/></attributes>\n'
        '<attributes class="node"><attribute id="0" title="type" type="string"/></attributes>\n'
        f"<nodes>\n{listed}</nodes>\n<edges>\n{joined}</edges>\n</graph></gexf>\n"
    )


FILES = {
    "train/10.gexf": gexf([("0", "O")], []),
    "train/9.gexf": gexf([("5", "O"), ("b", "C"), ("0", "O")], [("5", "0", 2), ("b", "0", 1)]),
    "test/2.gexf": gexf([("0", "C"), ("1", "O")], [("1", "0", 3)]),
}


def put_npz(folder: Path, name: str = "TINY", **changes: Any) -> Path:
    arrays = {key: value for key, value in {**ARRAYS, **changes}.items() if value is not None}
    np.savez(folder / f"{name}.npz", **arrays)
    return folder / f"{name}.npz"


def put_zip(folder: Path, name: str = "TINY", **more: str | bytes) -> Path:
    with zipfile.ZipFile(folder / f"{name}.zip", "w") as archive:
        for file, text in {**FILES, **more}.items():
            archive.writestr(f"{name}/{file}", text)
    return folder / f"{name}.zip"


def put_folder(folder: Path) -> Path:
    for file, text in FILES.items():
        (folder / file).parent.mkdir(parents=True, exist_ok=True)
        (folder / file).write_text(text)
    return folder


def spelled(graphs: GraphSet) -> list[tuple[str, list[Any], list[tuple[int, int, Any]]]]:
    """Each graph in words: id, labels of nodes, and edges once with their labels."""
    made = []
    for graph in graphs:
        assert graph.node_label is not None
        assert graph.edge_label is not None
        labels = [graphs.node_label_names[code] for code in graph.node_label]
        source, target = graph.edge_index.tolist()
        kinds = [graphs.edge_label_names[code] for code in graph.edge_label]
        edges = [(u, v, k) for u, v, k in zip(source, target, kinds, strict=True) if u < v]
        made.append((graph.id, labels, sorted(edges)))
    return made


WORDS = [
    ("9", ["O", "C", "O"], [(0, 2, 2), (1, 2, 1)]),
    ("10", ["O"], []),
    ("2", ["C", "O"], [(0, 1, 3)]),
]


def test_arrays_become_graphs(tmp_path: Path) -> None:
    graphs = read_npz(put_npz(tmp_path))
    assert spelled(graphs) == WORDS
    assert (graphs.name, graphs.undirected, graphs.y) == ("TINY", True, None)
    assert (graphs.node_label_names, graphs.edge_label_names) == (("C", "O"), (1, 2, 3))


def test_gexf_files_become_graphs_train_first_by_ascending_id(tmp_path: Path) -> None:
    assert spelled(read_gexf(put_zip(tmp_path))) == WORDS


@pytest.mark.parametrize("inside", ["", "TINY", "raw", "raw/TINY"])
def test_every_form_gives_the_same_set(tmp_path: Path, inside: str) -> None:
    folder = tmp_path / "folder" / "TINY"
    put_folder(folder / inside)
    expected = content_hash(read_npz(put_npz(tmp_path)))
    assert content_hash(read_gexf(put_zip(tmp_path))) == expected
    assert content_hash(read_gexf(folder)) == expected


def test_a_pickle_is_never_opened(tmp_path: Path) -> None:
    class Trap:
        def __reduce__(self) -> tuple[Any, ...]:
            return (Path.touch, (tmp_path / "sprung",))

    graphs = read_gexf(put_zip(tmp_path, **{"ged.pickle": pickle.dumps(Trap())}))
    assert not (tmp_path / "sprung").exists()
    assert graphs.notes == (
        "TINY/ged.pickle was not opened, because a pickle can run any code; distances are read "
        "from TINY.npz",
    )


def test_an_array_of_objects_is_refused(tmp_path: Path) -> None:
    path = put_npz(tmp_path, ids=np.array([1, {}, "a"], dtype=object))
    with pytest.raises(DataError, match=r"TINY\.npz: array 'ids': can't be read.*fetch"):
        read_npz(path)


def test_classes_and_separate_ends_are_read(tmp_path: Path) -> None:
    path = put_npz(
        tmp_path, edges=None, edge_u=np.array([0, 1, 1], np.uint16),
        edge_v=np.array([2, 2, 0], np.uint16), graph_label=[5, -1, 5], loop_nodes=[3],
    )  # fmt: skip
    graphs = read_npz(path)
    assert spelled(graphs) == WORDS
    assert graphs.y is not None
    assert [graphs.classes[code] for code in graphs.y] == [5, -1, 5]
    assert graphs.notes == ("1 self-loop was left out",)


def test_arrays_that_mean_nothing_are_noted(tmp_path: Path) -> None:
    assert read_npz(put_npz(tmp_path, colour=[1])).notes == ("array 'colour' was not read",)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"node_ptr": None}, r"TINY\.npz: holds no graphs: there is no array 'node_ptr'"),
        ({"node_ptr": [0, 3, 2, 6]}, "array 'node_ptr': must begin with 0 and never fall"),
        ({"node_ptr": [0.0, 3.0]}, "array 'node_ptr': holds float64, not whole numbers"),
        ({"node_ptr": [0, 3, 3, 6]}, "graph 10 has no nodes"),
        ({"edge_ptr": [0, 3]}, r"array 'edge_ptr': has the shape \[2\] where \[4\] is needed"),
        ({"edges": [[0, 2]]}, r"array 'edges': has the shape \[1, 2\] where \[3, 2\]"),
        ({"edges": None}, "neither 'edges' nor 'edge_u'"),
        ({"edges": [[0, 2], [1, 2], [1, 2]]}, r"TINY\.npz: TINY, graph 2: edge 1 -> 2 leaves"),
        ({"node_label": [0, 0, 0, 0, 0, 3]}, "array 'node_label': code 3 has no name among 3"),
        ({"node_label": [0]}, r"array 'node_label': has the shape \[1\] where \[6\]"),
        ({"ids": [1, 2, 1]}, "array 'ids': graph 1 appears twice; give every graph its own id"),
        ({"ids": [1, 2]}, r"array 'ids': has the shape \[2\] where \[3\]"),
    ],
)
def test_what_is_wrong_with_arrays_is_said(
    tmp_path: Path, changes: dict[str, Any], message: str
) -> None:
    with pytest.raises(DataError, match=message):
        read_npz(put_npz(tmp_path, **changes))


def test_a_damaged_npz_is_a_data_error(tmp_path: Path) -> None:
    path = put_npz(tmp_path)
    whole = path.read_bytes()
    random = np.random.default_rng(0)
    for _ in range(150):
        damaged = bytearray(whole)
        damaged[random.integers(len(damaged))] ^= int(random.integers(1, 256))
        path.write_bytes(damaged)
        try:
            read_npz(path)
            read_distances(path)
        except DataError as error:
            assert "TINY.npz" in str(error)  # noqa: PT017
    path.write_bytes(whole[:-30])
    with pytest.raises(DataError, match=r"TINY\.npz: not a readable zip.*fetch it again"):
        read_npz(path)


# ---------------------------------------------------------------------- GEXF


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("</graph>", "", "line .*not whole XML: mismatched tag; fetch the file again"),
        ('<edge source="5" target="0"', '<edge source="5" target="7"',
         "line 12: edge to node 7, which does not exist"),
        ('<edge source="5"', "<edge", "line 12: this edge has no source"),
        ('<node id="b"', '<node id="5"', "line 8: node 5 appears twice"),
        ('for="0" value="C"', 'for="9" value="C"', "line 8: this node has no 'type', its label"),
        ('value="2"', 'value="two"', "line 12: valence 'two' is not a whole number"),
        ('"undirected"', '"directed"', "line 3: edges are directed.*from_networkx"),
        ('<edge source="5"', '<edge type="directed" source="5"', "line 12: edges are directed"),
        ("<gexf", "<!DOCTYPE gexf [<!ENTITY a 'b'>]><gexf", "line 2: a document type is declared"),
        ('title="type" type="string"/>', 'title="a"/><attribute id="4" title="b"/>',
         "which attribute is the label of a node: a, b"),
        ("encoding='utf-8'", "encoding='none-such'", "9.gexf"),
    ],
)  # fmt: skip
def test_what_is_wrong_in_a_gexf_file_is_said(
    tmp_path: Path, old: str, new: str, message: str
) -> None:
    text = FILES["train/9.gexf"].replace(old, new, 1)
    assert text != FILES["train/9.gexf"]
    with pytest.raises(DataError, match=message) as caught:
        read_gexf(put_zip(tmp_path, **{"train/9.gexf": text}))
    assert "TINY.zip/TINY/train/9.gexf" in str(caught.value)


def test_a_file_without_a_graph_or_a_node_is_refused() -> None:
    with pytest.raises(DataError, match=r"a\.gexf, line 1: there is no graph"):
        parse_gexf(b"<gexf/>", "a.gexf")
    with pytest.raises(DataError, match="at least one node; leave this graph out"):
        parse_gexf(b"<gexf><graph/></gexf>", "a.gexf")


def test_other_attributes_and_weights_are_named_and_not_read(tmp_path: Path) -> None:
    text = FILES["train/9.gexf"].replace(
        "<attribute id=", '<attribute id="7" title="c"/>\n<attribute id='
    )
    text = text.replace("<edge ", '<edge weight="2" ', 1)
    graphs = read_gexf(put_zip(tmp_path, **{"train/9.gexf": text}))
    assert spelled(graphs) == WORDS
    assert graphs.notes == ("not read: edge attribute 'c', edge weights, node attribute 'c'",)


def test_networkx_files_are_read(tmp_path: Path) -> None:
    import networkx as nx

    graph = nx.cycle_graph(4)
    nx.set_node_attributes(graph, {node: node % 2 for node in graph}, "kind")
    (tmp_path / "MINE" / "test").mkdir(parents=True)
    nx.write_gexf(graph, tmp_path / "MINE" / "test" / "ring.gexf")
    graphs = gp.read(tmp_path / "MINE", features=None, cache=False)
    assert (graphs.ids, graphs.node_label_names) == (("ring",), (0, 1))
    assert nx.is_isomorphic(gp.to_networkx(graphs[0]), graph, node_match=None)
    assert graphs.node_label is not None
    assert graphs.node_label.tolist() == [0, 1, 0, 1]


def test_labels_of_some_graphs_only_are_refused(tmp_path: Path) -> None:
    bare = '<gexf><graph><nodes><node id="0"/></nodes></graph></gexf>'
    with pytest.raises(DataError, match=r"10\.gexf: no attribute of nodes is declared"):
        read_gexf(put_zip(tmp_path, **{"train/10.gexf": bare}))


def test_an_id_in_train_and_test_is_refused(tmp_path: Path) -> None:
    with pytest.raises(DataError, match=r"test/9\.gexf: TINY/train/9\.gexf has the same id"):
        read_gexf(put_zip(tmp_path, **{"test/9.gexf": FILES["train/9.gexf"]}))


def test_a_damaged_member_is_named(tmp_path: Path) -> None:
    path = put_zip(tmp_path)
    data = bytearray(path.read_bytes())
    data[data.index(b'value="C"') + 7] ^= 1
    path.write_bytes(data)
    with pytest.raises(DataError, match=r"TINY/train/9\.gexf: can't be unpacked.*fetch it again"):
        read_gexf(path)


def test_hidden_files_and_other_folders_are_passed_over(tmp_path: Path) -> None:
    path = put_zip(tmp_path, **{"train/._9.gexf": b"\0", "notes/1.gexf": b"\0"})
    files = GexfFiles.find(path)
    assert files is not None
    assert files.ids() == ("9", "10", "2")


def test_several_sets_in_one_zip_are_told_apart_by_name(tmp_path: Path) -> None:
    path = put_zip(tmp_path)
    with zipfile.ZipFile(path, "a") as archive:
        archive.writestr("OTHER/train/1.gexf", FILES["train/10.gexf"])
    assert len(read_gexf(path, "OTHER")) == 1
    with pytest.raises(DataError, match="holds several sets: OTHER, TINY"):
        read_gexf(path)


# ---------------------------------------------------------------------- distances


def test_distances_have_gaps_and_a_split(tmp_path: Path) -> None:
    known = read_distances(put_npz(tmp_path))
    assert known.ids == ("9", "10", "2")
    assert np.array_equal(known.values, [[0, 5, 3], [5, 0, 4], [3, 4, np.nan]], equal_nan=True)
    assert (known.train.tolist(), known.test.tolist(), known.full) == ([0, 1], [2], None)
    assert known.known.sum() == 8


def test_a_full_matrix_fills_the_gaps(tmp_path: Path) -> None:
    known = read_distances(put_npz(tmp_path, ged_full=[[0, 5, 3], [5, 0, 4], [3, 4, 0]]))
    assert known.known.sum() == 8
    assert known.complete().values[2].tolist() == [3, 4, 0]


def test_gaps_without_a_full_matrix_can_not_be_filled(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="1 distances are not known; compute them with graphpool"):
        read_distances(put_npz(tmp_path)).complete()


def test_distances_follow_a_selection_of_the_graphs(tmp_path: Path) -> None:
    path = put_npz(tmp_path)
    graphs = read_npz(path)
    chosen = read_distances(path).of(graphs[[2, 0]])
    assert chosen.ids == ("2", "9")
    assert chosen.values[0, 1] == 3
    assert (chosen.train.tolist(), chosen.test.tolist()) == ([1], [0])


def test_graphs_of_another_set_have_no_distances(tmp_path: Path) -> None:
    graphs = read_npz(put_npz(tmp_path, name="OTHER", ids=[9, 10, 3]))
    with pytest.raises(DataError, match="graph 3 of OTHER are known; those of TINY have other"):
        read_distances(put_npz(tmp_path)).of(graphs)


def test_a_computed_matrix_takes_the_same_place() -> None:
    computed = Distances("mine", ("a", "b"), np.array([[0.0, 1.5], [1.5, 0.0]]))
    assert computed.complete() is computed
    with pytest.raises(DataError, match="mine has no published split"):
        _ = computed.train
    with pytest.raises(DataError, match=r"values has the shape \[1, 2\] for 2 graphs"):
        Distances("mine", ("a", "b"), np.zeros((1, 2)))


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"ged": None}, "holds no edit distances: there is no array 'ged' in it; compute them"),
        ({"ids": None}, "there is no array 'ids'"),
        ({"ged": [[0, 1], [1, 0]]}, r"array 'ged': has the shape \[2, 2\] where \[3, 3\]"),
        ({"ged": [[0, -2, 1]] * 3}, "graphs 9 and 10 are -2 apart; a distance is 0 or more"),
        ({"ged": [["a"] * 3] * 3}, "array 'ged': holds <U1, not numbers"),
        ({"n_train": 4}, "array 'n_train': 4 of 3 graphs can't train"),
        ({"n_train": [2, 3]}, r"array 'n_train': has the shape \[2\] where \[\]"),
    ],
)
def test_what_is_wrong_with_distances_is_said(
    tmp_path: Path, changes: dict[str, Any], message: str
) -> None:
    with pytest.raises(DataError, match=message):
        read_distances(put_npz(tmp_path, **changes))


# ---------------------------------------------------------------------- by name


def test_arrays_are_preferred_to_a_zip(tmp_path: Path) -> None:
    put_zip(tmp_path)
    arrays = put_npz(tmp_path)
    assert find_in_folder("TINY", tmp_path) == arrays


def test_distances_alone_do_not_hide_the_graphs(tmp_path: Path) -> None:
    zipped = put_zip(tmp_path)
    np.savez(tmp_path / "TINY.npz", ids=ARRAYS["ids"], ged=ARRAYS["ged"])
    assert find_in_folder("TINY", tmp_path) == zipped


@pytest.mark.parametrize(
    ("name", "graphs", "train", "nodes", "edges", "labels", "largest"),
    [("AIDS700nef", 700, 560, 6230, 6163, 29, 23), ("LINUX", 1000, 800, 7580, 6935, 0, 16)],
)
def test_real_sets_are_those_of_the_literature(
    data_root: Path, name: str, graphs: int, train: int, nodes: int, edges: int, labels: int,
    largest: int,
) -> None:  # fmt: skip
    loaded = gp.load(name.lower(), data_root, features=None, cache=False)
    facts = gp.statistics(loaded, duplicates=False)
    assert (facts.graphs, facts.total_nodes, facts.total_edges) == (graphs, nodes, edges)
    assert (facts.nodes.max, len(facts.node_labels)) == (10, labels)
    known = datasets.distances(name, data_root)
    assert known.ids == loaded.ids
    assert (len(known.train), len(known.test)) == (train, graphs - train)
    # Everything but the pairs of two test graphs is published.
    assert not known.known[np.ix_(known.test, known.test)].any()
    assert known.known.sum() == graphs**2 - (graphs - train) ** 2
    assert np.nanmax(known.values) == largest
    whole = known.complete().values
    assert np.array_equal(whole[known.known], known.values[known.known])
    assert np.array_equal(whole, whole.T)
    assert not whole.diagonal().any()


@pytest.mark.parametrize("name", ["AIDS700nef", "LINUX"])
def test_real_sets_are_the_same_from_their_gexf_files(data_root: Path, name: str) -> None:
    zipped = gp.read(data_root / f"{name}.zip", features=None, cache=False)
    assert content_hash(zipped) == content_hash(read_npz(data_root / f"{name}.npz"))
    assert "was not opened" in zipped.notes[0]
    split = datasets.published_split(data_root / f"{name}.zip")
    assert split == datasets.published_split(name, data_root)
    assert split.train == tuple(datasets.distances(name, data_root).train.tolist())


@pytest.mark.slow
def test_collab_is_the_same_from_its_arrays(data_root: Path) -> None:
    arrays, text = (
        content_hash(gp.read(data_root / file, features=None, cache=False))
        for file in ("COLLAB.npz", "COLLAB.zip")
    )
    assert arrays == text


@pytest.mark.parametrize("name", ["AIDS700nef", "LINUX"])
def test_the_order_of_nodes_is_that_of_networkx(data_root: Path, name: str) -> None:
    import networkx as nx

    with zipfile.ZipFile(data_root / f"{name}.zip") as archive:
        graphs = gp.load(name, data_root, features=None, cache=False)
        for position in (0, 17, len(graphs) - 1):
            part = "train" if position < 500 else "test"
            with archive.open(f"{name}/{part}/{graphs.ids[position]}.gexf") as stream:
                peer = nx.read_gexf(stream)
            place = {node: at for at, node in enumerate(peer)}
            ours = gp.to_networkx(graphs[position])
            assert {frozenset(edge) for edge in ours.edges} == {
                frozenset((place[u], place[v])) for u, v in peer.edges
            }
            for node, values in peer.nodes(data=True):
                assert ours.nodes[place[node]].get("label") == values.get("type")
            for u, v, values in peer.edges(data=True):
                assert ours.edges[place[u], place[v]].get("label") == values.get("valence")
