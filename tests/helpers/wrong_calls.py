"""Throw wrong arguments at every public call, and print what came back.

A program of its own, because a call that is not checked can take its process with it:

    python tests/helpers/wrong_calls.py SEED CALLS [PART …]

The last line that it prints before a call says which one; the last line of all is a JSON object
with the number of calls, everything that was neither an answer nor one of our errors, or took too
much time or memory, and the dearest call.
"""

import json
import random
import resource
import sys
import traceback
import warnings
from collections.abc import Callable, Iterator
from contextlib import suppress
from typing import Any

import torch
from estimator_calls import estimator_calls
from fault_measure import Cost, Largest, measured
from module_calls import module_calls, network_calls, structure_calls
from right_arguments import Call
from set_calls import ged_calls, method_calls, set_calls
from torch import Tensor
from wrong_values import wrong

from graphpool.errors import GraphpoolError

PARTS: dict[str, Callable[[], Iterator[Call]]] = {
    "modules": module_calls,
    "structures": structure_calls,
    "networks": network_calls,
    "sets": set_calls,
    "ged": ged_calls,
    "methods": method_calls,
    "estimators": estimator_calls,
}
# Of all calls.
SHARES = {"modules": 0.35, "structures": 0.15, "networks": 0.12, "sets": 0.15, "ged": 0.08,
          "methods": 0.05, "estimators": 0.1}  # fmt: skip


def throw(draw: random.Random, call: Call) -> tuple[str | None, Cost]:
    """Make one call with one or two wrong arguments; return what is wrong with its outcome."""
    arguments, described, fault = dict(call.arguments), "", None
    with measured() as cost:
        try:
            for key in draw.sample([*arguments], min(len(arguments), draw.choice((1, 1, 2)))):
                arguments[key] = wrong(draw, arguments[key])
                described += f" {key}={described_value(arguments[key])}"
            call.function(**arguments)
        except GraphpoolError:
            pass
        except Exception as error:
            if not call.inner:
                where = traceback.extract_tb(error.__traceback__)[-1]
                text = f"{type(error).__name__}: {error}".split("\n")[0][:200]
                fault = f"{text} ({where.filename}:{where.lineno})"
    fault = fault or cost.problem
    return (f"{call.name}:{described}: {fault}" if fault else None), cost


def described_value(value: Any) -> str:
    if isinstance(value, Tensor):
        return f"{value.dtype}{list(value.shape)}@{value.device.type}"
    try:
        return ascii(value)[:80].replace("\n", " ")
    except ValueError:  # a number of thousands of digits
        return f"a huge {type(value).__name__}"


def main(seed: int, count: int, parts: list[str]) -> None:
    warnings.simplefilter("ignore")
    torch.set_num_threads(1)
    torch.manual_seed(seed)
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    resource.setrlimit(resource.RLIMIT_AS, (16 << 30, 16 << 30))
    faults, made, largest = [], 0, Largest()
    for part in parts:
        calls = list(PARTS[part]())
        for call in calls:  # right arguments give an answer
            with suppress(GraphpoolError):  # Top-K poolers refuse dense graphs
                call.function(**call.arguments)
        draw = random.Random(f"{seed} {part}")
        weights = [call.weight for call in calls]
        share = SHARES[part] / sum(SHARES[name] for name in parts)
        for number in range(max(1, round(count * share))):
            call = draw.choices(calls, weights)[0]
            say(f"{part} {number} {call.name}")
            fault, cost = throw(draw, call)
            made += 1
            largest.add(cost, call.name)
            if fault:
                faults.append(fault)
    say(json.dumps({"calls": made, "faults": faults, **largest.to_dict()}))


def say(line: str) -> None:
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()


if __name__ == "__main__":
    main(int(sys.argv[1]), int(sys.argv[2]), sys.argv[3:] or [*PARTS])
