"""Layers import only along the data flow, and nothing reads pickles."""

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

PACKAGE = Path(__file__).resolve().parents[1] / "src" / "graphpool"

# Packages and modules of the top level, lowest first. One may import from those before it, and
# from none in its own row.
LAYERS: list[set[str]] = [
    {"errors", "typing"},
    {"files", "progress", "imports", "compile_notice", "limits", "shapes"},
    {"documents"},
    {"config", "locks", "numba_cache"},
    {"graphs"},
    {"features", "ged"},
    {"data"},
    {"evaluation"},
    {"nn"},
    {"training"},
    {"report"},
    {"tasks"},
    {"models"},
    {"estimators"},
    {"experiments"},
    {"cli"},
]
# The same inside packages, for their sub-packages and modules.
INNER: dict[str, list[set[str]]] = {
    "data": [
        {"paths", "download", "targets", "bad_rows", "seen_ids"},
        {"interop", "splits"},
        {"read_options", "molecules"},
        {"data_string"},
        {"formats"},
        {"own_splits", "pairs", "source"},
        {"cache"},
        {"synthetic", "scaffolds"},
        {"catalogue", "published_molecules"},
        {"locate"},
        {"load"},
        {"true_distances"},
    ],
    "nn": [
        {"ops", "module", "random"},
        {"level", "label_embedding"},
        {"arguments"},
        {"encoders", "coarsen", "readout", "head"},
        {"hap", "pool"},
        {"hierarchy"},
        {"model", "two_way"},
        {"pairs"},
        {"zoo"},
    ],
    "evaluation": [{"format", "metrics", "prediction", "protocols", "ranking", "regression",
                    "separation", "statistics"},
                   {"baselines", "significance", "multilabel"}],
    "report": [{"predictions"}, {"pictures"}, {"data"}, {"draw"},
               {"sections", "style", "cell_marks"},
               {"page", "methods", "parts_page", "parts_picture", "set_page"}, {"document"}],
    "tasks": [
        {"base", "epoch_text"},
        {"number_output", "pairwise", "place_text"},
        {"graph_task"},
        {"classes", "targets"},
        {"pages", "target_task"},
        {"classification", "matching", "multilabel", "regression", "similarity"},
    ],
    "models": [{"build", "file", "run_folder"}, {"model"}, {"run"}],
    "estimators": [{"arguments", "values"}, {"base"}, {"parts"}, {"targets"},
                   {"classifier", "regressor", "multilabel", "matcher", "comparer"}],
}  # fmt: skip
UNSAFE = {"pickle", "cPickle", "dill", "cloudpickle", "joblib", "shelve", "marshal"}
MODULES = sorted(PACKAGE.rglob("*.py"))


def name_of(path: Path) -> str:
    return ".".join(path.relative_to(PACKAGE.parent).with_suffix("").parts)


def ranks(layers: list[set[str]]) -> dict[str, int]:
    return {name: rank for rank, names in enumerate(layers) for name in names}


def imported(tree: ast.AST) -> Iterator[tuple[int, str]]:
    """Line and full name of every import, those inside functions included."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from ((node.lineno, alias.name) for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"line {node.lineno}: relative imports hide the direction"
            base = node.module or ""
            # `from graphpool import nn` and `from graphpool.data import load` name modules too.
            names = [f"{base}.{alias.name}" for alias in node.names]
            yield from ((node.lineno, name if is_module(name) else base) for name in names)


def is_module(name: str) -> bool:
    path = PACKAGE.parent.joinpath(*name.split("."))
    return path.is_dir() or path.with_suffix(".py").is_file()


def part(module: str, depth: int) -> str | None:
    """The package of `graphpool` that a module is in (depth 1), or the part of that (depth 2)."""
    names = module.split(".")
    return names[depth] if names[0] == "graphpool" and len(names) > depth else None


def wrong_imports(path: Path, depth: int, rank: dict[str, int]) -> list[str]:
    """Imports of a module from its own rank or a higher one, its own part excepted."""
    own = part(name_of(path), depth)
    return [
        f"line {line}: {name}"
        for line, name in imported(ast.parse(path.read_text(encoding="utf-8")))
        if (other := part(name, depth)) in rank
        and other != own
        and (depth == 1 or part(name, 1) == part(name_of(path), 1))
        and rank[str(other)] >= rank[str(own)]
    ]


def test_every_package_and_part_has_a_rank() -> None:
    names = [name_of(path) for path in MODULES]
    tops = {part(name, 1) for name in names} - {"__init__", "__main__", None}
    assert tops == set(ranks(LAYERS))
    for package, layers in INNER.items():
        inside = {part(name, 2) for name in names if part(name, 1) == package} - {"__init__", None}
        assert inside == set(ranks(layers)), package


def modules_of(package: str) -> list[Path]:
    return [path for path in MODULES if part(name_of(path), 1) == package]


# A test for every module would take longer to report than to run.
every = pytest.mark.parametrize("package", sorted({str(part(name_of(p), 1)) for p in MODULES}))


@every
def test_imports_follow_the_data_flow(package: str) -> None:
    if package in ("__init__", "__main__"):
        return
    for path in modules_of(package):
        wrong = wrong_imports(path, 1, ranks(LAYERS))
        assert not wrong, f"{name_of(path)} imports from further down: {wrong}"
        if package in INNER and part(name_of(path), 2) != "__init__":
            wrong = wrong_imports(path, 2, ranks(INNER[package]))
            assert not wrong, f"{name_of(path)} imports from further down: {wrong}"


@every
def test_nothing_reads_pickles(package: str) -> None:
    for path in modules_of(package):
        tree = ast.parse(path.read_text(encoding="utf-8"))
        for line, name in imported(tree):
            assert name.split(".")[0] not in UNSAFE, f"{path}, line {line} imports {name}"
            assert name != "torch.load", f"{path}, line {line}"
        for node in ast.walk(tree):
            if isinstance(node, ast.Call):
                where = f"{path}, line {node.lineno}"
                assert ast.unparse(node.func) != "torch.load", f"{where} calls torch.load"
                unsafe = [k for k in node.keywords if k.arg == "allow_pickle"]
                assert all(ast.unparse(k.value) == "False" for k in unsafe), where
