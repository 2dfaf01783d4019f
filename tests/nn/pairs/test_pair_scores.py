"""Scores of distances: their values, how finely they are worked out, and what is certain."""

import math

import pytest
import torch

from graphpool.nn.pairs import ExpScore, LearnedScore
from graphpool.nn.pairs.base import euclidean


@pytest.mark.parametrize("scale", [0.5, 2.0])
def test_exponential_score_is_that_of_the_paper(scale: float) -> None:
    distances = torch.tensor([[0.1, 1.0, 3.0], [5.0, 20.0, 0.5]], dtype=torch.float64)
    yes, no = ExpScore(scale)(distances)
    torch.testing.assert_close(yes.exp(), torch.exp(-scale * distances))
    torch.testing.assert_close(no.exp(), 1 - torch.exp(-scale * distances), atol=2e-6, rtol=0)


def test_the_log_of_its_complement_keeps_small_distances_apart() -> None:
    tiny = torch.tensor([[1e-3, 1e-2]])
    _, no = ExpScore()(tiny)
    wanted = [math.log(-math.expm1(-0.5 * d)) for d in (1e-3, 1e-2)]
    torch.testing.assert_close(no, torch.tensor([wanted]), atol=3e-3, rtol=0)


@pytest.mark.parametrize("score", [ExpScore(), LearnedScore(1)], ids=["exp", "learned"])
def test_scores_and_gradients_are_finite_from_zero_to_far(score: torch.nn.Module) -> None:
    distances = torch.tensor([[0.0, 1e-12, 1e-4, 1.0, 1e3, 1e6]], requires_grad=True)
    yes, no = score(distances)
    (yes.sum() + no.sum()).backward()
    assert yes.isfinite().all()
    assert no.isfinite().all()
    assert distances.grad is not None
    assert distances.grad.isfinite().all()
    assert (yes.diff() <= 0).all()
    assert (no.diff() >= 0).all()


def test_learned_score_begins_with_one_half_at_distance_one() -> None:
    yes, no = LearnedScore(2).double()(torch.ones(2, 3, dtype=torch.float64))
    torch.testing.assert_close(yes.exp(), torch.full_like(yes, 0.5), atol=1e-5, rtol=0)
    torch.testing.assert_close(yes, no, atol=2e-5, rtol=0)


def test_learned_logit_is_a_line_over_the_logarithm_of_the_distance() -> None:
    score = LearnedScore(1).double()
    with torch.no_grad():
        score.log_scale.fill_(math.log(1.5))
        score.bias.fill_(3.0)
    logits = score.logits(torch.tensor([[0.1, 1.0, 10.0]], dtype=torch.float64))
    torch.testing.assert_close(
        logits.diff(), torch.full((1, 2), -3.0 * math.log(10), dtype=torch.float64), atol=2e-3,
        rtol=0,
    )  # fmt: skip


@pytest.mark.parametrize("scale", [-5.0, 0.0, 5.0])
@pytest.mark.parametrize("bias", [-50.0, 0.0, 50.0])
def test_a_graph_matches_itself_whatever_a_learned_score_learns(scale: float, bias: float) -> None:
    score = LearnedScore(1)
    with torch.no_grad():
        score.log_scale.fill_(scale)
        score.bias.fill_(bias)
        assert score(torch.zeros(1, 1))[0].exp() >= 0.999


def test_distance_is_euclidean_but_for_its_epsilon() -> None:
    one, other = torch.tensor([[3.0, 0.0], [1.0, 1.0]]), torch.tensor([[0.0, 4.0], [1.0, 1.0]])
    one.requires_grad_()
    distances = euclidean(one, other)
    assert distances.tolist() == pytest.approx([5.0, 0.0], abs=1.1e-4)
    assert distances[1] == 0
    distances.sum().backward()
    assert one.grad is not None
    torch.testing.assert_close(one.grad, torch.tensor([[0.6, -0.8], [0.0, 0.0]]))


def test_a_scale_that_is_not_positive_is_refused() -> None:
    with pytest.raises(ValueError, match="positive"):
        ExpScore(-0.5)
