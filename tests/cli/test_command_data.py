import json
import re
from html import unescape
from pathlib import Path
from shlex import split

import pytest

from graphpool.data.formats.jsonl import KEYS
from graphpool.data.formats.safetensors import content_hash
from graphpool.data.load import read


def test_list_says_what_is_found_where(cli):
    document = json.loads(cli("data", "list", "--json").out)
    found = {row["name"]: row for row in document["found"]}
    assert found["MUTAG"]["origin"] in ("embedded", "data root")
    assert "NCI1" in document["online"]
    assert "MUTAG" not in document["online"]
    assert "MUTAG" in cli("data", "list").out


def test_list_looks_into_the_given_root(cli, small):
    document = json.loads(cli("data", "list", "--data-root", small.parent, "--json").out)
    assert {"name": "small", "origin": "data root", "path": str(small)} in document["found"]


def test_show_counts_what_the_set_is_known_to_hold(cli):
    document = json.loads(cli("data", "show", "MUTAG", "--json").out)
    assert document["graphs"] == 188
    assert document["classes"] == [[-1, 63], [1, 125]]
    assert document["nodes"]["max"] == 28
    assert document["differences_from_paper"] == []


def test_show_describes_a_file_for_people(cli, small):
    text = cli("data", "show", small).out
    assert "small: 40 graphs, undirected" in text
    assert "-1 (10), 1 (30)" in text


def test_show_writes_a_page_beside_its_text(cli, small, tmp_path):
    page = tmp_path / "page.html"
    document = json.loads(cli("data", "show", small, "--html", page, "--json").out)
    assert document["path"] == str(page)
    assert "Some of its graphs" in page.read_text(encoding="utf-8")
    again = cli("data", "show", small, "--html", page)
    assert again.code == 2
    assert "--overwrite" in again.err
    assert str(page) in cli("data", "show", small, "--html", page, "--overwrite").out


def test_parts_names_what_recurs(cli, tmp_path):
    page = tmp_path / "parts.html"
    document = json.loads(cli("data", "parts", "MUTAG", "--html", page, "--json").out)
    assert document["path"] == str(page)
    assert document["bits"][1] < document["bits"][0]
    assert document["most_frequent"][0]["name"] == "NO2"
    assert sum(each["share_of_nodes"] for each in document["most_frequent"]) <= 1
    assert "most frequent parts" in page.read_text(encoding="utf-8")
    text = cli("data", "parts", "MUTAG").out
    assert "cut edges labelled 1 from ring to chain" in text
    assert "NO2" in text


def test_parts_draws_chosen_graphs_by_any_rule(cli, small, tmp_path):
    for units, rule in (("auto", "rings in sparse graphs"), ("recurring", "parts that recur")):
        path = tmp_path / f"{units}.svg"
        chosen = ("--units", units, "--graph", "0", "--graph", "#7", "--draw", path)
        document = json.loads(cli("data", "parts", small, *chosen, "--json").out)
        assert document["drawn"] == str(path)
        assert len(document["shown"]) == 2
        for each in document["shown"]:
            members = sorted(node for part in each["parts"] for node in part)
            assert members == list(range(each["nodes"]))
            below = f"graph {each['graph']}: {len(each['parts'])} part"
            assert below in path.read_text(encoding="utf-8")
        assert f"units {units}: {rule}" in path.read_text(encoding="utf-8")
        written = path.read_bytes()
        assert "--overwrite" in cli("data", "parts", small, *chosen).err
        text = cli("data", "parts", small, *chosen, "--overwrite").out
        assert str(path) in text
        assert "cut edges" in text
        assert path.read_bytes() == written


def test_parts_draws_graphs_of_usual_size_if_none_are_chosen(cli, small, tmp_path):
    document = json.loads(
        cli("data", "parts", small, "--units", "none", "--draw", tmp_path / "x.svg", "--json").out
    )
    assert document["units"] == "none"
    assert document["parts"] >= document["graphs"]
    assert len(document["shown"]) == 3


def test_parts_of_graphs_without_labels_are_by_structure_and_the_output_says_so(cli, tmp_path):
    path = tmp_path / "plain.jsonl"
    path.write_text('{"nodes": 4, "edges": [[0, 1], [1, 2], [2, 0], [2, 3]]}\n')
    done = cli("data", "parts", path, "--graph", "0", "--draw", tmp_path / "x.svg")
    assert done.code == 0
    assert "no cut saves bits: parts are by rings and modularity" in done.out
    assert "with parts" not in done.out


def test_a_page_of_parts_draws_the_chosen_graphs_and_names_them_in_its_command(
    cli, small, tmp_path
):
    page, picture = tmp_path / "a page.html", tmp_path / "x.svg"
    chosen = ("--graph", "3", "--graph", "#7", "--draw", picture, "--html", page)
    assert cli("data", "parts", small, *chosen).code == 0
    html = page.read_text(encoding="utf-8")
    shown = html[html.index("Graphs and their parts") :]
    assert re.findall(r"<figcaption>graph (\d+) ", shown) == ["3", read(small).ids[7]]
    command = unescape(re.findall("<pre>(.*)</pre>", html)[0])
    assert split(command) == ["graphpool", "data", "parts", str(small), *map(str, chosen)]


def test_a_graph_that_is_named_twice_is_shown_once(cli, small):
    name = read(small).ids[3]
    twice = ("--graph", name, "--graph", "#3", "--units", "auto")
    document = json.loads(cli("data", "parts", small, *twice, "--json").out)
    assert [each["graph"] for each in document["shown"]] == [name]


@pytest.mark.parametrize(("option", "name"), [("--draw", "x.svg"), ("--html", "x.html")])
def test_a_file_that_cannot_be_written_is_answered_with_the_option_that_named_it(
    cli, small, tmp_path, option, name
):
    (tmp_path / "file").write_text("")
    path = tmp_path / "file" / name
    done = cli("data", "parts", small, option, path)
    assert done.code == 2
    assert f"choose another path ({option})" in done.err
    if option == "--html":
        assert f"choose another path ({option})" in cli("data", "show", small, option, path).err


def test_a_page_has_the_name_of_a_page(cli, small):
    assert "--html a.txt: end it with .html" in cli("data", "show", small, "--html", "a.txt").err


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["--graph", "none"], "has no graph 'none'"),
        (["--graph", "#40"], "graphs are #0 to #39"),
        (["--units", "ring"], "did you mean 'rings'"),
        (["--draw", "x.png"], "end it with .svg"),
        (["--units", "auto", "--html", "x.html"], "use --draw FILE.svg"),
        (["--html", "a.txt"], "--html a.txt: end it with .html"),
        (["--html", "x.svg", "--draw", "x.svg"], "--html x.svg: end it with .html"),
        (["--draw", "x.svg", *(f"--graph=#{at}" for at in range(25))], "at most 24 graphs, and 25"),
    ],
)  # fmt: skip
def test_parts_refuses_in_one_line(cli, small, arguments, says):
    done = cli("data", "parts", small, *arguments)
    assert done.code == 2
    assert says in done.err
    assert len(done.err.strip().splitlines()) == 1
    assert done.out == ""


@pytest.mark.parametrize("suffix", [".safetensors", ".jsonl"])
def test_import_keeps_every_graph(cli, small, tmp_path, suffix):
    out = tmp_path / f"small{suffix}"
    document = json.loads(cli("data", "import", small, "--out", out, "--json").out)
    assert document["graphs"] == 40
    assert content_hash(read(out, features=None)) == content_hash(read(small, features=None))


def test_import_replaces_nothing_unasked(cli, small, tmp_path):
    out = tmp_path / "mine.jsonl"
    out.write_text("mine")
    done = cli("data", "import", small, "--out", out)
    assert done.code == 2
    assert "give --overwrite" in done.err
    assert out.read_text() == "mine"
    assert cli("data", "import", small, "--out", out, "--overwrite").code == 0


def test_import_names_file_and_line_of_what_is_wrong(cli, tmp_path):
    (tmp_path / "bad.jsonl").write_text(
        '{"nodes": 2, "edges": []}\n{"nodes": 2, "edges": [[0, 5]]}\n'
    )
    done = cli("data", "import", "bad.jsonl", "--out", "x.safetensors")
    assert done.code == 2
    assert "bad.jsonl, line 2" in done.err


def test_a_path_that_is_not_there_is_no_misspelt_name(cli):
    done = cli("data", "show", "./nothing")
    assert done.code == 2
    assert "nothing: no such file or folder" in done.err


def test_import_refuses_an_unknown_form(cli, small):
    done = cli("data", "import", small, "--out", "x.csv")
    assert done.code == 2
    assert "end it with .safetensors or .jsonl" in done.err


def test_show_names_a_file_that_is_nearly_a_part(cli):
    Path("T").mkdir()
    files = {"A": "1, 2\n2, 1\n", "graph_indicator": "1\n1\n", "node_label": "3\n3\n"}
    for part, text in files.items():
        Path("T", f"T_{part}.txt").write_text(text)
    done = cli("data", "show", "./T")
    assert "note: T_node_label.txt was not read" in done.out
    assert "did you mean 'T_node_labels.txt'?" in done.out


def test_help_of_import_names_every_key_of_a_line(cli):
    text = cli("data", "import", "--help").out
    assert all(f" {key} " in text for key in KEYS)
