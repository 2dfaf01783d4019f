"""Judge methods on several sets under one protocol, and put the sets side by side.

Example, the five sets of the headline table:

    python benchmarks/classification.py --data-root DATA --out results/cv10 \\
        --sets MUTAG PTC PROTEINS IMDB-BINARY IMDB-MULTI

Every set has a folder of its own under --out, with its splits, one file per unit of work,
results.json and results.md; --out also gets table.md. Stop it whenever you like: the same command
goes on from there.
"""

import argparse
import logging
import shlex
import sys
from dataclasses import replace
from pathlib import Path

from graphpool.config import RunConfig, read_toml
from graphpool.data import load as datasets
from graphpool.experiments.engine import run_experiment
from graphpool.experiments.tables import merged_table
from graphpool.files import atomic_write
from graphpool.training.signals import interrupts_exit

METHODS = ("hap", "hap-paper", "sum", "mean", "structure-free", "wl", "majority")


def arguments() -> argparse.Namespace:
    """What the command line says."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--sets", nargs="+", default=["MUTAG"])
    parser.add_argument("--methods", nargs="+", default=list(METHODS))
    parser.add_argument("--protocol", default="cv10")
    parser.add_argument("--seeds", nargs="+", type=int, help="the protocol's own by default")
    parser.add_argument("--config", type=Path, help="settings as TOML")
    parser.add_argument("--epochs", type=int)
    parser.add_argument("--device")
    parser.add_argument("--data-root", type=Path, help="folder of data files")
    parser.add_argument("--jobs", type=int, help="processes; as many as cores by default")
    parser.add_argument("--out", type=Path, default=Path("runs/classification"))
    return parser.parse_args()


def settings(given: argparse.Namespace) -> RunConfig:
    """The config file, or the defaults, with the options over it."""
    config = read_toml(RunConfig, given.config) if given.config else RunConfig()
    named = {"epochs": given.epochs, "device": given.device}
    changes = {key: value for key, value in named.items() if value is not None}
    return replace(config, train=replace(config.train, **changes))


def main() -> None:
    """Run everything that is not there yet."""
    given = arguments()
    config = settings(given)
    results = []
    for name in given.sets:
        graphs = datasets.load(name, root=given.data_root, features=None)
        results.append(
            run_experiment(
                graphs,
                given.methods,
                given.protocol,
                given.seeds,
                replace(config, data=name),
                given.out / name,
                jobs=given.jobs,
                command=shlex.join(["python", "benchmarks/classification.py", *sys.argv[1:]]),
            )
        )
    table = merged_table(results)
    with atomic_write(given.out / "table.md", "w") as handle:
        handle.write(f"{table}\n")
    print(table)


if __name__ == "__main__":
    logging.basicConfig(level=logging.INFO, format="%(message)s")
    with interrupts_exit():
        main()
