"""Imports that happen late: public names on first use, and packages of optional extras."""

import importlib
import sys
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from graphpool.errors import MissingPackageError


def lazy_names(
    package: str, homes: Mapping[str, Iterable[str]], modules: Iterable[str] = ()
) -> tuple[Callable[[str], Any], Callable[[], list[str]], list[str]]:
    """Return `__getattr__`, `__dir__` and `__all__` of a package that imports names on first use.

    `import graphpool` and `graphpool --help` stay quick, and every public name works without
    importing its module first.

    Args:
        package: `__name__` of the package.
        homes: the public names of each module, given by its path from the package on.
        modules: modules and sub-packages that are public themselves.
    """
    home = {name: f"{package}.{module}" for module, names in homes.items() for name in names}
    public = [*home, *modules]

    def get(name: str) -> Any:
        if name in home:
            value = getattr(importlib.import_module(home[name]), name)
        elif name in modules:
            value = importlib.import_module(f"{package}.{name}")
        else:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        setattr(sys.modules[package], name, value)
        return value

    return get, lambda: sorted(public), public


def optional_module(name: str, extra: str) -> Any:
    """Import a module of an optional dependency; without it, name the extra that installs it.

    Args:
        name: of the module, such as `torch_geometric.data`.
        extra: of `pyproject.toml`, such as `pyg`.
    """
    try:
        return importlib.import_module(name)
    except ImportError:
        raise MissingPackageError(
            f"{name.partition('.')[0]} is not installed; pip install 'graphpool[{extra}]'"
        ) from None
