"""Random numbers of networks, drawn from a generator of one's own in place of torch's global one.

The global generator is shared by all threads of a process. A network whose weights and dropout come
from a generator of its own gets the same numbers whatever else draws at the same time, and leaves
the global one as it was.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn import functional
from torch.utils._python_dispatch import TorchDispatchMode

_generator: ContextVar[torch.Generator | None] = ContextVar("generator", default=None)


@contextmanager
def drawing_from(generator: torch.Generator) -> Iterator[None]:
    """Let `dropout` and `uniform_like` draw from `generator`, in this thread."""
    token = _generator.set(generator)
    try:
        yield
    finally:
        _generator.reset(token)


def dropout(x: Tensor, rate: float, training: bool) -> Tensor:
    """Return `x` with a share `rate` of its entries zeroed and the others scaled, in training."""
    generator = _generator.get()
    if not training or not rate or generator is None:
        return functional.dropout(x, rate, training)
    # On a CPU the same numbers as torch's dropout, which takes no generator.
    return x * torch.empty_like(x).bernoulli_(1 - rate, generator=generator).div_(1 - rate)


def uniform_like(x: Tensor) -> Tensor:
    """Return numbers in [0, 1) in the shape of `x`."""
    return torch.empty_like(x).uniform_(generator=_generator.get())


class Dropout(nn.Dropout):
    """`torch.nn.Dropout` that draws as `dropout` does."""

    def forward(self, input: Tensor) -> Tensor:
        """Zero a share `p` of the entries, in training."""
        return dropout(input, self.p, self.training)


class RedirectedDraws(TorchDispatchMode):
    """Let every random operation of this thread draw from `generator` instead of the global one.

    It also reaches operations in modules of torch, such as the initialization of `nn.Linear`. Each
    operation takes longer by a call of Python.
    """

    def __init__(self, generator: torch.Generator) -> None:
        super().__init__()
        self.generator = generator

    def __torch_dispatch__(
        self, func: Any, types: Any, args: tuple[Any, ...] = (), kwargs: Any = None
    ) -> Any:
        """Run an operation, with the generator if it is a random one."""
        kwargs = kwargs or {}
        if torch.Tag.nondeterministic_seeded not in func.tags:
            return func(*args, **kwargs)
        if (draw := _WITH_GENERATOR.get(func)) is not None:
            return draw(self.generator, *args, **kwargs)
        if not any(argument.name == "generator" for argument in func._schema.arguments):
            known, own = func.overloadpacket, func._overloadname
            name = "generator" if own == "default" else f"{own}_generator"
            if name not in known.overloads():
                return func(*args, **kwargs)
            func = getattr(known, name)
        if kwargs.get("generator") is None:
            kwargs = {**kwargs, "generator": self.generator}
        return func(*args, **kwargs)


def _native_dropout(
    generator: torch.Generator, x: Tensor, rate: float, train: bool | None
) -> tuple[Tensor, Tensor]:
    if train is False or not rate:
        return x.clone(), torch.ones_like(x, dtype=torch.bool)
    kept = torch.empty_like(x, dtype=torch.bool).bernoulli_(1 - rate, generator=generator)
    return x * kept / (1 - rate), kept


def _filled_like(fill: str) -> Callable[..., Tensor]:
    def draw(generator: torch.Generator, x: Tensor, **options: Any) -> Tensor:
        values: Tensor = getattr(torch.empty_like(x, **options), fill)(generator=generator)
        return values

    return draw


# Random operations of torch that take no generator.
_WITH_GENERATOR: dict[Any, Callable[..., Any]] = {
    torch.ops.aten.native_dropout.default: _native_dropout,
    torch.ops.aten.rand_like.default: _filled_like("uniform_"),
    torch.ops.aten.randn_like.default: _filled_like("normal_"),
}


def seeded_weights(seed: int) -> RedirectedDraws:
    """Return a context in which modules draw their weights from a generator with this seed."""
    return RedirectedDraws(torch.Generator().manual_seed(seed))


def draws_by_itself(model: nn.Module) -> bool:
    """Whether a module of the model may draw from the global generator, in training."""
    return any(_may_draw(module) for module in model.modules())


def _may_draw(module: nn.Module) -> bool:
    home = type(module).__module__
    if home.startswith("graphpool."):
        return False
    random = isinstance(module, (nn.modules.dropout._DropoutNd, nn.RReLU))
    return random or bool(getattr(module, "dropout", 0)) or not home.startswith("torch.nn.modules.")
