"""Shared fixtures; tensor shapes in annotations are checked while the tests run."""

import importlib.util
import os
from itertools import chain
from pathlib import Path

import pytest
from fault_summary import summary_lines


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
    from jaxtyping import config as shape_checks
    from jaxtyping import install_import_hook
except ImportError:  # a machine with a GPU and no development tools
    shape_checks = None
else:
    install_import_hook(shaped_modules(), "beartype.beartype")

# Tests of the modules that declare shapes. Others train and predict by these modules; checks of
# every call would take more time than the work.
SHAPE_TESTS = {"features", "graphs", "models", "nn"}
TESTS = Path(__file__).resolve().parent
SHARED_DATA = Path(__file__).resolve().parents[2] / "shared" / "data"


@pytest.fixture(scope="session")
def data_root() -> Path:
    """Folder of real data files: GRAPHPOOL_DATA, or `shared/data` beside the checkout."""
    root = Path(os.environ.get("GRAPHPOOL_DATA", SHARED_DATA))
    if not (root / "PROTEINS.zip").exists():
        pytest.skip(f"no data files in {root}; set GRAPHPOOL_DATA to a folder that has them")
    return root


@pytest.fixture(autouse=True)
def _check_shapes(request: pytest.FixtureRequest) -> None:
    if shape_checks is not None:
        folder = request.path.relative_to(TESTS).parts[0]
        shape_checks.update("jaxtyping_disable", folder not in SHAPE_TESTS)


@pytest.fixture
def unchecked_shapes(_check_shapes: None) -> None:
    """Leave out checks of shapes, where another test of the file makes the same calls with them."""
    if shape_checks is not None:
        shape_checks.update("jaxtyping_disable", True)


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Add up what the fault tests did and found."""
    reports = chain.from_iterable(terminalreporter.stats.values())
    lines = summary_lines(each for each in reports if isinstance(each, pytest.TestReport))
    if lines:
        terminalreporter.section("faults")
        terminalreporter.write_line("\n".join(lines))
