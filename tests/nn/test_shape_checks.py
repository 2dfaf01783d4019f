"""The shapes that annotations declare are checked in the tests of this folder."""

import pytest
import torch

from graphpool.nn.ops.products import bag_sum

TABLE, NODES, BOUNDS = torch.ones(3, 2), torch.tensor([0, 1, 2]), torch.tensor([0, 2, 3])


def test_a_wrong_shape_is_an_error() -> None:
    jaxtyping = pytest.importorskip("jaxtyping")
    assert bag_sum(TABLE, NODES, BOUNDS).tolist() == [[2, 2], [1, 1]]
    with pytest.raises(jaxtyping.TypeCheckError, match="table"):
        bag_sum(TABLE[0], NODES, BOUNDS)


@pytest.mark.usefixtures("unchecked_shapes")
def test_checks_can_be_left_out() -> None:
    jaxtyping = pytest.importorskip("jaxtyping")
    assert jaxtyping.config.jaxtyping_disable
