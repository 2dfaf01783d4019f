"""Graphs and their places in files that worker processes map into memory.

Places of a large set take seconds to find. They are found once, by the process that writes.
"""

from collections.abc import Collection
from contextlib import suppress
from pathlib import Path

from safetensors.torch import load_file, save_file
from torch import Tensor

from graphpool.data.formats.safetensors import open_set, save
from graphpool.errors import DataError
from graphpool.graphs.graphset import GraphSet
from graphpool.graphs.places.find import Places
from graphpool.graphs.places.rule import PlaceRule

GRAPHS, PLACES = "graphs.safetensors", "places.safetensors"
_PARTS = ("cluster", "counts", "share")


def save_for_workers(graphs: GraphSet, rules: Collection[PlaceRule], folder: Path) -> None:
    """Write the graphs, and their places by each of the rules."""
    save(graphs, folder / GRAPHS)
    tensors: dict[str, Tensor] = {}
    for number, rule in enumerate(rules):
        with suppress(DataError):  # which the units that look for places will raise and report
            places = graphs.places(rule)
            tensors |= {f"{number}/{part}": getattr(places, part) for part in _PARTS}
    save_file(tensors, folder / PLACES)


def load_in_worker(folder: Path, rules: Collection[PlaceRule]) -> GraphSet:
    """Map the graphs and their places; `rules` in the order in which they were saved."""
    graphs = open_set(folder / GRAPHS, verify=False)
    tensors = load_file(folder / PLACES)
    known = {
        rule: Places(*(tensors[f"{number}/{part}"] for part in _PARTS))
        for number, rule in enumerate(rules)
        if f"{number}/{_PARTS[0]}" in tensors
    }
    return graphs.with_places(known)
