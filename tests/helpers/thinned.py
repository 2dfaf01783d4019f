"""Which of many combinations are tested by default; the others are marked `slow`."""

from collections import Counter
from collections.abc import Iterable
from typing import Any

import pytest


def thinned(names: Iterable[str], whole: tuple[str, ...] = ()) -> list[Any]:
    """Parameters of a test, all but a part of the networks among them marked `slow`.

    Names of networks are `model/METHOD/ENCODER` and `model/METHOD/ENCODER/OPTION`. Of each method
    and option one is tested by default, with the encoder that was tested least before; all are if
    the option is in `whole`. Whatever is no network is tested by default.
    """
    groups: dict[tuple[str, str], list[tuple[str, str]]] = {}
    kept, names = set(), list(names)
    for name in names:
        kind, method, encoder, option, *_ = [*name.split("/"), "", ""]
        if kind != "model" or option in whole:
            kept.add(name)
        else:
            groups.setdefault((method, option), []).append((encoder, name))
    used: Counter[str] = Counter()
    for group in groups.values():
        encoder, name = min(group, key=lambda each: used[each[0]])
        used[encoder] += 1
        kept.add(name)
    return [name if name in kept else pytest.param(name, marks=pytest.mark.slow) for name in names]
