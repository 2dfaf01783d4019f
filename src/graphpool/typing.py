"""Tensor shapes as types: `Float[Tensor, "nodes channels"]`.

The annotations are those of jaxtyping and are checked while the tests run. jaxtyping is a
development dependency: without it the annotations mean plain tensors.
"""

from typing import TYPE_CHECKING, Any

from torch import Tensor

if TYPE_CHECKING:
    from jaxtyping import Bool, Float, Int
else:
    try:
        from jaxtyping import Bool, Float, Int
    except ImportError:

        class _Shaped:
            def __class_getitem__(cls, item: Any) -> Any:
                return item[0]

        Bool = Float = Int = _Shaped

__all__ = ["Bool", "Float", "Int", "Tensor"]
