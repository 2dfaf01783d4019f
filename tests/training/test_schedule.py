import pytest

from graphpool.config import TrainConfig
from graphpool.training.schedule import Plateau, learning_rate


def test_cosine_starts_full_and_is_half_in_the_middle():
    config = TrainConfig(learning_rate=0.1, epochs=10, schedule="cosine")
    assert learning_rate(config, 0, Plateau()) == pytest.approx(0.1)
    assert learning_rate(config, 5, Plateau()) == pytest.approx(0.05)
    assert learning_rate(config, 10, Plateau()) == pytest.approx(0.0)


def test_plateau_lowers_the_rate_after_so_many_epochs_without_a_better_loss():
    config = TrainConfig(
        learning_rate=0.1, schedule="plateau", plateau_epochs=2, plateau_factor=0.1
    )
    plateau, rates = Plateau(), []
    for loss in (1.0, 0.5, 0.5, 0.6, 0.4, 0.4, 0.4):
        plateau.observe(loss, config)
        rates.append(learning_rate(config, 0, plateau))
    assert rates == pytest.approx([0.1, 0.1, 0.1, 0.01, 0.01, 0.01, 0.001])


def test_constant_never_changes():
    plateau = Plateau(scale=0.01)
    assert learning_rate(TrainConfig(learning_rate=0.1), 99, plateau) == 0.1
