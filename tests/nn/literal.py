"""The paper's Algorithm 1 for one graph, word by word, in plain Python numbers.

Nothing here is shared with the library: matrices are lists of rows, every sum is a loop. Slow,
and meant to be read beside the paper's section "Graph Coarsening".
"""

import math
from dataclasses import dataclass
from typing import Any

Matrix = list[list[float]]

SLOPE = 0.2
TEMPERATURE = 0.1


@dataclass
class Weights:
    """T of GCont, and a = [row ‖ column] of MOA."""

    T: Matrix
    row: list[float] | None = None
    column: list[float] | None = None


def weights_of(layer: Any) -> Weights | None:
    """The parameters of a `HAPCoarsening` as lists; a single cluster has none."""
    if layer.assign is None:
        return None
    attention = layer.assign
    found = Weights(attention.content.weight.tolist())
    if hasattr(attention, "row"):
        found.row, found.column = attention.row.tolist(), attention.column.tolist()
    return found


def gcont(H: Matrix, T: Matrix) -> Matrix:
    """C_ij = Σ_f H_if T_fj."""
    C = [[0.0] * len(T[0]) for _ in H]
    for i in range(len(H)):
        for j in range(len(T[0])):
            for f in range(len(T)):
                C[i][j] += H[i][f] * T[f][j]
    return C


def relaxed_column(C: Matrix, relaxation: str, i: int, j: int) -> list[float]:
    """The column C_(·,j) shrunk from N numbers to N', as node i sees it."""
    N, clusters = len(C), len(C[0])
    if relaxation == "gram":
        return [sum(C[n][r] * C[n][j] for n in range(N)) / N for r in range(clusters)]
    if relaxation == "tile":
        return C[(i * clusters + j) % N]
    column = [C[n][j] for n in range(N)]
    if relaxation == "sort":
        column.sort(reverse=True)
    return (column + [0.0] * clusters)[:clusters]


def static_scores(C: Matrix, weights: Weights, relaxation: str) -> Matrix:
    """LeakyReLU(aᵀ [C_i ‖ c_j])."""
    assert weights.row is not None
    assert weights.column is not None
    a = weights.row + weights.column
    scores = []
    for i in range(len(C)):
        scores.append([])
        for j in range(len(C[0])):
            joined = C[i] + relaxed_column(C, relaxation, i, j)
            score = sum(a[k] * joined[k] for k in range(len(a)))
            scores[i].append(score if score >= 0 else SLOPE * score)
    return scores


def content_scores(C: Matrix) -> Matrix:
    """⟨C̃_i, c_j⟩ / √N' with C̃ the standardised columns and c_j = C̃ᵀ C̃_(·,j) / N."""
    N, clusters = len(C), len(C[0])
    S = [[0.0] * clusters for _ in C]
    for j in range(clusters):
        mean = sum(C[i][j] for i in range(N)) / N
        variance = sum((C[i][j] - mean) ** 2 for i in range(N)) / N
        for i in range(N):
            S[i][j] = (C[i][j] - mean) / math.sqrt(variance + 1e-5 + 1e-6 * mean**2)
    scores = [[0.0] * clusters for _ in C]
    for j in range(clusters):
        c = relaxed_column(S, "gram", 0, j)
        for i in range(N):
            scores[i][j] = sum(S[i][r] * c[r] for r in range(clusters)) / math.sqrt(clusters)
    return scores


def softmax(values: list[float]) -> list[float]:
    top = max(values)
    powers = [math.exp(value - top) for value in values]
    return [power / sum(powers) for power in powers]


def form(M: Matrix, H: Matrix, A: Matrix) -> tuple[Matrix, Matrix]:
    """H' = Mᵀ H and A' = Mᵀ A M."""
    N, clusters = len(M), len(M[0])
    H_ = [[0.0] * len(H[0]) for _ in range(clusters)]
    A_ = [[0.0] * clusters for _ in range(clusters)]
    for j in range(clusters):
        for i in range(N):
            for f in range(len(H[0])):
                H_[j][f] += M[i][j] * H[i][f]
        for k in range(clusters):
            for i in range(N):
                for n in range(N):
                    A_[j][k] += M[i][j] * A[i][n] * M[n][k]
    return H_, A_


def connect(A: Matrix, how: str) -> Matrix:
    """What is done to A' before the next level; soft sampling without its noise."""
    size = len(A)
    if how == "plain":
        return A
    if how == "gumbel":
        return [softmax([math.log(max(v, 1e-12)) / TEMPERATURE for v in row]) for row in A]
    others = [[0.0 if i == j else A[i][j] for j in range(size)] for i in range(size)]
    if size == 1:
        return others
    if how == "offdiagonal-gumbel":
        sampled = []
        for i in range(size):
            rest = [math.log(max(A[i][j], 1e-12)) / TEMPERATURE for j in range(size) if j != i]
            shares = softmax(rest)
            sampled.append([*shares[:i], 0.0, *shares[i:]])
        return sampled
    scale = [1 / math.sqrt(sum(row) + 1e-6) for row in others]
    return [[scale[i] * others[i][j] * scale[j] for j in range(size)] for i in range(size)]


def coarsen(
    H: Matrix,
    A: Matrix,
    weights: Weights | None,
    assignment: str,
    relaxation: str,
    how: str,
    symmetrise: bool = False,
) -> tuple[Matrix, Matrix, Matrix]:
    """H', Ã' and M of one graph."""
    if weights is None:
        M = [[1.0] for _ in H]
    else:
        C = gcont(H, weights.T)
        scores = (
            content_scores(C) if assignment == "content" else static_scores(C, weights, relaxation)
        )
        M = [softmax(row) for row in scores]
    H_, A_ = form(M, H, A)
    A_ = connect(A_, how)
    if symmetrise:
        size = len(A_)
        A_ = [[(A_[i][j] + A_[j][i]) / 2 for j in range(size)] for i in range(size)]
    return H_, A_, M
