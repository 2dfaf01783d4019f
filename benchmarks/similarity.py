"""Methods that order graphs by edit distance: AIDS700nef and LINUX.

    python benchmarks/similarity.py                                   # the published split
    python benchmarks/similarity.py --sets LINUX --split classes      # no isomorphic graphs shared
    python benchmarks/similarity.py --methods hap sum beam80 --seeds 0

A network is trained on triplets of training graphs; then all training graphs are ranked for every
test graph, and the share of all triplets in the right order is counted. Edit distances and rules
rank the same graphs, on one thread. Every result is a small file under --work, written as it comes,
and --out gets them all. Then `python benchmarks/comparison_pages.py` writes the tables of
docs/comparing.md.
"""

import tempfile
from collections.abc import Sequence
from pathlib import Path

from comparison_rows import ROOT, measure, networks, parser, rules, run, settings
from comparison_titles import MODULES, SLOTS

from graphpool.data.load import distances, load
from graphpool.evaluation.baselines.distances import EDIT_METHODS, RULES
from graphpool.experiments.comparison_data import SPLITS, TripletData, add_source

SETS = ("AIDS700nef", "LINUX")
METHODS = (
    "hap", "hap-sorted", "hap-euclidean", "flat", "sum", *SLOTS, "gmn", "gmn-hap", "simgnn",
    "simgnn-hap", *MODULES,
)  # fmt: skip
CLASSICAL = (*EDIT_METHODS, *RULES)


def main(words: Sequence[str]) -> int:
    """Run what is not there yet; returns how many failed."""
    made = parser(__doc__, ROOT / "results" / "similarity.json")
    made.add_argument("--sets", nargs="+", default=list(SETS))
    made.add_argument("--split", choices=SPLITS, default="published")
    made.add_argument("--data-root", type=Path, help="folder of data files")
    given = made.parse_args(words)
    base = settings("similarity", given)
    with tempfile.TemporaryDirectory(prefix="graphpool-") as place:
        data = []
        for name in given.sets:
            graphs = load(name, root=given.data_root, features=None)
            digest = add_source(Path(place), graphs, distances(name, given.data_root))
            data += [
                TripletData(
                    graphs.name, digest, given.examples or base.compare.examples,
                    base.compare.valid, given.split, seed,
                )
                for seed in given.seeds
            ]  # fmt: skip
        # What is not trained depends on the test graphs alone, which published splits have fixed.
        once = [each for each in data if given.split != "published" or each.seed == given.seeds[0]]
        units = [
            *networks(METHODS, data, base, given.methods),
            *rules(CLASSICAL, once, given.methods),
        ]
        return measure("similarity.py", units, given, words, Path(place))


if __name__ == "__main__":
    run(main)
