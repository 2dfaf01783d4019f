"""A tape of operations, which does on a CPU what a recording on a GPU does.

It keeps every operation with the memory that it reads and writes. Replayed, each operation reads
that memory again, whatever is there by now, and writes where it wrote before.
"""

from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils._pytree import tree_flatten

# What asks the device for a number, makes as many rows as there are of something, or copies numbers
# from the host.
ASKS = {
    "lift_fresh", "_local_scalar_dense", "nonzero", "unique_consecutive", "_unique2", "unique_dim",
    "masked_select", "equal", "bincount",
}  # fmt: skip


class Tape(TorchDispatchMode):
    """Operations in their order."""

    def __init__(self) -> None:
        super().__init__()
        self.steps: list[tuple[Any, tuple[Any, ...], dict[str, Any], Any]] = []
        self.made: set[int] = set()
        self.outside: set[int] = set()
        self.before: dict[int, tuple[torch.UntypedStorage, torch.UntypedStorage]] = {}

    def __torch_dispatch__(
        self, func: Any, types: Any, args: tuple[Any, ...] = (), kwargs: Any = None
    ) -> Any:
        kwargs = kwargs or {}
        name = func._schema.name.removeprefix("aten::")
        if name in ASKS or _chosen_by_mask(name, args) or _unknown_length(func, name, kwargs):
            raise RuntimeError(f"{name} asks the device")
        for memory in _memory((args, kwargs)):
            where = memory.data_ptr()
            if where not in self.made:
                self.outside.add(where)
                if func._schema.is_mutable and where not in self.before:
                    self.before[where] = memory, memory.clone()
        out = func(*args, **kwargs)
        self.made.update({memory.data_ptr() for memory in _memory(out)} - self.outside)
        self.steps.append((func, args, kwargs, out))
        return out

    def undo(self) -> None:
        """Put back what was there before."""
        for memory, old in self.before.values():
            memory.copy_(old)

    def replay(self) -> None:
        """Do it all again."""
        with torch.no_grad():
            for func, args, kwargs, out in self.steps:
                again = func(*args, **kwargs)
                for old, new in zip(_tensors(out), _tensors(again), strict=True):
                    assert old.shape == new.shape, func
                    if old.data_ptr() != new.data_ptr():
                        old.copy_(new)


def _chosen_by_mask(name: str, args: tuple[Any, ...]) -> bool:
    if name not in ("index", "index_put", "index_put_", "_index_put_impl_"):
        return False
    return any(index is not None and index.dtype is torch.bool for index in args[1])


def _unknown_length(func: Any, name: str, kwargs: dict[str, Any]) -> bool:
    return name == "repeat_interleave" and kwargs.get("output_size") is None


def _tensors(values: Any) -> list[Tensor]:
    return [value for value in tree_flatten(values)[0] if isinstance(value, Tensor)]


def _memory(values: Any) -> list[torch.UntypedStorage]:
    return [value.untyped_storage() for value in _tensors(values)]


def record(run: Callable[[], Any], generator: torch.Generator) -> Callable[[], None]:
    """Record a function as a GPU does: nothing that it writes is changed yet."""
    tape, state = Tape(), generator.get_state()
    with tape:
        run()
    tape.undo()
    generator.set_state(state)
    return tape.replay
