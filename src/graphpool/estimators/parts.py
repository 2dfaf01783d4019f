"""Which graphs given to `fit` choose the epoch, and how much each of them counts."""

import math
from fractions import Fraction
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from graphpool.data.splits import stratified_folds
from graphpool.errors import DataError
from graphpool.estimators.base import packed
from graphpool.estimators.values import as_weights
from graphpool.graphs.graphset import GraphSet


def held_out_part(name: str, strata: NDArray[Any], share: float, seed: int) -> NDArray[np.bool_]:
    """Return which graphs choose the epoch, `[graphs]`: about this share of every stratum.

    Args:
        name: of the set, for messages.
        strata: `[graphs]` classes.
    """
    count = len(strata)
    if count < 2:
        raise DataError(f"{name}: 1 graph is too few to hold one out; set validation=0")
    folds = Fraction(share).limit_denominator(20).denominator
    if folds == 1:  # nearer to none or all of the graphs than any twentieth
        folds = math.ceil(1 / min(share, 1 - share))
    folds = min(count, folds)
    parts = stratified_folds(strata, folds, seed)
    wanted = min(folds - 1, max(1, round(share * folds)))
    # Graphs are dealt out class by class, so parts far from each other are mixed best.
    chosen = {number * folds // wanted for number in range(wanted)}
    valid = np.zeros(count, dtype=np.bool_)
    valid[np.concatenate([parts[number] for number in chosen])] = True
    return valid


def weighted_graphs(graphs: GraphSet, sample_weight: Any) -> GraphSet:
    """Return the graphs with their weights, without those of weight 0."""
    if sample_weight is None:
        return graphs
    weights = torch.from_numpy(as_weights(sample_weight, len(graphs), "graph"))
    graphs = graphs.with_weight(weights.float().to(graphs.device))
    return graphs[weights > 0] if bool((weights == 0).any()) else graphs


def validation_parts(given: Any, answers: str) -> tuple[GraphSet, Any, Any]:
    """Return graphs, `y` and weights of `validation_data`.

    Args:
        answers: what the graphs of a set have, for messages.
    """
    parts = (given, None) if isinstance(given, GraphSet) else given
    if not isinstance(parts, tuple) or len(parts) not in (2, 3):
        raise DataError(
            f"validation_data must be a set of graphs with {answers}, (graphs, y), or (graphs, y, "
            f"sample_weight), not {type(given).__name__}"
        )
    y, weight = parts[1], parts[2] if len(parts) == 3 else None
    return packed(parts[0], classes=y is None), y, weight
