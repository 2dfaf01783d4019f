"""Molecules per second from SMILES to a saved set, and the memory that it takes.

The file is read, featurised and written in a process of its own, as `graphpool data import` does,
for several numbers of its first lines: seconds of the clock, of all processors together, and the
largest memory of the process that collects the molecules. `--json-lines` does the same with JSON
lines of these molecules.

    python benchmarks/molecules.py FILE.smi.gz [--counts 10000 50000] [--json-lines] [--json FILE]
"""

import argparse
import gzip
import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from common import measured_here

from graphpool.files import write_json

IMPORT = "from graphpool.cli.main import run; run()"


def measure(source: Path, count: int) -> dict[str, Any]:
    """Import the molecules of a file; the set is written beside it."""
    out = source.parent / "some.safetensors"
    start = time.perf_counter()
    used = run_import(source, out)
    seconds = time.perf_counter() - start
    # What a process used includes what its own processes used, but for memory.
    processor = used.ru_utime + used.ru_stime
    return {
        "molecules": count,
        "seconds": seconds,
        "processor seconds": processor,
        "molecules per second": count / seconds,
        "molecules per processor second": count / processor,
        "peak MiB": used.ru_maxrss / 1024,
        "file MiB": out.stat().st_size / 2**20,
    }


def run_import(source: Path, out: Path) -> resource.struct_rusage:
    """Run `graphpool data import` in a process of its own; return what it used."""
    command = [sys.executable, "-c", IMPORT, "data", "import", str(source), "--out", str(out)]
    process = subprocess.Popen([*command, "--overwrite"], stdout=subprocess.DEVNULL)
    _, status, used = os.wait4(process.pid, 0)
    assert os.waitstatus_to_exitcode(status) == 0
    return used


def measure_both(lines: list[bytes], json_lines: bool) -> Iterator[tuple[str, dict[str, Any]]]:
    """Import molecules from SMILES, and then from JSON lines that are made of them."""
    with tempfile.TemporaryDirectory() as name:
        source = Path(name) / "some.smi.gz"
        source.write_bytes(gzip.compress(b"".join(lines), 1))
        yield "counts", measure(source, len(lines))
        if json_lines:
            made = source.with_name("some.jsonl")
            run_import(source.with_name("some.safetensors"), made)
            yield "json lines", measure(made, len(lines))


def main() -> None:
    """Measure what the command line asks for."""
    parser = argparse.ArgumentParser()
    parser.add_argument("file", type=Path, help="a .smi or .smi.gz file")
    parser.add_argument("--counts", type=int, nargs="+", default=[10_000, 50_000, 250_000])
    parser.add_argument("--json-lines", action="store_true", help="read JSON lines as well")
    parser.add_argument("--json", type=Path, default=None, help="where to store the numbers")
    given = parser.parse_args()
    data = given.file.read_bytes()
    data = gzip.decompress(data) if data[:2] == b"\x1f\x8b" else data
    lines = data.splitlines(keepends=True)
    results = measured_here()
    results["load average"] = os.getloadavg()[0]
    for count in sorted({min(count, len(lines)) for count in given.counts}):
        for kind, result in measure_both(lines[:count], given.json_lines):
            results.setdefault(kind, []).append(result)
            print(kind, json.dumps(result, indent=2), flush=True)
            if given.json:
                write_json(given.json, results)


if __name__ == "__main__":
    main()
