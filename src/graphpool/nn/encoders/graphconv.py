"""GraphConv layer (Morris et al. 2019): a node and the sum of its neighbours, weighed apart."""

from torch import Tensor, nn

from graphpool.graphs.adjacency import Adjacency
from graphpool.nn.encoders.base import EncoderLayer
from graphpool.nn.ops.products import spmm


class GraphConvLayer(EncoderLayer[Adjacency | Tensor]):
    """`W₂ ReLU(W h_i + W₁ Σ_j A_ij h_j)`: GIN with weights of its own for the node itself.

    Deviation from the paper: a second linear map follows, as in GIN.
    """

    def __init__(self, in_channels: int, out_channels: int) -> None:
        super().__init__()
        self.in_channels, self.out_channels = in_channels, out_channels
        self.own = nn.Linear(in_channels, out_channels)
        self.around = nn.Linear(in_channels, out_channels, bias=False)
        self.out = nn.Linear(out_channels, out_channels)

    def prepare(self, adjacency: Adjacency | Tensor) -> Adjacency | Tensor:
        """Plain sums need nothing."""
        return adjacency

    def propagate(self, x: Tensor, prepared: Adjacency | Tensor, activate: bool = False) -> Tensor:
        """Sum, then transform."""
        if isinstance(prepared, Adjacency):
            neighbours = spmm(prepared, prepared.weight, x)
        else:
            neighbours = prepared @ x
        out: Tensor = self.out((self.own(x) + self.around(neighbours)).relu())
        return out.relu() if activate else out
