"""Shared fixtures; tensor shapes in annotations are checked while the tests run."""

import importlib.util
import os
from pathlib import Path

import pytest


def shaped_modules() -> list[str]:
    """Modules with tensor shapes. The hook makes every call slower, so it is kept to these."""
    spec = importlib.util.find_spec("graphpool")
    assert spec is not None
    assert spec.origin is not None
    root = Path(spec.origin).parent
    sources = (path for path in root.rglob("*.py") if "graphpool.typing" in path.read_text("utf-8"))
    return [".".join(path.relative_to(root.parent).with_suffix("").parts) for path in sources]


try:
    import beartype  # noqa: F401  (the checker that the hook names)
    from jaxtyping import install_import_hook
except ImportError:  # a machine with a GPU and no development tools
    pass
else:
    install_import_hook(shaped_modules(), "beartype.beartype")

SHARED_DATA = Path(__file__).resolve().parents[2] / "shared" / "data"


@pytest.fixture(scope="session")
def data_root() -> Path:
    """Folder of real data files: GRAPHPOOL_DATA, or `shared/data` beside the checkout."""
    root = Path(os.environ.get("GRAPHPOOL_DATA", SHARED_DATA))
    if not (root / "PROTEINS.zip").exists():
        pytest.skip(f"no data files in {root}; set GRAPHPOOL_DATA to a folder that has them")
    return root
