"""How the compiled loops of the exact search are compiled."""

from typing import Any

from numba import njit

# The loops only read and write arrays that they are given. Without numba's runtime they can't
# allocate, and don't count references, which cost as much as the work itself.
_OPTIONS: dict[str, Any] = {"cache": True, "nogil": True, "_nrt": False}

kernel = njit(**_OPTIONS)
# A call copies every field of the tuples it passes, so what is called once is put in its place.
inlined = njit(inline="always", **_OPTIONS)
