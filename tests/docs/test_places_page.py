"""What docs/places.md says is so: examples and commands run."""

import json
import re
import shlex
import subprocess
import sys
from functools import partial
from itertools import pairwise
from pathlib import Path

import networkx as nx
import numpy as np
import pytest
from pages import fenced, printed_by
from sklearn.metrics import adjusted_rand_score

import graphpool as gp
from graphpool.cli.main import run
from graphpool.data.synthetic.arrangements.build import communities, make
from graphpool.experiments.timings import timing_text
from graphpool.graphs.places.rule import PlaceRule
from graphpool.nn.hap import CONNECTIONS
from graphpool.training.select_place_rule import RESOLUTIONS

ROOT = Path(__file__).resolve().parents[2]
PAGE = (ROOT / "docs" / "places.md").read_text(encoding="utf-8")
SCRIPTS = ROOT / "benchmarks"
blocks = partial(fenced, PAGE)


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Sets made for a test go where it is forgotten."""
    monkeypatch.setenv("GRAPHPOOL_CACHE", str(tmp_path / "cache"))


def script(name: str, *arguments: object) -> "subprocess.CompletedProcess[str]":
    command = [sys.executable, "-W", "ignore", str(SCRIPTS / f"{name}.py"), *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True)


def test_python_runs(tmp_path: Path) -> None:
    printed = printed_by("\n".join(blocks("python")), tmp_path)
    means = [float(mean) for mean in re.findall(r"tensor\((\d+\.\d*), dtype", printed)]
    default, given, ratio, eigengap, chosen, fine = means
    assert default == pytest.approx(8, abs=0.1)
    assert given == 8
    assert ratio == pytest.approx(8.5, abs=1)  # a tenth of some 80 nodes, rounded up
    assert eigengap == pytest.approx(8, abs=0.3)
    assert 2 <= chosen <= 16
    assert fine > 12


@pytest.mark.parametrize("command", [line for block in blocks("sh") for line in block.splitlines()])
def test_commands_run(command: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    program, *arguments = shlex.split(command)
    assert program == "graphpool"
    with pytest.raises(SystemExit) as stop:
        run([*arguments, "--epochs", "1", "--out", str(tmp_path / "run")])
    said = capsys.readouterr()
    assert stop.value.code == 0, said.err
    assert "Level 1" in said.out


@pytest.mark.slow
def test_pictures_are_drawn_and_their_table_is_written(tmp_path: Path) -> None:
    found = tmp_path / "places_ring.json"
    done = script("places_pictures", "--graphs", 40, "--epochs", 1, "--out", tmp_path,
                  "--json", found)  # fmt: skip
    assert done.returncode == 0, done.stderr
    for name in ("places_ring.png", "places_molecules.png"):
        assert (tmp_path / name).read_bytes().startswith(b"\x89PNG")
        assert (ROOT / "docs" / name).exists()
        assert f"({name})" in PAGE
    text = timing_text("places: ring", tmp_path)
    written = json.loads(found.read_text())
    assert f"| `hap` | {100 * written['models']['hap']['accuracy']:.1f} % |" in text
    assert written["machine"]["cores"] >= 1
    assert timing_text("places: sets", tmp_path) == "*Not measured yet.*\n"


def test_the_page_says_how_well_communities_are_found() -> None:
    shown = []
    for bridges in (1, 6):
        graphs = make("ring", graphs=300, bridges=bridges)
        truth, found = communities(graphs).numpy(), graphs.places().cluster.numpy()
        ends = graphs.node_ptr.tolist()
        scores = [
            adjusted_rand_score(truth[begin:end], found[begin:end]) for begin, end in pairwise(ends)
        ]
        shown.append(f"{np.mean(scores):.3f}")
    assert f"| ours | yes | {' | '.join(shown)} |" in PAGE


def test_an_eigengap_is_misled_by_more_bridges_and_modularity_is_not() -> None:
    graphs = make("ring", graphs=100, bridges=6)
    for count, most_often in (("eigengap", 3), ("auto", 8)):
        counts = graphs.places(PlaceRule(count=count)).counts
        assert int(counts.mode().values) == most_often
        assert (counts == most_often).double().mean() > 0.6


@pytest.mark.parametrize(
    "graph",
    [nx.cycle_graph(12), nx.complete_graph(7), nx.star_graph(6), nx.random_regular_graph(3, 20, 1)],
    ids=["cycle", "clique", "star", "regular"],
)
def test_graphs_that_the_page_calls_one_place_are(graph: nx.Graph) -> None:
    packed = gp.from_networkx([graph])
    assert packed.places().counts.tolist() == [1]
    assert packed.places(PlaceRule(count="given", clusters=4)).counts.tolist() == [1]


def test_a_regular_graph_with_communities_is_one_cluster() -> None:
    """A ring of six cliques of four, without the edge between the two nodes that lead on."""
    graph = nx.Graph()
    for part in range(6):
        first, *rest = (4 * part + i for i in range(4))
        graph.add_edges_from(nx.complete_graph([first, *rest]).edges)
        graph.remove_edge(first, rest[-1])
        graph.add_edge(rest[-1], (first + 4) % 24)
    assert {degree for _, degree in graph.degree} == {3}
    assert gp.from_networkx([graph]).places().counts.tolist() == [1]


def test_every_connection_and_every_pilot_is_named() -> None:
    assert all(f"| `{name}`" in PAGE for name in CONNECTIONS)
    *most, last = (f"{resolution:g}" for resolution in RESOLUTIONS)
    assert f"resolutions {', '.join(most)} and {last}" in PAGE
    assert PlaceRule().most == 16
    assert "at most 16" in PAGE
