"""DMoN, deep modularity networks (Tsitsulin et al., JMLR 2023), as a coarsening."""

from torch import Tensor, nn

from graphpool.nn.coarsen.base import GroupPool, Scores
from graphpool.nn.level import Level


class DMoN(GroupPool):
    """S = softmax(X W + b), X' = SELU(Sᵀ X), A' = Sᵀ A S without its diagonal, normalised.

    `losses.modularity` makes the clusters denser inside than a random graph of these degrees
    would be, `losses.collapse` keeps nodes from all going into one. The paper scores nodes
    with a GCN; here that is the hierarchy's encoder, whose output X is.

    Deviations from the paper: scores have no dropout; X' has sums over clusters, as PyG's. A graph
    without edges has a modularity of 0, where PyG's `DMoNPooling` gives NaN. A ragged level is
    neither padded nor made dense. With one cluster there are no parameters and no losses.

    Args:
        in_channels: channels of the node features.
        clusters: nodes of the coarse graph; graphs may have fewer nodes.
        modularity: weight of the modularity loss; 0 leaves it out.
        collapse: weight of the collapse regularisation; 0 leaves it out.
        orthogonality: weight of MinCutPool's orthogonality loss, which PyG adds; by default left
            out, as in the paper.
        hidden: channels of a hidden layer of the scores; 0: a linear map.
    """

    def __init__(
        self,
        in_channels: int,
        clusters: int = 8,
        modularity: float = 1.0,
        collapse: float = 1.0,
        orthogonality: float = 0.0,
        hidden: int = 0,
    ) -> None:
        losses = {"modularity": modularity, "collapse": collapse, "orthogonality": orthogonality}
        super().__init__(clusters, losses, connect="offdiagonal")
        self.in_channels = in_channels
        self.scores = Scores(in_channels, clusters, hidden) if clusters > 1 else None

    def assign(self, level: Level) -> Tensor:
        """softmax of one score per cluster."""
        assert self.scores is not None, "one cluster takes no scores"
        scores: Tensor = self.scores(level.x)
        return scores.softmax(-1)

    def activate(self, coarse_x: Tensor) -> Tensor:
        """SELU(Sᵀ X)."""
        return nn.functional.selu(coarse_x)
