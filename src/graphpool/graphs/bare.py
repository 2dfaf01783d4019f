"""Drop what networks don't read of a set: labels, classes, targets, names and texts."""

from graphpool.graphs.checks import CODED, UNITS
from graphpool.graphs.graphset import GraphSet

_READ = ("x", "edge_x", "edge_weight")


def bare(graphs: GraphSet) -> GraphSet:
    """Return structure, features and known places alone, with graphs named by their positions.

    Places stay although those by `RecurringParts` depend on labels, which are dropped.
    """
    absent = dict.fromkeys(key for key in UNITS if key not in _READ)
    unnamed = dict.fromkeys((*CODED.values(), "target_names", "notes"), ())
    ids = tuple(map(str, range(len(graphs))))
    return graphs._same_structure(name="", ids=ids, x_from="", columns={}, **absent, **unnamed)
