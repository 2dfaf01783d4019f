"""Where graphs come from: sets by name, files, other libraries, and generated sets.

`graphpool.load` and `graphpool.read` load a set by name and by path. This package has the rest:

- `find`, `available`, `data_root`: a set by name or path, the sets on this machine, their folder;
- `distances`, `published_split`: what is published with a set;
- `formats`, `interop`: files, and graphs of NetworkX and PyTorch Geometric;
- `pairs`, `splits`, `synthetic`: pairs and triplets of graphs, splits, generated sets.
"""

from typing import TYPE_CHECKING

from graphpool.imports import lazy_names

if TYPE_CHECKING:
    from graphpool.data.cache import cache_root as cache_root
    from graphpool.data.catalogue import KNOWN as KNOWN
    from graphpool.data.catalogue import PAPER as PAPER
    from graphpool.data.catalogue import is_path as is_path
    from graphpool.data.formats import content_hash as content_hash
    from graphpool.data.formats import open_set as open_set
    from graphpool.data.formats import read_gexf as read_gexf
    from graphpool.data.formats import read_jsonl as read_jsonl
    from graphpool.data.formats import read_npz as read_npz
    from graphpool.data.formats import read_tu as read_tu
    from graphpool.data.formats import save as save
    from graphpool.data.formats import write_jsonl as write_jsonl
    from graphpool.data.interop import as_graphs as as_graphs
    from graphpool.data.interop import from_networkx as from_networkx
    from graphpool.data.interop import from_numpy as from_numpy
    from graphpool.data.interop import from_pyg as from_pyg
    from graphpool.data.interop import to_networkx as to_networkx
    from graphpool.data.interop import to_pyg as to_pyg
    from graphpool.data.load import distances as distances
    from graphpool.data.load import find as find
    from graphpool.data.load import published_split as published_split
    from graphpool.data.locate import LocatedSet as LocatedSet
    from graphpool.data.locate import available as available
    from graphpool.data.locate import data_root as data_root
    from graphpool.data.pairs import Distances as Distances
    from graphpool.data.pairs import PairBatch as PairBatch
    from graphpool.data.pairs import PairSet as PairSet
    from graphpool.data.pairs import TripletBatch as TripletBatch
    from graphpool.data.pairs import TripletSet as TripletSet
    from graphpool.data.source import Source as Source
    from graphpool.data.source import data_digest as data_digest
    from graphpool.data.source import set_digest as set_digest
    from graphpool.data.splits import Split as Split

__getattr__, __dir__, __all__ = lazy_names(
    __name__,
    {
        "load": ("find", "distances", "published_split"),
        "locate": ("available", "data_root", "LocatedSet"),
        "catalogue": ("KNOWN", "PAPER", "is_path"),
        "cache": ("cache_root",),
        "formats": (
            "read_tu", "read_gexf", "read_npz", "read_jsonl", "write_jsonl", "open_set", "save",
            "content_hash",
        ),
        "interop": (
            "as_graphs", "from_networkx", "to_networkx", "from_numpy", "from_pyg", "to_pyg",
        ),
        "pairs": ("PairSet", "PairBatch", "TripletSet", "TripletBatch", "Distances"),
        "splits": ("Split",),
        "source": ("Source", "set_digest", "data_digest"),
    },
    modules=("load", "locate", "catalogue", "cache", "download", "formats", "interop", "pairs",
             "source", "splits", "synthetic"),
)  # fmt: skip
