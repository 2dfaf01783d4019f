"""Calls of the estimators: `fit` with wrong data and settings, and what a trained one offers."""

from collections.abc import Iterator
from typing import Any

import numpy as np
import torch
from right_arguments import Call, small_set

import graphpool as gp
from graphpool.data.pairs import PairSet


def estimator_calls() -> Iterator[Call]:
    graphs = small_set()
    quick = {"pooler": "sum", "encoder": "gcn", "hidden_channels": 4, "epochs": 1, "batch_size": 4,
             "features": "given", "validation": 0.0, "seed": 0}  # fmt: skip
    positions = np.stack([np.arange(6), np.arange(6) + 6], axis=1)
    far = np.abs(np.subtract.outer(np.arange(12.0), np.arange(12.0)))
    matches, half = (
        np.arange(6) % 2,
        PairSet(graphs, torch.arange(6), torch.arange(6) + 6, torch.arange(6).float() % 2),
    )
    numbers, labels = np.linspace(-1, 1, 12), np.stack([matches, 1 - matches]).reshape(12, 1) * 1.0
    training = {
        gp.GraphClassifier: {"graphs": graphs, "y": np.arange(12) % 3, "sample_weight": None},
        gp.GraphMatcher: {"graphs": graphs, "y": matches, "pairs": positions},
        gp.GraphComparer: {"graphs": graphs, "y": far, "triplets": 8},
        gp.GraphRegressor: {"graphs": graphs, "y": numbers, "sample_weight": None,
                            "interval": "quantile"},
        gp.GraphMultiLabelClassifier: {"graphs": graphs, "y": labels, "sample_weight": None},
    }  # fmt: skip
    using: dict[type[Any], dict[str, dict[str, Any]]] = {
        gp.GraphClassifier: {
            **{name: {} for name in ("predict", "predict_proba", "transform", "levels")},
            "score": {"y": np.arange(12) % 3, "sample_weight": np.ones(12)},
        },
        gp.GraphMatcher: {
            "predict": {"pairs": positions},
            "predict_proba": {"pairs": positions},
            "score": {"y": matches, "pairs": positions, "sample_weight": np.ones(6)},
        },
        gp.GraphComparer: {
            "distances": {"others": graphs[:3]},
            "kneighbors": {"n_neighbors": 2, "among": graphs[:3]},
            "score": {"y": far[:, :3], "among": graphs[:3]},
        },
        gp.GraphRegressor: {
            **{name: {} for name in ("predict", "predict_interval", "transform", "levels")},
            "score": {"y": numbers, "sample_weight": np.ones(12)},
        },
        gp.GraphMultiLabelClassifier: {
            **{name: {} for name in ("predict", "predict_proba", "transform", "levels")},
            "score": {"y": labels, "sample_weight": np.ones(12)},
        },
    }
    for kind, given in training.items():
        name = kind.__name__

        def fit(kind: Any = kind, **given: Any) -> Any:
            settings = {key: given.pop(key) for key in [*given] if key in kind().get_params()}
            if isinstance(settings["epochs"], int):  # no fault, but it takes for ever
                settings["epochs"] = min(settings["epochs"], 3)
            return kind(**settings).fit(**given)

        trained = fit(**given, **quick)
        yield Call(f"{name}.fit", fit, {**given, **quick}, 2)
        settings = kind().get_params()
        yield Call(f"{name}.fit (settings)", fit, {**settings, **given, **quick}, 2)
        yield Call(f"{name}.set_params", kind().set_params, settings, 0.5)
        for method, arguments in using[kind].items():
            bound = getattr(trained, method)

            def use(graphs: Any, bound: Any = bound, **arguments: Any) -> Any:
                return bound(graphs, **arguments)  # scikit-learn renames that of `transform`

            yield Call(f"{name}.{method}", use, {"graphs": graphs, **arguments})
    matcher = gp.GraphMatcher(**quick)
    yield Call("GraphMatcher.fit (pairs)", matcher.fit, {"graphs": half, "y": matches}, 2)
