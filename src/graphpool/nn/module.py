"""Base class of all modules: every one checks its arguments, and can draw its weights again."""

import functools
import inspect
from collections.abc import Callable
from numbers import Integral, Real
from types import UnionType
from typing import Any, ClassVar, get_args, get_origin

from torch import nn

from graphpool.errors import ConfigError, check_real, check_whole

# More of anything takes more memory than machines have.
MOST = 10**6
_LEAST = {"in_channels": 1, "hidden_channels": 1, "channels": 1, "heads": 1}
# 0 leaves out the head of a network, and the features of edges.
_LEAST |= {"out_channels": 0, "edge_channels": 0}


class Module(nn.Module):
    """A module with `reset_parameters`.

    One with parameters of its own overrides it; the draws come in the order of construction, so
    that a reset under a seed gives the weights of a module made under that seed. `shown` names the
    attributes that `print(module)` shows. Arguments of the constructor are checked against their
    annotations.

    Attributes:
        replayable: whether a step of training with it can be recorded once and replayed: it asks
            nothing of the device, and leaves the nodes of a `PaddedBatch` apart that are padding.
    """

    shown: ClassVar[tuple[str, ...]] = ()
    replayable: bool = False

    def __init_subclass__(cls, **options: Any) -> None:
        super().__init_subclass__(**options)
        if "__init__" in vars(cls):
            cls.__init__ = _checking(cls.__init__)  # type: ignore[method-assign]

    def reset_parameters(self) -> None:
        """Draw the initial weights again."""
        reset_children(self)

    def extra_repr(self) -> str:
        """Return the attributes in `shown`."""
        return ", ".join(f"{name}={getattr(self, name)!r}" for name in self.shown)


def reset_children(module: nn.Module) -> None:
    """Reset all submodules, in the order in which they were registered."""
    for child in module.children():
        reset(child)


def reset(module: nn.Module) -> None:
    """Reset a module; a container without `reset_parameters` has its parts reset."""
    method = getattr(module, "reset_parameters", None)
    if method is None:
        reset_children(module)
    else:
        method()


def _checking(construct: Callable[..., None]) -> Callable[..., None]:
    """Make a constructor refuse arguments of another type than it is annotated with."""
    signature = inspect.signature(construct)

    @functools.wraps(construct)
    def checked(self: nn.Module, *args: Any, **kwargs: Any) -> None:
        for name, value in signature.bind(self, *args, **kwargs).arguments.items():
            _check_argument(name, value, signature.parameters[name].annotation)
        construct(self, *args, **kwargs)

    return checked


def _check_argument(name: str, value: Any, hint: Any) -> None:
    kinds = [get_origin(each) or each for each in (_options(hint))]
    unknown = Any in kinds or inspect.Parameter.empty in kinds
    if unknown or not all(isinstance(kind, type) for kind in kinds):
        return  # a literal, Any: checked by the constructor itself
    if name == "dropout":
        check_real(name, value, 0.0, 1.0)
        if value == 1:
            raise ConfigError("dropout is 1, which leaves nothing; give a share below 1")
    elif type(value) is not bool and {int, float} & {*kinds} and isinstance(value, Integral):
        check_whole(name, value, _LEAST.get(name, -MOST), MOST)
    elif not any(_is_a(value, kind) for kind in kinds):
        names = " or ".join("None" if kind is type(None) else kind.__name__ for kind in kinds)
        raise ConfigError(f"{name} is a {type(value).__name__}; give {names}")


def _options(hint: Any) -> tuple[Any, ...]:
    return get_args(hint) if isinstance(hint, UnionType) else (hint,)


def _is_a(value: Any, kind: type) -> bool:
    if type(value) is bool:
        return kind in (bool, object)
    if kind is tuple:
        return isinstance(value, (tuple, list))
    return isinstance(value, Real if kind is float else kind)
