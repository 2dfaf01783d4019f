"""Draw arrangement sets: communities, the bridges between them, labels, node numbers.

Everything is made from uniform numbers of PCG64 by exact steps (floor, stable sort), so that a
seed gives the same bits on any machine. Each thing drawn has a stream of its own, in the order of
graphs: changing one setting changes only what depends on it.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from graphpool.data.synthetic.arrangements.plans import Ints, Plan, plan
from graphpool.data.synthetic.arrangements.settings import Settings

_PARTS = ("class", "count", "distance", "size", "tree", "inside", "bridge", "label", "number",
          "community")  # fmt: skip


Streams = dict[str, np.random.Generator]
"""One stream of random numbers for each thing that is drawn."""


def make_streams(name: str, seed: int) -> Streams:
    """Return the streams of a set; sets of one seed don't share their communities."""
    return {
        part: np.random.Generator(np.random.PCG64([seed, number, *name.encode()]))
        for number, part in enumerate(_PARTS)
    }


@dataclass(frozen=True)
class Bags:
    """The communities of each graph, by type, before anything joins them.

    Args:
        present: `[graphs, communities]`, graphs with fewer than the most leave the rest out.
        sizes: `[graphs, communities]`, nodes; 0 where there is no community.
        inner: `[graphs, communities, edges, 2]`, nodes from 0 within the community, -1 for none.
        flipped: `[graphs, communities, nodes]`, whether a node has the other type's label.
    """

    present: NDArray[np.bool_]
    sizes: Ints
    inner: Ints
    flipped: NDArray[np.bool_]


def draw(name: str, settings: Settings, graphs: int, streams: Streams) -> dict[str, Ints]:
    """Draw the next `graphs` graphs of a set, concatenated, as `GraphSet.build` takes them.

    Returns `y`, `node_counts`, `edge_counts`, `edges` (each once), and `labels` and `communities`
    of nodes.
    """
    pairs = -(-graphs // 2)
    first = (streams["class"].random(pairs) < 0.5).astype(np.int64)
    y = np.stack([first, 1 - first], axis=1).reshape(-1)[:graphs]

    bags = _bags(settings, pairs if settings.twins else graphs, streams)
    if settings.twins:
        repeated = np.arange(graphs) // 2
        bags = Bags(*(getattr(bags, part)[repeated] for part in Bags.__dataclass_fields__))
    arrangement = plan(name, y, bags.present.sum(1), streams["distance"].random(graphs), settings)
    return _flatten(
        y, bags, arrangement, _bridges(settings, bags.sizes, arrangement, streams), streams
    )


def _bags(settings: Settings, graphs: int, streams: Streams) -> Bags:
    fewest, most = settings.communities
    count = fewest + _below(most - fewest + 1, streams["count"].random(graphs))
    present = np.arange(most) < count[:, None]
    least, largest = settings.sizes
    sizes = least + _below(largest - least + 1, streams["size"].random((graphs, most)))
    sizes = np.where(present, sizes, 0)
    flipped = streams["label"].random((graphs, most, largest)) < settings.noise
    return Bags(present, sizes, _inner(settings, sizes, streams), flipped)


def _inner(settings: Settings, sizes: Ints, streams: Streams) -> Ints:
    """A random tree in each community, and further pairs up to `edges` per node.

    Pairs (low, high) are numbered so that those of the first n nodes are the first n(n-1)/2:
    a smaller community just leaves off the end. The edges are the pairs of least random rank,
    with the tree's before all others.
    """
    largest, shape = settings.sizes[1], sizes.shape
    high, low = np.tril_indices(largest, -1)
    node = np.arange(1, largest)
    parent = _below(node, streams["tree"].random((*shape, largest - 1)))
    rank = streams["inside"].random((*shape, len(high)))
    np.put_along_axis(rank, node * (node - 1) // 2 + parent, -1.0, axis=-1)
    rank[np.arange(len(high)) >= (sizes * (sizes - 1) // 2)[..., None]] = 2.0
    wanted = np.floor(settings.edges * sizes + 0.5).astype(np.int64)
    order = np.argsort(rank, axis=-1, kind="stable")[..., : int(wanted.max())]
    pairs = np.stack([low[order], high[order]], axis=-1)
    return np.where((np.arange(order.shape[-1]) < wanted[..., None])[..., None], pairs, -1)


def _bridges(settings: Settings, sizes: Ints, made: Plan, streams: Streams) -> Ints:
    """End nodes of the bridges of each join, `[graphs, joins, bridges, 2]`, no pair twice.

    The pairs are Floyd's sample: each step draws from one pair more than the step before, and
    takes the newest pair where it would repeat itself.
    """
    wide = np.take_along_axis(sizes[:, None], made.joined, axis=2)  # sizes of both communities
    pairs = wide[..., 0] * wide[..., 1]
    uniform = streams["bridge"].random((*pairs.shape, settings.bridges))
    chosen = np.empty(uniform.shape, dtype=np.int64)
    for step in range(settings.bridges):
        newest = pairs - settings.bridges + step
        pair = _below(newest + 1, uniform[..., step])
        repeats = (chosen[..., :step] == pair[..., None]).any(-1)
        chosen[..., step] = np.where(repeats, newest, pair)
    return np.stack(np.divmod(chosen, np.maximum(wide[..., 1:], 1)), axis=-1)


def _flatten(y: Ints, bags: Bags, made: Plan, bridges: Ints, streams: Streams) -> dict[str, Ints]:
    """Number nodes and communities at random within each graph, and flatten all arrays."""
    sizes = bags.sizes
    graphs, most = sizes.shape
    first = np.concatenate([[0], sizes.reshape(-1).cumsum()])[:-1].reshape(sizes.shape)
    node_counts = sizes.sum(1)
    node_ptr = np.concatenate([[0], node_counts.cumsum()])

    graph = np.repeat(np.arange(graphs), node_counts)
    slot = np.repeat(np.arange(graphs * most), sizes.reshape(-1))  # the community of each node
    number = _shuffled(graph, streams["number"].random(len(graph)))
    owner = np.repeat(np.arange(graphs), bags.present.sum(1))
    shuffled = np.zeros(sizes.shape, dtype=np.int64)
    shuffled[bags.present] = _shuffled(owner, streams["community"].random(len(owner)))

    within = np.arange(len(graph)) - first.reshape(-1)[slot]
    flipped = bags.flipped.reshape(graphs * most, -1)[slot, within]
    labels, communities = np.empty_like(graph), np.empty_like(graph)
    position = node_ptr[graph] + number
    labels[position] = made.types.reshape(-1)[slot] ^ flipped
    communities[position] = shuffled.reshape(-1)[slot]

    real = bags.inner[..., 0] >= 0
    counted = np.arange(made.joined.shape[1]) < made.joins[:, None]
    ends = np.take_along_axis(first[:, None], made.joined, axis=2)[:, :, None] + bridges
    edges = np.concatenate([(bags.inner + first[..., None, None])[real],
                            ends[counted].reshape(-1, 2)])  # fmt: skip
    of = graph[edges[:, 0]]
    by_graph = np.argsort(of, kind="stable")
    return {
        "y": y,
        "node_counts": node_counts,
        "edge_counts": np.bincount(of, minlength=graphs),
        "edges": number[edges[by_graph]],
        "labels": labels,
        "communities": communities,
    }


def _shuffled(group: Ints, uniform: NDArray[np.float64]) -> Ints:
    """Return the items of each group in random order, as numbers from 0; groups ascend."""
    order = np.lexsort((uniform, group))
    start = np.searchsorted(group, group)
    numbers = np.empty_like(group)
    numbers[order] = np.arange(len(group))
    return numbers - start


def _below(bound: int | Ints, uniform: NDArray[np.float64]) -> Ints:
    """Return whole numbers from 0 to `bound` - 1, all equally likely."""
    return np.floor(uniform * bound).astype(np.int64)
