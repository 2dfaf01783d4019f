"""Base class of all modules: every one can draw its initial weights again."""

from typing import ClassVar

from torch import nn


class Module(nn.Module):
    """A module with `reset_parameters`.

    One with parameters of its own overrides it; the draws come in the order of construction, so
    that a reset under a seed gives the weights of a module made under that seed. `shown` names the
    attributes that `print(module)` shows.
    """

    shown: ClassVar[tuple[str, ...]] = ()

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
