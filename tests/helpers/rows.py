"""`RowClassifier`: a `GraphClassifier` of rows of an array, for the checks of scikit-learn.

scikit-learn checks estimators on arrays and skips those that take other input. Here each row is a
graph of one node with the row as its features, so that all of the checks run.
"""

from typing import Any

import numpy as np
import torch
from sklearn.utils.validation import check_is_fitted, validate_data

import graphpool as gp


class _Rows(gp.estimators.GraphEstimator):
    """An estimator whose input is rows of numbers."""

    @property
    def n_features_in_(self) -> int:
        return self._columns

    @n_features_in_.setter
    def n_features_in_(self, count: int) -> None:  # by `validate_data`
        self._columns = count

    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Any:
        rows = validate_data(self, X)
        super().fit(_graphs(rows), y, **_given(sample_weight))
        return self

    def fit_transform(self, X: Any, y: Any = None, **fit_params: Any) -> Any:
        return self.fit(X, y, **fit_params).transform(X)

    def transform(self, X: Any) -> Any:
        return super().transform(self._graphs(X))

    def score(self, X: Any, y: Any = None, sample_weight: Any = None) -> float:
        return super().score(self._graphs(X), y, sample_weight)

    def _graphs(self, X: Any) -> gp.GraphSet:
        check_is_fitted(self)
        return X if isinstance(X, gp.GraphSet) else _graphs(validate_data(self, X, reset=False))

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.two_d_array = True
        return tags


class RowClassifier(_Rows, gp.GraphClassifier):
    def predict_proba(self, X: Any) -> Any:
        return super().predict_proba(self._graphs(X))


class RowRegressor(_Rows, gp.GraphRegressor):
    def predict(self, X: Any) -> Any:
        return super().predict(self._graphs(X))


def _graphs(rows: Any) -> gp.GraphSet:
    """One graph of one node for each row."""
    count = len(rows)
    none = torch.zeros(count, dtype=torch.long)
    x = torch.from_numpy(np.array(rows, dtype=np.float32))
    return gp.GraphSet.build("rows", none + 1, none, torch.zeros(2, 0, dtype=torch.long), x=x)


def _given(sample_weight: Any) -> dict[str, Any]:
    return {} if sample_weight is None else {"sample_weight": sample_weight}
