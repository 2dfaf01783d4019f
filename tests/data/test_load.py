"""The front door: a set by name or by file, from wherever it lies."""

import http.server
import threading
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

import graphpool as gp
from graphpool.data import catalogue, content_hash, locate, read_tu
from graphpool.data import load as datasets
from graphpool.data.formats import safetensors as storage
from graphpool.data.formats import tu
from graphpool.errors import DataError, DownloadError

FILES = {
    "A": "1, 2\n2, 1\n3, 4\n4, 3\n",
    "graph_indicator": "1\n1\n2\n2\n",
    "graph_labels": "0\n1\n",
    "node_labels": "0\n1\n1\n1\n",
}


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A cache and a working folder of the test's own, and no way out."""
    monkeypatch.setenv("GRAPHPOOL_CACHE", str(tmp_path / "cache"))
    monkeypatch.delenv("GRAPHPOOL_DATA", raising=False)
    (tmp_path / "work").mkdir()
    monkeypatch.chdir(tmp_path / "work")

    def closed(*arguments: object, **options: object) -> Path:
        raise AssertionError("the network must not be touched")

    monkeypatch.setattr(locate, "fetch", closed)
    return tmp_path / "cache"


@pytest.fixture
def root(tmp_path: Path) -> Path:
    folder = tmp_path / "root"
    folder.mkdir()
    return folder


def put_folder(root: Path, name: str = "TINY") -> Path:
    (root / name).mkdir()
    for part, text in FILES.items():
        (root / name / f"{name}_{part}.txt").write_text(text)
    return root / name


def put_zip(root: Path, name: str = "TINY") -> Path:
    with zipfile.ZipFile(root / f"{name}.zip", "w") as archive:
        for part, text in FILES.items():
            archive.writestr(f"{name}/{name}_{part}.txt", text)
    return root / f"{name}.zip"


def test_the_embedded_default_needs_nothing() -> None:
    graphs = gp.load("MUTAG", features=None)
    assert len(graphs) == 188
    assert graphs.x is None
    assert catalogue.PAPER["MUTAG"].differences(
        len(graphs), int(graphs.node_counts.max()), graphs.num_nodes / 188, len(graphs.classes)
    ) == []  # fmt: skip


@pytest.mark.parametrize("opened", [gp.load, gp.read, gp.data.find])
def test_a_name_and_a_path_are_taken_alike(opened: Any, root: Path) -> None:
    path = put_folder(root)
    assert len(opened("MUTAG", features=None)) == 188
    assert len(opened("ring:graphs=10", features=None)) == 10
    for given in (str(path), path):
        assert opened(given, features=None).name == "TINY"
    assert opened("TINY", root=root, features=None).name == "TINY"


@pytest.mark.parametrize("opened", [gp.load, gp.read])
@pytest.mark.parametrize(
    ("given", "said"),
    [
        ("MUTGA", "no data set 'MUTGA'; did you mean 'MUTAG'?.*no file or folder 'MUTGA' either"),
        ("mine.jsonl", "mine.jsonl: no such file or folder; check the path, or give a name that"),
        ("x" * 300, "there is no data set"),
        ("x" * 300 + ".jsonl", "no such file or folder"),
        ("a\0b", "there is no data set"),
    ],
)
def test_an_error_names_both_ways(opened: Any, given: str, said: str) -> None:
    with pytest.raises(DataError, match=said):
        opened(given)


def test_of_a_name_and_a_folder_read_takes_the_folder_and_load_the_set() -> None:
    folder = put_folder(Path(), "MUTAG")
    assert len(gp.read("MUTAG", features=None)) == len(gp.load(folder, features=None)) == 2
    assert len(gp.load("MUTAG", features=None)) == 188


def test_the_embedded_default_is_the_original(data_root: Path) -> None:
    embedded = gp.load("MUTAG", features=None)
    assert content_hash(embedded) == content_hash(read_tu(data_root / "MUTAG.zip"))


def test_the_embedded_file_has_the_hash_that_its_note_names() -> None:
    graphs = gp.load("MUTAG", features=None)
    assert content_hash(graphs) in (locate.EMBEDDED / "README.md").read_text(encoding="utf-8")


def test_a_set_that_is_not_embedded_is_downloaded() -> None:
    with pytest.raises(DataError, match="Cuneiform is not on this machine; allow the download"):
        gp.load("Cuneiform", download=False)


def test_without_the_embedded_sets_the_search_goes_on(
    monkeypatch: pytest.MonkeyPatch, root: Path
) -> None:
    monkeypatch.setattr(locate, "EMBEDDED", root / "none")
    put_zip(root)
    assert len(gp.load("TINY", root, features=None)) == 2
    with pytest.raises(DataError, match="MUTAG is not on this machine"):
        gp.load("MUTAG", root, download=False)


def test_features_are_made_by_default(root: Path) -> None:
    put_folder(root)
    graphs = gp.load("TINY", root)
    assert graphs.x is not None
    assert graphs.x.tolist() == [[1, 0], [0, 1], [0, 1], [0, 1]]


def test_the_data_root_comes_before_the_embedded_sets(root: Path) -> None:
    put_folder(root, "MUTAG")
    assert len(gp.load("MUTAG", root, features=None)) == 2


def test_the_environment_names_the_data_root(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    put_zip(root)
    monkeypatch.setenv("GRAPHPOOL_DATA", str(root))
    assert len(gp.load("TINY", features=None)) == 2


def test_a_folder_named_data_is_the_data_root() -> None:
    Path("data").mkdir()
    put_zip(Path("data"))
    assert len(gp.load("TINY", features=None)) == 2


def test_a_data_root_that_does_not_exist_is_refused(tmp_path: Path) -> None:
    with pytest.raises(
        DataError, match="no such folder of data; fix the path given by --data-root"
    ):
        gp.load("MUTAG", tmp_path / "none")


def test_short_names_find_the_full_set(root: Path) -> None:
    put_zip(root, "IMDB-BINARY")
    assert gp.load("IMDB-B", root, features=None).name == "IMDB-BINARY"


def test_a_set_of_ones_own_is_found_by_name(root: Path) -> None:
    (root / "mine.jsonl").write_text('{"nodes": 3}\n')
    assert gp.load("mine", root, features=None).num_nodes == 3


def test_an_unknown_name_gets_the_nearest_one_and_what_is_here(root: Path) -> None:
    put_zip(root)
    with pytest.raises(DataError, match=r"'MUTAGG'; did you mean 'MUTAG'.*on this machine:.*TINY"):
        gp.load("MUTAGG", root)


def test_a_set_that_no_one_offers_says_where_to_put_it(root: Path) -> None:
    with pytest.raises(DataError, match=r"PTC .* is not offered online.*PTC\.zip"):
        gp.load("PTC", root)


def test_a_missing_file_in_the_data_root_is_not_passed_over(root: Path) -> None:
    (put_folder(root, "MUTAG") / "MUTAG_A.txt").unlink()
    with pytest.raises(DataError, match=r"MUTAG_A\.txt: the file is missing"):
        gp.load("MUTAG", root)


def test_the_second_load_does_not_parse(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    put_zip(root)
    first = gp.load("TINY", root, features=None)

    def never(*arguments: object) -> gp.GraphSet:
        raise AssertionError("parsed again")

    monkeypatch.setattr(tu, "read", never)
    assert content_hash(gp.load("TINY", root, features=None)) == content_hash(first)


def test_a_changed_source_is_parsed_again(root: Path) -> None:
    folder = put_folder(root)
    gp.load("TINY", root, features=None)
    (folder / "TINY_graph_labels.txt").write_text("5\n6\n")
    assert gp.load("TINY", root, features=None).classes == (5, 6)


def test_without_the_cache_nothing_is_written(root: Path, cache: Path) -> None:
    put_zip(root)
    gp.load("TINY", root, features=None, cache=False)
    assert not cache.exists()


def test_read_takes_every_form(root: Path) -> None:
    zipped, folder = put_zip(root), put_folder(root)
    parsed = gp.read(zipped, features=None)
    storage.save(parsed, root / "kept.safetensors")
    (root / "mine.jsonl").write_text('{"nodes": 2}\n')
    assert content_hash(gp.read(folder, features=None)) == content_hash(parsed)
    assert content_hash(gp.read(root / "kept.safetensors", features=None)) == content_hash(parsed)
    assert gp.read(root / "mine.jsonl", features=None).name == "mine"


def test_read_keeps_features_that_were_saved(root: Path) -> None:
    graphs = gp.read(put_zip(root), features=None)
    storage.save(graphs.with_x(torch.full((4, 3), 2.0)), root / "kept.safetensors")
    back = gp.read(root / "kept.safetensors")
    assert back.x is not None
    assert back.x.shape == (4, 3)


def test_read_refuses_other_files(root: Path) -> None:
    (root / "graphs.dot").write_text("1,2\n")
    with pytest.raises(DataError, match=r"graphs\.dot: .*\.jsonl, .*\.safetensors"):
        gp.read(root / "graphs.dot")
    with pytest.raises(DataError, match="no such file"):
        gp.read(root / "none.jsonl")


def test_available_says_what_lies_where(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(locate, "EMBEDDED", root / "none")
    put_zip(root)
    put_folder(root, "other")
    (root / "mine.jsonl").write_text("")
    (root / "README.md").write_text("")
    with zipfile.ZipFile(root / "photos.zip", "w") as archive:
        archive.writestr("a.jpg", "")
    found = [(item.name, item.path.name, item.origin) for item in locate.available(root)]
    assert found == [
        ("mine", "mine.jsonl", "data root"),
        ("other", "other", "data root"),
        ("TINY", "TINY.zip", "data root"),
    ]


def test_available_lists_the_embedded_sets() -> None:
    assert [(item.name, item.origin) for item in locate.available()] == [("MUTAG", "embedded")]


# ---------------------------------------------------------------------- online


@pytest.fixture
def online(
    root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Iterator[dict[str, bytes]]:
    """A server on this machine in the place of the collection; returns what it offers."""
    from graphpool.data.download import fetch

    offered: dict[str, bytes] = {}

    class Handler(http.server.BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            body = offered.get(self.path.strip("/"))
            if body is None:
                self.send_error(404)
                return
            self.send_response(200)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, format: str, *args: object) -> None:
            pass

    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        thread = threading.Thread(target=server.serve_forever, args=(0.02,))
        thread.start()

        def local(url: str, target: Path, **options: object) -> Path:
            address = f"http://127.0.0.1:{server.server_port}/{url.rsplit('/', 1)[1]}"
            return fetch(address, target, pause=0.0, **options)  # type: ignore[arg-type]

        monkeypatch.setenv("no_proxy", "127.0.0.1")
        monkeypatch.setattr(locate, "fetch", local)
        yield offered
        server.shutdown()
        thread.join()


def test_what_is_not_here_is_fetched_once(
    root: Path, online: dict[str, bytes], cache: Path
) -> None:
    online["NCI1.zip"] = put_zip(root.parent, "NCI1").read_bytes()
    assert len(gp.load("NCI1", root, features=None)) == 2
    online.clear()
    assert len(gp.load("NCI1", root, features=None)) == 2
    assert {file.name for file in (cache / "downloads").iterdir()} == {"NCI1.zip", "NCI1.sha256"}


def test_a_download_of_another_content_than_the_known_one_is_refused(
    root: Path, online: dict[str, bytes], cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    online["COX2.zip"] = put_zip(root.parent, "COX2").read_bytes()
    with pytest.raises(DownloadError, match="GRAPHPOOL_ACCEPT_DOWNLOADS=COX2 in the environment"):
        gp.load("COX2", root)
    assert list((cache / "downloads").iterdir()) == []
    monkeypatch.setenv("GRAPHPOOL_ACCEPT_DOWNLOADS", "BZR,COX2")
    assert len(gp.load("COX2", root, features=None)) == 2


def test_a_download_of_another_content_than_the_first_is_refused(
    root: Path, online: dict[str, bytes], cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = put_zip(root.parent, "NCI1")
    online["NCI1.zip"] = first.read_bytes()
    gp.load("NCI1", root)
    (cache / "downloads" / "NCI1.zip").unlink()
    assert len(gp.load("NCI1", root, features=None)) == 2  # the same once more
    (cache / "downloads" / "NCI1.zip").unlink()
    with zipfile.ZipFile(first, "a") as archive:
        archive.writestr("NCI1/NCI1_node_attributes.txt", "1\n2\n3\n4\n")
    online["NCI1.zip"] = first.read_bytes()
    with pytest.raises(DownloadError, match=r"not those that were downloaded first .*NCI1.sha256"):
        gp.load("NCI1", root)
    assert {file.name for file in (cache / "downloads").iterdir()} == {"NCI1.sha256"}
    monkeypatch.setenv("GRAPHPOOL_ACCEPT_DOWNLOADS", "NCI1")
    assert gp.load("NCI1", root, features=None).node_attr is not None


@pytest.mark.parametrize("damage", ["html", "flip", "other set"])
def test_a_useless_download_is_not_kept(
    root: Path, online: dict[str, bytes], cache: Path, damage: str
) -> None:
    name = "BZR" if damage == "other set" else "NCI1"
    body = bytearray(put_zip(root.parent, name).read_bytes())
    if damage == "flip":
        body[body.index(b"1, 2")] ^= 1
    online["NCI1.zip"] = b"<html>busy</html>" if damage == "html" else bytes(body)
    with pytest.raises(DownloadError, match="the file is damaged"):
        gp.load("NCI1", root)
    assert list((cache / "downloads").iterdir()) == []


# ---------------------------------------------------------------------- edit distances


def put_arrays(root: Path, name: str = "PAIR", **more: object) -> Path:
    arrays = {"ids": [7, 9], "node_ptr": [0, 2, 3], "edge_ptr": [0, 1, 1], "edges": [[0, 1]]}
    np.savez(root / f"{name}.npz", **{**arrays, **more})
    return root / f"{name}.npz"


def put_gexf(root: Path, name: str = "PAIR") -> Path:
    edges = '<edges><edge source="0" target="1"/></edges>'
    nodes = '<node id="0"/>', '<node id="0"/><node id="1"/>'
    frame = "<gexf><graph><nodes>{}</nodes>{}</graph></gexf>"
    with zipfile.ZipFile(root / f"{name}.zip", "w") as archive:
        archive.writestr(f"{name}/train/7.gexf", frame.format(nodes[1], edges))
        archive.writestr(f"{name}/test/9.gexf", frame.format(nodes[0], ""))
        archive.writestr(f"{name}/ged.pickle", b"no pickle at all")
    return root / f"{name}.zip"


def test_a_set_of_arrays_is_loaded_by_name_and_kept(root: Path, cache: Path) -> None:
    put_arrays(root)
    graphs = gp.load("PAIR", root)
    assert (graphs.ids, graphs.node_counts.tolist()) == (("7", "9"), [2, 1])
    assert [path.name.split("-")[0] for path in (cache / "sets").iterdir()] == ["PAIR"]
    assert content_hash(gp.load("PAIR", root)) == content_hash(graphs)


def test_an_edit_distance_set_is_loaded_in_either_form(root: Path, tmp_path: Path) -> None:
    zipped = gp.read(put_gexf(root), features=None)
    with zipfile.ZipFile(root / "PAIR.zip") as archive:
        archive.extractall(tmp_path / "folders")
    folder = gp.load("PAIR", tmp_path / "folders", features=None)
    arrays = gp.read(put_arrays(tmp_path), features=None)
    assert content_hash(zipped) == content_hash(folder) == content_hash(arrays)


def test_edit_distance_sets_are_available(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(locate, "EMBEDDED", root / "none")
    put_arrays(root)
    put_gexf(root, "OTHER")
    np.savez(root / "matrix.npz", ids=[1], ged=[[0]])
    found = [(item.name, item.path.name) for item in locate.available(root)]
    assert found == [("OTHER", "OTHER.zip"), ("PAIR", "PAIR.npz")]


def test_distances_are_found_by_name_in_any_spelling(root: Path) -> None:
    put_arrays(root, "LINUX", ged=[[0, 2], [2, -1]], n_train=1)
    known = datasets.distances("linux", root)
    assert (known.name, known.values[0, 1], known.test.tolist()) == ("LINUX", 2, [1])


def test_distances_are_not_read_from_a_zip(root: Path) -> None:
    path = put_gexf(root, "LINUX")
    with pytest.raises(DataError, match=r"LINUX\.zip: .*are in LINUX\.npz: put it at .*root"):
        datasets.distances("LINUX", root)
    with pytest.raises(DataError, match=r"LINUX\.zip: .*are in LINUX\.npz"):
        datasets.distances(path)


def test_the_published_split_is_read_from_either_form(root: Path, tmp_path: Path) -> None:
    split = datasets.published_split(put_gexf(root))
    assert (split.train, split.valid, split.test) == ((0,), (), (1,))
    assert datasets.published_split(put_arrays(tmp_path, n_train=1)) == split
    assert datasets.published_split("PAIR", root) == split


def test_a_set_without_a_published_split_says_so(root: Path) -> None:
    put_zip(root)
    with pytest.raises(DataError, match="TINY has no published split; make one with"):
        datasets.published_split("TINY", root)
    with pytest.raises(DataError, match=r"PAIR\.npz: PAIR has no published split"):
        datasets.published_split(put_arrays(root))


def test_distances_that_no_one_published_are_not_fetched(root: Path) -> None:
    with pytest.raises(DataError, match="NCI1 has no published edit distances"):
        datasets.distances("NCI1", root)


def test_an_edit_distance_set_that_is_not_here_says_where_to_put_it(root: Path) -> None:
    with pytest.raises(DataError, match=r"AIDS700nef \(.*not offered online.*AIDS700nef\.npz"):
        datasets.distances("aids700", root)
