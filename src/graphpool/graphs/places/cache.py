"""Cache of the places of single graphs, keyed by the content of the graph and the rule.

A set, a part of it or a batch reuses the places that are cached, and only the others are computed.
No precomputation is needed: in a custom training loop, too, each graph is searched only once per
process.
"""

import threading
from collections import OrderedDict
from collections.abc import Callable, Hashable
from hashlib import blake2b
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

Array = NDArray[Any]
# The cluster of each node, the number of clusters of each graph, and the shares of soft places.
Result = tuple[Array, Array, Array | None]
# The same of one graph.
Entry = tuple[Array, int, Array | None]


class Graphs(NamedTuple):
    """Concatenated graphs, the input of the search.

    Attributes:
        row_ptr, col, weight: A of all graphs; `col` counts from each graph's first node.
        node_ptr: where each graph's nodes begin.
    """

    row_ptr: Array
    col: Array
    weight: Array
    node_ptr: Array

    def select(self, chosen: list[int]) -> "Graphs":
        """Return some of the graphs."""
        degree, slot_ptr = np.diff(self.row_ptr), self.row_ptr[self.node_ptr]
        nodes = [slice(self.node_ptr[graph], self.node_ptr[graph + 1]) for graph in chosen]
        slots = [slice(slot_ptr[graph], slot_ptr[graph + 1]) for graph in chosen]
        sizes = [part.stop - part.start for part in nodes]
        degrees = np.concatenate([degree[part] for part in nodes])
        return Graphs(
            np.concatenate([[0], degrees.cumsum()]).astype(self.row_ptr.dtype),
            np.concatenate([self.col[part] for part in slots]),
            np.concatenate([self.weight[part] for part in slots]),
            np.concatenate([[0], np.cumsum(sizes)]).astype(self.node_ptr.dtype),
        )

    def digests(self) -> list[Hashable]:
        """Return a key for the content of each graph."""
        degree = np.diff(self.row_ptr).astype(np.int32)
        slot_ptr = self.row_ptr[self.node_ptr].tolist()
        node_ptr = self.node_ptr.tolist()
        keys: list[Hashable] = []
        for graph in range(len(node_ptr) - 1):
            begin, end = node_ptr[graph], node_ptr[graph + 1]
            first, last = slot_ptr[graph], slot_ptr[graph + 1]
            digest = blake2b(degree[begin:end].tobytes(), digest_size=16)
            digest.update(self.col[first:last].tobytes())
            digest.update(self.weight[first:last].tobytes())
            keys.append((end - begin, digest.digest()))
        return keys


class PlaceCache:
    """A cache of the clusters and shares of graphs that drops the least recently used first.

    Several threads may use it at once.

    It holds at most `max_numbers` numbers of 4 bytes: the shares, or the clusters of hard places.
    """

    def __init__(self, max_numbers: int = 1 << 26) -> None:
        self.max_numbers, self._numbers = max_numbers, 0
        self._lock = threading.Lock()
        self._known: OrderedDict[Hashable, Entry] = OrderedDict()

    def __len__(self) -> int:
        return len(self._known)

    def clear(self) -> None:
        """Remove everything."""
        with self._lock:
            self._known.clear()
            self._numbers = 0

    def find(self, graphs: Graphs, rule: Hashable, search: Callable[[Graphs], Result]) -> Result:
        """Return the cluster of each node, the cluster counts, and the shares `[nodes, width]`.

        Hard places have no shares: `search` returns None for them, and so does this.

        `rule` is everything else that the result depends on; `search` computes the places of
        graphs that are not cached.
        """
        keys: list[Hashable] = [(rule, digest) for digest in graphs.digests()]
        with self._lock:
            missing = {key: graph for graph, key in enumerate(keys) if key not in self._known}
            # Copied first, because storing new entries may evict these.
            known = {key: self._known[key] for key in keys if key not in missing}
            for key in known:
                self._known.move_to_end(key)
        if len(missing) == len(keys):
            result = search(graphs)
            self._keep(keys, graphs.node_ptr, result)
            return result
        if missing:
            rest = graphs.select(list(missing.values()))
            known |= self._keep(list(missing), rest.node_ptr, search(rest))
        parts = [known[key] for key in keys]
        clusters = np.concatenate([cluster for cluster, _, _ in parts])
        counts = np.array([count for _, count, _ in parts], dtype=np.int64)
        if parts[0][2] is None:
            return clusters, counts, None
        shares = np.zeros((int(graphs.node_ptr[-1]), int(counts.max(initial=0))), np.float32)
        for begin, (_, count, share) in zip(graphs.node_ptr.tolist(), parts, strict=False):
            if share is not None:
                shares[begin : begin + share.shape[0], :count] = share
        return clusters, counts, shares

    def _keep(self, keys: list[Hashable], node_ptr: Array, result: Result) -> dict[Hashable, Entry]:
        """Store the places of some graphs; returns them by key."""
        cluster, counts, share = result
        ends, many = node_ptr.tolist(), counts.tolist()
        kept: dict[Hashable, Entry] = {}
        for graph, key in enumerate(keys):
            nodes, count = slice(ends[graph], ends[graph + 1]), many[graph]
            own = None if share is None else share[nodes, :count].copy()
            kept[key] = cluster[nodes].copy(), count, own
        with self._lock:
            for key, part in kept.items():
                if key not in self._known:
                    self._numbers += _numbers(part)
                self._known[key] = part
            while self._numbers > self.max_numbers and self._known:
                _, dropped = self._known.popitem(last=False)
                self._numbers -= _numbers(dropped)
        return kept


def _numbers(part: Entry) -> int:
    cluster, _, share = part
    return 2 * cluster.size if share is None else share.size


CACHE = PlaceCache()
