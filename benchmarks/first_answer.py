"""What the first answers cost: functions compiled and CPU seconds, in processes without a cache.

python benchmarks/first_answer.py [--json FILE]
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

STEPS = {
    "import graphpool": "import graphpool",
    "first gp.ged.distance": """
import graphpool as gp
gp.ged.distance((5, [(0, 1), (1, 2), (2, 3), (3, 4)]), (4, [(0, 1), (1, 2), (2, 3), (3, 0)]))
""",
    "compiled exact search": """
from graphpool.ged.exact import load_search
load_search()
""",
    "first fit": """
import graphpool as gp
gp.GraphClassifier(epochs=1).fit(gp.load("MUTAG"))
""",
}
COUNT = """
import json, time, warnings
warnings.simplefilter("ignore")
from numba.core import event


class Counter(event.Listener):
    functions, signatures = set(), 0

    def on_start(self, started):
        Counter.signatures += 1
        Counter.functions.add(started.data["dispatcher"].py_func.__qualname__)

    def on_end(self, ended):
        pass


event.register("numba:compile", Counter())
{step}
print(json.dumps({{"functions": len(Counter.functions), "signatures": Counter.signatures,
                  "cpu_seconds": round(time.process_time(), 2)}}))
"""


def measure(step: str, cache: str) -> dict[str, float]:
    """Run a step in a process of its own, with this folder for compiled code."""
    environment = {**os.environ, "NUMBA_CACHE_DIR": cache, "OMP_NUM_THREADS": "1"}
    command = [sys.executable, "-c", COUNT.format(step=step)]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
    found: dict[str, float] = json.loads(done.stdout.splitlines()[-1])
    return found


def main() -> None:
    """Measure every step without a cache and with one."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--json", type=Path)
    arguments = parser.parse_args()
    rows = {}
    for name, step in STEPS.items():
        with tempfile.TemporaryDirectory() as cache:
            rows[name] = {"first": measure(step, cache), "again": measure(step, cache)}
        print(name, rows[name], flush=True)
    if arguments.json is not None:
        from common import measured_here

        from graphpool.files import write_json

        write_json(arguments.json, {**measured_here(), "steps": rows})


if __name__ == "__main__":
    main()
