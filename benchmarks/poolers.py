"""Every method of the registry beside SumPool: its time and its memory.

    python benchmarks/poolers.py --data-root FOLDER

One training epoch in batches of 32, one thread, and the peak memory of a process of its own, on
MUTAG, PROTEINS and a part of COLLAB; PyG's forms stand beside ours. Give it an idle machine. It
writes results/benchmarks/poolers.json and docs/poolers_speed.png; then `graphpool experiments
pages` writes the table of docs/poolers.md.
"""

import argparse
import json
import shlex
import sys
from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path

import poolers_speed
from poolers_picture import draw_speed

from graphpool.errors import GraphpoolError
from graphpool.nn.zoo.build import METHODS
from graphpool.training.signals import interrupts_exit

ROOT = Path(__file__).resolve().parents[1]


def arguments(words: Sequence[str]) -> argparse.Namespace:
    """Parse the command line."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "--methods", nargs="+", choices=METHODS, default=list(METHODS), metavar="METHOD"
    )
    parser.add_argument("--sets", nargs="+", help="other than the usual ones")
    parser.add_argument("--data-root", type=Path, help="folder of data files")
    parser.add_argument("--rounds", type=int, help="that the best is taken of")
    parser.add_argument("--batches", type=int, help="of each set, at most")
    results = ROOT / "results" / "benchmarks" / "poolers.json"
    parser.add_argument("--json", type=Path, default=results)
    picture = ROOT / "docs" / "poolers_speed.png"
    parser.add_argument("--picture", type=Path, default=picture)
    parser.add_argument("--one", nargs=2, metavar=("METHOD", "FOLDER"), help=argparse.SUPPRESS)
    return parser.parse_args(words)


def main(words: Sequence[str]) -> int:
    """Measure and draw; returns how many methods failed."""
    given = arguments(words)
    if given.one:
        print(json.dumps(poolers_speed.peak(given.one[0], Path(given.one[1]))))
        return 0
    # Where the data lie on this machine is no part of the way to repeat it.
    shown = (
        "FOLDER" if before == "--data-root" else word for before, word in pairwise(["", *words])
    )
    command = shlex.join(["python", "benchmarks/poolers.py", *shown])
    failures = poolers_speed.measure(
        given.methods, given.sets or poolers_speed.SETS, given.data_root, given.json, command,
        rounds=given.rounds, batches=given.batches,
    )  # fmt: skip
    draw_speed(json.loads(given.json.read_text(encoding="utf-8")), given.picture)
    return failures


if __name__ == "__main__":
    try:
        with interrupts_exit():
            sys.exit(1 if main(sys.argv[1:]) else 0)
    except GraphpoolError as error:
        sys.exit(str(error))
