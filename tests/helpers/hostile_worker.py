"""Open variants of a format in a process of its own, with little memory: see `run_worker`.

    python hostile_worker.py FORMAT SEED COUNT FOLDER

Prints a line of JSON for each variant that was neither read nor refused by an error of ours, or
that took too long, and `{"done": COUNT}` at the end.
"""

import json
import logging
import os
import resource
import subprocess
import sys
import time
import traceback
import warnings
from pathlib import Path
from typing import Any

SECONDS, MEGABYTES = 2.0, 300


def run_worker(name: str, seed: int, count: int, folder: Path) -> list[dict[str, Any]]:
    """Return what went wrong with variants of a format; a process that died is one line of it."""
    path = os.pathsep.join([str(Path(__file__).parent), *sys.path])
    environment = {**os.environ, "PYTHONPATH": path, "OMP_NUM_THREADS": "1"}
    command = [sys.executable, __file__, name, str(seed), str(count), str(folder)]
    made = subprocess.run(command, capture_output=True, text=True, env=environment, check=False)
    lines = [json.loads(line) for line in made.stdout.splitlines()]
    if not lines or lines.pop() != {"done": count}:
        number = (folder / "number").read_text() if (folder / "number").exists() else "none"
        lines.append({"died": made.returncode, "variant": number, "error": made.stderr[-2000:]})
    return lines


def main(name: str, seed: int, count: int, folder: Path) -> None:
    from hostile_files import FORMATS, variants

    from graphpool.errors import GraphpoolError

    warnings.simplefilter("ignore")
    logging.disable(logging.CRITICAL)
    form = FORMATS[name]
    path = form.make(folder)
    form.open(path)  # compiles and imports what it needs before memory is limited
    pages = int(Path("/proc/self/statm").read_text().split()[0])
    most = pages * os.sysconf("SC_PAGE_SIZE") + MEGABYTES * 2**20
    resource.setrlimit(resource.RLIMIT_AS, (most, most))
    for number, variant in enumerate(variants(form, path, seed, count)):
        (folder / "number").write_text(str(number))
        began, problem = time.process_time(), ""
        try:
            form.open(variant)
        except GraphpoolError as error:
            if len(str(error)) > 5000:
                problem = "a message of thousands of characters"
        except Exception:
            problem = traceback.format_exc()[-1500:]
        if (seconds := time.process_time() - began) > SECONDS:
            problem += f" {seconds:.1f} s"
        if problem:
            sys.stdout.write(json.dumps({"format": name, "variant": number, "error": problem}))
            sys.stdout.write("\n")
    sys.stdout.write(json.dumps({"done": count}) + "\n")


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]), int(sys.argv[3]), Path(sys.argv[4]))
