"""`graphpool doctor`: check packages, device, data and compiled loops."""

import importlib.metadata
import importlib.util
import os
import platform
import sys
import tempfile
from pathlib import Path
from typing import Any

import typer

from graphpool import __version__
from graphpool.cli.options import Json
from graphpool.cli.output import print_result
from graphpool.errors import WriteError
from graphpool.evaluation.format import Lines, Table

CORE = (
    "torch", "numpy", "scipy", "scikit-learn", "numba", "networkx", "safetensors", "typer", "rich",
    "markdown-it-py",
)  # fmt: skip
OPTIONAL = {
    "torch-geometric": ("pyg", "to_pyg, benchmarks against PyG"),
    "matplotlib": ("plots", "pictures as PNG and SVG files"),
    "rdkit": ("chem", "molecules from SMILES"),
    "tensorboard": ("track", "train --set train.tensorboard=true"),
}
"""Packages of the extras of pyproject.toml: the extra, and what it is for."""


def doctor(json: Json = False) -> None:
    """Check this installation; exit code 1 if something that is needed does not work."""
    document: dict[str, Any] = {
        "graphpool": __version__,
        "python": platform.python_version(),
        "system": f"{platform.system()} {platform.machine()}",
        "packages": {name: _version(name) for name in CORE},
        "optional": {name: _version(name) for name in OPTIONAL},
        "device": _device(),
        "kernels": _kernels(),
        "data": _data(),
        "cache": _cache(),
        "compiled": _compiled(),
    }
    problems = [f"{name} is not installed" for name, found in document["packages"].items()
                if found is None]  # fmt: skip
    problems += [part["problem"] for part in document.values()
                 if isinstance(part, dict) and part.get("problem")]  # fmt: skip
    document["problems"] = problems
    print_result(json, document, _lines(document))
    if problems:
        raise typer.Exit(1)


def _version(name: str) -> str | None:
    try:
        return importlib.metadata.version(name)
    except importlib.metadata.PackageNotFoundError:
        return None


def _device() -> dict[str, Any]:
    if importlib.util.find_spec("torch") is None:
        return {"problem": "torch is not installed; pip install torch"}
    import torch

    cards = [torch.cuda.get_device_name(number) for number in range(torch.cuda.device_count())]
    return {
        "cuda": cards,
        "mps": torch.backends.mps.is_available(),
        "threads": torch.get_num_threads(),
        "cores": os.cpu_count(),
    }


def _kernels() -> dict[str, Any]:
    """Coarsen two small graphs: compiled loops and sparse products must run and agree."""
    try:
        import torch

        from graphpool.nn.hap import HAPCoarsening

        layer = HAPCoarsening(4, 2)
        x = torch.linspace(-1, 1, 20).reshape(5, 4).requires_grad_()
        edges = torch.tensor([[0, 1, 1, 2, 3, 4], [1, 0, 2, 1, 4, 3]])
        level = layer(x, edges, torch.tensor([0, 0, 0, 1, 1]))
        level.x.square().sum().backward()
        precise = HAPCoarsening(4, 2).double()
        precise.load_state_dict(layer.state_dict())
        other = precise(x.detach().double(), edges, torch.tensor([0, 0, 0, 1, 1]))
        gap = float((level.x.detach().double() - other.x.detach()).abs().max())
    except Exception as error:  # any failure is reported, not raised
        return {"works": False, "problem": f"kernels: {type(error).__name__}: {error}"}
    if gap > 1e-4:
        return {"works": False, "problem": f"kernels: compiled loops are off by {gap:.1e}"}
    return {"works": True, "difference": gap}


def _data() -> dict[str, Any]:
    from graphpool.data.locate import available, data_root
    from graphpool.errors import GraphpoolError

    try:
        root, found = data_root(), available()
    except GraphpoolError as error:
        return {"root": os.environ.get("GRAPHPOOL_DATA"), "found": {}, "problem": str(error)}
    names: dict[str, list[str]] = {}
    for item in found:
        names.setdefault(item.origin, []).append(item.name)
    return {"root": None if root is None else str(root), "found": names}


def _cache() -> dict[str, Any]:
    from graphpool.data.cache import cache_root

    try:
        folder = cache_root()
    except WriteError as error:
        return {"path": str(error), "writable": False}
    nearest = next((parent for parent in (folder, *folder.parents) if parent.exists()), Path("/"))
    try:
        with tempfile.TemporaryFile(dir=nearest):
            writable = True
    except OSError:
        writable = False
    return {"path": str(folder), "writable": writable}


def _compiled() -> dict[str, Any]:
    """Where the code of compiled loops is cached; without a folder they work, but start slowly."""
    from graphpool.compile_notice import NOT_CACHED
    from graphpool.ged.exact.search import run
    from graphpool.numba_cache import cache_folder

    folder = cache_folder(run)
    return {"path": folder} if folder else {"path": None, "note": NOT_CACHED}


def _lines(document: dict[str, Any]) -> Lines:
    rows = [(name, found or "missing", "") for name, found in document["packages"].items()]
    rows += [
        (name, document["optional"][name] or "not installed", f"graphpool[{extra}]: {use}")
        for name, (extra, use) in OPTIONAL.items()
    ]
    lines: Lines = [
        f"graphpool {document['graphpool']}, Python {document['python']} "
        f"({sys.executable}), {document['system']}\n",
        Table(("package", "version", ""), rows),
        "",
    ]
    device, data, cache = document["device"], document["data"], document["cache"]
    if "problem" not in device:
        cards = ", ".join(device["cuda"]) or ("mps" if device["mps"] else "none, the CPU is used")
        lines += [
            f"accelerator  {cards}",
            f"threads      {device['threads']} of torch, {device['cores']} cores",
        ]
    return [
        *lines,
        f"kernels      {'work' if document['kernels']['works'] else 'do not work'}",
        f"cache        {cache['path']} ({'writable' if cache['writable'] else 'not writable'})",
        f"compiled     {document['compiled']['path'] or document['compiled']['note']}",
        f"data root    {data['root'] or 'none; set GRAPHPOOL_DATA to a folder of data files'}",
        *(f"  {origin}: {', '.join(names)}" for origin, names in data["found"].items()),
        *(f"problem: {problem}" for problem in document["problems"]),
        *([] if document["problems"] else ["\nAll required parts work."]),
    ]
