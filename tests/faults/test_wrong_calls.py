"""Public calls with wrong arguments give an answer or one of our errors, and never a crash."""

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from wrong_calls import PARTS, SHARES

PROGRAM = Path(__file__).parents[1] / "helpers" / "wrong_calls.py"
SEEDS = os.environ.get("GRAPHPOOL_FAULT_SEEDS", "0").split()
CALLS = 12_000
Record = Callable[[str, object], None]


def throw(
    seed: str, calls: int, parts: list[str], *, timeout: float, record: Record
) -> dict[str, object]:
    """What a process of its own says about so many wrong calls."""
    done = subprocess.run(
        [sys.executable, str(PROGRAM), seed, str(calls), *parts],
        capture_output=True, text=True, timeout=timeout,
        env={**os.environ, "OMP_NUM_THREADS": "1"},
    )  # fmt: skip
    last = done.stdout.strip().rpartition("\n")[2]
    record("crashes", int(done.returncode != 0))
    assert done.returncode == 0, f"died at: {last}\n{done.stderr[-2000:]}"
    said = dict(json.loads(last))
    record("faults", len(said["faults"]))
    for key in ("calls", "slowest", "most_memory"):
        record(key, said[key])
    return said


# Calls that got through once, and what is said to them now.
ONCE = {
    "ged.Costs(edge_deletion=10**400)": "cost of edge_deletion is a number of 1329 bits; give",
    "ged.Costs(edge_deletion=10**5000)": "cost of edge_deletion is a number of 16610 bits; give",
    "ged.Costs(edge_deletion=[10**5000])": "cost of edge_deletion is a list with a number of",
    "ged.Costs(node_labels={(10**5000, 1): 'a'})": "cost of node_labels a tuple with a number of",
    "ged.Costs.from_dict({10**5000: 1})": "there is no cost a number of 16610 bits; known:",
    "ged.Collection(some.arrays, ('a', None), (), (), False)": "ids of a collection must be words",
    "ged.Collection(some.arrays, ('a', 0.5), (), (), False)": "ids of a collection must be words",
    "build(undirected=torch.ones(3))": "undirected is a Tensor; give True or False",
    "build(undirected=None)": "undirected is a NoneType; give True or False",
    "build(y=10**5000)": "two: y is a number of 16610 bits; give one entry each",
    "gp.Graph(10**5000)": "",
    "gp.GraphClassifier(pooler=10**5000).fit(rings)": "",
    "gp.nn.pooler(10**5000, 8)": "the name of a pooler is a int; give one of",
    "PlaceRule(resolution=10**5000)": "resolution=a number of 16610 bits; give a number from",
    "PlaceRule(count=torch.ones(3))": "count of places is tensor([1., 1., 1.]); known:",
    "build(notes=1j)": "notes is a complex; give a list of words",
    "gp.nn.Readout(10**5000)": "reductions are a number of 16610 bits; give a tuple",
}
# Without the checks of annotations that tests have.
_PROGRAM = """
import json, sys, torch
import graphpool as gp
from graphpool import ged
from graphpool.graphs import PlaceRule
some = ged.collect([(2, []), (1, [])])
rings = gp.load("MUTAG")[:4]
counts, edges = torch.tensor([2, 1]), torch.tensor([1, 0])
def build(**given):
    return gp.GraphSet.build("two", counts, edges, torch.tensor([[0], [1]]), **given)
for call in json.load(sys.stdin):
    try:
        eval(call)
    except gp.errors.GraphpoolError as error:
        print(json.dumps(str(error)))
    except Exception as error:
        print(json.dumps(repr(error)))
    else:
        print(json.dumps("no error"))
"""


def test_calls_that_got_through_once_are_refused() -> None:
    done = subprocess.run(
        [sys.executable, "-c", _PROGRAM], input=json.dumps([*ONCE]),
        capture_output=True, text=True, check=True,
    )  # fmt: skip
    said = dict(zip(ONCE, map(json.loads, done.stdout.splitlines()), strict=True))
    assert {call: text for call, text in said.items() if ONCE[call] not in text} == {}


def test_some_wrong_calls_of_every_kind(record_property: Record) -> None:
    parts = [part for part in PARTS if part != "methods"]  # whose searches have to be compiled
    said = throw("1", 280, parts, timeout=300, record=record_property)
    assert said["faults"] == []
    assert int(str(said["calls"])) >= 240


@pytest.mark.faults
@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("part", PARTS)
def test_many_wrong_calls(part: str, seed: str, record_property: Record) -> None:
    calls = round(CALLS * SHARES[part])
    said = throw(seed, calls, [part], timeout=1800, record=record_property)
    assert said["faults"] == []
