"""Compiled loops for the alignment of nodes on a CPU: pair by pair, without padding.

Sinkhorn's steps on logits M are computed as scalings: P_ij = u_i K_ij v_j with
K = exp(M_ij - r_i - c_j). The largest logit r_i of a row is subtracted because rows are scaled
first anyway; c_j, the largest of the rest in a column, is compensated by the first v. So every row
and column of K contains a 1, and no sum vanishes, however different the logits are.

The nodes of zeros that pad the smaller graph have equal rows (or columns): one of them is computed
and weighted by their number.

First M = -β C; in further rounds it is -β C + γ A₁PA₂ᵀ with the P of the previous round. The
unmatched edges of an alignment are D = A₁P - PA₂, entry by entry under Huber's function.
"""

from typing import Any, no_type_check

import numpy as np

from graphpool.nn.ops.switch import compiled

Array = Any


@compiled
@no_type_check
def open_pair(
    pair: int, ptr: Array, left: Array, right: Array, cost_ptr: Array, costs: Array
) -> tuple[Array, Array, Array, Array]:
    """Return the nodes of a pair, how many each row and column of it stands for, and its C.

    The nodes are the first and the number of each graph: low, mine, start, yours.
    """
    low, start = ptr[left[pair]], ptr[right[pair]]
    mine, yours = ptr[left[pair] + 1] - low, ptr[right[pair] + 1] - start
    rows = np.ones(mine + (1 if mine < yours else 0))
    columns = np.ones(yours + (1 if yours < mine else 0))
    if mine < yours:
        rows[mine] = yours - mine
    if yours < mine:
        columns[yours] = mine - yours
    cost = costs[cost_ptr[pair] : cost_ptr[pair + 1]].reshape(len(rows), len(columns))
    return (low, mine, start, yours), rows, columns, cost


@compiled
@no_type_check
def measure(x: Array, nodes: Array, cost: Array) -> None:
    """Fill in C, the Euclidean distance of nodes divided by √channels."""
    low, mine, start, yours = nodes
    rows, columns = cost.shape
    channels = x.shape[1]
    for i in range(rows):
        for j in range(columns):
            total = np.float32(0)
            if i < mine and j < yours:
                for c in range(channels):
                    apart = x[low + i, c] - x[start + j, c]
                    total += apart * apart
            elif i < mine:
                for c in range(channels):
                    total += x[low + i, c] * x[low + i, c]
            elif j < yours:
                for c in range(channels):
                    total += x[start + j, c] * x[start + j, c]
            cost[i, j] = np.sqrt(total / channels)


@compiled
@no_type_check
def scale(
    logits: Array, often_row: Array, often_column: Array, steps: int
) -> tuple[Array, Array, Array, Array]:
    """Return P, K, and u and v of every step; `v[0]` is the start of the first step."""
    rows, columns = logits.shape
    kernel = np.empty((rows, columns))
    u, v = np.empty((steps, rows)), np.empty((steps + 1, columns))
    most = np.full(columns, -np.inf)
    for i in range(rows):
        best = -np.inf
        for j in range(columns):
            best = max(best, logits[i, j])
        for j in range(columns):
            kernel[i, j] = logits[i, j] - best
            most[j] = max(most[j], kernel[i, j])
    v[0] = np.exp(most)
    for i in range(rows):
        for j in range(columns):
            kernel[i, j] = np.exp(kernel[i, j] - most[j])
    for step in range(steps):
        v[step + 1] = 0
        for i in range(rows):
            total = 0.0
            for j in range(columns):
                total += kernel[i, j] * v[step, j] * often_column[j]
            u[step, i] = 1 / total
            share = u[step, i] * often_row[i]
            for j in range(columns):
                v[step + 1, j] += kernel[i, j] * share
        for j in range(columns):
            v[step + 1, j] = 1 / v[step + 1, j]
    plan = np.empty((rows, columns))
    for i in range(rows):
        for j in range(columns):
            plan[i, j] = kernel[i, j] * u[steps - 1, i] * v[steps, j]
    return plan, kernel, u, v


@compiled
@no_type_check
def scale_back(
    dplan: Array, plan: Array, kernel: Array, u: Array, v: Array, often_row: Array,
    often_column: Array,
) -> Array:  # fmt: skip
    """Return the gradient of the logits M, summed over the nodes of each row or column.

    With f = log u and g = log v, the steps are f_i = -log Σ_j exp(M_ij + g_j) and
    g_j = -log Σ_i exp(M_ij + f_i); they are traversed backwards.
    """
    rows, columns = plan.shape
    df, dg = np.zeros(rows), np.zeros(columns)
    dlogits = np.empty((rows, columns))
    for i in range(rows):
        for j in range(columns):
            dlogits[i, j] = often_row[i] * often_column[j] * plan[i, j] * dplan[i, j]
            df[i] += dlogits[i, j]
            dg[j] += dlogits[i, j]
    # What the steps subtract, without the common factor K.
    taken = np.zeros((rows, columns))
    for step in range(u.shape[0] - 1, -1, -1):
        dg *= v[step + 1]
        for i in range(rows):
            share = u[step, i] * often_row[i]
            back = 0.0
            for j in range(columns):
                taken[i, j] += share * dg[j]
                back += kernel[i, j] * dg[j]
            df[i] -= back * share
        dg[:] = 0
        for i in range(rows):
            part = u[step, i] * df[i]
            for j in range(columns):
                taken[i, j] += part * v[step, j] * often_column[j]
                dg[j] -= kernel[i, j] * part
            df[i] = 0
        for j in range(columns):
            dg[j] *= v[step, j] * often_column[j]
    for i in range(rows):
        for j in range(columns):
            dlogits[i, j] -= kernel[i, j] * taken[i, j]
    return dlogits


@compiled
@no_type_check
def product(x: Array, low: int, count: int, edges: Array, turned: bool) -> Array:
    """Return A x for the graph whose `count` nodes begin at `low`; Aᵀ x if `turned`."""
    row_ptr, col, weight = edges
    result = np.zeros(x.shape)
    for i in range(count):
        for slot in range(row_ptr[low + i], row_ptr[low + i + 1]):
            other, share = col[slot] - low, weight[slot]
            to, come = (other, i) if turned else (i, other)
            if share != 0:
                for j in range(x.shape[1]):
                    result[to, j] += share * x[come, j]
    return result


@compiled
@no_type_check
def left_over(plan: Array, nodes: Array, edges: Array, back: bool) -> Array:
    """Return A₁P - PA₂, or its adjoint, with both matrices transposed, if `back`."""
    low, mine, start, yours = nodes
    result = product(plan, low, mine, edges, back)
    result -= product(np.ascontiguousarray(plan.T), start, yours, edges, not back).T
    return result


@compiled
@no_type_check
def in_common(plan: Array, nodes: Array, edges: Array, back: bool) -> Array:
    """Return A₁PA₂ᵀ, the edges that nodes i and j have in common under P; its adjoint if `back`."""
    low, mine, start, yours = nodes
    half = product(plan, low, mine, edges, back)
    return product(np.ascontiguousarray(half.T), start, yours, edges, back).T


@compiled
@no_type_check
def align_forward(
    x: Array, ptr: Array, left: Array, right: Array, sharpness: float, pull: float, steps: int,
    rounds: int, rounding: float, edges: Array, cost_ptr: Array, costs: Array, out: Array,
) -> None:  # fmt: skip
    """Write Σ P C and the unmatched edges of every pair to `out`, and C of all pairs to `costs`.

    If `out` has one row only, edges are not used.
    """
    for pair in range(left.shape[0]):
        nodes, often_row, often_column, cost = open_pair(pair, ptr, left, right, cost_ptr, costs)
        rows, columns = cost.shape
        measure(x, nodes, cost)
        own = -sharpness * cost
        plan = scale(own, often_row, often_column, steps)[0]
        for _ in range(rounds):
            common = in_common(plan, nodes, edges, False)
            plan = scale(own + pull * common, often_row, often_column, steps)[0]
        work = 0.0
        for i in range(rows):
            part = 0.0
            for j in range(columns):
                part += plan[i, j] * often_column[j] * cost[i, j]
            work += part * often_row[i]
        out[0, pair] = work
        if out.shape[0] == 1:
            continue
        apart = left_over(plan, nodes, edges, False)
        over = 0.0
        for i in range(rows):
            for j in range(columns):
                size = abs(apart[i, j])
                if size < rounding:
                    size = size * size / (2 * rounding)
                else:
                    size -= rounding / 2
                over += size * often_row[i] * often_column[j]
        out[1, pair] = over / 2


@compiled
@no_type_check
def align_backward(
    grad: Array, x: Array, ptr: Array, left: Array, right: Array, sharpness: float, pull: float,
    steps: int, rounds: int, rounding: float, edges: Array, cost_ptr: Array, costs: Array,
    dx: Array,
) -> tuple[float, float]:  # fmt: skip
    """Add the gradient of the nodes to `dx`; return those of `sharpness` and `pull`."""
    dsharpness, dpull = 0.0, 0.0
    for pair in range(left.shape[0]):
        nodes, often_row, often_column, cost = open_pair(pair, ptr, left, right, cost_ptr, costs)
        rows, columns = cost.shape
        own = -sharpness * cost
        done = [scale(own, often_row, often_column, steps)]
        shared = np.empty((rounds, rows, columns))
        for turn in range(rounds):
            shared[turn] = in_common(done[turn][0], nodes, edges, False)
            done.append(scale(own + pull * shared[turn], often_row, often_column, steps))
        plan = done[-1][0]
        dplan = (grad[0, pair] * cost).astype(np.float64)
        if grad.shape[0] > 1:
            apart = left_over(plan, nodes, edges, False)
            for i in range(rows):
                for j in range(columns):
                    apart[i, j] = max(-1.0, min(1.0, apart[i, j] / rounding))
            apart = left_over(apart, nodes, edges, True)
            dplan += grad[1, pair] * apart / 2
        dcost = np.empty((rows, columns))
        for i in range(rows):
            for j in range(columns):
                dcost[i, j] = grad[0, pair] * plan[i, j] * often_row[i] * often_column[j]
        for turn in range(rounds, -1, -1):
            plan, kernel, u, v = done[turn]
            change = scale_back(dplan, plan, kernel, u, v, often_row, often_column)
            for i in range(rows):
                for j in range(columns):
                    dsharpness -= change[i, j] * cost[i, j]
                    dcost[i, j] -= sharpness * change[i, j]
            if turn > 0:
                for i in range(rows):
                    for j in range(columns):
                        dpull += change[i, j] * shared[turn - 1, i, j]
                dplan = pull * in_common(change, nodes, edges, True)
        move(x, nodes, cost, dcost, dx)
    return dsharpness, dpull


@compiled
@no_type_check
def move(x: Array, nodes: Array, cost: Array, dcost: Array, dx: Array) -> None:
    """Add the gradient of C to that of the nodes."""
    low, mine, start, yours = nodes
    channels = x.shape[1]
    rows, columns = cost.shape
    for i in range(rows):
        for j in range(columns):
            if cost[i, j] <= 0:
                continue
            part = np.float32(dcost[i, j] / (cost[i, j] * channels))
            if i < mine and j < yours:
                for c in range(channels):
                    moved = part * (x[low + i, c] - x[start + j, c])
                    dx[low + i, c] += moved
                    dx[start + j, c] -= moved
            elif i < mine:
                for c in range(channels):
                    dx[low + i, c] += part * x[low + i, c]
            elif j < yours:
                for c in range(channels):
                    dx[start + j, c] += part * x[start + j, c]
