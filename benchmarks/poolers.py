"""Every method of the registry beside SumPool: a short run of its accuracy, its time, its memory.

    python benchmarks/poolers.py --accuracy --data-root FOLDER    # results/poolers.json
    python benchmarks/poolers.py --speed --data-root FOLDER       # results/benchmarks/poolers.json

Accuracy: the first 3 of the 10 folds of `cv10`, seed 0, 30 epochs, on MUTAG and PROTEINS; who is
not above the majority class is named. A run that --out has already is not done again, so the same
command goes on where it was stopped. Speed: one training epoch in batches of 32, one thread, and
the peak memory of a process of its own, on MUTAG, PROTEINS and a part of COLLAB; PyG's dense forms
stand beside ours. Give it an idle machine. Then `python benchmarks/poolers_page.py` writes the
tables and the picture of docs/poolers.md.
"""

import argparse
import json
import shlex
import sys
from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path

import poolers_accuracy
import poolers_speed

from graphpool.errors import GraphpoolError
from graphpool.experiments.machine import usable_cores
from graphpool.nn.zoo.build import METHODS
from graphpool.training.signals import interrupts_exit

RESULTS = Path(__file__).resolve().parents[1] / "results"


def arguments(words: Sequence[str]) -> argparse.Namespace:
    """What the command line says."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--accuracy", action="store_true", help="the short cv10 run")
    parser.add_argument("--speed", action="store_true", help="epoch times and peak memory")
    parser.add_argument(
        "--methods", nargs="+", choices=METHODS, default=list(METHODS), metavar="METHOD"
    )
    parser.add_argument("--sets", nargs="+", help="other than the usual ones")
    parser.add_argument("--data-root", type=Path, help="folder of data files")
    accuracy = parser.add_argument_group("accuracy")
    accuracy.add_argument("--folds", type=int, default=poolers_accuracy.FOLDS, help="of the ten")
    accuracy.add_argument("--epochs", type=int, default=poolers_accuracy.EPOCHS)
    accuracy.add_argument("--jobs", type=int, default=usable_cores(), help="processes")
    accuracy.add_argument("--out", type=Path, default=RESULTS / "poolers.json")
    accuracy.add_argument(
        "--again", action="store_true", help="also runs that other code of graphpool has made"
    )
    speed = parser.add_argument_group("speed")
    speed.add_argument("--rounds", type=int, help="that the best is taken of")
    speed.add_argument("--batches", type=int, help="of each set, at most")
    speed.add_argument("--json", type=Path, default=RESULTS / "benchmarks" / "poolers.json")
    parser.add_argument("--one", nargs=2, metavar=("METHOD", "FOLDER"), help=argparse.SUPPRESS)
    given = parser.parse_args(words)
    if not (given.accuracy or given.speed or given.one):
        parser.error("say what to measure: --accuracy, --speed, or both")
    return given


def main(words: Sequence[str]) -> int:
    """Measure; returns how many methods or runs failed."""
    given, failures = arguments(words), 0
    if given.one:
        print(json.dumps(poolers_speed.peak(given.one[0], Path(given.one[1]))))
        return 0
    # Where the data lie on this machine is no part of the way to repeat it.
    shown = (
        "FOLDER" if before == "--data-root" else word for before, word in pairwise(["", *words])
    )
    command = shlex.join(["python", "benchmarks/poolers.py", *shown])
    if given.accuracy:
        failures += poolers_accuracy.measure(
            given.methods, given.sets or poolers_accuracy.SETS, given.data_root, given.out, command,
            folds=given.folds, epochs=given.epochs, jobs=given.jobs, again=given.again,
        )  # fmt: skip
    if given.speed:
        failures += poolers_speed.measure(
            given.methods, given.sets or poolers_speed.SETS, given.data_root, given.json, command,
            rounds=given.rounds, batches=given.batches,
        )  # fmt: skip
    return failures


if __name__ == "__main__":
    try:
        with interrupts_exit():
            sys.exit(1 if main(sys.argv[1:]) else 0)
    except GraphpoolError as error:
        sys.exit(str(error))
