"""Generated sets: `arrangements` of communities, and pairs for `matching`."""

from graphpool.imports import lazy_names

__getattr__, __dir__, __all__ = lazy_names(__name__, {}, modules=("arrangements", "matching"))
