"""The switch between compiled loops and plain tensor operations."""

import importlib
import re
import runpy
from pathlib import Path

import pytest
import torch

import graphpool
import graphpool.nn
from graphpool.nn.ops import switch


def test_everything_is_compiled_unless_the_environment_says_otherwise(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    for value, wanted in ((None, True), ("1", True), ("0", False)):
        if value is None:
            monkeypatch.delenv("GRAPHPOOL_COMPILED", raising=False)
        else:
            monkeypatch.setenv("GRAPHPOOL_COMPILED", value)
        enabled = runpy.run_path(switch.__file__)["enabled"]
        assert all(enabled(group) is wanted for group in switch.GROUPS)


def test_groups_are_switched_off_for_a_while() -> None:
    with switch.plain_operations("places"):
        assert not switch.enabled("places")
        assert switch.enabled("products")
        with switch.plain_operations():
            assert not switch.enabled("products")
        assert switch.enabled("products")
    assert switch.enabled("places")


def test_an_unknown_group_is_an_error() -> None:
    with (
        pytest.raises(ValueError, match=r"unknown groups.*known are products"),
        switch.plain_operations("product"),
    ):
        pass


def test_only_single_precision_on_a_cpu_is_compiled() -> None:
    assert switch.use_compiled("places", torch.ones(1))
    assert not switch.use_compiled("places", torch.ones(1, dtype=torch.float64))
    with switch.plain_operations("places"):
        assert not switch.use_compiled("places", torch.ones(1))


def test_every_group_is_asked_for_somewhere_and_no_other() -> None:
    sources = Path(graphpool.nn.__file__).parent.rglob("*.py")
    text = "\n".join(path.read_text(encoding="utf-8") for path in sources)
    asked = set(re.findall(r'(?:enabled|use_compiled)\("([^"]+)"', text))
    assert asked == set(switch.GROUPS)


def test_compiled_loops_call_only_loops_of_their_own_file() -> None:
    """A loop on disk is out of date when its own file changes, and no other file of loops."""
    found = 0
    for path in Path(graphpool.nn.__file__).parent.rglob("*.py"):
        if not re.search(r"^@compiled", path.read_text(encoding="utf-8"), re.M):
            continue
        parts = path.relative_to(Path(graphpool.__file__).parents[1]).with_suffix("").parts
        module = importlib.import_module(".".join(parts))
        loops = [value for value in vars(module).values() if hasattr(value, "py_func")]
        assert {loop.py_func.__module__ for loop in loops} == {module.__name__}
        found += len(loops)
    assert found > 10
