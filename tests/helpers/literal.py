"""The paper's Algorithm 1 for one graph, word by word, in plain Python numbers.

Below it, the same for places: the paper's section with another M, given the shares P.

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


@dataclass
class PlaceWeights:
    """b, T, w and w₀ of `PlaceAttention`; without content b alone."""

    b: float
    T: Matrix | None = None
    w: list[float] | None = None
    w0: float = 0.0


@dataclass
class ProfileWeights:
    """W of `PlaceProfile`, and its batch norm in eval mode, channel by channel."""

    W: Matrix
    mean: list[float]
    variance: list[float]
    gamma: list[float]
    beta: list[float]
    eps: float = 1e-5


def place_weights_of(attention: Any) -> PlaceWeights:
    found = PlaceWeights(attention.sharpness.item())
    if attention.content is not None:
        found.T = attention.content.weight.tolist()
        (found.w,), (found.w0,) = attention.weigh.weight.tolist(), attention.weigh.bias.tolist()
    return found


def profile_weights_of(profile: Any) -> ProfileWeights:
    norm = profile.norm
    parts = (norm.running_mean, norm.running_var, norm.weight, norm.bias)
    return ProfileWeights(profile.weight.tolist(), *(part.tolist() for part in parts))


def position(P: Matrix) -> Matrix:
    """Q_i = (Σ_j P_ij², Σ_j P_ij n_j / N) with n_j = Σ_i P_ij."""
    N, k = len(P), len(P[0])
    n = [sum(P[i][j] for i in range(N)) for j in range(k)]
    Q = []
    for i in range(N):
        inward = sum(P[i][j] ** 2 for j in range(k))
        Q.append([inward, sum(P[i][j] * n[j] for j in range(k)) / N])
    return Q


def standardised(C: Matrix) -> Matrix:
    """Columns with mean 0 and deviation 1, but for what keeps constant columns at 0."""
    N = len(C)
    S = [[0.0] * len(C[0]) for _ in C]
    for c in range(len(C[0])):
        mean = sum(C[i][c] for i in range(N)) / N
        variance = sum((C[i][c] - mean) ** 2 for i in range(N)) / N
        for i in range(N):
            S[i][c] = (C[i][c] - mean) / math.sqrt(variance + 1e-5 + 1e-6 * mean**2)
    return S


def place_content(H: Matrix, P: Matrix, weights: PlaceWeights) -> Matrix:
    """γ_j ⟨C̃_i, c_j⟩ / √d with c_j = Σ_i P_ij C̃_i / n_j and γ_j = w · c_j + w₀."""
    if weights.T is None:
        return [[0.0] * len(P[0]) for _ in P]
    assert weights.w is not None
    N, d = len(H), len(weights.T[0])
    S = standardised(gcont([h + q for h, q in zip(H, position(P), strict=True)], weights.T))
    scores = [[0.0] * len(P[0]) for _ in P]
    for j in range(len(P[0])):
        n = sum(P[i][j] for i in range(N))
        c = [sum(P[i][j] * S[i][r] for i in range(N)) / n for r in range(d)]
        gate = sum(weights.w[r] * c[r] for r in range(d)) + weights.w0
        for i in range(N):
            scores[i][j] = gate * sum(S[i][r] * c[r] for r in range(d)) / math.sqrt(d)
    return scores


def place_assignment(H: Matrix, P: Matrix, weights: PlaceWeights) -> Matrix:
    """M_ij = softmax_j(e^b log P_ij + γ_j ⟨C̃_i, c_j⟩ / √d); a share of 0 stays 0."""
    content = place_content(H, P, weights)
    M = []
    for i in range(len(P)):
        near = [math.exp(weights.b) * math.log(p) if p else -math.inf for p in P[i]]
        M.append(softmax([a + b for a, b in zip(near, content[i], strict=True)]))
    return M


def profiled(H_: Matrix, A_: Matrix, M: Matrix, weights: ProfileWeights) -> Matrix:
    """BatchNorm(H'_j + W log(1 + (n_j, A'_jj, Σ_{l≠j} A'_jl)))."""
    out = []
    for j in range(len(A_)):
        size = sum(row[j] for row in M)
        outer = sum(A_[j][other] for other in range(len(A_)) if other != j)
        logs = [math.log(1 + max(value, 0.0)) for value in (size, A_[j][j], outer)]
        out.append([])
        for c in range(len(H_[0])):
            value = H_[j][c] + sum(logs[r] * weights.W[r][c] for r in range(3))
            scale = weights.gamma[c] / math.sqrt(weights.variance[c] + weights.eps)
            out[j].append((value - weights.mean[c]) * scale + weights.beta[c])
    return out


def coarsen_places(
    H: Matrix,
    A: Matrix,
    P: Matrix,
    weights: PlaceWeights,
    profile: ProfileWeights | None,
    how: str,
) -> tuple[Matrix, Matrix, Matrix]:
    """H', Ã' and M of one graph whose places have the shares P."""
    M = place_assignment(H, P, weights)
    H_, A_ = form(M, H, A)
    if profile is not None:
        H_ = profiled(H_, A_, M, profile)
    return H_, connect(A_, how), M
