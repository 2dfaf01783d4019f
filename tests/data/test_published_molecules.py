"""Published sets of molecules: from the data root, from OGB's zips, with their splits."""

import gzip
import http.server
import io
import json
import threading
import zipfile
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

import graphpool as gp
from graphpool.data import published_split
from graphpool.data.catalogue import KNOWN, resolve
from graphpool.data.locate import available
from graphpool.data.molecules.published import MOLECULES
from graphpool.errors import DataError, DownloadError

TABLE = "smiles,p_np\nC,1\nF[Al-3](F)(F)(F)(F)F,0\nCCO,1\nCCC,0\n"
SPLIT = {"bbbp": {"train": [0, 1], "val": [3], "test": [2]}}


@pytest.fixture
def root(tmp_path: Path) -> Path:
    folder = tmp_path / "molecules"
    folder.mkdir()
    (folder / "bbbp.csv").write_text(TABLE)
    (folder / "splits.json.gz").write_bytes(gzip.compress(json.dumps(SPLIT).encode()))
    zinc = "smiles,y,split\nC,0.5,train\nCC,1.5,val\nCCC,2.5,test\n"
    (folder / "zinc12k.csv.gz").write_bytes(gzip.compress(zinc.encode()))
    return tmp_path


@pytest.fixture(autouse=True)
def own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GRAPHPOOL_CACHE", str(tmp_path / "cache"))


def test_sets_come_with_their_published_split(root: Path) -> None:
    graphs = gp.load("BBBP", root, features=None)
    assert graphs.columns["split"] == ("train", "train", "test", "valid")
    assert graphs.classes == (0, 1)
    split = published_split("bbbp", root)
    assert (split.train, split.valid, split.test) == ((0, 1), (3,), (2,))
    assert gp.load("BBBP", root, features=None).columns == graphs.columns  # from the cache


def test_molecules_beyond_the_rules_of_valence_belong_to_published_sets(root: Path) -> None:
    assert len(gp.load("BBBP", root, features=None)) == 4


def test_a_split_column_is_the_split(root: Path) -> None:
    graphs = gp.load("ZINC-12k", root, features=None)
    assert graphs.columns["split"] == ("train", "valid", "test")
    assert graphs.target.flatten().tolist() == [0.5, 1.5, 2.5]
    assert any("a draw of our own" in note for note in graphs.notes)


def test_sets_in_the_data_root_are_listed(root: Path) -> None:
    assert {"BBBP", "ZINC-12k"} <= {item.name for item in available(root)}


def test_every_set_is_known_by_name() -> None:
    assert set(MOLECULES) <= set(KNOWN)
    assert resolve("ogbg-molhiv") == "HIV"
    assert resolve("zinc12k") == "ZINC-12k"


def test_a_set_that_is_not_here_says_where_it_belongs(tmp_path: Path) -> None:
    with pytest.raises(DataError, match=r"molecules/zinc12k.csv.gz.*not offered online"):
        gp.load("ZINC-12k", tmp_path)
    with pytest.raises(DataError, match=r"ESOL is not on this machine.*snap.stanford.edu"):
        gp.load("ESOL", tmp_path, download=False)


def ogb_zip() -> bytes:
    """A zip as OGB publishes it, of two molecules for each part."""
    table = "p_np,smiles,mol_id\n1,C,a\n0,CC,b\n1,CCC,c\n"
    parts = {"train": "0\n", "valid": "2\n", "test": "1\n"}
    data = io.BytesIO()
    with zipfile.ZipFile(data, "w") as archive:
        archive.writestr("bbbp/mapping/mol.csv.gz", gzip.compress(table.encode()))
        archive.writestr("bbbp/raw/edge.csv.gz", b"not needed")
        for part, rows in parts.items():
            archive.writestr(f"bbbp/split/scaffold/{part}.csv.gz", gzip.compress(rows.encode()))
    return data.getvalue()


class Handler(http.server.BaseHTTPRequestHandler):
    """Serves a zip of OGB, or one that is cut."""

    def do_GET(self) -> None:
        body = ogb_zip()
        body = body[: len(body) // 2] if "cut" in self.path else body
        self.send_response(200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: object) -> None:
        pass


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    monkeypatch.setenv("no_proxy", "127.0.0.1")
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler) as running:
        thread = threading.Thread(target=running.serve_forever, args=(0.02,))
        thread.start()
        yield f"http://127.0.0.1:{running.server_port}"
        running.shutdown()
        thread.join()


def test_a_set_is_downloaded_once_with_its_split(
    server: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    entry = replace(MOLECULES["BBBP"], url=f"{server}/bbbp.zip")
    monkeypatch.setitem(MOLECULES, "BBBP", entry)
    graphs = gp.load("BBBP", tmp_path, features=None)
    assert graphs.columns["smiles"] == ("C", "CC", "CCC")
    assert graphs.columns["split"] == ("train", "test", "valid")
    assert graphs.class_labels.tolist() == [1, 0, 1]
    assert len(gp.load("BBBP", tmp_path, features=None, download=False)) == 3


def test_a_damaged_download_is_not_kept(
    server: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    entry = replace(MOLECULES["BBBP"], url=f"{server}/cut.zip")
    monkeypatch.setitem(MOLECULES, "BBBP", entry)
    monkeypatch.setattr("time.sleep", lambda seconds: None)
    with pytest.raises(DownloadError, match="damaged"):
        gp.load("BBBP", tmp_path)
