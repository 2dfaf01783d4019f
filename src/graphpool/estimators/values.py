"""Arrays that users give to estimators: labels, weights, pairs and distances."""

from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from graphpool.errors import InputError, plural


def as_array(what: str, values: Any, dtype: Any = None) -> NDArray[Any]:
    """Return what is given as an array; an error names it if it is none."""
    try:
        return np.asarray(values.cpu() if isinstance(values, torch.Tensor) else values, dtype)
    except (TypeError, ValueError, OverflowError, RuntimeError) as error:
        reason = str(error).partition("\n")[0]
        raise InputError(f"{what} can't be read as an array ({reason}); give numbers") from None


def as_weights(values: Any, count: int, unit: str) -> NDArray[np.float64]:
    """Return one weight per graph or pair, checked."""
    weights = as_array("sample_weight", values)
    if weights.ndim == 0 and weights.dtype.kind in "iuf":
        weights = np.full(count, weights)
    if weights.dtype.kind not in "biuf" or weights.shape != (count,):
        raise InputError(
            f"sample_weight has shape {weights.shape} of {weights.dtype} for "
            f"{plural(count, unit)}; give one number each"
        )
    weights = weights.astype(np.float64)
    if not (np.isfinite(weights).all() and (weights >= 0).all() and weights.any()):
        raise InputError(
            f"sample_weight must be finite and not negative, and not zero for all {unit}s"
        )
    return weights
