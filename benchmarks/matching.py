"""Methods that match graphs, on pairs of random graphs.

    python benchmarks/matching.py --paper          # the paper's pairs, |V| = 20, 30, 40, 50
    python benchmarks/matching.py --generalise     # trained on 20 to 50, tested on 100 and more
    python benchmarks/matching.py --balanced       # pairs that sizes don't tell apart
    python benchmarks/matching.py --ablation       # other poolers in HAP's slot, 1 to 3 modules

Several tables may be asked for at once; with none, all are made. Every result is a small file
under --work, written as it comes, and --out gets them all. Then `python
benchmarks/comparison_pages.py` writes the tables of docs/comparing.md.

The paper's sets have 1,250 pairs: 1,000 train, 125 choose the epoch and 125 test. Test pairs are
drawn afresh here, and there are 2,000 of each size: 125 would say an accuracy to ± 1 % at best.
"""

import argparse
from collections.abc import Sequence
from dataclasses import replace

from comparison_rows import ROOT, measure, networks, parser, rules, run, settings
from comparison_titles import MODULES, SLOTS

from graphpool.config import RunConfig
from graphpool.data.synthetic.matching.rules import RULES
from graphpool.experiments.comparison_data import PairData
from graphpool.experiments.comparison_unit import ComparisonUnit

SIZES, BALANCED = (20, 30, 40, 50), (20, 50)
# Sizes are all even in training; some poolers see that, and odd ones show which.
LARGE = (100, 101, 200, 201)
HARDNESS = ("easy", "medium", "hard")
TEST, LARGE_TEST = 2_000, 1_000
PAPER_TRAIN, PAPER_VALID = 1_000, 125
# How long networks train: few pairs go in small batches, so that there are thousands of steps.
FEW = {"epochs": 100, "batch_size": 32}
MIXED = {"epochs": 25, "batch_size": 64}
USUAL = {"epochs": 10}
# Of balanced pairs of larger graphs there are fewer, each of them more work.
LARGER, LARGER_TRAIN, LARGER_FROM = {"epochs": 8, "batch_size": 64}, 5_000, 30
METHODS = {
    "paper": ("hap", "hap-paper", "gmn", "gmn-hap", "sum"),
    "generalise": ("hap", "hap-half", "hap-euclidean", "hap-paper", "gmn", "gmn-hap", *SLOTS),
    "balanced": (
        "hap", "hap-sorted", "hap-euclidean", "hap-paper", "flat", "sum", "gmn", "gmn-hap",
    ),
    "ablation": ("hap", *SLOTS, *MODULES),
}  # fmt: skip


def paper(given: argparse.Namespace) -> list[ComparisonUnit]:
    """The paper's pairs, each size by itself."""
    data, base = paper_data(given)
    return [
        *networks(METHODS["paper"], data, base, given.methods),
        *rules(RULES, data, given.methods),
    ]


def paper_data(given: argparse.Namespace) -> tuple[list[PairData], RunConfig]:
    """Pairs of each size and seed, and the settings to train with."""
    base = settings("matching", given, **FEW)
    data = [
        PairData(
            "paper", (size,), given.examples or PAPER_TRAIN, PAPER_VALID, given.test, seed=seed
        )
        for size in given.sizes or SIZES
        for seed in given.seeds
    ]
    # Sizes decide here; a graph that lacks nodes lacks many more edges, which would drown them.
    return data, replace(base, model=replace(base.model, distance="nodes"))


def generalise(given: argparse.Namespace) -> list[ComparisonUnit]:
    """The same pairs of all four sizes to train on, and larger graphs to test."""
    count = given.examples or len(SIZES) * PAPER_TRAIN
    data = [
        PairData(
            "paper", SIZES, count, len(SIZES) * PAPER_VALID, min(given.test, LARGE_TEST), seed=seed,
            tested=LARGE,
        )
        for seed in given.seeds
    ]  # fmt: skip
    base = settings("matching", given, **MIXED)
    # What means the same in graphs of any size: no degrees, and no statistics of small graphs.
    model = replace(base.model, distance="nodes", encoder="gcn", norm="none")
    base = replace(base, features="constant", model=model)
    return [
        *networks(METHODS["generalise"], data, base, given.methods),
        *rules(RULES, data, given.methods),
    ]


def balanced_data(
    given: argparse.Namespace, size: int, hardness: Sequence[str]
) -> tuple[list[PairData], RunConfig]:
    """Balanced pairs of one size, and the settings to train with."""
    large = size >= LARGER_FROM
    base = settings("matching", given, **(LARGER if large else USUAL))
    count = given.examples or (LARGER_TRAIN if large else base.compare.examples)
    data = [
        PairData(
            "balanced", (size,), count, base.compare.valid, given.test,
            each, seed,  # type: ignore[arg-type]
        )
        for each in hardness
        for seed in given.seeds
    ]  # fmt: skip
    return data, base


def balanced(given: argparse.Namespace) -> list[ComparisonUnit]:
    """Pairs with as many nodes and edges, at three hardnesses."""
    units = []
    for size in given.sizes or BALANCED:
        data, base = balanced_data(given, size, given.hardness)
        units += networks(METHODS["balanced"], data, base, given.methods)
        units += rules(RULES, data, given.methods)
    return units


def ablation(given: argparse.Namespace) -> list[ComparisonUnit]:
    """Other poolers in the slot of HAP's coarsening, and one to three coarsenings.

    On the paper's pairs, as there, and on hard balanced ones, where size tells nothing.
    """
    hard, usual = balanced_data(given, 20, ("hard",))
    pairs, few = paper_data(given)
    return [
        *networks(METHODS["ablation"], hard, usual, given.methods),
        *networks(METHODS["ablation"], pairs, few, given.methods),
    ]


TABLES = {"paper": paper, "generalise": generalise, "balanced": balanced, "ablation": ablation}


def main(words: Sequence[str]) -> int:
    """Run what is not there yet; returns how many failed."""
    made = parser(__doc__, ROOT / "results" / "matching.json")
    for name, units in TABLES.items():
        made.add_argument(
            f"--{name}", action="store_true", help=(units.__doc__ or "").splitlines()[0]
        )
    made.add_argument("--sizes", nargs="+", type=int, help="only graphs of so many nodes")
    made.add_argument("--hardness", nargs="+", choices=HARDNESS, default=list(HARDNESS))
    made.add_argument("--test", type=int, default=TEST, help="test pairs of each size")
    given = made.parse_args(words)
    asked = [name for name in TABLES if getattr(given, name)] or list(TABLES)
    units = [unit for name in asked for unit in TABLES[name](given)]
    return measure("matching.py", units, given, words)


if __name__ == "__main__":
    run(main)
