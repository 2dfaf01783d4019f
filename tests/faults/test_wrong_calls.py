"""Public calls with wrong arguments give an answer or one of our errors, and never a crash."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from wrong_calls import PARTS, SHARES

PROGRAM = Path(__file__).parents[1] / "helpers" / "wrong_calls.py"
SEEDS = os.environ.get("GRAPHPOOL_FAULT_SEEDS", "0").split()
CALLS = 12_000


def throw(seed: str, calls: int, parts: list[str], timeout: float) -> dict[str, object]:
    """What a process of its own says about so many wrong calls."""
    done = subprocess.run(
        [sys.executable, str(PROGRAM), seed, str(calls), *parts],
        capture_output=True, text=True, timeout=timeout,
        env={**os.environ, "OMP_NUM_THREADS": "1"},
    )  # fmt: skip
    last = done.stdout.strip().rpartition("\n")[2]
    assert done.returncode == 0, f"died at: {last}\n{done.stderr[-2000:]}"
    return dict(json.loads(last))


def test_some_wrong_calls_of_every_kind() -> None:
    parts = [part for part in PARTS if part != "methods"]  # whose searches have to be compiled
    said = throw("1", 280, parts, timeout=300)
    assert said["faults"] == []
    assert int(str(said["calls"])) >= 240


@pytest.mark.faults
@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("part", PARTS)
def test_many_wrong_calls(part: str, seed: str) -> None:
    said = throw(seed, round(CALLS * SHARES[part]), [part], timeout=1800)
    assert said["faults"] == []
