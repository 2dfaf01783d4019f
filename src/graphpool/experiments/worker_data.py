"""A set on its way to worker processes, with the places that are found already.

Places of a large set take seconds. They are found once, here, and lie in a file beside that of
the graphs, which every process maps into memory.
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


def hand_over(graphs: GraphSet, rules: Collection[PlaceRule], folder: Path) -> None:
    """Write the graphs, and their places by each of the rules."""
    save(graphs, folder / GRAPHS)
    tensors: dict[str, Tensor] = {}
    for number, rule in enumerate(rules):
        with suppress(DataError):  # which the units that look for places will raise and report
            places = graphs.places(rule)
            tensors |= {f"{number}/{part}": getattr(places, part) for part in _PARTS}
    save_file(tensors, folder / PLACES)


def take_over(folder: Path, rules: Collection[PlaceRule]) -> GraphSet:
    """The graphs in another process; `rules` in the order in which they were handed over."""
    graphs = open_set(folder / GRAPHS, verify=False)
    tensors = load_file(folder / PLACES)
    known = {
        rule: Places(*(tensors[f"{number}/{part}"] for part in _PARTS))
        for number, rule in enumerate(rules)
        if f"{number}/{_PARTS[0]}" in tensors
    }
    return graphs.with_places(known)
