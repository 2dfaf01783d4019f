"""Read a JSON document: a list of graphs, or one graph.

Each graph is an object with the keys of a JSON line, or one that `networkx.node_link_data` makes.
"""

import codecs
from pathlib import Path

from graphpool.data.formats import jsonl
from graphpool.data.formats.base import first_bytes
from graphpool.data.formats.base import identify as identify
from graphpool.documents import parse_json, read_binary
from graphpool.graphs.graphset import GraphSet

NAME = "json"
VERSION = 2


def recognises(path: Path, name: str | None = None) -> bool:
    """Whether a file, packed by gzip or not, begins like a list or an object over several lines."""
    begin = first_bytes(path, 1 << 12, unpack=True).removeprefix(codecs.BOM_UTF8).lstrip()
    return begin.startswith((b"[", b"{")) and not jsonl.recognises(path)


def read(path: str | Path, name: str | None = None) -> GraphSet:
    """Read the graphs of a file; the set is called `name`, by default like the file."""
    path = Path(path)
    value = parse_json(read_binary(path, "line_bytes"), path)
    graphs = value if isinstance(value, list) else [value]
    objects = ((None, graph) for graph in graphs)
    return jsonl.whole(jsonl.collect_objects(path, objects, name, "give a list of JSON objects"))
