import random

import numpy as np
import torch

from graphpool.training import seed_everything
from graphpool.training.seeding import (
    epoch_order,
    fit_generator,
    generator_state,
    set_generator_state,
)

CPU = torch.device("cpu")


def test_the_same_seed_gives_the_same_numbers():
    draws = []
    for _ in range(2):
        seed_everything(3)
        draws.append((random.random(), np.random.rand(), torch.rand(1).item()))
    assert draws[0] == draws[1]


def test_a_generator_continues_from_its_state():
    one, other = fit_generator(4, CPU), fit_generator(5, CPU)
    torch.rand(3, generator=one)
    set_generator_state(other, generator_state(one))
    assert torch.equal(torch.rand(3, generator=one), torch.rand(3, generator=other))


def test_states_of_other_devices_are_ignored():
    one = fit_generator(4, CPU)
    before = one.get_state()
    set_generator_state(one, {"cuda/0": torch.zeros(16, dtype=torch.uint8)})
    assert torch.equal(before, one.get_state())


def test_an_epochs_order_is_a_permutation_and_depends_on_seed_and_epoch_only():
    order = epoch_order(1, 2, 50)
    assert order.sort().values.tolist() == list(range(50))
    torch.rand(7)
    assert torch.equal(order, epoch_order(1, 2, 50))
    assert not torch.equal(order, epoch_order(1, 3, 50))
    assert not torch.equal(order, epoch_order(2, 2, 50))


def test_drawing_an_order_leaves_the_global_generator_alone():
    before = torch.get_rng_state()
    epoch_order(0, 0, 10)
    assert torch.equal(before, torch.get_rng_state())
