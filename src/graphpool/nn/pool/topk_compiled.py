"""Compiled selection of nodes on a CPU: `topk_base.select_topk`, graph by graph."""

from typing import Any, no_type_check

import numpy as np

from graphpool.nn.ops.compiled import compiled_strict

Array = Any


# Without fastmath: which scores are equal is decided here, and NaN must be seen.
@compiled_strict
@no_type_check
def choose_top(
    score: Array, size: Array, ptr: Array, wanted: Array, rounding: float, chosen: Array
) -> int:
    """Write the nodes that stay to `chosen`, in their old order; how many they are."""
    found = 0
    for graph in range(ptr.shape[0] - 1):
        start, stop, number = ptr[graph], ptr[graph + 1], wanted[graph]
        near, odd = size.dtype.type(0), False
        for i in range(start, stop):
            near = size[i] if size[i] > near else near
            odd = odd or score[i] != score[i] or size[i] != size[i]
        near *= score.dtype.type(rounding)
        last = np.sort(score[start:stop])[stop - start - number]
        above, tied = last + near, last - near
        fewer = more = 0
        for i in range(start, stop):
            fewer += score[i] > above
            more += not score[i] < tied
        together = odd or fewer == 0 or more - number <= number - fewer
        for i in range(start, stop):
            if odd or (not score[i] < tied if together else score[i] > above):
                chosen[found] = i
                found += 1
    return found
