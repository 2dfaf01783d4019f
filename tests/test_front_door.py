"""What `import graphpool as gp` offers, and what works without the optional packages."""

import ast
import subprocess
import sys
import tomllib
from pathlib import Path

import networkx as nx
import pytest

import graphpool as gp
from graphpool.cli.doctor import CORE, OPTIONAL

ROOT = Path(__file__).resolve().parents[1]
PACKAGES = (
    "graphpool", "graphpool.graphs", "graphpool.graphs.places", "graphpool.features",
    "graphpool.data", "graphpool.data.formats", "graphpool.data.interop", "graphpool.data.pairs",
    "graphpool.data.splits", "graphpool.data.synthetic", "graphpool.data.synthetic.arrangements",
    "graphpool.data.synthetic.matching",
)  # fmt: skip
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]


def run(code: str) -> str:
    """What a fresh Python prints."""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return done.stdout.strip()


def test_every_public_name_works_without_another_import():
    code = f"""
import importlib
for package in {PACKAGES}:
    module = importlib.import_module(package)
    for name in module.__all__:
        assert getattr(module, name) is not None, (package, name)
"""
    assert run(code) == ""


@pytest.mark.parametrize("package", PACKAGES)
def test_type_checkers_see_the_public_names(package):
    path = ROOT / "src" / Path(*package.split(".")) / "__init__.py"
    tree = ast.parse(path.read_text(encoding="utf-8"))
    imports = [node for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)]
    seen = {alias.asname or alias.name for node in imports for alias in node.names}
    defined = {target.id for node in tree.body if isinstance(node, ast.AnnAssign)
               for target in [node.target] if isinstance(target, ast.Name)}  # fmt: skip
    defined |= {node.name for node in tree.body if isinstance(node, ast.FunctionDef)}
    module = sys.modules.get(package) or __import__(package, fromlist=["x"])
    modules = {name for name in module.__all__ if (path.parent / name).is_dir()}
    modules |= {name for name in module.__all__ if (path.parent / f"{name}.py").is_file()}
    assert set(module.__all__) - seen - defined <= modules


def test_a_misspelt_name_is_an_attribute_error():
    with pytest.raises(AttributeError, match="no attribute 'laod'"):
        gp.laod  # noqa: B018


def test_importing_the_package_imports_no_heavy_library():
    code = "import sys, graphpool; print([m for m in ('torch', 'numpy') if m in sys.modules])"
    assert run(code) == "[]"


def test_graphs_from_networkx_are_saved_and_read_back(tmp_path):
    graphs = gp.from_networkx([nx.cycle_graph(3), nx.path_graph(4)], name="two")
    gp.save(graphs, tmp_path / "two.safetensors")
    again = gp.read(tmp_path / "two.safetensors", features=None)
    both = gp.concatenate([graphs, again], name="four")
    assert gp.statistics(both).graphs == 4
    assert [len(graph.edges) for graph in gp.to_networkx(again)] == [3, 3]


# ---------------------------------------------------------------------- optional packages


def test_the_core_works_without_the_optional_packages():
    code = """
import sys
for name in ("torch_geometric", "matplotlib", "PIL", "tensorboard", "grakel"):
    sys.modules[name] = None
import graphpool as gp
graphs = gp.load("MUTAG", cache=False, download=False)
model = gp.nn.HAP(in_channels=graphs.x.shape[1], hidden_channels=8, out_channels=2)
assert model(graphs.batch([0, 1, 2])).shape == (3, 2)
assert gp.ged.distance(graphs[0], graphs[0]).distance == 0
for call in (lambda: gp.to_pyg(graphs), lambda: gp.report.draw_hierarchy_png(None, "x.png")):
    try:
        call()
    except gp.GraphpoolError as error:
        print(error)
"""
    assert run(code).splitlines() == [
        "torch_geometric is not installed; pip install 'graphpool[pyg]'",
        "matplotlib is not installed; pip install 'graphpool[plots]'",
    ]


def test_doctor_lists_the_dependencies_and_the_extras():
    extras = PROJECT["optional-dependencies"]
    required = {line.split(">")[0] for line in PROJECT["dependencies"]}
    optional = {line.split(">")[0]: extra for extra in extras if extra != "dev"
                for line in extras[extra]}  # fmt: skip
    assert set(CORE) == required
    assert {name: extra for name, (extra, _) in OPTIONAL.items()} == optional
    assert extras["dev"][0] == f"graphpool[{','.join(optional.values())}]"


def test_the_embedded_set_is_part_of_the_package():
    tool = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]
    assert "data/embedded/*" in tool["setuptools"]["package-data"]["graphpool"]
    assert PROJECT["version"] == gp.__version__
