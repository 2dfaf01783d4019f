import json
import random

import numpy as np
import torch

from graphpool.training import seed_everything
from graphpool.training.seeding import epoch_order, rng_state, set_rng_state


def draw():
    return random.random(), random.gauss(), np.random.rand(), np.random.randn(), torch.rand(3)


def same(left, right):
    return left[:4] == right[:4] and torch.equal(left[4], right[4])


def test_the_same_seed_gives_the_same_numbers():
    seed_everything(3)
    first = draw()
    seed_everything(3)
    assert same(first, draw())


def test_states_survive_json_and_give_the_same_numbers():
    seed_everything(4)
    draw()  # leaves half of a pair of normal deviates behind in Python and in NumPy
    tensors, plain = rng_state()
    first = draw()
    set_rng_state(tensors, json.loads(json.dumps(plain)))
    assert same(first, draw())


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
