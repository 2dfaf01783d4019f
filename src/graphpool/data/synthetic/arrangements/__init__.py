"""Arrangement sets: classes that differ only in how communities are arranged."""

from typing import TYPE_CHECKING

from graphpool.imports import lazy_names

if TYPE_CHECKING:
    from graphpool.data.synthetic.arrangements.build import communities as communities
    from graphpool.data.synthetic.arrangements.build import make as make
    from graphpool.data.synthetic.arrangements.settings import Settings as Settings

__getattr__, __dir__, __all__ = lazy_names(
    __name__, {"build": ("make", "communities"), "settings": ("Settings",)}
)
