"""MinCutPool, the spectral clustering of Bianchi et al. (ICML 2020) as a coarsening."""

from graphpool.nn.coarsen.base import PerceptronPool


class MinCutPool(PerceptronPool):
    """S = softmax MLP(X), X' = Sᵀ X, A' = Sᵀ A S without its diagonal, then D^-½ A' D^-½.

    Two losses make the clusters those of a normalised cut: `losses.cut`, the share of edges
    between clusters, and `losses.orthogonality`, which keeps clusters apart and of one size.

    Deviations from the paper: A is taken as it is, where the paper normalises it first (PyG too
    leaves that to the caller); the cut loss is 1 higher, and 0 without
    edges, where PyG's `dense_mincut_pool` gives NaN. A ragged level is neither padded nor made
    dense. With one cluster there are no parameters and no losses.

    Args:
        clusters: nodes of the coarse graph; graphs may have fewer nodes.
        cut: weight of the cut loss; 0 leaves it out.
        orthogonality: weight of the orthogonality loss; 0 leaves it out.
        hidden: channels of the perceptron's hidden layer; 0: a linear map.
    """

    def __init__(
        self,
        in_channels: int,
        clusters: int = 8,
        cut: float = 1.0,
        orthogonality: float = 1.0,
        hidden: int = 0,
    ) -> None:
        losses = {"cut": cut, "orthogonality": orthogonality}
        super().__init__(in_channels, clusters, losses, hidden)
