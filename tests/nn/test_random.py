import pytest
import torch
from torch import nn

from graphpool.nn.random import (
    Dropout,
    RedirectedDraws,
    drawing_from,
    draws_by_itself,
    dropout,
    seeded_weights,
    uniform_like,
)


@pytest.fixture(autouse=True)
def global_generator_untouched():
    before = torch.get_rng_state()
    yield
    assert torch.equal(before, torch.get_rng_state())


def generator(seed=3):
    return torch.Generator().manual_seed(seed)


class Foreign(nn.Module):
    """Draws as a user's module may: in ways that take a generator and in ways that don't."""

    def forward(self, x):
        noise = torch.rand_like(x) + torch.randn_like(x) + torch.rand(x.shape) + torch.randn(1)
        order = torch.randperm(len(x)) + torch.randint(0, 5, (1,))
        return nn.functional.dropout(x, 0.5), noise, order, torch.bernoulli(torch.full((9,), 0.5))


def test_weights_are_those_of_the_global_generator_under_the_same_seed():
    state = torch.get_rng_state()
    torch.manual_seed(5)
    expected = nn.Linear(4, 3).weight
    torch.set_rng_state(state)
    with seeded_weights(5):
        assert torch.equal(nn.Linear(4, 3).weight, expected)


def test_dropout_draws_as_torch_does_from_the_given_generator():
    x = torch.rand(40, 7, generator=generator())
    state = torch.get_rng_state()
    torch.manual_seed(3)
    expected = nn.functional.dropout(x, 0.3), nn.functional.dropout(x, 0.3), torch.rand_like(x)
    torch.set_rng_state(state)
    with drawing_from(generator(3)):
        results = dropout(x, 0.3, True), Dropout(0.3)(x), uniform_like(x)
    for result, wanted in zip(results, expected, strict=True):
        assert torch.equal(result, wanted)


def test_without_training_or_rate_dropout_returns_its_input():
    x = torch.rand(4, generator=generator())
    with drawing_from(generator()):
        assert torch.equal(dropout(x, 0.3, False), x)
        assert torch.equal(dropout(x, 0.0, True), x)


def test_draws_of_foreign_modules_are_redirected():
    x = torch.rand(30, 2, generator=generator())

    def outputs(seed):
        with RedirectedDraws(generator(seed)):
            return Foreign()(x)

    for one, again, other in zip(outputs(1), outputs(1), outputs(2), strict=True):
        assert torch.equal(one, again)
        assert not torch.equal(one, other)


def test_native_dropout_which_cuda_uses_is_redirected():
    x = torch.ones(1000)
    with RedirectedDraws(generator(1)):
        out, kept = torch.native_dropout(x, 0.25, True)
        whole, _ = torch.native_dropout(x, 0.25, False)
    assert torch.equal(out, kept / 0.75)
    assert 650 < int(kept.sum()) < 850
    assert torch.equal(whole, x)


@pytest.mark.parametrize(
    ("module", "expected"),
    [
        (Dropout(0.5), False),
        (nn.Sequential(nn.Linear(2, 2), nn.ReLU()), False),
        (nn.Sequential(nn.Dropout(0.5)), True),
        (nn.RReLU(), True),
        (nn.LSTM(2, 2, num_layers=2, dropout=0.5), True),
        (nn.LSTM(2, 2), False),
        (Foreign(), True),
    ],
)
def test_modules_that_may_draw_by_themselves(module, expected):
    assert draws_by_itself(module) is expected
