import math

from graphpool.training.objective import Criterion, is_better

SELECTION = (Criterion("accuracy", higher=True), Criterion("loss", higher=False))


def test_higher_accuracy_wins_whatever_the_loss():
    assert is_better(SELECTION, {"accuracy": 0.8, "loss": 9.0}, {"accuracy": 0.7, "loss": 0.1})
    assert not is_better(SELECTION, {"accuracy": 0.6, "loss": 0.0}, {"accuracy": 0.7, "loss": 0.1})


def test_lower_loss_decides_between_equal_accuracies():
    assert is_better(SELECTION, {"accuracy": 0.7, "loss": 0.1}, {"accuracy": 0.7, "loss": 0.2})
    assert not is_better(SELECTION, {"accuracy": 0.7, "loss": 0.2}, {"accuracy": 0.7, "loss": 0.2})


def test_everything_beats_nothing():
    assert is_better(SELECTION, {"accuracy": 0.0, "loss": 5.0}, {})


def test_nan_never_wins_and_always_loses():
    good, bad = {"accuracy": 0.1, "loss": 5.0}, {"accuracy": math.nan, "loss": math.nan}
    assert not is_better(SELECTION, bad, good)
    assert is_better(SELECTION, good, bad)
    assert not is_better(SELECTION, bad, bad)
