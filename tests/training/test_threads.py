"""The same seed gives the same bits in any thread, beside any other fit, and changes no global."""

import threading
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
import torch
from standin import make_graphs, make_model, train

from graphpool.estimators.classifier import GraphClassifier
from graphpool.training.environment import deterministic, thread_count

SETTINGS = (
    {"seed": 0, "dropout": 0.3},
    {"seed": 0, "pooler": "hap-one-way", "connect": "gumbel", "assignment": "content"},
    {"seed": 1, "dropout": 0.3},
    {"seed": 0, "pooler": "diffpool", "dropout": 0.2},
)


def fit_one(settings):
    graphs = make_graphs(40)
    model = GraphClassifier(epochs=4, hidden_channels=8, max_clusters=4, **settings).fit(graphs)
    return model.predict_proba(graphs)


def test_fits_in_threads_equal_fits_in_sequence():
    expected = [fit_one(settings) for settings in SETTINGS]
    stop = threading.Event()

    def draw():
        while not stop.is_set():
            torch.rand(3)

    disturber = threading.Thread(target=draw)
    disturber.start()
    try:
        with ThreadPoolExecutor(4) as pool:
            results = list(pool.map(fit_one, SETTINGS))
    finally:
        stop.set()
        disturber.join()
    for result, wanted in zip(results, expected, strict=True):
        np.testing.assert_array_equal(result, wanted)


def test_modules_that_are_not_ours_get_the_same_numbers_in_threads():
    """`Standin` has the dropout of torch."""
    expected = train()[0].state_dict()
    models = [make_model() for _ in range(3)]
    with ThreadPoolExecutor(3) as pool:
        for model, _ in pool.map(lambda model: train(model=model), models):
            for name, value in expected.items():
                assert torch.equal(model.state_dict()[name], value), name


@pytest.mark.parametrize("run", [lambda: fit_one(SETTINGS[0]), lambda: train(model=STANDIN)])
def test_fit_leaves_global_generators_and_switches_alone(run):
    def look():
        return (
            torch.get_rng_state().tolist(),
            np.random.get_state()[1].tolist(),
            torch.get_num_threads(),
            torch.get_deterministic_debug_mode(),
        )

    before = look()
    run()
    assert look() == before


STANDIN = make_model()


def test_the_last_of_several_runs_restores_the_switches():
    first, second = deterministic(torch.device("cpu")), deterministic(torch.device("cpu"))
    first.__enter__()
    second.__enter__()
    first.__exit__(None, None, None)
    assert torch.get_deterministic_debug_mode() == 1
    second.__exit__(None, None, None)
    assert torch.get_deterministic_debug_mode() == 0


def test_a_thread_does_not_take_the_thread_count_of_a_fit_in_another():
    before = torch.get_num_threads()
    counts = []

    def other():
        with thread_count(0):
            counts.append(torch.get_num_threads())

    with thread_count(before + 1):
        thread = threading.Thread(target=other)
        thread.start()
        thread.join()
        with thread_count(0):  # inside another one in this thread
            assert torch.get_num_threads() == before + 1
        assert torch.get_num_threads() == before + 1
    assert counts == [before]
    assert torch.get_num_threads() == before
