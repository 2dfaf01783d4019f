"""DiffPool, the differentiable pooling of Ying et al. (NeurIPS 2018)."""

from torch import Tensor

from graphpool.nn.coarsen.base import GroupPool
from graphpool.nn.encoders import GCNLayer
from graphpool.nn.level import Level


class DiffPool(GroupPool):
    """S = softmax GNN(A, X), X' = Sᵀ X and A' = Sᵀ A S, with two auxiliary losses.

    The assignment's network is one GCN layer. The paper pools what a second network, the embedding
    one, makes of X; here that is the hierarchy's encoder, whose output X is.

    Deviations from the paper: a ragged level is neither padded nor made dense, and the link loss is
    divided by the number of nodes (see `losses.link`). With one cluster S is a column of ones,
    whatever is learned: there are no parameters and no losses.

    Args:
        clusters: nodes of the coarse graph; graphs may have fewer nodes.
        link: weight of the link loss ‖A - SSᵀ‖_F / N; 0 leaves it out.
        entropy: weight of the mean entropy of S's rows; 0 leaves it out.
    """

    def __init__(
        self, in_channels: int, clusters: int = 8, link: float = 1.0, entropy: float = 1.0
    ) -> None:
        super().__init__(clusters, {"link": link, "entropy": entropy}, connect="plain")
        self.in_channels = in_channels
        self.scores = GCNLayer(in_channels, clusters) if clusters > 1 else None

    def assign(self, level: Level) -> Tensor:
        """softmax GNN(A, X)."""
        assert self.scores is not None, "one cluster takes no scores"
        scores: Tensor = self.scores(level)
        return scores.softmax(-1)
