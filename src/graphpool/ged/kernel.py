"""Decorators and array types for the compiled loops of `graphpool.ged`."""

from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from graphpool.numba_cache import compiler

IntArray = NDArray[np.int64]
CodeArray = NDArray[np.int32]  # codes of labels, and numbers of nodes

FOLDER = Path(__file__).parent

compiled = compiler(FOLDER)
# The searches only read and write arrays that they are given. Without numba's runtime they can't
# allocate, and don't count references, which would take as long as the search itself.
kernel = compiler(FOLDER, _nrt=False)
# For functions that only compiled ones call: reading tuples of arrays from Python takes as long to
# compile as many a loop.
inner = compiler(FOLDER, _nrt=False, no_cpython_wrapper=True)
# A call copies every field of the tuples that it passes, so functions with one caller are inlined.
inlined = compiler(FOLDER, _nrt=False, inline="always")
