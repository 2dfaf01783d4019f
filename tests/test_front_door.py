"""What `import graphpool as gp` offers."""

import subprocess
import sys

import networkx as nx
import pytest

import graphpool as gp


@pytest.mark.parametrize("name", [name for name in dir(gp) if not name.startswith("_")])
def test_every_name_is_there(name):
    assert getattr(gp, name) is not None


def test_a_misspelt_name_is_an_attribute_error():
    with pytest.raises(AttributeError, match="no attribute 'laod'"):
        gp.laod  # noqa: B018


def test_importing_the_package_imports_no_heavy_library():
    code = "import sys, graphpool; print([m for m in ('torch', 'numpy') if m in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_graphs_from_networkx_are_saved_and_read_back(tmp_path):
    graphs = gp.from_networkx([nx.cycle_graph(3), nx.path_graph(4)], name="two")
    gp.save(graphs, tmp_path / "two.safetensors")
    again = gp.read(tmp_path / "two.safetensors", features=None)
    both = gp.concatenate([graphs, again], name="four")
    assert gp.statistics(both).graphs == 4
    assert [len(graph.edges) for graph in gp.to_networkx(again)] == [3, 3]
