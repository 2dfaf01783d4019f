"""Make a value wrong: another type, shape, length, device or range, from a seed."""

import dataclasses
import math
import random
from collections.abc import Callable
from typing import Any

import numpy as np
import torch
from right_arguments import fields_of
from torch import Tensor

from graphpool.graphs import Segments

_ANYTHING: tuple[Any, ...] = (
    None, "", "text", "\ud800", b"bytes", 0, -1, 3, 2.5, True, math.nan, math.inf, -math.inf, 10**9,
    10**30, -(10**30), 10**5000, 1e300, [], [1, 2], [10**5000], [[1], [2, 3]], {}, {"a": 1}, (),
    object(), 1j, range(3), np.zeros(3), np.array("word"), torch.zeros(()), torch.ones(3),
)  # fmt: skip


def wrong(draw: random.Random, value: Any) -> Any:
    """Return a value that is not, or hardly, what a call needs."""
    if draw.random() < 0.12:
        return draw.choice(_ANYTHING)
    if isinstance(value, Tensor):
        return wrong_tensor(draw, value)
    if isinstance(value, np.ndarray):
        made = wrong_tensor(draw, torch.from_numpy(np.ascontiguousarray(value)))
        has_array = isinstance(made, Tensor) and made.is_cpu and made.layout is torch.strided
        return made.numpy() if has_array and made.dtype is not torch.bfloat16 else made
    if isinstance(value, bool) or value is None or not isinstance(value, (int, float, str)):
        if hasattr(value, "_replace"):
            key = draw.choice(value._fields)
            return value._replace(**{key: wrong(draw, getattr(value, key))})
        if isinstance(value, (list, tuple)) and len(value):
            return wrong_list(draw, value)
        if dataclasses.is_dataclass(value) and not isinstance(value, type):
            return wrong_fields(draw, value)
        if isinstance(value, Segments):
            return Segments(wrong(draw, value.ptr))
        return draw.choice(_ANYTHING)
    return draw.choice(_ANYTHING)


def wrong_tensor(draw: random.Random, value: Tensor) -> Any:
    shapes: list[Callable[[Tensor], Any]] = [
        lambda v: v[:-1], lambda v: v[1:], lambda v: v[:0], lambda v: torch.cat([v, v]),
        lambda v: torch.cat([v, v[:3]]), lambda v: v.unsqueeze(0), lambda v: v.unsqueeze(-1),
        lambda v: v.flatten(), lambda v: v.mT, lambda v: v.flip(0), lambda v: v[:, :-1],
        lambda v: v[:, :0], lambda v: v[0], lambda v: v.reshape(1, *v.shape),
        lambda v: v[torch.randperm(v.shape[0])], lambda v: v.expand(2, *v.shape),
    ]  # fmt: skip
    kinds: list[Callable[[Tensor], Any]] = [
        lambda v: v.double(), lambda v: v.half(), lambda v: v.bfloat16(), lambda v: v.long(),
        lambda v: v.int(), lambda v: v.to(torch.uint8), lambda v: v.bool(), lambda v: v.float(),
        lambda v: v.to(torch.complex64), lambda v: v.to("meta"), lambda v: v.to_sparse(),
        lambda v: v.tolist(), lambda v: v.numpy(),
    ]  # fmt: skip
    if draw.random() < 0.35:
        numbers: list[Any] = [-1, 1_000_000, 2**31, 2**62, -(2**62), value.numel(), 255]
        if value.is_floating_point():
            numbers = [math.nan, math.inf, -math.inf, 1e30, -1e30, 1e-40, 3e38, 0.0]
        made = value.clone(memory_format=torch.contiguous_format)
        if made.numel():
            for _ in range(draw.choice((1, 1, 3))):
                number = draw.choice(numbers)
                if not made.is_floating_point() and made.dtype is not torch.bool:
                    limits = torch.iinfo(made.dtype)
                    number = max(limits.min, min(limits.max, number))
                made.view(-1)[draw.randrange(made.numel())] = number
        return made
    try:
        return draw.choice(shapes if draw.random() < 0.55 else kinds)(value)
    except Exception:  # this shape has no such form
        return value[:-1] if value.ndim else value.unsqueeze(0)


def wrong_list(draw: random.Random, value: Any) -> Any:
    made = list(value)
    at = draw.randrange(len(made))
    how = draw.randrange(4)
    if how == 0:
        made.pop(at)
    elif how == 1:
        made.append(made[at])
    else:
        made[at] = wrong(draw, made[at])
    return made if draw.random() < 0.2 else type(value)(made)


def wrong_fields(draw: random.Random, value: Any) -> Any:
    """The same kind of object made by hand, with a wrong field."""
    values = fields_of(value)
    key = draw.choice([*values])
    return type(value)(**(values | {key: wrong(draw, values[key])}))
