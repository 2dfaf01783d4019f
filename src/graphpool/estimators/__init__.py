"""Estimators in scikit-learn style."""

from graphpool.estimators.base import GraphEstimator
from graphpool.estimators.classifier import GraphClassifier
from graphpool.estimators.comparer import GraphComparer
from graphpool.estimators.matcher import GraphMatcher
from graphpool.estimators.multilabel import GraphMultiLabelClassifier
from graphpool.estimators.regressor import GraphRegressor

__all__ = [
    "GraphEstimator", "GraphClassifier", "GraphRegressor", "GraphMultiLabelClassifier",
    "GraphMatcher", "GraphComparer",
]  # fmt: skip
