"""A set of graphs divided into those that train, validate and test, for similarity."""

from graphpool.data.class_splits import class_split, query_splits
from graphpool.data.splits import Split
from graphpool.errors import ConfigError
from graphpool.ged.collection import collect
from graphpool.ged.duplicates import isomorphic
from graphpool.graphs.graphset import GraphSet


def divide(graphs: GraphSet, kind: str, seed: int, published: Split | None) -> Split:
    """Which graphs train, validate and test.

    Args:
        kind: `graphs`, at random; `classes`, isomorphic graphs in one part; or `published`.
        seed: decides the first two, and which tenth of the published training graphs validates.
        published: the set's own split, where it has one.
    """
    if kind == "published":
        if published is None:
            raise ConfigError(f"{graphs.name} has no published split; use graphs or classes")
        cut = query_splits(len(published.train), seed, (9, 1, 0))
        train, valid = (
            tuple(published.train[at] for at in part) for part in (cut.train, cut.valid)
        )
        return Split(train, valid, published.test)
    if kind == "classes":
        return class_split(isomorphic(collect(graphs, edge_labels=False)), seed)
    return query_splits(len(graphs), seed)
