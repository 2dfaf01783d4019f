"""DMoN, deep modularity networks (Tsitsulin et al., JMLR 2023), as a coarsening."""

from torch import Tensor, nn

from graphpool.nn.coarsen.base import PerceptronPool


class DMoN(PerceptronPool):
    """S = softmax(X W + b), X' = SELU(Sᵀ X), A' = Sᵀ A S without its diagonal, normalised.

    `losses.modularity` makes the clusters denser inside than a random graph of these degrees
    would be, `losses.collapse` keeps nodes from all going into one. The paper scores nodes
    with a GCN; here that is the hierarchy's encoder, whose output X is.

    Deviations from the paper: scores have no dropout; X' has sums over clusters, as PyG's. A graph
    without edges has a modularity of 0, where PyG's `DMoNPooling` gives NaN. A ragged level is
    neither padded nor made dense. With one cluster there are no parameters and no losses.

    Args:
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
        super().__init__(in_channels, clusters, losses, hidden)

    def activate(self, coarse_x: Tensor) -> Tensor:
        """SELU(Sᵀ X)."""
        return nn.functional.selu(coarse_x)
