"""Open variants of a format in a process of its own, with little memory: see `run_worker`.

    python hostile_worker.py FORMAT SEED COUNT FOLDER

Prints a line of JSON for each variant that was neither read nor refused by an error of ours, or
that took too long, and `{"done": COUNT}` with the dearest of them at the end.
"""

import json
import logging
import os
import resource
import subprocess
import sys
import traceback
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

from fault_measure import MEGABYTES, Largest, measured


def run_worker(name: str, seed: int, count: int, folder: Path) -> list[dict[str, Any]]:
    """Return what went wrong with variants of a format, and at last what all of them cost.

    A process that died is one line of what went wrong.
    """
    path = os.pathsep.join([str(Path(__file__).parent), *sys.path])
    environment = {**os.environ, "PYTHONPATH": path, "OMP_NUM_THREADS": "1"}
    command = [sys.executable, __file__, name, str(seed), str(count), str(folder)]
    made = subprocess.run(command, capture_output=True, text=True, env=environment, check=False)
    lines = [json.loads(line) for line in made.stdout.splitlines()]
    if not lines or lines[-1].get("done") != count:
        number = (folder / "number").read_text() if (folder / "number").exists() else "none"
        lines.append({"died": made.returncode, "variant": number, "error": made.stderr[-2000:]})
        lines.append({"done": 0, **Largest().to_dict()})
    return lines


def record_faults(
    record: Callable[[str, object], None], faults: list[dict[str, Any]], said: dict[str, Any]
) -> None:
    """Record what `run_worker` returned for the summary of the suite."""
    died = sum("died" in fault for fault in faults)
    record("files", said["done"])
    record("crashes", died)
    record("faults", len(faults) - died)
    for key in ("slowest", "most_memory"):
        record(key, said[key])


def main(name: str, seed: int, count: int, folder: Path) -> None:
    from hostile_files import FORMATS
    from hostile_variants import variants

    from graphpool.errors import GraphpoolError

    warnings.simplefilter("ignore")
    logging.disable(logging.CRITICAL)
    form, largest = FORMATS[name], Largest()
    path = form.make(folder)
    form.open(path)  # compiles and imports what it needs before memory is limited
    pages = int(Path("/proc/self/statm").read_text().split()[0])
    most = pages * os.sysconf("SC_PAGE_SIZE") + MEGABYTES * 2**20
    resource.setrlimit(resource.RLIMIT_AS, (most, most))
    for number, variant in enumerate(variants(form, path, seed, count)):
        (folder / "number").write_text(str(number))
        problem = ""
        with measured() as cost:
            try:
                form.open(variant)
            except GraphpoolError as error:
                if len(str(error)) > 5000:
                    problem = "a message of thousands of characters"
            except Exception:
                problem = traceback.format_exc()[-1500:]
        largest.add(cost, f"file {name}")
        problem += cost.problem
        if problem:
            sys.stdout.write(json.dumps({"format": name, "variant": number, "error": problem}))
            sys.stdout.write("\n")
    sys.stdout.write(json.dumps({"done": count, **largest.to_dict()}) + "\n")


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]), int(sys.argv[3]), Path(sys.argv[4]))
