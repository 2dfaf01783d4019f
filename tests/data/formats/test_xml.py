"""GraphML and GEXF: what NetworkX writes is read back, and hostile XML is refused."""

import gzip
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import networkx as nx
import pytest
import torch

import graphpool as gp
from graphpool.data import content_hash
from graphpool.data.formats import xml
from graphpool.errors import DataError

WRITERS = {".graphml": nx.write_graphml_xml, ".gexf": nx.write_gexf}


def molecules(directed: bool = False) -> list[nx.Graph]:
    made = []
    for size in (3, 4, 5):
        graph = nx.path_graph(size, create_using=nx.DiGraph if directed else nx.Graph)
        for node in graph:
            graph.nodes[node].update(atom="CO"[node % 2], charge=node / 2)
        nx.set_edge_attributes(graph, "single", "bond")
        graph.edges[0, 1]["weight"] = 2.5
        made.append(graph)
    return made


def same(found: gp.GraphSet, expected: gp.GraphSet) -> None:
    for field in ("node_ptr", "edge_index", "node_label", "edge_label", "node_attr", "edge_weight"):
        assert torch.equal(getattr(found, field), getattr(expected, field)), field
    assert found.node_label_names == expected.node_label_names == ("C", "O")
    assert found.edge_label_names == expected.edge_label_names


@pytest.mark.parametrize("directed", [False, True])
@pytest.mark.parametrize("suffix", WRITERS)
def test_one_file(tmp_path: Path, suffix: str, directed: bool) -> None:
    graph = molecules(directed)[0]
    path = tmp_path / f"one{suffix}"
    WRITERS[suffix](graph, path)
    found = gp.read(path, features=None)
    same(found, gp.from_networkx([graph]))
    assert (found.name, found.ids, found.notes) == ("one", ("one",), ())


@pytest.mark.parametrize("suffix", WRITERS)
def test_a_folder_and_a_zip_of_files(tmp_path: Path, suffix: str) -> None:
    graphs = molecules()
    folder = tmp_path / "mine"
    folder.mkdir()
    for number, graph in zip((2, 10, 9), graphs, strict=True):
        WRITERS[suffix](graph, folder / f"{number}{suffix}")
    expected = gp.from_networkx([graphs[0], graphs[2], graphs[1]])
    with zipfile.ZipFile(tmp_path / "packed.zip", "w") as archive:
        for file in folder.iterdir():
            archive.write(file, f"inner/{file.name}")
    for path in (folder, tmp_path / "packed.zip"):
        found = gp.read(path, features=None)
        same(found, expected)
        assert found.ids == ("2", "9", "10")
    assert gp.load("mine", root=tmp_path, features=None).ids == ("2", "9", "10")


def test_the_class_of_a_graph_and_several_graphs_in_one_file(tmp_path: Path) -> None:
    graph = nx.path_graph(2)
    graph.graph["y"] = "toxic"
    nx.write_graphml_xml(graph, tmp_path / "one.graphml")
    assert gp.read(tmp_path / "one.graphml").classes == ("toxic",)
    body = '<graph edgedefault="undirected"><node id="a"/></graph>'
    namespace = 'xmlns="http://graphml.graphdrawing.org/xmlns"'
    (tmp_path / "two.graphml").write_text(f"<graphml {namespace}>{body * 2}</graphml>")
    assert gp.read(tmp_path / "two.graphml").ids == ("two/0", "two/1")


BOMB = (
    '<?xml version="1.0"?><!DOCTYPE z [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;&a;&a;">]>'
    '<graphml><graph edgedefault="undirected"><node id="&b;"/></graph></graphml>'
)
OUTSIDE = (
    '<!DOCTYPE z [<!ENTITY a SYSTEM "file:///etc/passwd">]>'
    '<gexf version="1.2"><graph><nodes><node id="&a;"/></nodes></graph></gexf>'
)


def edit(change: Callable[[str], str]) -> Callable[[Path], str]:
    def changed(folder: Path) -> str:
        nx.write_graphml_xml(molecules()[0], folder / "whole.graphml")
        return change((folder / "whole.graphml").read_text())

    return changed


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (BOMB, "line 1: a document type is declared"),
        (OUTSIDE, "line 1: a document type is declared"),
        ("<graphml>" + "<a>" * 200 + "</a>" * 200 + "</graphml>", "more than 100 elements"),
        ("<graphml><graph>", "line 1: not whole XML"),
        ("<graphml></graphml>", "holds no graphs"),
        ("<gexf></gexf>", "not valid gexf"),
        ('<?xml version="1.0" encoding="none"?><graphml/>', r"not whole XML|can.t be read"),
        (edit(lambda text: text.replace(">0.5<", ">half<")), "not valid graphml"),
        (edit(lambda text: text.replace(' key="d0"', ' key="none"')), "not valid graphml"),
        (
            '<graphml xmlns="http://graphml.graphdrawing.org/xmlns">'
            '<graph edgedefault="undirected"/></graphml>',
            "a graph needs at least one node",
        ),
    ],
)  # fmt: skip
def test_bad_files_are_one_error(tmp_path: Path, text: Any, said: str) -> None:
    path = tmp_path / "bad.graphml"
    path.write_text(text if isinstance(text, str) else text(tmp_path))
    with pytest.raises(DataError, match=said) as caught:
        gp.read(path, cache=False)
    assert "bad.graphml" in str(caught.value)
    assert "\n" not in str(caught.value)


def test_other_xml_is_not_recognised(tmp_path: Path) -> None:
    for name, text in (("a.graphml", "<html></html>"), ("b.graphml", ""), ("c", "graphml")):
        (tmp_path / name).write_text(text)
        assert not xml.recognises(tmp_path / name)


@pytest.mark.parametrize("suffix", WRITERS)
def test_packed_files_are_the_same_set(tmp_path: Path, suffix: str) -> None:
    folder = tmp_path / "mine"
    folder.mkdir()
    for number, graph in enumerate(molecules()):
        WRITERS[suffix](graph, folder / f"{number}{suffix}")
    plain, alone = gp.read(folder, features=None), gp.read(folder / f"1{suffix}", features=None)
    for file in list(folder.iterdir()):
        Path(f"{file}.gz").write_bytes(gzip.compress(file.read_bytes()))
        file.unlink()
    packed = gp.read(folder, features=None)
    assert content_hash(packed) == content_hash(plain)
    assert packed.ids == ("0", "1", "2")
    packed = gp.read(folder / f"1{suffix}.gz", features=None)
    assert (packed.name, packed.ids) == (alone.name, alone.ids) == ("1", ("1",))


def test_a_packed_file_that_is_cut_off_is_called_damaged(tmp_path: Path) -> None:
    nx.write_graphml_xml(molecules()[0], tmp_path / "a")
    path = tmp_path / "a.graphml.gz"
    path.write_bytes(gzip.compress((tmp_path / "a").read_bytes())[:200])
    with pytest.raises(
        DataError, match=r"a.graphml.gz: can't be read: .*; what gzip packed is damaged"
    ):
        gp.read(path)
