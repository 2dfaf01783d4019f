"""Decorators that compile the loops of the search for places."""

from pathlib import Path

from graphpool.numba_cache import compiler

SOURCES = Path(__file__).parent, "*.py"

compiled = compiler(*SOURCES)
# For functions that only compiled ones call, which need no code to read arguments from Python.
# Loops are written out, because assigning a slice or a mask takes seconds to compile.
inner = compiler(*SOURCES, no_cpython_wrapper=True)
# A compiled function is optimised together with everything it calls, again at every level of the
# call chain; inlining a function into its caller removes one level.
inlined = compiler(*SOURCES, inline="always")
