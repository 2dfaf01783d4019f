"""Known data sets and where they lie."""

import re
import zipfile
from pathlib import Path

import pytest

from graphpool.data import catalogue, locate
from graphpool.data.catalogue import ALIASES, KNOWN, PAPER, resolve
from graphpool.data.formats.tu_files import TUFiles
from graphpool.data.locate import find_in_folder
from graphpool.errors import DownloadError


@pytest.mark.parametrize(
    ("written", "name"),
    [
        ("IMDB-B", "IMDB-BINARY"),
        ("imdb-m", "IMDB-MULTI"),
        ("mutag", "MUTAG"),
        ("PTC", "PTC"),
        ("nobody", "nobody"),
    ],
)
def test_names_are_known_in_every_spelling(written: str, name: str) -> None:
    assert resolve(written) == name


def test_every_alias_and_every_set_of_the_paper_is_known() -> None:
    assert set(ALIASES.values()) | set(PAPER) <= set(KNOWN)


def test_the_six_sets_of_the_paper_are_those_of_its_table() -> None:
    assert {name: (row.graphs, row.max_nodes, row.mean_nodes, row.classes)
            for name, row in PAPER.items()} == {
        "IMDB-BINARY": (1000, 136, 19.8, 2),
        "IMDB-MULTI": (1500, 89, 13.0, 3),
        "COLLAB": (5000, 492, 74, 3),
        "MUTAG": (188, 28, 17.9, 2),
        "PROTEINS": (1113, 620, 39.1, 2),
        "PTC": (344, 109, 25.5, 2),
    }  # fmt: skip


def test_ptc_mr_is_told_apart_from_the_papers_ptc() -> None:
    assert PAPER["PTC"].differences(344, 64, 14.29, 2) == [
        "largest graph: 64, in the paper 109",
        "mean nodes: 14.29, in the paper 25.5",
    ]


def test_the_collection_is_asked_for_the_full_name() -> None:
    assert KNOWN["MUTAG"].url == "https://www.chrsmrrs.com/graphkerneldatasets/MUTAG.zip"
    assert KNOWN["PTC"].url is None


@pytest.mark.parametrize(
    "path",
    ["T.npz", "T.zip", "T/T_A.txt", "T/raw/T_A.txt", "T/train/1.gexf", "T/raw/T/test/1.gexf",
     "T.jsonl", "T.safetensors"],
)  # fmt: skip
def test_a_set_is_found_in_every_form(tmp_path: Path, path: str) -> None:
    (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
    (tmp_path / path).write_text("")
    assert find_in_folder("T", tmp_path) == tmp_path / path.split("/")[0]


def test_a_folder_without_its_files_is_not_the_set(tmp_path: Path) -> None:
    (tmp_path / "T").mkdir()
    (tmp_path / "T" / "U_A.txt").write_text("")
    assert find_in_folder("T", tmp_path) is None


def test_content_is_known_by_its_files_and_not_by_the_zip(tmp_path):
    files = {"MUTAG_A.txt": "1, 2\n2, 1\n", "MUTAG_graph_indicator.txt": "1\n1\n"}
    contents = set()
    for method in (zipfile.ZIP_DEFLATED, zipfile.ZIP_STORED):
        with zipfile.ZipFile(tmp_path / "MUTAG.zip", "w", method) as archive:
            for name, text in files.items():
                archive.writestr(name, text)
        contents.add(locate._content(TUFiles.find(tmp_path / "MUTAG.zip", "MUTAG")))
        with pytest.raises(DownloadError, match="not those that graphpool's results were made"):
            locate._check_download(tmp_path / "MUTAG.zip", "MUTAG", tmp_path / "MUTAG.sha256")
    assert len(contents) == 1
    assert all(re.fullmatch("[0-9a-f]{64}", value) for value in catalogue.CONTENT.values())
    assert catalogue.CONTENT.keys() <= catalogue.KNOWN.keys()
