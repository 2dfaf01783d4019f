"""The place assignment: clusters are where the edges are dense, and content has its say.

A graph's *places* are a partition found from its edges alone (`graphpool.graphs.places.find`),
softened by a few steps of a lazy random walk into shares P. They differ in number from graph to
graph, and a place's number means nothing: whatever is learned treats all places of a graph alike.

On a CPU it is compiled: one pass over each graph, and back. There all arrays over nodes are
`[channels, nodes]` or `[clusters, nodes]`, so that the inner loops run along memory, but for M and
its gradient, which are as others read them.
"""

import math
from typing import Any, no_type_check

import numpy as np
import torch
from torch import Tensor, nn

from graphpool.graphs.places.find import TINY, Places
from graphpool.graphs.segments import Segments
from graphpool.nn.hap.moa import MEAN_FLOOR, VARIANCE_FLOOR, GCont, standardised
from graphpool.nn.module import Module
from graphpool.nn.ops.products import refuse_second_order, row_mm, segment_mm, segment_sum
from graphpool.nn.ops.switch import compiled, use_compiled
from graphpool.typing import Float

Array = Any

# The least size of a place, against division by zero.
FLOOR = 1e-6
# The score of a place that no walk reaches.
NOWHERE = -1e30

# e^x = 2^n e^r with n = round(x / log 2) and r = x - n log 2, where log 2 is the sum of a part with
# few bits, whose product with n is exact, and the rest; e^r is its Taylor polynomial.
_PER_LOG2 = np.float32(1 / math.log(2))
_LOG2 = np.float32(0.693359375)
_LOG2_REST = np.float32(math.log(2) - 0.693359375)
_TERMS = tuple(np.float32(1 / math.factorial(power)) for power in range(8))
_LEAST = np.float32(-87.0)


class PlaceAttention(Module):
    """Places weighed against content: `assignment="places"`.

    M_ij = softmax_j(e^b log P_ij + γ_j ⟨C̃_i, c_j⟩ / √d) over the places j that a walk from node i
    reaches (P_ij > 0; it has no share in the others, whatever its content), where

    - P_ij is the share of place j in node i, and b, learned, says how sharply it counts;
    - C = [H ‖ Q] T is the paper's global content, d columns, fed with the node's features H and
      with its position Q_i = (Σ_j P_ij², Σ_j P_ij n_j / N): how far inside it lies, and how large
      a part of the graph its place is; C̃ is C standardised over the nodes of the graph;
    - c_j = Σ_i P_ij C̃_i / n_j is the content of place j, with n_j = Σ_i P_ij its size: it stands
      where the paper has the relaxed column of C;
    - γ_j = w · c_j + w₀ weighs content against place for each place, by what it holds.

    Args:
        in_channels: channels of the node features H.
        channels: d.
        content: without it M depends on P and b alone.
    """

    def __init__(self, in_channels: int, channels: int = 8, content: bool = True) -> None:
        super().__init__()
        self.sharpness = nn.Parameter(torch.zeros(()))
        self.content = GCont(in_channels + 2, channels) if content else None
        self.weigh = nn.Linear(channels, 1) if content else None
        self._reset_weigh()

    def reset_parameters(self) -> None:
        """Draw the initial weights again."""
        nn.init.zeros_(self.sharpness)
        super().reset_parameters()
        self._reset_weigh()

    def _reset_weigh(self) -> None:
        if self.weigh is not None:
            bound = 0.1 / math.sqrt(self.weigh.in_features)
            nn.init.uniform_(self.weigh.weight, -bound, bound)
            nn.init.constant_(self.weigh.bias, 0.1)

    def forward(
        self, x: Float[Tensor, "nodes channels"], segments: Segments, places: Places
    ) -> Float[Tensor, "nodes clusters"]:
        """Assign nodes with features H to the places of their graphs."""
        if self.content is not None and self.weigh is not None:
            learned = self.content.weight, self.weigh.weight, self.weigh.bias
            if use_compiled("places", x):
                return _PlaceAssignment.apply(  # type: ignore[no-any-return]
                    x, self.sharpness, *learned, places, segments
                )
        share = places.share.to(x.dtype)
        # Not log 0, which is several times slower.
        score = self.sharpness.exp() * share.clamp(min=TINY).log()
        if self.content is not None and self.weigh is not None:
            score = score + _content(x, *learned, share, segments)
        return score.masked_fill(share == 0, NOWHERE).softmax(-1)


def _content(
    x: Tensor, weight: Tensor, weigh: Tensor, bias: Tensor, share: Tensor, segments: Segments
) -> Tensor:
    """γ_j ⟨C̃_i, c_j⟩ / √d, `[nodes, clusters]`."""
    size = segment_sum(share, segments)
    part = row_mm(share, (size / segments.counts.to(x.dtype)).unsqueeze(-1), segments)
    position = torch.cat([share.square().sum(-1, keepdim=True), part], -1)
    content = standardised(torch.cat([x, position], -1) @ weight, segments)
    own = segment_mm(share, content, segments) / size.clamp(min=FLOOR).unsqueeze(-1)
    gate = own @ weigh.t() + bias
    return row_mm(content, (own * gate / math.sqrt(content.shape[1])).mT, segments)


class _PlaceAssignment(torch.autograd.Function):
    """The same on a CPU, compiled."""

    @staticmethod
    def forward(
        ctx: Any, x: Tensor, sharpness: Tensor, weight: Tensor, weigh: Tensor, bias: Tensor,
        places: Places, segments: Segments,
    ) -> Tensor:  # fmt: skip
        graphs, clusters = segments.num_graphs, places.width
        nodes, channels = x.shape[0], weight.shape[1]
        content, out = x.new_empty(channels + 2, nodes), x.new_empty(nodes, clusters)
        torch.mm(weight[:-2].t(), x.t(), out=content[:-2])
        # What only compiled loops read is kept as they read it: each conversion costs time.
        given = (
            content.numpy(), places.columns.numpy(), segments.ptr.numpy(), places.counts.numpy(),
        )  # fmt: skip
        made = (
            np.empty((graphs, 2, channels), np.float32),
            np.empty((graphs, clusters, channels + 2), np.float32),
            np.empty((clusters, nodes), np.float32),
        )
        place_forward(
            *given, weight.numpy(), weigh.numpy(), bias.numpy(), sharpness.numpy(),
            VARIANCE_FLOOR, MEAN_FLOOR, FLOOR, *made, out.numpy(),
        )  # fmt: skip
        ctx.save_for_backward(x, sharpness, weight, weigh)
        ctx.given, ctx.made = given, made
        return out

    @staticmethod
    def backward(ctx: Any, grad: Tensor) -> tuple[Tensor | None, ...]:
        refuse_second_order("the place assignment")
        x, sharpness, weight, weigh = ctx.saved_tensors
        channels = weight.shape[1]
        dcontent = x.new_empty(channels, x.shape[0])
        dweight, dlearned = torch.empty_like(weight), np.empty(channels + 2, np.float32)
        rows = dweight.numpy()
        place_backward(
            grad.contiguous().numpy(), *ctx.given, weigh.numpy(), sharpness.numpy(), MEAN_FLOOR,
            *ctx.made, dcontent.numpy(), rows, dlearned,
        )  # fmt: skip
        # Not the transposed product, which is several times slower.
        rows[:-2] = (dcontent @ x).numpy().T
        dx = dcontent.t() @ weight[:-2].t() if ctx.needs_input_grad[0] else None
        parts = dlearned[-1:].reshape(()), dlearned[None, :channels], dlearned[channels:-1]
        dsharpness, dweigh, dbias = (torch.from_numpy(values) for values in parts)
        return dx, dsharpness, dweight, dweigh, dbias, None, None


@compiled
@no_type_check
def _exponentials(x: Array, bits: Array, power: Array) -> None:
    """e^x of numbers up to 0, in place; `bits` is scratch space, and `power` the same as float32.

    Unlike a call of `exp` for each number, this is a loop that is vectorised.
    """
    for i in range(x.shape[0]):
        value = _LEAST if x[i] < _LEAST else x[i]
        number = np.floor(value * _PER_LOG2 + np.float32(0.5))
        bits[i] = (np.int32(number) + np.int32(127)) << np.int32(23)
        rest = (value - number * _LOG2) - number * _LOG2_REST
        total = _TERMS[7]
        total = total * rest + _TERMS[6]
        total = total * rest + _TERMS[5]
        total = total * rest + _TERMS[4]
        total = total * rest + _TERMS[3]
        total = total * rest + _TERMS[2]
        total = total * rest + _TERMS[1]
        x[i] = total * rest + _TERMS[0]
    for i in range(x.shape[0]):
        x[i] *= power[i]


@compiled
@no_type_check
def place_forward(
    content: Array, columns: Array, ptr: Array, counts: Array, weight: Array, weigh: Array,
    bias: Array, sharpness: Array, floor: float, mean_floor: float, size_floor: float,
    moments: Array, own: Array, assigned: Array, out: Array,
) -> None:  # fmt: skip
    """From H T, in `content`, to C̃, in place, and M, `[clusters, nodes]` and `[nodes, clusters]`.

    Args:
        content: `[channels + 2, nodes]`; the last two rows are for the positions Q, which count by
            the last two rows of T.
        columns: shares and their logarithms, `[2, clusters, nodes]`.
        weight: T, `[in_channels + 2, channels]`.
        weigh: w, `[1, channels]`; `bias`: w₀, `[1]`; `sharpness`: b, a scalar.
        moments: for mean and scale of each channel, `[graphs, 2, channels]`.
        own: for the content of each place, its size and gate γ, `[graphs, clusters, channels + 2]`.
        assigned: only the clusters that a graph has are written; `out` is written in full.
    """
    channels, share, near = weight.shape[1], columns[0], columns[1]
    one_mix, two_mix = weight[weight.shape[0] - 2], weight[weight.shape[0] - 1]
    sharp, first = np.float32(math.exp(sharpness[()])), bias[0]
    root = np.float32(1.0) / np.sqrt(np.float32(channels))
    zero = np.float32(0.0)
    top, sums = np.empty(content.shape[1], np.float32), np.empty(content.shape[1], np.float32)
    powers = np.empty(content.shape[1], np.int32)
    for graph in range(ptr.shape[0] - 1):
        start, stop, clusters = ptr[graph], ptr[graph + 1], counts[graph]
        inverse = np.float32(1.0) / np.float32(stop - start)
        inward, part_of = content[channels][start:stop], content[channels + 1][start:stop]
        for i in range(inward.shape[0]):
            inward[i] = zero
            part_of[i] = zero
        for j in range(clusters):
            held = share[j][start:stop]
            total = zero
            for i in range(held.shape[0]):
                total += held[i]
                inward[i] += held[i] * held[i]
            own[graph, j, channels] = max(total, size_floor)
            total *= inverse
            for i in range(held.shape[0]):
                part_of[i] += held[i] * total
        for c in range(channels):
            row = content[c][start:stop]
            one, two = one_mix[c], two_mix[c]
            total = zero
            for i in range(row.shape[0]):
                row[i] += one * inward[i] + two * part_of[i]
                total += row[i]
            total *= inverse
            moments[graph, 0, c] = total
            square = zero
            for i in range(row.shape[0]):
                row[i] -= total
                square += row[i] * row[i]
            lowest = floor + mean_floor * total * total
            factor = np.float32(1.0) / np.sqrt(square * inverse + lowest)
            moments[graph, 1, c] = factor
            for i in range(row.shape[0]):
                row[i] *= factor
        highest = top[start:stop]
        for i in range(highest.shape[0]):
            highest[i] = -np.inf
        for j in range(clusters):
            held, score, log = share[j][start:stop], assigned[j][start:stop], near[j][start:stop]
            part = np.float32(1.0) / own[graph, j, channels]
            gate = first
            for c in range(channels):
                row = content[c][start:stop]
                total = zero
                for i in range(held.shape[0]):
                    total += held[i] * row[i]
                own[graph, j, c] = total * part
                gate += weigh[0, c] * total * part
            own[graph, j, channels + 1] = gate
            for i in range(score.shape[0]):
                score[i] = sharp * log[i]
            for c in range(channels):
                row = content[c][start:stop]
                factor = own[graph, j, c] * gate * root
                for i in range(score.shape[0]):
                    score[i] += factor * row[i]
            for i in range(score.shape[0]):
                higher = held[i] > 0 and score[i] > highest[i]
                highest[i] = score[i] if higher else highest[i]
        # The softmax, over the places that a walk reaches.
        total_of, bits = sums[start:stop], powers[start:stop]
        for i in range(total_of.shape[0]):
            total_of[i] = zero
        for j in range(clusters):
            held, score = share[j][start:stop], assigned[j][start:stop]
            for i in range(score.shape[0]):
                score[i] -= highest[i]
            _exponentials(score, bits, bits.view(np.float32))
            for i in range(score.shape[0]):
                score[i] = score[i] if held[i] > 0 else zero
                total_of[i] += score[i]
        for i in range(total_of.shape[0]):
            total_of[i] = np.float32(1.0) / total_of[i]
        rows = out[start:stop]
        for j in range(clusters):
            score = assigned[j][start:stop]
            for i in range(score.shape[0]):
                score[i] *= total_of[i]
                rows[i, j] = score[i]
        for i in range(rows.shape[0]):
            for j in range(clusters, out.shape[1]):
                rows[i, j] = zero


@compiled
@no_type_check
def place_backward(
    grad: Array, content: Array, columns: Array, ptr: Array, counts: Array, weigh: Array,
    sharpness: Array, mean_floor: float, moments: Array, own: Array, assigned: Array,
    dcontent: Array, dweight: Array, dlearned: Array,
) -> None:  # fmt: skip
    """From the gradient of M, `[nodes, clusters]`, to those of the content and what is learned.

    Of T, in `dweight`, only the last two rows are written; `dlearned` `[channels + 2]` are those of
    w, w₀ and b.
    """
    channels, share, near = weigh.shape[1], columns[0], columns[1]
    last = dweight.shape[0] - 1
    root = np.float32(1.0) / np.sqrt(np.float32(channels))
    zero = np.float32(0.0)
    pull = np.empty((assigned.shape[0], assigned.shape[1]), np.float32)
    common = np.zeros(assigned.shape[1], np.float32)
    down = np.empty(channels, np.float32)
    for c in range(channels):
        dlearned[c] = dweight[last - 1, c] = dweight[last, c] = zero
    dlearned[channels] = dlearned[channels + 1] = zero
    for graph in range(ptr.shape[0] - 1):
        start, stop, clusters = ptr[graph], ptr[graph + 1], counts[graph]
        inverse = np.float32(1.0) / np.float32(stop - start)
        for i in range(start, stop):
            for j in range(clusters):
                pull[j, i] = grad[i, j]
        inner = common[start:stop]
        for j in range(clusters):
            held, pulled = assigned[j][start:stop], pull[j][start:stop]
            for i in range(inner.shape[0]):
                inner[i] += held[i] * pulled[i]
        for c in range(channels):
            out = dcontent[c][start:stop]
            for i in range(out.shape[0]):
                out[i] = zero
        for j in range(clusters):
            # Through the softmax: M · (grad - Σ M · grad).
            held, pulled, log = assigned[j][start:stop], pull[j][start:stop], near[j][start:stop]
            total = zero
            for i in range(inner.shape[0]):
                pulled[i] = held[i] * (pulled[i] - inner[i])
                total += pulled[i] * log[i]
            dlearned[channels + 1] += total
            # Into c_j twice, by the product and by the gate, and from there into C̃.
            weight = zero
            for c in range(channels):
                row = content[c][start:stop]
                total = zero
                for i in range(row.shape[0]):
                    total += pulled[i] * row[i]
                down[c] = total * root
                weight += down[c] * own[graph, j, c]
            dlearned[channels] += weight
            part, gate = np.float32(1.0) / own[graph, j, channels], own[graph, j, channels + 1]
            seen = share[j][start:stop]
            for c in range(channels):
                dlearned[c] += weight * own[graph, j, c]
                back = (gate * down[c] + weight * weigh[0, c]) * part
                forth = own[graph, j, c] * gate * root
                out = dcontent[c][start:stop]
                for i in range(out.shape[0]):
                    out[i] += back * seen[i] + forth * pulled[i]
        # Through the standardisation: with s = (variance + floors)^-½ and C̃ = s (C - mean),
        # dC = s (dC̃ - mean(dC̃)) - s C̃ mean(dC̃ · C̃), and the mean's own floor.
        inward, part_of = content[channels][start:stop], content[channels + 1][start:stop]
        for c in range(channels):
            out, row = dcontent[c][start:stop], content[c][start:stop]
            factor = moments[graph, 1, c]
            along = zero
            total = zero
            for i in range(out.shape[0]):
                along += out[i] * row[i]
                total += out[i]
            shift = (total + mean_floor * moments[graph, 0, c] * factor * along) * inverse
            along *= inverse
            one = two = zero
            for i in range(out.shape[0]):
                value = factor * (out[i] - shift - along * row[i])
                out[i] = value
                one += value * inward[i]
                two += value * part_of[i]
            dweight[last - 1, c] += one
            dweight[last, c] += two
    dlearned[channels + 1] *= np.float32(math.exp(sharpness[()]))
