"""Molecules per second from SMILES to a saved set, and the memory that it takes.

The file is read, featurised and written in a process of its own, as `graphpool data import` does,
for several numbers of its first lines: seconds of the clock, of all processors together, and the
largest memory of the process that collects the molecules.

    python benchmarks/molecules.py FILE.smi.gz [--counts 10000 50000] [--json FILE]
"""

import argparse
import gzip
import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from common import measured_here

from graphpool.files import write_json

IMPORT = "from graphpool.cli.main import run; run()"


def measure(lines: list[bytes]) -> dict[str, Any]:
    """Import the molecules of some lines."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "some.smi.gz").write_bytes(gzip.compress(b"".join(lines), 1))
        paths = [str(folder / "some.smi.gz"), "--out", str(folder / "some.safetensors")]
        command = [sys.executable, "-c", IMPORT, "data", "import", *paths]
        start = time.perf_counter()
        process = subprocess.Popen(command, stdout=subprocess.DEVNULL)
        _, status, used = os.wait4(process.pid, 0)
        seconds = time.perf_counter() - start
        assert os.waitstatus_to_exitcode(status) == 0
        size = (folder / "some.safetensors").stat().st_size
    # What a process used includes what its own processes used, but for memory.
    processor = used.ru_utime + used.ru_stime
    return {
        "molecules": len(lines),
        "seconds": seconds,
        "processor seconds": processor,
        "molecules per second": len(lines) / seconds,
        "molecules per processor second": len(lines) / processor,
        "peak MiB": used.ru_maxrss / 1024,
        "file MiB": size / 2**20,
    }


def main() -> None:
    """Measure what the command line asks for."""
    parser = argparse.ArgumentParser()
    parser.add_argument("file", type=Path, help="a .smi or .smi.gz file")
    parser.add_argument("--counts", type=int, nargs="+", default=[10_000, 50_000, 250_000])
    parser.add_argument("--json", type=Path, default=None, help="where to store the numbers")
    given = parser.parse_args()
    data = given.file.read_bytes()
    data = gzip.decompress(data) if data[:2] == b"\x1f\x8b" else data
    lines = data.splitlines(keepends=True)
    results = measured_here()
    results["load average"] = os.getloadavg()[0]
    results["counts"] = []
    for count in sorted({min(count, len(lines)) for count in given.counts}):
        results["counts"].append(measure(lines[:count]))
        print(json.dumps(results["counts"][-1], indent=2), flush=True)
        if given.json:
            write_json(given.json, results)


if __name__ == "__main__":
    main()
