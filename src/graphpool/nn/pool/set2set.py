"""Set2Set, the attention in several steps of Vinyals et al. (ICLR 2016)."""

import torch
from torch import Tensor, nn

from graphpool.errors import ConfigError
from graphpool.nn.level import Level
from graphpool.nn.ops.products import segment_sum, spread
from graphpool.nn.pool.flat import FlatPool, segment_softmax


class Set2Set(FlatPool):
    """An LSTM asks the nodes `steps` times; the result is its last question and the answer.

    q_t = LSTM(q*_{t-1}), a_t = softmax_i(x_i · q_t), r_t = Σ_i a_{t,i} x_i, q*_t = [q_t | r_t],
    from q*_0 = 0. The steps have an order, the nodes have none: the HAP paper says that it takes
    the order of nodes into consideration, but the result doesn't depend on it.

    Args:
        in_channels: channels of the node features; the result has twice as many.
        steps: how often it asks. The first question is the same for all graphs, so that with one
            step only the LSTM's biases are learned.
    """

    shown = ("steps",)
    replayable = True

    def __init__(self, in_channels: int, steps: int = 3) -> None:
        super().__init__()
        if steps < 1:
            raise ConfigError(f"steps is {steps}; Set2Set needs at least 1")
        self.in_channels, self.out_channels, self.steps = in_channels, 2 * in_channels, steps
        self.lstm = nn.LSTMCell(2 * in_channels, in_channels)

    def pool_level(self, level: Level) -> Tensor:
        """Ask and answer."""
        x, segments = level.flat()
        question = memory = x.new_zeros(segments.num_graphs, self.in_channels)
        state = x.new_zeros(segments.num_graphs, self.out_channels)
        for _ in range(self.steps):
            question, memory = self.lstm(state, (question, memory))
            score = (x * spread(question, segments)).sum(-1, keepdim=True)
            answer = segment_sum(segment_softmax(score, segments) * x, segments)
            state = torch.cat([question, answer], -1)
        return state
